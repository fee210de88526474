// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/analysis/figure.h"

namespace batchwise {

/// Returns the figure as an SVG document of the given size on a white background. Uses SVG Tiny 1.2 only. Texts are
/// escaped.
std::string figureSvg(const Figure& figure, double widthCm, double heightCm);

}  // namespace batchwise
