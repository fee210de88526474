// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QMainWindow>
#include <functional>
#include <vector>

#include "ui/window/closing_guard.h"
#include "ui/window/studio_parts.h"

namespace batchwise {

class FirstRunCommands;
class NewRunCommands;
class RunCommands;
class RunStatusBar;
class ShownRun;
class WorkspaceCommands;

/// Handles what is dropped on the window: a configuration, a workspace, archives of runs, logs of other programs, a
/// trained model, text.
class DropCommands final : public QObject {
  Q_OBJECT

 public:
  DropCommands(const WindowViews& views, NewRunCommands& newRun, FirstRunCommands& firstRun,
               WorkspaceCommands& workspaces);

  /// Opens these files and folders, as if they were dropped.
  void openAll(const QStringList& paths);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static bool isLog(const QString& path);
  static bool isText(const QString& path);
  static bool isModel(const QString& folder);
  bool open(const QString& path);

  NewRunCommands& newRun_;
  FirstRunCommands& firstRun_;
  WorkspaceCommands& workspaces_;
};

/// The main window: creates pages, docks, status bar and commands, which connect themselves to each other and to the
/// presenters. A new page is added in makeViews().
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(StudioParts& parts);
  ~MainWindow() override;

  /// Replace the dialogs shown when the window is closed while runs are being saved, or while a run trains.
  void setSavingQuestion(std::function<SavingChoice()> ask) { closing_->setSavingQuestion(std::move(ask)); }
  void setClosingQuestion(std::function<ClosingChoice()> ask) { closing_->setQuestion(std::move(ask)); }
  /// Opens a configuration, an archive of a run, a workspace, a model or text, once a workspace is open.
  void openFile(const QString& path);
  /// Opens a configuration, whatever its name ends with, once a workspace is open.
  void openConfig(const QString& path);
  /// Stops a run in this program with a checkpoint, then closes, also if draft, note or layout cannot be saved: for
  /// SIGINT, SIGTERM and SIGHUP.
  void closeWhenSaved();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  WindowViews makeViews();
  void makeCommands();
  void placeActions();
  void makeHelp();
  void refresh();
  void tick();
  void restoreLayout();
  void storeLayout();
  void resetLayout();
  void closeIfWritten();
  struct WaitingFile {
    QString path;
    std::function<void()> open;
  };
  void openInWorkspace(WaitingFile file);
  void reportWaitingFiles();

  StudioParts& parts_;
  const WindowViews views_;
  RunStatusBar* status_;
  ClosingGuard* closing_;
  RunCommands* runCommands_;
  NewRunCommands* newRun_;
  FirstRunCommands* firstRun_;
  DropCommands* drop_;
  WorkspaceCommands* workspaces_;
  ShownRun* shownRun_;
  std::vector<WaitingFile> waitingFiles_;  // until a workspace is open
  QByteArray firstLayout_;                 // state before that of the last window was restored
  QByteArray kept_;                        // geometry and state as last stored
  QTimer layoutTimer_;
  QTimer repaintTimer_;
  bool laidOut_ = false;
  bool closesOnceWritten_ = false;                 // what was not written is being written
  bool leavesDraft_ = false, leavesNote_ = false;  // unsaved: it was tried, and the user knows that it failed
  bool progressDirty_ = true;
};

}  // namespace batchwise
