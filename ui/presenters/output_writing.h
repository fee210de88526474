// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QString>

#include "core/store/output_file.h"

namespace batchwise {

/// The rule of a file that a person chose in a dialog, which has asked already whether to replace it.
inline const OutputRule kChosenFile{Replaces::AnyFiles, {}, {}};

/// Writes a file that a person chose; a workspace is refused. It appears complete or not at all. Returns what went
/// wrong in the window's language, empty if nothing did.
QString writeChosenFile(const QString& file, const QByteArray& bytes);

}  // namespace batchwise
