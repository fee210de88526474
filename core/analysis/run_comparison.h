// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/config_difference.h"
#include "core/analysis/group_curve.h"
#include "core/analysis/run_labels.h"
#include "core/analysis/run_series_reader.h"
#include "core/analysis/statistics.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Value of ComparisonOptions::groupBy: groups runs that differ in ignored fields (the seed) only.
inline constexpr const char* kGroupByExperiment = "experiment";
/// Value of ComparisonOptions::groupBy: kGroupByExperiment if a group then has several seeds, else no groups; which of
/// both is in the options of the comparison.
inline constexpr const char* kGroupWhereSeeds = "where seeds";

/// Predicted time of the runs on a number of devices.
struct DeviceClocks {
  std::int64_t devices = 0;                             ///< 0: none
  std::map<std::string, std::vector<SeriesPoint>> sec;  ///< by the id of a run: seconds of training by global batch
  bool operator==(const DeviceClocks& other) const { return devices == other.devices; }
};

struct ComparisonOptions {
  std::string metric = "loss";  ///< a stored series
  Axis axis = Axis::Tokens;
  double smoothing = 0;  ///< weight of the moving average, in [0, 1)
  std::string groupBy;   ///< empty: no groups; kGroupByExperiment; kGroupWhereSeeds; or a configuration field
  Center center = Center::Mean;
  Band band = Band::Deviation;
  IgnoredFields ignored = IgnoredFields::standard();
  /// Compares at equal tokens in place of batches or steps at which the runs have seen unequal numbers.
  bool equalTokensWhereUnequal = false;
  std::optional<double> margin = {};  ///< in nats: is a loss not higher than the baseline's by more than this?
  DeviceClocks deviceClocks = {};     ///< time is also compared by these
  bool operator==(const ComparisonOptions&) const = default;
};

struct ComparedRun {
  RunSummary summary;
  ConfigValues config;              ///< empty if it could not be read
  int style = 0;                    ///< of its line
  MeasuredCurve curve;              ///< of the metric, over the axis
  std::optional<double> value;      ///< of the metric at the end that all runs reach, as in the summary table
  std::string tokenizer = {};       ///< see MeasuredRun
  std::string trainingText = {};    ///< see MeasuredRun
  std::string evaluationText = {};  ///< see MeasuredRun
  bool diverged = false;            ///< it ended diverged, or a value that is compared is NaN or infinite at its end
};

/// A run or group of runs in the comparison.
struct ComparedLine {
  std::string label;                 ///< different for all lines
  std::vector<std::size_t> members;  ///< indices of runs
  std::size_t leader = 0;            ///< the oldest member
  int style = 0;                     ///< of the leader: see RunStyles
  /// Those of its members that its mean and deviation are over: of runs with the same settings and seed only one, see
  /// countedRepetitions(). Unfinished ones count too, as runs are compared where all of them have been.
  std::vector<std::size_t> counted = {};
};

/// Where the values of a column were taken.
enum class TakenAt {
  Reached,   ///< at x, which all runs with values reach: quantities of each global batch, and clocks
  Measured,  ///< where they were measured, between firstX and x, which counts as the same place
  Nearest,   ///< nearest to x, as there is no place at which all were measured
};

/// What the values of a column are: of its series; the metric at equal tokens or time, on another axis than the
/// comparison's; or computed from its series: clocks, mean speed, peak memory.
enum class ColumnKind { Series, MetricAtEqual, Computed };

/// A quantity of the summary table, and the position it is evaluated at.
struct SummaryColumn {
  std::string series;  ///< stored series, or "time", "devices_time", "tokens" or "steps" at x
  std::string title;   ///< its text is the title in files and scripts; begins with `series` unless it is computed
  std::string unit;
  Direction direction = Direction::Neither;
  double x = 0;              ///< position on `axis`
  Axis axis = Axis::Tokens;  ///< the comparison's, or Tokens or Time
  std::optional<SeedNoise> noise = {};
  double window = 0;  ///< values are means over the last `window` before x; 0: values at x
  TakenAt taken = TakenAt::Reached;
  double firstX = 0;  ///< for Measured: of the run that was measured first
  ColumnKind kind = ColumnKind::Computed;
};
struct SummaryCell {
  /// Mean or median over the counted group members with a finite value; NaN or infinite if they only have others.
  std::optional<double> value;
  std::size_t count = 0;         ///< number of members with a finite value
  Delta delta;                   ///< to the first line, the baseline; Same for the baseline itself
  std::optional<double> band;    ///< half width of the interval of the delta (at least 95 %); nothing if unknown
  std::string caution = {};      ///< why the delta has no verdict, such as "not measured alike"
  std::size_t notFinite = 0;     ///< number of counted members whose value is NaN or infinite
  double firstX = 0, lastX = 0;  ///< where its values were measured, unless they are taken at the column's x
  NoiseSource noiseFrom = NoiseSource::None;  ///< of the band
  /// Of a loss with ComparisonOptions::margin: upper end of the one-sided 95 % interval of the delta; nothing if
  /// unknown.
  std::optional<double> upper = {};
};

/// What a line takes to reach an evaluation loss, relative to the baseline: the lowest loss that every counted run of
/// both reaches.
struct EqualLoss {
  std::size_t line = 0;
  double loss = 0;
  Axis axis = Axis::Tokens;         ///< Tokens, Steps or Time
  std::int64_t devices = 0;         ///< of a predicted time: see DeviceClocks
  double own = 0, baseline = 0;     ///< geometric means over the runs of where each first reaches it
  double relative = 0;              ///< own / baseline - 1
  std::optional<double> low, high;  ///< interval of `relative`, at least 95 %; nothing unless both sides have seeds
};

struct RunComparison {
  ComparisonOptions options;
  std::vector<ComparedRun> runs;    ///< baseline first
  std::vector<ComparedLine> lines;  ///< baseline first
  bool isEachBatch = true;          ///< the metric is measured in each global batch of all runs
  std::optional<CommonEnd> end;     ///< common end of the runs' curves
  std::vector<SummaryColumn> columns;
  std::vector<std::vector<SummaryCell>> cells;  ///< [line][column]
  /// Of lines whose evaluations were measured like those of the baseline; time only of runs that had the machine alone.
  std::vector<EqualLoss> equalLosses;
  ConfigComparison differences;
  /// For readers: runs without the metric, downsampled curves, losses that were not measured alike, runs that started
  /// from trained weights while others did not, runs that no mean counts.
  std::vector<std::string> notes;
};

/// Reads and compares `runs` (ids or names, at least one, baseline first). Quantities of each global batch are taken at
/// the largest x that all runs reach, as a mean over a window if they fluctuate; what is measured more rarely, such as
/// evaluations, at the last place at which all runs were measured, never between two. The metric is also taken at equal
/// tokens and at equal training time. The evaluation loss comes first; accuracy, bits per byte and the figures of the
/// named sets come last.
///
/// A difference is better or worse only if it exceeds the noise of runs that differ by seed: that of the two sides if
/// both have several seeds, else that of all runs; of time, speed and memory only if both sides have several seeds, and
/// no run diverged or ran beside another one. Of groups that differ by seed only at most 5 % are called different, in
/// each column. Losses have no verdict where they were not measured alike or at the same place, nor at equal batches or
/// steps after numbers of tokens that differ by more than 5 %; the training loss has none where the global batches have
/// unequal numbers of optimizer steps, as it is measured between them. Fails with NotFound for an unknown run, Config
/// for an unknown field to group by, or as the store does. Thread-safe; takes about 10 ms per run of 100,000 points.
Result<RunComparison> compareRuns(const Workspace& workspace, const std::vector<std::string>& runs,
                                  const ComparisonOptions& options);

/// Compares the same runs again and again while some of them train: keeps what it has read of them, and reads only what
/// is new. The workspace must outlive it. Not thread-safe.
class RunComparer {
 public:
  explicit RunComparer(const Workspace& workspace);
  ~RunComparer();
  /// As compareRuns().
  Result<RunComparison> compare(const std::vector<std::string>& runs, const ComparisonOptions& options);

  struct KnownRun;

 private:
  const Workspace& workspace_;
  std::map<std::string, std::unique_ptr<KnownRun>> known_;  // by id; those compared last
};

/// Returns the curve of a run, smoothed as the options say.
Curve smoothedCurve(const RunComparison& comparison, const ComparedRun& run);
/// Returns center and band of a line over the smoothed curves of its counted members: of a metric that is not measured
/// in each global batch only where all of them were measured.
std::vector<GroupPoint> groupCurve(const RunComparison& comparison, const ComparedLine& line);

/// Returns whether a series is a loss in nats.
bool isLoss(std::string_view series);
/// Returns whether equal positions on an axis may stand for unequal numbers of tokens by plan: batches and steps.
bool countsBatches(Axis axis);
/// Returns whether losses after these numbers of tokens are no fair comparison: they differ by more than 5 %.
bool areUnequalTokens(double own, double baseline);

/// Returns the series that any run has, sorted, without clocks and series inside a global batch.
Result<std::vector<std::string>> comparableSeries(const Workspace& workspace, const std::vector<std::string>& runs);

/// Returns a text such as "Compared at 1,200,000 tokens, the last point that all 3 runs reach: base-4k ends there."
std::string comparedAtText(const RunComparison& comparison);
/// Returns a position on an axis: "1,200,000 tokens", "50 s of training".
std::string axisValueText(Axis axis, double x);
/// Returns a position, or a stretch of the axis: "3,980 to 4,012 tokens".
std::string axisRangeText(Axis axis, double first, double last);
/// Returns whether a column is evaluated at another position than comparedAtText() names.
bool isEvaluatedElsewhere(const RunComparison& comparison, const SummaryColumn& column);
/// Returns a text such as "loss at equal time is taken at 50 s of training, the last point that all runs with values of
/// it reach.", or "eval.loss is taken at 3,200 tokens, the last place at which all runs with values of it were
/// measured."
std::string evaluatedAtText(const SummaryColumn& column);
/// Returns a text such as "loss is the mean over the last 16,000 tokens up to there."; empty without a window.
std::string averagedOverText(const SummaryColumn& column);

}  // namespace batchwise
