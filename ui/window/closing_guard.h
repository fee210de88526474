// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>
#include <vector>

class QMessageBox;
class QWidget;

namespace batchwise {

class FileJobs;
class RunPresenter;
class SavingProgress;

/// What to do with training runs when the window is to be closed. KeepTraining closes the window if each of them has
/// its own process, otherwise minimizes it.
enum class ClosingChoice { StopAndSave, KeepTraining, Cancel };

/// What to do when the window is to be closed again while runs are being saved.
enum class SavingChoice { Wait, CloseAnyway };

/// Decides whether the window may close. While a run trains it asks the user, and closes the window once the run has
/// been saved. It also waits for work on files, unless that fails.
class ClosingGuard final : public QObject {
  Q_OBJECT

 public:
  /// Shows the progress of `files` in dialogs that are named by their object names.
  ClosingGuard(RunPresenter& run, std::vector<FileJobs*> files, QWidget& window);

  /// Replaces the dialog shown while a run trains.
  void setQuestion(std::function<ClosingChoice()> ask) { ask_ = std::move(ask); }
  /// Replaces the dialog shown while runs are being saved.
  void setSavingQuestion(std::function<SavingChoice()> ask) { askWhileSaving_ = std::move(ask); }
  /// Returns true if the window may close now. Otherwise it stays, or closes by itself when the run has ended. If the
  /// user refuses to wait, a run in this program may still be training when this returns true.
  bool mayClose();
  /// Stops a run in this program with a checkpoint and then closes the window, without asking. Runs in their own
  /// processes continue.
  void closeWhenSaved();
  /// Returns true while the window waits for runs to end before it closes.
  bool closing() const { return closing_; }

 private:
  bool filesBusy() const;
  bool runsAllowClosing();
  void setWaitingForFiles(bool awaits);
  void closeWhenFilesDone();
  ClosingChoice askUser();
  SavingChoice askWhileSaving();
  /// Returns true while a run that was asked to stop is still training.
  bool stopping() const;
  void closeIfStopped();

  RunPresenter& run_;
  std::vector<FileJobs*> files_;
  std::vector<SavingProgress*> progress_;
  QWidget& window_;
  std::function<ClosingChoice()> ask_;
  std::function<SavingChoice()> askWhileSaving_;
  QMessageBox* question_ = nullptr;  // while the user is asked whether to keep waiting
  bool closing_ = false;
  bool waitsForAll_ = false;  // also for runs in their own processes
  bool waitsForFiles_ = false;
  bool fileDone_ = false;  // set during the close() that follows complete work on files
};

}  // namespace batchwise
