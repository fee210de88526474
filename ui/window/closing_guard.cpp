// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/closing_guard.h"

#include <QtCore/QPointer>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QProgressDialog>
#include <QtWidgets/QPushButton>
#include <algorithm>

#include "ui/list/run_presenter.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/file_jobs.h"

namespace batchwise {

/// Progress dialog for work on files, with a button that cancels it.
class SavingProgress final : public QObject {
 public:
  SavingProgress(FileJobs& work, QWidget& window) : QObject(&window), work_(work), window_(window) {
    connect(&work_, &FileJobs::progressChanged, this, &SavingProgress::show);
    show();
  }

  /// `closes`: whether the window closes afterwards; if so, the dialog says it and is raised.
  void setClosing(bool closes) {
    closing_ = closes;
    show();
    if (!closes || !dialog_) return;
    dialog_->show();
    dialog_->raise();
  }

 private:
  void show() {
    if (!work_.busy()) {
      closing_ = false;
      return dismiss();
    }
    if (!dialog_) open();
    dialog_->setLabelText(
        closing_ ? ClosingGuard::tr("%1 Then the window closes.", "what is done now").arg(work_.description())
                 : work_.description());
    dialog_->setValue(work_.percent());
  }

  void open() {
    dialog_ = new QProgressDialog(QString(), work_.cancelText(), 0, 100, &window_);
    dialog_->setObjectName(work_.objectName());
    dialog_->setAutoClose(false);
    dialog_->setAutoReset(false);
    if (auto* label = dialog_->findChild<QLabel*>()) label->setTextFormat(Qt::PlainText);
    connect(dialog_, &QProgressDialog::canceled, this, [this] {
      dismiss();
      work_.cancel();
    });
  }

  /// Deletes the dialog later: it may be handling a click.
  void dismiss() {
    if (dialog_) dialog_->deleteLater();
    dialog_ = nullptr;
  }

  FileJobs& work_;
  QWidget& window_;
  QPointer<QProgressDialog> dialog_;
  bool closing_ = false;
};

namespace {

QString questionAbout(const TrainingState& run) {
  if (!run.blockedReason.isEmpty()) return ClosingGuard::tr("%1 is waiting. What should happen to it?").arg(run.name);
  switch (run.phase) {
    case RunPhase::Starting: return ClosingGuard::tr("%1 is being prepared. What should happen to it?").arg(run.name);
    case RunPhase::Paused: return ClosingGuard::tr("%1 is paused. What should happen to it?").arg(run.name);
    case RunPhase::Stopping: return ClosingGuard::tr("%1 is stopping. What should happen to it?").arg(run.name);
    case RunPhase::Idle:
    case RunPhase::Training: break;
  }
  return ClosingGuard::tr("%1 is training. What should happen to it?").arg(run.name);
}

}  // namespace

ClosingGuard::ClosingGuard(RunPresenter& run, std::vector<FileJobs*> files, QWidget& window)
    : QObject(&window),
      run_(run),
      files_(std::move(files)),
      window_(window),
      ask_([this] { return askUser(); }),
      askWhileSaving_([this] { return askWhileSaving(); }) {
  connect(&run, &RunPresenter::finished, this, &ClosingGuard::closeIfStopped);
  for (FileJobs* work : files_) {
    progress_.push_back(new SavingProgress(*work, window));
    connect(work, &FileJobs::progressChanged, this, &ClosingGuard::closeWhenFilesDone);
    connect(work, &FileJobs::errorOccurred, this, [this] {
      closing_ = waitsForAll_ = false;  // the user should see the error
      setWaitingForFiles(false);
    });
  }
}

bool ClosingGuard::filesBusy() const {
  return std::any_of(files_.begin(), files_.end(), [](const FileJobs* work) { return work->busy(); });
}

bool ClosingGuard::mayClose() {
  // The user answered before the wait for the files; a run in this program is asked about again.
  const bool askedBeforeFilesWait = fileDone_ && !run_.busyInThisProcess();
  const bool runsLet = askedBeforeFilesWait || runsAllowClosing();
  setWaitingForFiles(runsLet && filesBusy());
  return runsLet && !waitsForFiles_;
}

void ClosingGuard::setWaitingForFiles(bool awaits) {
  const bool changes = awaits || waitsForFiles_;
  waitsForFiles_ = awaits;
  if (!changes) return;
  for (SavingProgress* progress : progress_) progress->setClosing(awaits);
}

void ClosingGuard::closeWhenFilesDone() {
  if (!waitsForFiles_ || filesBusy()) return;
  fileDone_ = true;
  window_.close();
  fileDone_ = false;
}

bool ClosingGuard::runsAllowClosing() {
  if (closing_) return !stopping() || askWhileSaving_() == SavingChoice::CloseAnyway || !stopping();
  if (!run_.busyOnThisMachine()) return true;
  const ClosingChoice choice = ask_();
  if (choice == ClosingChoice::Cancel) return false;
  if (choice == ClosingChoice::KeepTraining) {
    if (run_.busyInThisProcess()) window_.showMinimized();
    return !run_.busyInThisProcess();
  }
  closing_ = waitsForAll_ = true;
  run_.stopAndSaveAll();
  return !stopping();  // they may have ended while the dialog was open
}

bool ClosingGuard::stopping() const {
  return waitsForAll_ ? run_.busyOnThisMachine() : run_.busyInThisProcess();
}

void ClosingGuard::closeWhenSaved() {
  closing_ = true;
  run_.stopAndSaveInThisProcess();
  closeIfStopped();
}

void ClosingGuard::closeIfStopped() {
  if (!closing_ || stopping()) return;
  if (question_ != nullptr)
    question_->reject();  // mayClose() then closes the window
  else
    window_.close();
}

ClosingChoice ClosingGuard::askUser() {
  QMessageBox box(&window_);
  const TrainingState run = run_.stateOnThisMachine();
  const QString waits = run.blockedReason.isEmpty() ? QString() : run.blockedReason + QStringLiteral("\n\n");
  const QString here =
      tr("“Stop and save” writes a checkpoint after the current step and closes the window; the run can be resumed "
         "from it. A run in this program cannot continue without its window; one that is launched with Run > Train in "
         "its own process can.");
  const QString own =
      tr("It has its own process and can continue without the window; the next window shows it again. “Stop and save” "
         "writes a checkpoint after the current step and closes the window.");
  setTexts(box, tr("A run has not ended"), questionAbout(run), waits + (run_.busyInThisProcess() ? here : own));
  auto* stop = box.addButton(tr("Stop and save"), QMessageBox::AcceptRole);
  auto* keep =
      box.addButton(run_.busyInThisProcess() ? tr("Keep training and minimize") : tr("Close and keep training"),
                    QMessageBox::ActionRole);
  auto* cancel = box.addButton(tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(run_.busyInThisProcess() ? stop : keep);
  box.setEscapeButton(cancel);
  box.exec();
  if (box.clickedButton() == stop) return ClosingChoice::StopAndSave;
  return box.clickedButton() == keep ? ClosingChoice::KeepTraining : ClosingChoice::Cancel;
}

SavingChoice ClosingGuard::askWhileSaving() {
  QMessageBox box(&window_);
  setTexts(box, tr("Saving a run"),
           tr("%1 stops after the current step and saves a checkpoint.").arg(run_.nameOnThisMachine()),
           tr("Then the window closes. If the run hangs, close anyway: steps after its last checkpoint are lost, and "
              "the run "
              "can be resumed from there."));
  auto* wait = box.addButton(tr("Keep waiting"), QMessageBox::RejectRole);
  auto* leave = box.addButton(tr("Close anyway"), QMessageBox::DestructiveRole);
  box.setDefaultButton(wait);
  box.setEscapeButton(wait);
  question_ = &box;
  box.exec();
  question_ = nullptr;
  return box.clickedButton() == leave ? SavingChoice::CloseAnyway : SavingChoice::Wait;
}

}  // namespace batchwise
