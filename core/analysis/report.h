// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/analysis/figure.h"
#include "core/analysis/run_comparison.h"

namespace batchwise {

/// Returns a comparison as a self-contained HTML page: chart (inline SVG), values and differences, configuration
/// differences, run states, tags, notes, and settings. Text from runs is escaped; the page contains no script and loads
/// nothing. `createdAt`: date and time to print, in the language of the page.
std::string comparisonReport(const RunComparison& comparison, Scale yScale, const std::string& createdAt,
                             const SeriesNames& names = {});

}  // namespace batchwise
