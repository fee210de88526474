// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QMainWindow>

#include "ui/bridge/studio_settings.h"
#include "ui/presenters/edit_presenter.h"
#include "ui/presenters/run_presenter.h"
#include "ui/presenters/watch_presenter.h"
#include "ui/presenters/workspace_presenter.h"
#include "ui/theme/theme.h"

class QStackedWidget;

namespace batchwise {

class EditPage;
class LogPane;
class MessageBar;
class RunListPane;
class RunStatusBar;
class WatchPage;
class WelcomePage;

/// What the window is put together from. All must outlive it.
struct StudioParts {
  Theme& theme;
  StudioSettings& settings;
  WorkspacePresenter& workspace;
  RunPresenter& run;
  WatchPresenter& watch;
  EditPresenter& edit;
};

/// What to do with a run that trains when the window is to be closed.
enum class ClosingChoice { StopAndSave, KeepTraining, Cancel };

/// The window: pages, list of runs, log, status, and the actions that connect them to the presenters.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const StudioParts& parts);
  ~MainWindow() override;

  /// Replaces the question that is asked when the window is closed while a run trains.
  void setClosingQuestion(std::function<ClosingChoice()> ask) { askClosing_ = std::move(ask); }
  /// Opens the draft of a configuration file.
  void editFile(const QString& path);
  /// Stops with a checkpoint if a run trains, then closes: for signals.
  void closeWhenSaved();

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  void makePages();
  void makeDocks();
  void makeActions();
  void makeMenus();
  void connectPresenters();
  void recolorIcons();
  void restoreLayout();

  void newFromDemo();
  void newFromFile();
  void newFromSelected();
  void tryDemo();
  void openWorkspace();
  void switchWorkspace(const QString& folder);
  void fillRecent(QMenu* menu);
  void launch();
  void resumeSelected();
  void showRun(const QString& run);
  void showNewest();
  void showFinished(const RunFinished& outcome);
  void updateActions();
  void offerResume();
  void tick();
  ClosingChoice askClosing();

  StudioParts parts_;
  QStackedWidget* pages_;
  MessageBar* message_;
  WelcomePage* welcome_;
  EditPage* edit_;
  WatchPage* watch_;
  RunListPane* runs_;
  LogPane* log_;
  RunStatusBar* status_;
  QDockWidget *runsDock_, *logDock_;
  QAction *newDemo_, *newFile_, *newSelected_, *openWorkspace_, *launch_, *stop_, *resume_, *showEdit_, *showWatch_,
      *quit_;
  QToolBar* tools_;
  QTimer frame_;
  std::function<ClosingChoice()> askClosing_;
  bool closing_ = false;
  bool offering_ = false;    // the message shown is that of offerResume()
  bool justOpened_ = false;  // the list of the workspace has not been read yet
  bool progressDirty_ = true;
};

}  // namespace batchwise
