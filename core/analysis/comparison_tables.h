// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/run_comparison.h"
#include "core/analysis/text_table.h"

namespace batchwise {

/// How numbers are written: as a person reads them, or so that they read back as the same double.
enum class Numbers { Readable, Exact };

/// One row per line of the comparison: name, members, then per quantity the value, its difference to the baseline, that
/// in percent, the noise band and the verdict.
TextTable summaryTable(const RunComparison& comparison, Numbers numbers);
/// One row per field that differs, one column per run.
TextTable differenceTable(const RunComparison& comparison);
/// "3 of 61 fields differ".
std::string differenceText(const ConfigComparison& differences);

/// A value of a column: durations, counts and rates as such.
std::string cellValueText(const SummaryColumn& column, std::optional<double> value);
/// "−0.05 (−1.7 %), better"; empty for the baseline.
std::string deltaText(const SummaryCell& cell);

/// Every point of every line, one row each: line, x, value, and for groups low, high and n.
TextTable pointsTable(const RunComparison& comparison);

}  // namespace batchwise
