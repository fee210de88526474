// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/analysis/figure.h"
#include "core/base/output_file.h"
#include "core/base/result.h"

namespace batchwise::cli {

struct ChartSize {
  double widthCm = 16, heightCm = 9;
  int dpi = 300;  ///< used for .png only

  /// Parses a size such as "16x9". Fails with Config unless sides are 2 to 200 cm and the picture has at most 100
  /// million pixels.
  static Result<ChartSize> parse(const std::string& text, int dpi);
};

/// Fails with Config if `file` does not end in .svg, .pdf or .png, or as checkOutputFile().
Result<void> checkChartFile(const std::filesystem::path& file, Replaces replaces);

/// Writes the figure as .svg, .pdf or .png, as the extension of `file` says. PDF and PNG are rendered by the program
/// batchwise-chart in the folder of this program, which does not link Qt. Fails as checkChartFile(), with Unsupported
/// if batchwise-chart is missing, or Io.
Result<void> writeChart(const Figure& figure, const std::filesystem::path& file, const ChartSize& size,
                        Replaces replaces);

}  // namespace batchwise::cli
