// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/analysis/figure.h"

namespace batchwise {

/// The figure as an SVG document of this size in centimetres, on a white ground whatever the window looks like. Only
/// what SVG Tiny 1.2 has, so that every reader shows it. Texts are plain text.
std::string figureSvg(const Figure& figure, double widthCm, double heightCm);

}  // namespace batchwise
