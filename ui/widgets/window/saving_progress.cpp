// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/saving_progress.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressDialog>

#include "ui/presenters/file_jobs.h"

namespace batchwise {

SavingProgress::SavingProgress(FileJobs& work, const QString& name, QWidget& window)
    : QObject(&window), work_(work), name_(name), window_(window) {
  connect(&work_, &FileJobs::progressChanged, this, &SavingProgress::show);
  show();
}

SavingProgress::~SavingProgress() = default;

void SavingProgress::open() {
  auto* dialog = new QProgressDialog(QString(), tr("Give up"), 0, 100, &window_);
  dialog->setObjectName(name_);
  dialog->setAutoClose(false);
  dialog->setAutoReset(false);
  if (auto* label = dialog->findChild<QLabel*>()) label->setTextFormat(Qt::PlainText);
  connect(dialog, &QProgressDialog::canceled, this, [this] {
    dismiss();
    work_.cancel();
  });
  dialog_ = dialog;
}

/// Deletes the dialog later: it may be handling a click.
void SavingProgress::dismiss() {
  if (dialog_) dialog_->deleteLater();
  dialog_ = nullptr;
}

void SavingProgress::show() {
  if (!work_.busy()) {
    closing_ = false;
    dismiss();
    return;
  }
  if (!dialog_) open();
  dialog_->setLabelText(closing_ ? tr("%1 Then the window closes.", "what is done now").arg(work_.description())
                                 : work_.description());
  dialog_->setValue(work_.percent());
}

void SavingProgress::setClosing(bool closes) {
  closing_ = closes;
  show();
  if (!closes || !dialog_) return;
  dialog_->show();
  dialog_->raise();
}

}  // namespace batchwise
