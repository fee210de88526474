// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "ui/theme/svg_picture.h"

class QMenu;
class QWidget;

namespace batchwise {

/// Adds the preset picture sizes to `menu`, and an entry that asks for a custom size in a dialog over `parent`.
/// `chosen` gets the size; it is not called if the dialog is canceled.
void addPictureSizes(QMenu& menu, QWidget& parent, const std::function<void(const PictureSize&)>& chosen);

}  // namespace batchwise
