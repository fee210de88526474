// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QString>

#include "core/store/output_file.h"

namespace batchwise {

/// Output rule for a file chosen in a dialog, which has already asked whether to replace it.
inline const OutputRule kChosenFile{Replaces::AnyFiles, {}, {}};

/// Writes a file chosen by the user, atomically; refuses to overwrite a workspace. Returns the translated error, empty
/// on success.
QString writeChosenFile(const QString& file, const QByteArray& bytes);

}  // namespace batchwise
