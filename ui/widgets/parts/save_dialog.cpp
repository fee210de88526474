// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/save_dialog.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QFileDialog>

namespace batchwise {

QString askForFileToWrite(QWidget* parent, const QString& title, const QString& proposed, const QString& filters) {
  QString chosen;
  QString file = QFileDialog::getSaveFileName(parent, title, proposed, filters, &chosen);
  if (file.isEmpty() || QFileInfo(file).fileName().contains(QLatin1Char('.'))) return file;
  const qsizetype star = chosen.indexOf(QLatin1Char('*'));
  file += chosen.mid(star + 1, chosen.indexOf(QLatin1Char(')')) - star - 1);
  return file;
}

}  // namespace batchwise
