// SPDX-License-Identifier: GPL-3.0-or-later
// The program batchwise-studio: parses the command line, constructs the parts and runs the event loop.

#include <QtCore/QCommandLineParser>
#include <QtCore/QDir>
#include <QtWidgets/QApplication>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "app/studio/quit_signals.h"
#include "core/base/c_locale.h"
#include "core/base/file.h"
#include "core/base/standard_streams.h"
#include "core/run/controllers/passive_threads.h"
#include "core/run/slurm/slurm_run_controller.h"
#include "ui/bridge/language.h"
#include "ui/bridge/single_window.h"
#include "ui/widgets/shell/window_shell.h"

namespace batchwise {
namespace {

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
  const QCommandLineOption reset(
      QStringLiteral("reset-settings"),
      QCoreApplication::translate("Studio", "Forget window layout, appearance and folders."));
  parser.addOptions({workspace, config, reset});
  parser.process(application);
  return {parser.value(workspace), parser.value(config), parser.isSet(reset)};
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

std::unique_ptr<RunController> controllerFor(LaunchTarget place, EventSink& events, const StudioSettings& settings) {
  switch (place) {
    case LaunchTarget::OwnProcess: return makeChildRunController(events);
    case LaunchTarget::Slurm: return makeSlurmRunController(events, settings.slurm());
    case LaunchTarget::SlurmJob: return makeSlurmWatcher(events);
    case LaunchTarget::ThisProcess: break;
  }
  return makeThreadRunController(events);
}

int runStudio(QApplication& application) {
  StudioSettings settings;
  Language language;
  language.setLanguage(settings.language());
  const Arguments arguments = readArguments(application);
  if (arguments.resetSettings) {
    settings.reset();
    language.setLanguage(settings.language());
  }

  const QString folder = workspaceToOpen(arguments, settings);
  if (SingleWindow::raiseExisting(folder, absoluteFile(arguments.config))) return 0;

  Theme theme;
  theme.setTextScale(settings.textPercent() / 100.0);
  theme.setAppearance(appearanceNamed(settings.appearance()));
  theme.apply();

  TaskQueue tasks;
  TaskQueue slow;  // for whole checkpoints, archives and models
  WorkspacePresenter workspace(tasks);
  const SystemClock clock;
  RunPresenter run(
      [&settings](LaunchTarget place, EventSink& events) { return controllerFor(place, events, settings); }, clock);
  WatchPresenter watch(tasks, workspace);
  EditPresenter edit(tasks);
  ResumePresenter resume(tasks, slow, workspace);
  CheckpointsPresenter checkpoints(tasks, slow, workspace, loadTrainer);
  WindowShell holder({theme, settings, workspace, run, watch, edit, resume, checkpoints, slow}, language);
  QuitSignals quitSignals;
  QObject::connect(&quitSignals, &QuitSignals::quitRequested, &holder, [&holder] { holder.window().closeWhenSaved(); });
  SingleWindow single;
  QObject::connect(&workspace, &WorkspacePresenter::opened, &single, &SingleWindow::listenFor);
  QObject::connect(&single, &SingleWindow::raiseRequested, &holder, [&holder](const QString& config) {
    bringToFront(holder.window());
    if (!config.isEmpty()) holder.window().editFile(config);
  });

  edit.loadNew();
  workspace.open(folder, howToOpen(arguments, settings));
  holder.window().show();
  if (!arguments.config.isEmpty()) holder.window().editFile(arguments.config);
  const int code = QApplication::exec();
  // A run that hangs cannot be joined, and the user should not wait for it. The store is consistent; at the next start
  // the run is found interrupted and its last checkpoint is offered.
  if (run.busyInThisProcess()) std::_Exit(code);
  return code;
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  batchwise::openMissingStandardStreams();
  batchwise::ignoreFileSizeSignal();
  if (batchwise::asksForText(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
  batchwise::restartWithPassiveThreads(argv);
  QApplication application(argc, argv);
  batchwise::useCLocale();
  QApplication::setApplicationName(QStringLiteral("batchwise-studio"));
  QApplication::setApplicationDisplayName(QStringLiteral("Batchwise"));
  QApplication::setApplicationVersion(QStringLiteral(BATCHWISE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("batchwise-studio"));
  return batchwise::runStudio(application);
}
