// SPDX-License-Identifier: GPL-3.0-or-later
// The program batchwise-studio: parses the command line, constructs the parts and runs the event loop.

#include <sys/eventfd.h>
#include <unistd.h>

#include <QtCore/QCommandLineParser>
#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QSocketNotifier>
#include <QtWidgets/QApplication>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/base/file.h"
#include "core/base/process_setup.h"
#include "core/run/own_program.h"
#include "core/run/slurm/slurm_run_controller.h"
#include "ui/bridge/desktop_session.h"
#include "ui/bridge/language.h"
#include "ui/widgets/shell/main_window.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kSavingLimit{10};  // at the end, beside a run that hangs, perhaps on the same disk

/// Returns whether the command line only asks for help or version, which needs no display.
bool asksForText(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* argument) {
    constexpr std::array kAsking = {"-h", "--help", "--help-all", "-v", "--version"};
    return std::any_of(kAsking.begin(), kAsking.end(),
                       [argument](const char* asking) { return std::strcmp(argument, asking) == 0; });
  });
}

struct Arguments {
  QString workspace, config;
  bool resetSettings = false;
  MainWindow::View view;  // given by a restart
};

Arguments readArguments(const QCoreApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QCoreApplication::translate("Studio", "Trains BERT and shows how it learns."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption workspace(
      QStringLiteral("workspace"), QCoreApplication::translate("Studio", "Folder with runs, metrics and checkpoints."),
      QStringLiteral("folder"));
  const QCommandLineOption config(QStringLiteral("config"),
                                  QCoreApplication::translate("Studio", "Configuration file to edit."),
                                  QStringLiteral("file"));
  const QCommandLineOption reset(QStringLiteral("reset-settings"),
                                 QCoreApplication::translate("Studio", "Reset window layout, appearance and folders."));
  QCommandLineOption page(QStringLiteral("restart-page"), {}, QStringLiteral("name"));
  QCommandLineOption run(QStringLiteral("restart-run"), {}, QStringLiteral("id"));
  QCommandLineOption ticked(QStringLiteral("restart-ticked"), {}, QStringLiteral("ids"));
  for (QCommandLineOption* option : {&page, &run, &ticked}) option->setFlags(QCommandLineOption::HiddenFromHelp);
  parser.addOptions({workspace, config, reset, page, run, ticked});
  parser.process(application);
  const auto path = [&parser](const QCommandLineOption& option) {
    return QFile::decodeName(expandedHome(QFile::encodeName(parser.value(option)).toStdString()).c_str());
  };
  return {path(workspace),
          path(config),
          parser.isSet(reset),
          {parser.value(page), parser.value(run), parser.value(ticked).split(QLatin1Char(','), Qt::SkipEmptyParts)}};
}

Appearance appearanceNamed(const QString& name) {
  if (name == QLatin1String("light")) return Appearance::Light;
  return name == QLatin1String("dark") ? Appearance::Dark : Appearance::System;
}

QString workspaceToOpen(const Arguments& arguments, const StudioSettings& settings) {
  if (!arguments.workspace.isEmpty()) return QDir::current().absoluteFilePath(arguments.workspace);
  if (!settings.workspace().isEmpty()) return settings.workspace();
  return QString::fromStdString(defaultWorkspacePath().string());
}

/// A remembered workspace that no longer exists is not created again.
WorkspacePresenter::OpenMode howToOpen(const Arguments& arguments, const StudioSettings& settings) {
  const bool remembered = arguments.workspace.isEmpty() && !settings.workspace().isEmpty();
  return remembered ? WorkspacePresenter::OpenMode::MustExist : WorkspacePresenter::OpenMode::CreateIfMissing;
}

void bringToFront(QWidget& window) {
  window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
  window.show();
  window.raise();
  window.activateWindow();
}

/// Returns an absolute path, because another process may have another working folder.
QString absoluteFile(const QString& file) {
  return file.isEmpty() ? file : QDir::current().absoluteFilePath(file);
}

std::unique_ptr<RunController> controllerFor(RunLocation place, EventSink& events, const StudioSettings& settings) {
  switch (place) {
    case RunLocation::OwnProcess: return makeChildRunController(events);
    case RunLocation::Slurm: return makeSlurmRunController(events, settings.slurm());
    case RunLocation::SlurmJob: return makeSlurmWatcher(events);
    case RunLocation::ThisProcess: break;
  }
  return makeThreadRunController(events);
}

/// Turns SIGINT and SIGTERM into a call of `quit` in the GUI thread, until `parent` is destroyed. Once per process.
void onQuitSignals(QObject& parent, const std::function<void()>& quit) {
  static int wakeDescriptor = -1;  // written by the signal handler: write() is async-signal-safe
  wakeDescriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto* notifier = new QSocketNotifier(wakeDescriptor, QSocketNotifier::Read, &parent);
  QObject::connect(notifier, &QSocketNotifier::activated, &parent, [quit] {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wakeDescriptor, &count, sizeof count);
    quit();
  });
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = write(wakeDescriptor, &one, sizeof one);
    });
  QObject::connect(&parent, &QObject::destroyed, [] {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  });
}

/// Returns the arguments that QApplication has taken from those given, such as -platform and -style.
QStringList takenByQt(const std::vector<const char*>& given, std::span<char*> left) {
  QStringList taken;
  for (const char* argument : given)
    if (std::find(left.begin(), left.end(), argument) == left.end()) taken << QFile::decodeName(argument);
  return taken;
}

/// Executes the program again in this process. Returns only if the system refuses.
void restart(const QStringList& arguments) {
  std::vector<QByteArray> texts{QByteArrayLiteral("batchwise-studio")};
  for (const QString& argument : arguments) texts.push_back(QFile::encodeName(argument));
  std::vector<char*> pointers;
  for (QByteArray& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  execv(ownProgram().c_str(), pointers.data());
}

struct Outcome {
  int code = 0;
  QStringList restart;  ///< arguments with which the program starts again; empty: it does not
};

/// Arguments with which a restart shows the same workspace, page and runs. One that could not be opened is not named
/// if it was only remembered, so that it is not created.
QStringList restartArguments(const Arguments& arguments, const StudioParts& parts, const MainWindow& window) {
  const auto [page, run, ticked] = window.view();
  QString folder = arguments.workspace.isEmpty() ? QString() : QDir::current().absoluteFilePath(arguments.workspace);
  if (parts.workspace.workspace()) folder = parts.workspace.folder();
  QStringList out{QStringLiteral("--restart-page=") + page, QStringLiteral("--restart-run=") + run};
  if (!ticked.isEmpty()) out << QStringLiteral("--restart-ticked=") + ticked.join(QLatin1Char(','));
  if (!folder.isEmpty()) out << QStringLiteral("--workspace=") + folder;
  return out;
}

/// Shows the window until it is closed. `ofQt`: arguments for QApplication, which a restart repeats.
Outcome runStudio(QApplication& application, const QStringList& ofQt) {
  StudioSettings settings;
  Language language;
  language.setLanguage(settings.language());
  const Arguments arguments = readArguments(application);
  if (arguments.resetSettings) {
    settings.reset();
    language.setLanguage(settings.language());
  }

  const QString folder = workspaceToOpen(arguments, settings);
  if (SingleWindow::raiseExisting(folder, absoluteFile(arguments.config))) return {};

  Theme theme;
  theme.setTextScale(settings.textPercent() / 100.0);
  theme.setAppearance(appearanceNamed(settings.appearance()));
  theme.apply();

  StudioParts parts(
      theme, settings,
      [&settings](RunLocation place, EventSink& events) { return controllerFor(place, events, settings); },
      loadTrainer);
  MainWindow window(parts);
  onQuitSignals(window, [&window] { window.closeWhenSaved(); });
  auto single = std::make_unique<SingleWindow>();
  QObject::connect(&parts.workspace, &WorkspacePresenter::opened, single.get(), &SingleWindow::listenFor);
  QObject::connect(single.get(), &SingleWindow::raiseRequested, &window, [&window](const QString& config) {
    bringToFront(window);
    if (!config.isEmpty()) window.editFile(config);
  });

  parts.edit.loadNew(settings.newRunDevices());
  window.restore(arguments.view);
  parts.workspace.open(folder, howToOpen(arguments, settings));
  window.show();
  if (!arguments.config.isEmpty()) window.editFile(arguments.config);
  Outcome outcome{QApplication::exec(), {}};
  if (window.restartRequested()) outcome.restart = ofQt + restartArguments(arguments, parts, window);
  // A run that hangs cannot be joined, and the user should not wait for it. The store is consistent; at the next start
  // the run is found interrupted and its last checkpoint is offered. A restart needs another process for that, which
  // must not find this window.
  if (parts.run.busyInThisProcess()) {
    parts.tasks.finish(kSavingLimit);  // before another window reads what this one saves
    single.reset();
    if (!outcome.restart.isEmpty()) QProcess::startDetached(QApplication::applicationFilePath(), outcome.restart);
    std::_Exit(outcome.code);
  }
  return outcome;
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  batchwise::openMissingStandardStreams();
  batchwise::ignoreFileSizeSignal();
  if (batchwise::asksForText(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
  batchwise::restartWithPassiveThreads(argv);
  batchwise::setGpuEnvironment();
  const std::vector<const char*> given(argv + 1, argv + argc);
  batchwise::Outcome outcome;
  {
    QApplication application(argc, argv);
    batchwise::useCLocale();
    QApplication::setApplicationName(QStringLiteral("batchwise-studio"));
    QApplication::setApplicationDisplayName(QStringLiteral("Batchwise"));
    QApplication::setApplicationVersion(QStringLiteral(BATCHWISE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("batchwise-studio"));
    outcome = batchwise::runStudio(application, batchwise::takenByQt(given, {argv, static_cast<std::size_t>(argc)}));
  }
  if (!outcome.restart.isEmpty()) batchwise::restart(outcome.restart);
  return outcome.code;
}
