// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/analysis/run_track.h"
#include "core/analysis/series_unit.h"
#include "core/analysis/smoothing.h"
#include "core/analysis/statistics.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr std::size_t kGridPoints = 2'000;

/// Builds a comparison step by step.
class Comparer {
 public:
  Comparer(const Workspace& workspace, const ComparisonOptions& options) : workspace_(workspace) {
    result_.options = options;
  }

  Result<RunComparison> compare(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (auto done = addRun(name); !done.ok()) return done.error();
    giveStyles();
    if (auto done = makeLines(); !done.ok()) return done.error();
    result_.end = commonEnd(smoothCurves());
    result_.differences = compareConfigValues(configs(), result_.options.ignored);
    if (auto done = fillColumns(); !done.ok()) return done.error();
    return std::move(result_);
  }

 private:
  Result<void> addRun(const std::string& name) {
    const auto detail = workspace_.findRun(name);
    if (!detail.ok()) return detail.error();
    ComparedRun run;
    run.summary = detail->summary;
    auto config = configValuesOf(detail->resolvedYaml, run.summary.name);
    if (config.ok()) {
      run.config = std::move(*config);
    } else {
      run.configTrouble = config.error().text();
      result_.notes.push_back("the configuration of " + run.summary.name + " cannot be read and is not compared");
    }
    auto track = RunTrack::read(workspace_, run.summary, result_.options.axis);
    if (!track.ok()) return track.error();
    auto rows = track->points(result_.options.metric);
    if (!rows.ok()) return rows.error();
    for (SeriesPoint& row : *rows) row.value *= seriesFactor(result_.options.metric);
    run.raw = track->over(*rows);
    run.smooth = smooth(run.raw);
    if (run.raw.empty()) result_.notes.push_back(run.summary.name + " has no values of " + result_.options.metric);
    if (track->summarised())
      result_.notes.push_back(
          run.summary.name +
          " is read as 20,000 stretches with their extremes; its averages and exported points follow those");
    tracks_.push_back(std::move(*track));
    metricRows_.push_back(std::move(*rows));
    result_.runs.push_back(std::move(run));
    return {};
  }

  Curve smooth(Curve raw) const {
    const double weight = result_.options.smoothing;
    return weight > 0 ? smoothed(raw, weight) : std::move(raw);
  }

  void giveStyles() {
    RunStyles styles = RunStyles::read(workspace_);
    std::vector<std::string> ids;
    for (const ComparedRun& run : result_.runs) ids.push_back(run.summary.id);
    styles.assign(ids);
    for (ComparedRun& run : result_.runs) run.style = styles.of(run.summary.id);
  }

  std::vector<Curve> smoothCurves() const {
    std::vector<Curve> curves;
    for (const ComparedRun& run : result_.runs) curves.push_back(run.smooth);
    return curves;
  }

  /// What the members of a group have in common, and the group's label.
  std::pair<std::string, std::string> groupOf(const ComparedRun& run, const ConfigComparison& all,
                                              std::size_t index) const {
    if (result_.options.groupBy != kGroupByExperiment) {
      const std::string& field = result_.options.groupBy;
      const auto value = run.config.find(field);
      const std::string text = value == run.config.end() ? "–" : value->second;
      return {text, field.substr(field.rfind('.') + 1) + " = " + text};
    }
    std::string label;
    for (const FieldRow& row : all.rows)
      label += (label.empty() ? "" : ", ") + row.field.substr(row.field.rfind('.') + 1) + " = " + row.values[index];
    return {experimentKey(run.config, result_.options.ignored), label.empty() ? run.summary.name : label};
  }

  Result<void> makeLines() {
    const std::string& by = result_.options.groupBy;
    const auto& first = result_.runs.front().config;
    if (!by.empty() && by != kGroupByExperiment && !first.contains(by)) {
      std::vector<std::string> fields;
      for (const auto& [field, value] : first) fields.push_back(field);
      const std::string nearest = nearestName(by, fields);
      return Error::config("there is no field '" + by + "' to group by" +
                           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    const ConfigComparison all = compareConfigValues(configs(), result_.options.ignored);
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      const ComparedRun& run = result_.runs[i];
      const auto [key, label] = by.empty() ? std::pair(run.summary.id, run.summary.name) : groupOf(run, all, i);
      const auto place = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
      if (place == keys.size()) {
        keys.push_back(key);
        result_.lines.push_back({label, {}, {}});
      }
      result_.lines[place].members.push_back(i);
    }
    if (!by.empty()) computeGroups();
    return {};
  }

  void computeGroups() {
    for (ComparedLine& line : result_.lines) {
      std::vector<Curve> members;
      for (const std::size_t index : line.members) members.push_back(result_.runs[index].smooth);
      line.group = groupCurves(members, gridOf(members, kGridPoints), result_.options.centre, result_.options.band,
                               betweenOf(result_.options.metric));
    }
  }

  std::vector<ConfigValues> configs() const {
    std::vector<ConfigValues> all;
    for (const ComparedRun& run : result_.runs) all.push_back(run.config);
    return all;
  }

  /// One value per run.
  using Values = std::vector<std::optional<double>>;

  Result<void> fillColumns() {
    result_.cells.resize(result_.lines.size());
    if (!result_.end) return {};
    const double x = result_.end->x;
    const std::string& metric = result_.options.metric;
    Values own;
    for (const ComparedRun& run : result_.runs) own.push_back(valueAt(run.smooth, x, betweenOf(metric)));
    addColumn(metricColumn(metric, x), own);
    for (const Axis axis : {Axis::Tokens, Axis::Time})
      if (auto done = addAtEqual(axis); !done.ok()) return done;
    if (metric != "eval.loss")
      if (auto done = addSeries("eval.loss"); !done.ok()) return done;
    if (auto done = addClocks(x); !done.ok()) return done;
    return addMemory(x);
  }

  /// A series at the largest x that all its curves reach.
  Result<void> addSeries(const std::string& series) {
    std::vector<Curve> curves;
    for (const RunTrack& track : tracks_) {
      const auto rows = track.points(series);
      if (!rows.ok()) return rows.error();
      curves.push_back(track.over(*rows));
    }
    const auto end = commonEnd(curves);
    if (!end) return {};
    Values values;
    for (const Curve& curve : curves) values.push_back(valueAt(curve, end->x, betweenOf(series)));
    addColumn(columnOf(series, series, "", directionOf(series), end->x), values);
    return {};
  }

  /// The metric where all have seen equally many tokens, or have trained equally long, if the comparison is not over
  /// that already.
  Result<void> addAtEqual(Axis axis) {
    if (result_.runs.size() < 2 || axis == result_.options.axis) return {};
    const std::string& metric = result_.options.metric;
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      auto curve = tracks_[i].over(std::string(axisSeries(axis)), metricRows_[i]);
      if (!curve.ok()) return curve.error();
      curves.push_back(smooth(std::move(*curve)));
    }
    const auto end = commonEnd(curves);
    if (!end) return {};
    Values values;
    for (const Curve& curve : curves) values.push_back(valueAt(curve, end->x, betweenOf(metric)));
    SummaryColumn column = metricColumn(metric + " at equal " + std::string(axisName(axis)), end->x);
    column.axis = axis;
    addColumn(std::move(column), values);
    return {};
  }

  SummaryColumn columnOf(const std::string& series, const std::string& title, const std::string& unit,
                         Direction direction, double x) const {
    return {series, title, unit, direction, x, result_.options.axis, {}};
  }

  /// Of the metric; its unit only where values are not as they are stored.
  SummaryColumn metricColumn(const std::string& title, double x) const {
    const std::string& metric = result_.options.metric;
    return columnOf(metric, title, seriesUnit(metric), directionOf(metric), x);
  }

  /// How fast each run came to x, and how long or how far that was.
  Result<void> addClocks(double x) {
    Values seconds, tokens, speeds;
    for (const RunTrack& track : tracks_) {
      const auto sec = track.clockAt("sec", x), tok = track.clockAt("tok", x);
      if (!sec.ok()) return sec.error();
      if (!tok.ok()) return tok.error();
      seconds.push_back(*sec);
      tokens.push_back(*tok);
      speeds.push_back(*sec && *tok && **sec > 0 ? std::optional(**tok / **sec) : std::nullopt);
    }
    if (result_.options.axis != Axis::Time)
      addColumn(columnOf("time", "time", "s", Direction::LowerIsBetter, x), seconds);
    if (result_.options.axis != Axis::Tokens)
      addColumn(columnOf("tokens", "tokens", "tok",
                         result_.options.axis == Axis::Time ? Direction::HigherIsBetter : Direction::Neither, x),
                tokens);
    addColumn(columnOf("tokens_per_sec", "mean speed", "tok/s", Direction::HigherIsBetter, x), speeds);
    return {};
  }

  Result<void> addMemory(double x) {
    Values peaks;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      const auto names = workspace_.seriesNames(result_.runs[i].summary.id);
      if (!names.ok()) return names.error();
      std::optional<double> peak;
      for (const std::string& name : *names) {
        if (!name.starts_with("memory.") || !name.ends_with(".peak")) continue;
        const auto own = tracks_[i].maximumUpTo(name, x);
        if (!own.ok()) return own.error();
        if (*own) peak = std::max(peak.value_or(**own), **own);
      }
      peaks.push_back(peak);
    }
    addColumn(columnOf("memory.peak", "peak memory", "GiB", Direction::LowerIsBetter, x), inGibibytes(peaks));
    return {};
  }

  static Values inGibibytes(Values values) {
    for (auto& value : values)
      if (value) *value /= 1024.0 * 1024 * 1024;
    return values;
  }

  /// A column that no run has a value for is left out.
  void addColumn(SummaryColumn column, const Values& values) {
    if (std::none_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); })) return;
    column.noise = noiseOf(values);
    std::vector<std::optional<double>> centres;
    std::vector<std::size_t> counts;
    for (const ComparedLine& line : result_.lines) {
      std::vector<double> own;
      for (const std::size_t index : line.members)
        if (values[index] && std::isfinite(*values[index])) own.push_back(*values[index]);
      const bool median = result_.options.centre == Centre::Median;
      centres.push_back(own.empty() ? std::nullopt : std::optional(median ? medianOf(own) : meanOf(own)));
      counts.push_back(own.size());
    }
    for (std::size_t i = 0; i < centres.size(); ++i) {
      SummaryCell cell;
      cell.value = centres[i];
      cell.count = counts[i];
      if (column.noise && counts[i] > 0 && counts[0] > 0) cell.band = column.noise->band(counts[i], counts[0]);
      cell.delta = deltaOf(centres[i], centres[0], column.direction, i == 0 ? 0 : cell.band);
      result_.cells[i].push_back(cell);
    }
    result_.columns.push_back(std::move(column));
  }

  /// Of runs that differ in ignored fields (the seed) only.
  std::optional<SeedNoise> noiseOf(const Values& values) const {
    std::map<std::string, std::vector<double>> groups;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] && std::isfinite(*values[i]) && result_.runs[i].configTrouble.empty())
        groups[experimentKey(result_.runs[i].config, result_.options.ignored)].push_back(*values[i]);
    std::vector<std::vector<double>> lists;
    for (auto& [key, list] : groups) lists.push_back(std::move(list));
    return seedNoise(lists);
  }

  const Workspace& workspace_;
  std::vector<RunTrack> tracks_;
  std::vector<std::vector<SeriesPoint>> metricRows_;  // of each run: read once, put over several clocks
  RunComparison result_;
};

}  // namespace

Result<RunComparison> compareRuns(const Workspace& workspace, const std::vector<std::string>& runs,
                                  const ComparisonOptions& options) {
  if (runs.empty()) return Error::config("there is no run to compare; name at least one");
  if (!(options.smoothing >= 0 && options.smoothing < 1))
    return Error::config("a smoothing of " + formatExact(options.smoothing) +
                         " was asked for; it is at least 0 and below 1");
  return Comparer(workspace, options).compare(runs);
}

Result<std::vector<std::string>> comparableSeries(const Workspace& workspace, const std::vector<std::string>& runs) {
  constexpr std::array kClocks = {"ep", "steps", "sp", "tok", "sec", "wall"};
  std::set<std::string> all;
  for (const std::string& run : runs) {
    const auto names = workspace.seriesNames(run);
    if (!names.ok()) return names.error();
    for (const std::string& name : *names)
      if (!name.starts_with("step.") && std::find(kClocks.begin(), kClocks.end(), name) == kClocks.end())
        all.insert(name);
  }
  return std::vector<std::string>(all.begin(), all.end());
}

std::string comparedAtText(const RunComparison& comparison) {
  if (!comparison.end) return "There is nothing to compare: no run has values of " + comparison.options.metric + ".";
  const CommonEnd& end = *comparison.end;
  const std::string x = placeText(comparison.options.axis, end.x);
  if (comparison.runs.size() == 1) return "Values at " + x + ", where the run ends.";
  if (end.allEqual) return "Compared at " + x + ", where every run ends.";
  return "Compared at " + x + ", the largest that all " + std::to_string(comparison.runs.size()) +
         " runs reach: " + comparison.runs[end.shortest].summary.name + " ends there.";
}

std::string placeText(Axis axis, double x) {
  return axis == Axis::Time ? formatDuration(x) + " of training"
                            : formatInteger(std::llround(x)) + " " + std::string(axisName(axis));
}

bool takenElsewhere(const RunComparison& comparison, const SummaryColumn& column) {
  return column.axis != comparison.options.axis || !comparison.end || column.x != comparison.end->x;
}

std::string takenAtText(const SummaryColumn& column) {
  return column.title + " is taken at " + placeText(column.axis, column.x) +
         ", the largest that all runs with values of it reach.";
}

}  // namespace batchwise
