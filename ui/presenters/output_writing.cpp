// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/output_writing.h"

#include "ui/models/display_text.h"

namespace batchwise {

QString writeChosenFile(const QString& file, const QByteArray& bytes) {
  const auto written = writeOutput(file.toStdString(), kChosenFile, bytes.toStdString());
  return written.ok() ? QString() : coreText(written.error().full());
}

}  // namespace batchwise
