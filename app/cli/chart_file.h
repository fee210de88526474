// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/analysis/figure.h"
#include "core/base/result.h"
#include "core/store/output_file.h"

namespace batchwise::cli {

struct ChartSize {
  double widthCm = 16, heightCm = 9;
  int dpi = 300;  ///< of a .png

  /// Reads "16x9". Fails with Config; sides are 2 to 200 cm, a picture has at most 100 million pixels.
  static Result<ChartSize> parse(const std::string& text, int dpi);
};

/// Writes the figure as .svg, .pdf or .png, told by the end of the name; the mark of `rule` follows from it, too. The
/// last two are drawn by the program batchwise-chart beside this one: Qt is not linked here. Fails with Config for
/// another name or a file that `rule` refuses, Unsupported where that program is missing, Io.
Result<void> writeChart(const Figure& figure, const std::filesystem::path& file, const ChartSize& size,
                        OutputRule rule);

}  // namespace batchwise::cli
