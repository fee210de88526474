// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/saving_progress.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressDialog>

#include "ui/presenters/value_saving.h"

namespace batchwise {

SavingProgress::SavingProgress(ValueSaving& saving, QWidget& window)
    : QObject(&window), saving_(saving), window_(window) {
  connect(&saving_, &ValueSaving::progressed, this, &SavingProgress::show);
  show();
}

SavingProgress::~SavingProgress() = default;

void SavingProgress::open() {
  auto* dialog = new QProgressDialog(QString(), tr("Give up"), 0, 100, &window_);
  dialog->setObjectName(QStringLiteral("savingValues"));
  dialog->setAutoClose(false);
  dialog->setAutoReset(false);
  if (auto* label = dialog->findChild<QLabel*>()) label->setTextFormat(Qt::PlainText);
  connect(dialog, &QProgressDialog::canceled, this, [this] {
    dismiss();
    saving_.giveUp();
  });
  dialog_ = dialog;
}

/// Later, because it may be in the midst of a click.
void SavingProgress::dismiss() {
  if (dialog_) dialog_->deleteLater();
  dialog_ = nullptr;
}

void SavingProgress::show() {
  if (!saving_.busy()) {
    closing_ = false;
    dismiss();
    return;
  }
  if (!dialog_) open();
  const QString name = QFileInfo(saving_.file()).fileName();
  dialog_->setLabelText(closing_ ? tr("Saving %1… Then the window closes.").arg(name) : tr("Saving %1…").arg(name));
  dialog_->setValue(saving_.percent());
}

void SavingProgress::tellClosing(bool closes) {
  closing_ = closes;
  show();
  if (!closes || !dialog_) return;
  dialog_->show();
  dialog_->raise();
}

}  // namespace batchwise
