// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/series_unit.h"

namespace batchwise {

std::string seriesUnit(const std::string& series) {
  return series.starts_with("memory.") ? "GiB" : "";
}

double seriesFactor(const std::string& series) {
  return seriesUnit(series).empty() ? 1.0 : 1.0 / (1024.0 * 1024 * 1024);
}

}  // namespace batchwise
