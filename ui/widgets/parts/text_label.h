// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

class QLabel;

namespace batchwise {

/// A label for sentences, which may hold a person's words: plain text, wrapped, to be selected with the mouse. `parent`
/// owns it.
QLabel* textLabel(QWidget* parent, TextLook look = TextLook::Body);

}  // namespace batchwise
