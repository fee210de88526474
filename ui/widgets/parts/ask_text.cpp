// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/ask_text.h"

#include <QtGui/QShortcut>
#include <QtWidgets/QInputDialog>

namespace batchwise {

std::optional<QString> askText(QWidget& parent, const TextQuestion& question) {
  QInputDialog dialog(&parent);
  dialog.setWindowTitle(question.title);
  dialog.setLabelText(question.label);
  dialog.setOption(QInputDialog::UsePlainTextEditForTextInput, question.severalLines);
  dialog.setTextValue(question.text);
  dialog.setOkButtonText(question.accept);
  const auto* done = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), &dialog);
  QObject::connect(done, &QShortcut::activated, &dialog, &QDialog::accept);
  return dialog.exec() == QDialog::Accepted ? std::optional(dialog.textValue()) : std::nullopt;
}

}  // namespace batchwise
