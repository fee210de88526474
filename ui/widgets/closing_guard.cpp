// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/closing_guard.h"

#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

#include "ui/presenters/run_presenter.h"

namespace batchwise {

ClosingGuard::ClosingGuard(RunPresenter& run, QWidget& window)
    : QObject(&window), run_(run), window_(window), ask_([this] { return askPerson(); }) {
  connect(&run, &RunPresenter::finished, this, [this] {
    if (closing_) window_.close();
  });
}

bool ClosingGuard::mayClose() {
  if (!run_.busy()) return true;
  const ClosingChoice choice = closing_ ? ClosingChoice::StopAndSave : ask_();
  if (choice == ClosingChoice::KeepTraining) window_.showMinimized();
  if (choice != ClosingChoice::StopAndSave) return false;
  if (!run_.busy()) return true;  // it has ended during the question
  closeWhenSaved();
  return false;
}

void ClosingGuard::closeWhenSaved() {
  closing_ = true;
  if (run_.busy())
    run_.stopAndSave();
  else
    window_.close();
}

ClosingChoice ClosingGuard::askPerson() {
  QMessageBox box(&window_);
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(tr("A run is training"));
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("%1 is training. What should happen to it?").arg(run_.progress().name));
  box.setInformativeText(
      tr("Stop and save writes a checkpoint after the step under way, then closes the window; the run "
         "can be resumed from it."));
  auto* stop = box.addButton(tr("Stop and save"), QMessageBox::AcceptRole);
  auto* keep = box.addButton(tr("Keep training, minimise"), QMessageBox::ActionRole);
  auto* cancel = box.addButton(tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(stop);
  box.setEscapeButton(cancel);
  box.exec();
  if (box.clickedButton() == stop) return ClosingChoice::StopAndSave;
  return box.clickedButton() == keep ? ClosingChoice::KeepTraining : ClosingChoice::Cancel;
}

}  // namespace batchwise
