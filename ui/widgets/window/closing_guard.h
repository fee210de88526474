// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>
#include <vector>

class QMessageBox;
class QWidget;

namespace batchwise {

class RunPresenter;
class FileWork;

/// What to do with runs that train when the window is to be closed. KeepTraining closes the window if all of them have
/// their own process, else it minimises it.
enum class ClosingChoice { StopAndSave, KeepTraining, Cancel };

/// What to do when the window is to be closed a second time, while runs are still being saved.
enum class SavingChoice { Wait, CloseAnyway };

/// Decides whether the window may close: while a run trains it asks, and closes by itself once the run has been saved.
/// Work on files is waited for, unless it fails.
class ClosingGuard final : public QObject {
  Q_OBJECT

 public:
  ClosingGuard(RunPresenter& run, std::vector<FileWork*> files, QWidget& window);

  /// Replaces the question that is asked while a run trains.
  void setQuestion(std::function<ClosingChoice()> ask) { ask_ = std::move(ask); }
  /// Replaces the question that is asked while runs are being saved.
  void setSavingQuestion(std::function<SavingChoice()> ask) { askAgain_ = std::move(ask); }
  /// True: close now. Else the window stays, for good or until the run has ended. A run in this program may still be
  /// under way then, if the person would not wait for it.
  bool mayClose();
  /// Stops a run in this program with a checkpoint, then closes the window, without a question. Runs in their own
  /// processes go on.
  void closeWhenSaved();
  /// The window is to close as soon as no run trains.
  bool closing() const { return closing_; }

 Q_SIGNALS:
  /// Whether the window closes as soon as the files are whole.
  void waitsForFile(bool waits);

 private:
  bool filesBusy() const;
  bool runsLetClose();
  void awaitFile(bool awaits);
  void closeAfterFile();
  ClosingChoice askPerson();
  SavingChoice askWhileSaving();
  /// A run that was asked to stop is still under way.
  bool stopping() const;
  void closeIfFree();

  RunPresenter& run_;
  const std::vector<FileWork*> files_;
  QWidget& window_;
  std::function<ClosingChoice()> ask_;
  std::function<SavingChoice()> askAgain_;
  QMessageBox* question_ = nullptr;  // while it asks whether to go on waiting
  bool closing_ = false;
  bool waitsForAll_ = false;  // also for runs in their own processes
  bool awaitsFile_ = false;
  bool fileDone_ = false;  // the file that was waited for is whole: the window closes now
};

}  // namespace batchwise
