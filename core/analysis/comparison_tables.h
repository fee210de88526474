// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/figure.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/run_series_reader.h"
#include "core/analysis/text_table.h"
#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

/// Number format: rounded for people, or exact (reads back as the same double).
enum class NumberFormat { Readable, Exact };

/// One row per line of the comparison: name, members, and per quantity its value, difference to the baseline, relative
/// difference, noise band and verdict. Readable titles name the position of quantities that are not taken at the one
/// that comparedAtText() names.
TextTable summaryTable(const RunComparison& comparison, NumberFormat numbers, const SeriesNames& names = {});
/// One row per differing field, one column per run.
TextTable differenceTable(const RunComparison& comparison);
/// Returns a text such as "3 of 61 fields differ".
std::string differenceText(const ConfigComparison& differences);
/// Names the ignored fields that differ; empty if there are none.
std::string ignoredDifferencesText(const ConfigComparison& differences);

/// Returns the caption of a summary table on paper: where it is taken, how many runs each group has, what ± is.
std::string tableCaption(const RunComparison& comparison);
/// Returns the comparison with these columns only, in their order. `kept`: indices of columns, ascending.
RunComparison withColumns(RunComparison comparison, std::span<const std::size_t> kept);

/// Returns what readers must know about the columns: where quantities were evaluated if elsewhere than comparedAtText()
/// says, and over what they are averaged.
std::vector<std::string> columnNotes(const RunComparison& comparison, const SeriesNames& names = {});

/// Returns a sentence for each line that reaches an evaluation loss of the baseline: "b reaches an evaluation loss of
/// 3.214 after 38 % fewer tokens (31 to 44 %), 38 % fewer serial steps (31 to 44 %) and 20 % less time (12 to 27 %)
/// than a."
std::vector<std::string> equalLossTexts(const RunComparison& comparison);
/// Returns these; then for each line, in evaluation loss and metric, which difference is detectable if it is within
/// noise, and whether it is not worse than the baseline by more than ComparisonOptions::margin.
std::vector<std::string> verdictTexts(const RunComparison& comparison);
/// Returns t s sqrt(2 / n) of a difference within noise, its noise band: a true difference of that size is found by
/// half of the comparisons of seeds like these. Nothing for another verdict.
std::optional<double> detectableDifference(const SummaryCell& cell);

/// Replaces the name of the series in the title by its display name.
SummaryColumn withDisplayName(SummaryColumn column, const SeriesNames& names);
/// Formats a value of a column: durations, counts and rates in their own formats, others with four digits.
std::string cellValueText(const SummaryColumn& column, std::optional<double> value);
/// Returns a text such as "−1.7 ± 0.4 %, better", "−1.7 %, noise unknown" for one seed a side, or "+4.5 %, after 76.5k
/// against 624k tokens" in place of a verdict.
std::string deltaText(const SummaryCell& cell);
/// Returns a sentence on a cell with rounded figures: its value, the baseline's, the difference with its interval.
std::string cellSentence(const RunComparison& comparison, std::size_t line, std::size_t column);

/// Points of every single run, or of the groups as drawn.
enum class PointSource { Runs, Groups };
/// All points of a comparison, one row each (long runs: extremes per bucket, see RunSeriesReader). Columns for
/// runs: run, group if grouped, x, value, smoothed value if smoothing is on; for groups (requires groups): group, x,
/// center, low, high, number of runs.
class PointRows final : public RowSource {
 public:
  PointRows(std::shared_ptr<const RunComparison> comparison, PointSource of);

  TextTable next(std::size_t most) override;
  bool atEnd() const override { return part_ == parts_.size(); }
  double progress() const override;

 private:
  /// The points of a run, or of a group.
  struct Part {
    const ComparedLine* line;
    const ComparedRun* run;  // null for a group
    std::vector<GroupPoint> group;
    Curve smooth;  // of a run; empty without smoothing
    std::size_t size() const { return run != nullptr ? run->curve.size() : group.size(); }
  };
  std::vector<std::string> row() const;

  std::shared_ptr<const RunComparison> comparison_;
  PointSource source_;
  std::vector<Part> parts_;
  std::size_t part_ = 0, point_ = 0;  // next point to return
};
/// Returns all rows of PointRows at once.
TextTable pointsTable(const RunComparison& comparison, PointSource of);

/// Returns a comparison as an HTML page that loads nothing: charts of the metric and of all other series of the runs to
/// zoom, smooth and print, values and differences, configuration differences, run states, tags, notes, and settings.
/// At most 60 series have charts. Long curves are thinned to their extremes, so that a page of 50 runs and 20 series
/// has less than 5 MB. Texts from runs are escaped; no script runs but core/analysis/report.js. Fails as the store
/// does.
Result<std::string> comparisonReport(const Workspace& workspace, const RunComparison& comparison,
                                     const SeriesNames& names = {}, Scale yScale = Scale::Linear);

inline std::string metricAtEqualAxisText(const auto& metric, const auto& axis) {
  return formatText("{} at equal {}", metric, axis);
}

}  // namespace batchwise
