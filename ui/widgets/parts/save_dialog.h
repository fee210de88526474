// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

class QWidget;

namespace batchwise {

/// Asks for a file to write. A name without an ending gets that of the chosen filter, the first in "Document (*.pdf)".
/// Returns an empty text if the user cancels.
QString askForFileToWrite(QWidget* parent, const QString& title, const QString& proposed, const QString& filters);

}  // namespace batchwise
