// SPDX-License-Identifier: GPL-3.0-or-later
// The program batchwise-studio: parses the command line, constructs the parts and runs the event loop.

#include <sys/eventfd.h>
#include <unistd.h>

#include <QtCore/QCommandLineParser>
#include <QtCore/QDir>
#include <QtCore/QFile>
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
#include <utility>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/process_setup.h"
#include "core/run/own_program.h"
#include "core/run/run_controller.h"
#include "core/store/workspace_folder.h"
#include "ui/bridge/desktop_session.h"
#include "ui/window/main_window.h"

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

constexpr QLatin1String kConfig("--config=");  // before the file to open, as one line to another window

struct Arguments {
  QString workspace;
  QString toOpen;  // a file, or kConfig and a file
  bool resetSettings = false;
};

/// Returns an absolute path, because another process may have another working folder.
QString absoluteFile(const QString& file) {
  return QDir::current().absoluteFilePath(file);
}

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
  parser.addOptions({workspace, config, reset});
  parser.addPositionalArgument(
      QStringLiteral("file"),
      QCoreApplication::translate("Studio",
                                  "A configuration, an archive of a run, a workspace, a model or text to open."),
      QStringLiteral("[file]"));
  parser.process(application);
  const auto path = [&parser](const QCommandLineOption& option) {
    return QFile::decodeName(expandedHome(QFile::encodeName(parser.value(option)).toStdString()).c_str());
  };
  Arguments arguments{path(workspace), {}, parser.isSet(reset)};
  QString file = parser.positionalArguments().value(0);
  if (arguments.workspace.isEmpty() && holdsWorkspace(QFile::encodeName(file).toStdString()))
    arguments.workspace = std::exchange(file, {});
  if (!file.isEmpty())
    arguments.toOpen = absoluteFile(file);
  else if (parser.isSet(config))
    arguments.toOpen = kConfig + absoluteFile(path(config));
  return arguments;
}

Appearance appearanceNamed(const QString& name) {
  if (name == QLatin1String("light")) return Appearance::Light;
  return name == QLatin1String("dark") ? Appearance::Dark : Appearance::System;
}

QString workspaceToOpen(const Arguments& arguments, const StudioSettings& settings) {
  if (!arguments.workspace.isEmpty()) return absoluteFile(arguments.workspace);
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

void openIn(MainWindow& window, const QString& what) {
  if (what.startsWith(kConfig))
    window.openConfig(what.mid(kConfig.size()));
  else if (!what.isEmpty())
    window.openFile(what);
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

constexpr int kQuitSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// Turns these signals into a call of `quit` in the GUI thread, until `parent` is destroyed. Once per process. A SIGHUP
/// that is ignored at the start, as under nohup, stays so.
void onQuitSignals(QObject& parent, const std::function<void()>& quit) {
  static int wakeDescriptor = -1;  // written by the signal handler: write() is async-signal-safe
  wakeDescriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto* notifier = new QSocketNotifier(wakeDescriptor, QSocketNotifier::Read, &parent);
  QObject::connect(notifier, &QSocketNotifier::activated, &parent, [quit] {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wakeDescriptor, &count, sizeof count);
    quit();
  });
  const auto wake = [](int) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wakeDescriptor, &one, sizeof one);
  };
  for (const int signal : kQuitSignals)
    if (std::signal(signal, wake) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
  QObject::connect(&parent, &QObject::destroyed, [] {
    for (const int signal : kQuitSignals) std::signal(signal, SIG_DFL);
  });
}

/// Shows the window until it is closed. Returns the exit code.
int runStudio(QApplication& application) {
  StudioSettings settings;
  const Arguments arguments = readArguments(application);
  if (arguments.resetSettings) settings.reset();

  const QString folder = workspaceToOpen(arguments, settings);
  if (SingleWindow::raiseExisting(folder, arguments.toOpen)) return 0;

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
  QObject::connect(single.get(), &SingleWindow::raiseRequested, &window, [&window](const QString& what) {
    bringToFront(window);
    openIn(window, what);
  });

  parts.edit.loadNew(settings.newRunDevices());
  parts.workspace.open(folder, howToOpen(arguments, settings));
  window.show();
  openIn(window, arguments.toOpen);
  const int code = QApplication::exec();
  // A run that hangs cannot be joined, and the user should not wait for it. The store is consistent; at the next start
  // the run is found interrupted and its last checkpoint is offered.
  if (parts.run.busyInThisProcess()) {
    parts.tasks.finish(kSavingLimit);  // before another window reads what this one saves
    single.reset();
    std::_Exit(code);
  }
  return code;
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  batchwise::openMissingStandardStreams();
  batchwise::ignoreFileSizeSignal();
  if (batchwise::asksForText(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
  batchwise::restartWithPassiveThreads(argv);
  batchwise::setGpuEnvironment();
  QApplication application(argc, argv);
  batchwise::useCLocale();
  QApplication::setApplicationName(QStringLiteral("batchwise-studio"));
  QApplication::setApplicationDisplayName(QStringLiteral("Batchwise"));
  QApplication::setApplicationVersion(QStringLiteral(BATCHWISE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("batchwise-studio"));
  return batchwise::runStudio(application);
}
