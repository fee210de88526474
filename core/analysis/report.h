// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/analysis/figure.h"
#include "core/analysis/run_comparison.h"

namespace batchwise {

/// A comparison as one HTML page that needs nothing else: chart (inline SVG), values with their differences,
/// configuration differences, the runs with state, tags and notes, and the settings it was made with. Everything that a
/// person named is plain text; the page holds no script and loads nothing. `madeAt`: date and clock to be printed, in
/// the language of the page.
std::string comparisonReport(const RunComparison& comparison, Scale yScale, const std::string& madeAt,
                             const Wording& wording = {});

}  // namespace batchwise
