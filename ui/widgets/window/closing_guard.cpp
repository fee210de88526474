// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/closing_guard.h"

#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <algorithm>

#include "ui/presenters/file_jobs.h"
#include "ui/presenters/run_presenter.h"

namespace batchwise {

ClosingGuard::ClosingGuard(RunPresenter& run, std::vector<FileJobs*> files, QWidget& window)
    : QObject(&window),
      run_(run),
      files_(std::move(files)),
      window_(window),
      ask_([this] { return askUser(); }),
      askWhileSaving_([this] { return askWhileSaving(); }) {
  connect(&run, &RunPresenter::finished, this, &ClosingGuard::closeIfStopped);
  for (FileJobs* work : files_) {
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
  const bool answered = fileDone_ && !run_.busyInThisProcess();
  const bool runsLet = answered || runsAllowClosing();
  setWaitingForFiles(runsLet && filesBusy());
  return runsLet && !waitsForFiles_;
}

void ClosingGuard::setWaitingForFiles(bool awaits) {
  const bool changes = awaits || waitsForFiles_;
  waitsForFiles_ = awaits;
  if (changes) Q_EMIT waitingForFilesChanged(awaits);
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
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(tr("A run is training"));
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("%1 is training. What should happen to it?").arg(run_.progress().name));
  box.setInformativeText(
      run_.busyInThisProcess()
          ? tr("Stop and save writes a checkpoint after the step under way, then closes the window; the run can be "
               "resumed from it. A run in this program cannot go on without its window.")
          : tr("It has its own process: it can go on without the window, and the next window shows it again. Stop and "
               "save writes a checkpoint after the step under way, then closes."));
  auto* stop = box.addButton(tr("Stop and save"), QMessageBox::AcceptRole);
  auto* keep = box.addButton(run_.busyInThisProcess() ? tr("Keep training, minimise") : tr("Close, keep training"),
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
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(tr("A run is being saved"));
  box.setTextFormat(Qt::PlainText);
  box.setText(
      tr("%1 has been asked to stop after the step under way and to save a checkpoint.").arg(run_.progress().name));
  box.setInformativeText(
      tr("The window closes by itself once that is done. If the run hangs, close anyway: what it did since its last "
         "checkpoint is lost, and it can be resumed from there."));
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
