// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/config_difference.h"
#include "core/analysis/curve.h"
#include "core/analysis/delta.h"
#include "core/analysis/grouping.h"
#include "core/analysis/run_styles.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Runs with different seeds and everything else equal as one group.
inline constexpr const char* kGroupByExperiment = "experiment";

/// What to compare, and how.
struct ComparisonOptions {
  std::string metric = "loss";  ///< a stored series
  Axis axis = Axis::Tokens;
  double smoothing = 0;  ///< weight of the moving average, in [0, 1)
  std::string groupBy;   ///< empty: every run for itself; kGroupByExperiment; or a configuration field
  Centre centre = Centre::Mean;
  Band band = Band::Deviation;
  IgnoredFields ignored = IgnoredFields::standard();
  bool operator==(const ComparisonOptions&) const = default;
};

struct ComparedRun {
  RunSummary summary;
  ConfigValues config;
  std::string configTrouble;  ///< why the configuration could not be read; usually empty
  int style = 0;              ///< see RunStyles
  Curve raw, smooth;          ///< of the metric; `smooth` is `raw` without smoothing
};

/// One line of the comparison: a run, or a group of them.
struct ComparedLine {
  std::string label;
  std::vector<std::size_t> members;  ///< indices of runs; the first gives the style
  std::vector<GroupPoint> group;     ///< empty for a run by itself
};

/// A quantity of the table, and where it was taken.
struct SummaryColumn {
  std::string series;  ///< a stored one, or "time" or "tokens" at x
  std::string title;   ///< as files and scripts name it; begins with `series` where that is stored
  std::string unit;
  Direction direction = Direction::Neither;
  double x = 0;              ///< on `axis`
  Axis axis = Axis::Tokens;  ///< the comparison's, or tokens or time beside it
  std::optional<SeedNoise> noise;
};
struct SummaryCell {
  std::optional<double> value;  ///< mean or median over the members of a group that have one
  std::size_t count = 0;        ///< of those
  Delta delta;                  ///< to the baseline's line, the first; Same for itself
  double band = 0;              ///< half width of the noise band of the delta; 0 if it is not known
};

struct RunComparison {
  ComparisonOptions options;
  std::vector<ComparedRun> runs;    ///< the baseline first
  std::vector<ComparedLine> lines;  ///< the baseline's first
  std::optional<CommonEnd> end;     ///< of the runs' curves
  std::vector<SummaryColumn> columns;
  std::vector<std::vector<SummaryCell>> cells;  ///< [line][column]
  ConfigComparison differences;
  std::vector<std::string> notes;  ///< what a reader should know: runs without the metric, summarised curves
};

/// Reads and compares `runs` (ids or names, the baseline first; at least one). Values are taken at the largest x that
/// all reach; the metric at equal tokens and at equal training time too, whatever the comparison is over. Fails with
/// NotFound for a run that is not there, Config for a field to group by that is not there, or as the store does. Any
/// thread; some 10 ms per run of 100,000 points.
Result<RunComparison> compareRuns(const Workspace& workspace, const std::vector<std::string>& runs,
                                  const ComparisonOptions& options);

/// Series that any of the runs has and that can be compared, sorted: no clocks, no rows inside a global batch.
Result<std::vector<std::string>> comparableSeries(const Workspace& workspace, const std::vector<std::string>& runs);

/// "Compared at 1,200,000 tokens, the largest that all 3 runs reach: base-4k ends there."
std::string comparedAtText(const RunComparison& comparison);
/// A place on an axis: "1,200,000 tokens", "50 s of training".
std::string placeText(Axis axis, double x);
/// True for a column that was taken elsewhere than comparedAtText() says.
bool takenElsewhere(const RunComparison& comparison, const SummaryColumn& column);
/// Of such a column: "loss at equal time is taken at 50 s of training, the largest that all reach."
std::string takenAtText(const SummaryColumn& column);

}  // namespace batchwise
