// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

class QLabel;

namespace batchwise {

/// Returns a label for sentences, which may contain user input: plain text, word-wrapped, selectable with the mouse.
/// `parent` owns it.
QLabel* textLabel(QWidget* parent, TextLook look = TextLook::Body);

}  // namespace batchwise
