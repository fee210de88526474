// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "ui/theme/svg_picture.h"

class QMenu;
class QWidget;

namespace batchwise {

/// Puts the sizes that pictures are offered in into `menu`, and one that asks for a size of one's own in a dialog over
/// `parent`. `chosen` gets the size; it is not called if the dialog is left.
void addPictureSizes(QMenu& menu, QWidget& parent, const std::function<void(const PictureSize&)>& chosen);

}  // namespace batchwise
