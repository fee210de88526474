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
class WindowMemory;
class WorkspacePages;

/// The window: puts pages, list of runs, log, status and commands together, and connects them to the presenters.
/// A new page is made in makePages(): a member, one addPage(), and its signals.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  /// Both must outlive it.
  MainWindow(const StudioParts& parts, WindowMemory& memory);
  ~MainWindow() override;

  /// Replaces the question that is asked when the window is closed while a run trains.
  void setSavingQuestion(std::function<SavingChoice()> ask) { closing_->setSavingQuestion(std::move(ask)); }
  void setClosingQuestion(std::function<ClosingChoice()> ask) { closing_->setQuestion(std::move(ask)); }
  /// Opens the draft of a configuration file.
  void editFile(const QString& path);
  /// What another window needs to go on where this one is.
  struct Handover {
    int page = 0;
    AxisView charts;                             ///< the part of the watched run that is shown
    std::optional<MessageBar::Message> message;  ///< in the words it was told in
    std::optional<ResumeOffer> offer;            ///< if the message is one
    QString waiting;                             ///< name of the run that the message tells to be waiting
    QString archived;                            ///< name of the run whose archiving the message offers to undo
    std::optional<FailedRun> failed;             ///< if the message tells of one
    QString endedLast;                           ///< the run that ended last of those launched here
  };
  Handover handover() const;
  /// Goes on where another window was, on the workspace that is open.
  void takeUp(const Handover& from);
  /// Remembers where docks and bars are.
  void keepLayout();
  /// Stops with a checkpoint if a run trains, then closes: for signals.
  void closeWhenSaved() { closing_->closeWhenSaved(); }

 Q_SIGNALS:
  /// The person wants another language; this window keeps its own.
  void languageWanted(const QString& name);

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
  CheckpointsLeft checkpointsLeft(const QString& run, const RunFinished& outcome) const;
  void showFinished(const TrainingState& run, const RunFinished& outcome);
  void adoptWorkspace();
  void tellLook();
  void addToQueue(const std::vector<LoadedConfig>& runs, bool begin);
  void refresh();
  void chooseNewest();
  void tick();

  StudioParts parts_;
  WindowMemory& memory_;
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
  QString waiting_;    // name of the run that is told to be waiting
  QTimer frame_, layoutTimer_;
  QByteArray keptLayout_;
  bool laidOut_ = false;
  bool justOpened_ = false;  // the list of the workspace has not been read yet
  bool progressDirty_ = true;
};

}  // namespace batchwise
