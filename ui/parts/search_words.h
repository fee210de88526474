// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

namespace batchwise {

/// Returns words that people use for a field, a preference or a command and that its texts lack: "gradient clipping"
/// for optimizer.grad_clip_norm. They are not in the help, where "SGD" would read as a choice. `name`: the path of the
/// field, or the object name of the control or action. Empty: none.
QString searchWords(const QString& name);

/// Returns whether each word of `search`, between spaces, is part of `text`. Case does not matter.
bool containsWords(const QString& text, const QString& search);

}  // namespace batchwise
