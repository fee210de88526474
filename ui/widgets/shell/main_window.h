// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtGui/QUndoStack>
#include <QtWidgets/QMainWindow>

#include "ui/models/axis_view.h"
#include "ui/widgets/commands/failure_commands.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/window/closing_guard.h"
#include "ui/widgets/window/studio_parts.h"

namespace batchwise {

class ArchiveCommands;
class CheckpointsPage;
class ComparePage;
class EditPage;
class LayoutCommands;
class NewRunCommands;
class ResumeCommands;
class RunCommands;
class RunListCommands;
class RunListPane;
class RunStatusBar;
class WatchPage;
class WelcomePage;
class WindowActions;
class WindowDocks;
class WindowHelp;
class RetainedState;
class WorkspacePages;

/// The main window: creates pages, docks, status bar and commands, and connects them to the presenters. A new page is
/// added in makePages(): a member, one addPage(), and its signals.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  /// Both arguments must outlive it.
  MainWindow(const StudioParts& parts, RetainedState& retained);
  ~MainWindow() override;

  /// Replace the dialogs shown when the window is closed while runs are being saved, or while a run trains.
  void setSavingQuestion(std::function<SavingChoice()> ask) { closing_->setSavingQuestion(std::move(ask)); }
  void setClosingQuestion(std::function<ClosingChoice()> ask) { closing_->setQuestion(std::move(ask)); }
  /// Opens a configuration file as the draft.
  void editFile(const QString& path);
  /// State with which another window continues where this one is.
  struct WindowState {
    int page = 0;
    AxisView charts;                             ///< visible part of the charts of the watched run
    std::optional<MessageBar::Message> message;  ///< in the language it was shown in
    std::optional<ResumeOffer> offer;            ///< if the message is a resume offer
    QString waiting;                             ///< name of the run that the message reports as waiting
    QString archived;                            ///< name of the run whose archiving the message offers to undo
    std::optional<FailedRun> failed;             ///< if the message reports a failed run
    QString endedLast;                           ///< the run that ended last of those launched here
  };
  WindowState currentState() const;
  /// Continues where another window was, on the open workspace.
  void continueFrom(const WindowState& from);
  /// Stores the geometry of the window and the state of docks and bars.
  void saveLayout();
  /// Stops a run in this program with a checkpoint, then closes: for SIGINT and SIGTERM.
  void closeWhenSaved() { closing_->closeWhenSaved(); }

 Q_SIGNALS:
  /// The user chose another language; this window keeps its own.
  void languageRequested(const QString& name);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void makePages();
  void makeDocks();
  void makeCommands();
  void placeActions();
  void connectWorkspace();
  void connectRun();
  void connectComparison();
  void connectQueue();
  void connectHelp();
  void connectExports();
  void restoreLayout();

  void showRun(const QString& run);
  void showNewest();
  RemainingCheckpoints checkpointsLeft(const QString& run, const RunFinished& outcome) const;
  void showFinished(const TrainingState& run, const RunFinished& outcome);
  void adoptWorkspace();
  void updateRunStyle();
  void addToQueue(const std::vector<LoadedConfig>& runs, bool begin);
  void refresh();
  void chooseNewest();
  void tick();

  StudioParts parts_;
  RetainedState& retained_;
  WindowActions* actions_;
  MessageBar* message_;
  WorkspacePages* pages_;
  WelcomePage* welcome_;
  EditPage* edit_;
  WatchPage* watch_;
  CheckpointsPage* checkpoints_;
  ComparePage* compare_;
  NewRunCommands* newRun_;
  RunCommands* commands_;
  ArchiveCommands* archive_;
  RunListCommands* runList_;
  ResumeCommands* resume_;
  FailureCommands* failure_;
  ClosingGuard* closing_;
  RunListPane* runs_;
  WindowDocks* docks_;
  LayoutCommands* layouts_;
  WindowHelp* help_;
  RunStatusBar* status_;
  QString endedLast_;  // the run that ended last of those launched here
  QString waiting_;    // name of the run that the message reports as waiting
  QTimer repaintTimer_, layoutTimer_;
  QByteArray keptLayout_;
  bool laidOut_ = false;
  bool justOpened_ = false;  // the run list of the workspace has not been read yet
  bool progressDirty_ = true;
};

}  // namespace batchwise
