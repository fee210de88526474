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

  /// Parses a size such as "16x9". Fails with Config unless sides are 2 to 200 cm.
  static Result<ChartSize> parse(const std::string& text);
};

/// Fails with Config if `file` does not end in .svg, or as checkOutputFile().
Result<void> checkChartFile(const std::filesystem::path& file, Replaces replaces);

/// Writes the figure as .svg. Fails as checkChartFile(), or with Io.
Result<void> writeChart(const Figure& figure, const std::filesystem::path& file, const ChartSize& size,
                        Replaces replaces);

}  // namespace batchwise::cli
