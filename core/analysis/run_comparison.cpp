// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/measured_alike.h"
#include "core/analysis/run_labels.h"
#include "core/analysis/run_series_reader.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/metric.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

constexpr const char* kDevicesTime = "devices_time";

/// Returns whether a series says how well a run has learned, so that a verdict needs equal texts and data.
bool isLearned(const std::string& series) {
  return series == "loss" || series.starts_with("eval.");
}

/// Returns whether a series says what a run took of the machine, which depends on what else ran there.
bool isResource(const std::string& series) {
  return series == "time" || series == kDevicesTime || series == "tokens" || series == "step_sec" ||
         series.ends_with("seconds") || series.ends_with("_per_sec") || series.starts_with("memory.");
}

/// Returns whether the values of a column depend on how fast the runs were, and so on what else ran there.
bool dependsOnSpeed(const SummaryColumn& column) {
  return isResource(column.series) || column.axis == Axis::Time;
}

bool isKnownNotFinite(const std::optional<double>& value) {
  return value && !std::isfinite(*value);
}

Curve plainCurve(const MeasuredCurve& measured) {
  Curve curve;
  curve.reserve(measured.size());
  for (const MeasuredPoint& point : measured) curve.push_back({point.x, point.y});
  return curve;
}

std::vector<Curve> plainCurves(const std::vector<MeasuredCurve>& measured) {
  std::vector<Curve> curves;
  for (const MeasuredCurve& each : measured) curves.push_back(plainCurve(each));
  return curves;
}

}  // namespace

/// What is kept of a run.
struct RunComparer::KnownRun {
  RunSeriesReader reader;
  std::string yaml = {};
  ConfigValues config = {};  // empty if the text cannot be read
};

namespace {

class Comparer {
 public:
  using KnownRuns = std::map<std::string, std::unique_ptr<RunComparer::KnownRun>>;

  /// `known`: runs of the comparison before; those of this one are added.
  Comparer(const Workspace& workspace, const ComparisonOptions& options, KnownRuns& known)
      : workspace_(workspace), known_(known) {
    result_.options = options;
  }

  Result<RunComparison> compare(const std::vector<std::string>& names) {
    for (const std::string& name : names) RETURN_IF_ERROR(addRun(name));
    RETURN_IF_ERROR(makeLines());
    assignStyles();
    placeCurves();
    RETURN_IF_ERROR(compareOverSteps());
    RETURN_IF_ERROR(compareAtEqualTokens());
    result_.differences = compareConfigValues(configs(), result_.options.ignored);
    RETURN_IF_ERROR(readMeasured());
    RETURN_IF_ERROR(fillColumns());
    addGroupNotes();
    addMeasurementNotes();
    RETURN_IF_ERROR(readConcurrency());
    RETURN_IF_ERROR(withholdVerdicts());
    for (const Axis axis : {Axis::Tokens, Axis::Steps, Axis::Time}) RETURN_IF_ERROR(addEqualLosses(axis));
    if (result_.options.deviceClocks.devices > 0) RETURN_IF_ERROR(addEqualLosses(Axis::Time, kDevicesTime));
    for (std::size_t i = 0; i < measuredMetric_.size(); ++i) result_.runs[i].curve = std::move(measuredMetric_[i]);
    return std::move(result_);
  }

 private:
  /// One value per run.
  using Values = std::vector<std::optional<double>>;
  using Places = std::vector<std::optional<MeasuredPoint>>;

  Result<void> addRun(const std::string& name) {
    ASSIGN_OR_RETURN(const auto detail, workspace_.findRun(name));
    RunComparer::KnownRun& known = knownRun(detail);
    RunSeriesReader& reader = known.reader;
    ComparedRun run;
    run.summary = detail.summary;
    run.diverged = run.summary.cause == FailureCause::Diverged || isKnownNotFinite(run.summary.loss) ||
                   isKnownNotFinite(run.summary.evalLoss);
    auto resolved = currentResolvedValues(detail);
    run.tokenizer = resolved[resolved_names::kTokenizerIdentity];
    run.trainingText = resolved[resolved_names::kTrainingText];
    run.evaluationText = resolved[resolved_names::kEvaluationText];
    run.config = known.config;
    if (run.config.empty() && !isExternal(run.summary))
      result_.notes.push_back(
          formatText("the configuration of {} cannot be read and is not compared", run.summary.name));
    RETURN_IF_ERROR(reader.setAxis(result_.options.axis));
    ASSIGN_OR_RETURN(auto rows, reader.points(result_.options.metric));
    for (SeriesPoint& row : rows) row.value *= seriesFactor(result_.options.metric);
    if (rows.empty())
      result_.notes.push_back(formatText("{} has no values of {}", run.summary.name, result_.options.metric));
    if (reader.isDownsampled())
      result_.notes.push_back(formatText(
          "{} is read as at most 20,000 buckets with their extremes; its averages and exported points are computed "
          "from the buckets",
          run.summary.name));
    const auto bad = std::ranges::count_if(rows, [](const SeriesPoint& row) { return !std::isfinite(row.value); });
    if (bad > 0)
      result_.notes.push_back(formatText("{} of {} values of {} of {} are NaN or infinite", bad, std::ssize(rows),
                                         result_.options.metric, run.summary.name));
    result_.isEachBatch = result_.isEachBatch && !result_.options.metric.starts_with("eval.") &&
                          (reader.isDownsampled() || isMeasuredEachBatch(result_.options.metric, rows));
    const DeviceClocks& clocks = result_.options.deviceClocks;
    if (const auto clock = clocks.sec.find(run.summary.id); clock != clocks.sec.end())
      reader.setClock(kDevicesTime, clock->second);
    readers_.push_back(&reader);
    details_.push_back(detail);
    metricRows_.push_back(std::move(rows));
    result_.runs.push_back(std::move(run));
    return {};
  }

  RunComparer::KnownRun& knownRun(const RunDetail& run) {
    std::unique_ptr<RunComparer::KnownRun>& known = known_[run.summary.id];
    if (!known) known.reset(new RunComparer::KnownRun{RunSeriesReader(workspace_, run.summary.id)});
    known->reader.follow(run);
    if (known->yaml != run.resolvedYaml || known->config.empty() || isExternal(run.summary)) {
      const auto config = configValuesOf(run);
      known->yaml = run.resolvedYaml;
      known->config = config.ok() ? *config : ConfigValues();
    }
    return *known;
  }

  /// Computes the curves of the runs over the axis, and where the shortest ends.
  void placeCurves() {
    measuredMetric_.clear();
    for (std::size_t i = 0; i < readers_.size(); ++i)
      measuredMetric_.push_back(readers_[i]->measuredOver(metricRows_[i]));
    result_.end = commonEnd(plainCurves(measuredMetric_));
  }

  /// Compares over steps, which are all that another program counts, if it has no clock for the chosen axis.
  Result<void> compareOverSteps() {
    const auto lacksClock = [this](std::size_t i) {
      return isExternal(result_.runs[i].summary) && !metricRows_[i].empty() && measuredMetric_[i].empty();
    };
    std::vector<std::string> names;
    for (std::size_t i = 0; i < result_.runs.size(); ++i)
      if (lacksClock(i)) names.push_back(result_.runs[i].summary.name);
    ComparisonOptions& options = result_.options;
    const bool hasExternal =
        std::ranges::any_of(result_.runs, [](const ComparedRun& run) { return isExternal(run.summary); });
    if (names.empty() && !(hasExternal && options.axis == Axis::Batches)) return {};
    if (!names.empty())
      result_.notes.push_back(formatText("{} did not log {}, so the runs are compared over steps",
                                         names.size() == 1 ? names.front() : formatText("{} runs", names.size()),
                                         axisText(options.axis)));
    options.axis = Axis::Steps;
    for (RunSeriesReader* reader : readers_) RETURN_IF_ERROR(reader->setAxis(options.axis));
    placeCurves();
    return {};
  }

  /// If asked to, compares at equal tokens lines that have seen unequal numbers of them.
  Result<void> compareAtEqualTokens() {
    ComparisonOptions& options = result_.options;
    if (!options.equalTokensWhereUnequal || !result_.end || !countsBatches(options.axis)) return {};
    ASSIGN_OR_RETURN(const Values tokens, clocksAt("tok", result_.end->x));
    if (std::ranges::none_of(result_.lines, [&](const ComparedLine& line) { return isUnequal(tokens, line); }))
      return {};
    result_.notes.push_back(
        formatText("at equal {} the runs have seen unequal numbers of tokens, so they are compared at equal tokens",
                   axisText(options.axis)));
    options.axis = Axis::Tokens;
    for (RunSeriesReader* reader : readers_) RETURN_IF_ERROR(reader->setAxis(options.axis));
    placeCurves();
    return {};
  }

  /// Gives each line and its runs the style of its leader. Leaders of groups get theirs in the order of their age, so
  /// that a group keeps its color whichever is the baseline.
  void assignStyles() {
    std::vector<const RunSummary*> leaders;
    for (const ComparedLine& line : result_.lines) leaders.push_back(&result_.runs[line.leader].summary);
    if (!result_.options.groupBy.empty()) std::ranges::sort(leaders, {}, ageOf);
    std::vector<std::string> ids;
    for (const RunSummary* leader : leaders) ids.push_back(leader->id);
    RunStyles styles = RunStyles::read(workspace_);
    styles.assign(ids);
    for (ComparedLine& line : result_.lines) {
      line.style = styles.of(result_.runs[line.leader].summary.id);
      for (const std::size_t member : line.members) result_.runs[member].style = line.style;
    }
  }

  static std::pair<std::int64_t, std::string> ageOf(const RunSummary* run) { return {run->createdMs, run->id}; }

  std::vector<std::vector<std::size_t>> experiments() const {
    std::vector<const ConfigValues*> all;
    for (const ComparedRun& run : result_.runs) all.push_back(&run.config);
    return seedGroups(all, result_.options.ignored);
  }

  bool hasSeveralSeeds(const std::vector<std::size_t>& members) const {
    const auto seedsOf = [this](std::size_t member) { return repetitionSeeds(result_.runs[member].config); };
    return std::ranges::any_of(members,
                               [&](std::size_t member) { return seedsOf(member) != seedsOf(members.front()); });
  }

  /// Returns the members of each line, in the order of the first ones.
  std::vector<std::vector<std::size_t>> membersOfLines() const {
    const std::string& by = result_.options.groupBy;
    if (by == kGroupByExperiment) return experiments();
    std::vector<std::vector<std::size_t>> lines;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      const std::string key = by.empty() ? result_.runs[i].summary.id : fieldValue(result_.runs[i]);
      const auto [place, isNew] = places.emplace(key, lines.size());
      if (isNew) lines.emplace_back();
      lines[place->second].push_back(i);
    }
    return lines;
  }

  /// Returns the value of the field to group by.
  std::string fieldValue(const ComparedRun& run) const {
    const auto value = run.config.find(result_.options.groupBy);
    const bool known = value != run.config.end() && hasEffect(run.config, result_.options.groupBy);
    return known ? value->second : "–";
  }

  std::vector<std::string> labelsOfLines() const {
    const std::string& by = result_.options.groupBy;
    std::vector<LabeledGroup> groups;
    std::vector<std::string> labels;
    for (const ComparedLine& line : result_.lines) {
      const ComparedRun& first = result_.runs[line.members.front()];
      labels.push_back(by.empty() ? first.summary.name : by.substr(by.rfind('.') + 1) + " = " + fieldValue(first));
      LabeledGroup& group = groups.emplace_back();
      for (const std::size_t member : line.members) {
        group.names.push_back(result_.runs[member].summary.name);
        group.configs.push_back(&result_.runs[member].config);
      }
    }
    return by == kGroupByExperiment ? distinctLabels(groups) : labels;
  }

  Result<void> makeLines() {
    std::string& by = result_.options.groupBy;
    if (by == kGroupWhereSeeds)
      by = std::ranges::any_of(experiments(), [this](const auto& members) { return hasSeveralSeeds(members); })
               ? kGroupByExperiment
               : "";
    const auto& first = result_.runs.front().config;
    if (!by.empty() && by != kGroupByExperiment && !first.contains(by)) {
      std::vector<std::string> fields;
      for (const auto& [field, value] : first) fields.push_back(field);
      return Error::config(formatText("there is no field '{}' to group by{}", by, nearestNameText(by, fields)));
    }
    countRepetitions();
    for (auto& members : membersOfLines()) result_.lines.push_back({{}, std::move(members)});
    const std::vector<std::string> labels = labelsOfLines();
    for (std::size_t i = 0; i < result_.lines.size(); ++i) {
      ComparedLine& line = result_.lines[i];
      line.label = labels[i];
      for (const std::size_t member : line.members)
        if (by.empty() || counted_[member]) line.counted.push_back(member);
      line.leader = *std::ranges::min_element(
          line.members, {}, [this](std::size_t member) { return ageOf(&result_.runs[member].summary); });
    }
    return {};
  }

  /// Decides which runs count as repetitions. Those of groupBy with other seeds and settings all do.
  void countRepetitions() {
    std::vector<Repetition> repetitions;
    for (const ComparedRun& run : result_.runs) {
      keys_.push_back(run.config.empty() ? std::string() : experimentKey(run.config, result_.options.ignored));
      repetitions.push_back({run.config.empty()
                                 ? std::string()
                                 : experimentKey(run.config, IgnoredFields::standard()) + repetitionSeeds(run.config),
                             run.summary.status == RunStatus::Finished, run.summary.createdMs});
    }
    counted_ = countedRepetitions(repetitions);
  }

  std::vector<ConfigValues> configs() const {
    std::vector<ConfigValues> all;
    for (const ComparedRun& run : result_.runs) all.push_back(run.config);
    return all;
  }

  Result<void> fillColumns() {
    result_.cells.resize(result_.lines.size());
    if (!result_.end) return {};
    const double x = result_.end->x;
    const std::string& metric = result_.options.metric;
    if (metric != "eval.loss") RETURN_IF_ERROR(addSeries("eval.loss"));
    const Values values = addMetric(seriesColumn(metric, x), measuredMetric_);
    for (std::size_t i = 0; i < values.size(); ++i) result_.runs[i].value = values[i];
    for (const Axis axis : {Axis::Tokens, Axis::Time}) RETURN_IF_ERROR(addAtEqual(axis));
    RETURN_IF_ERROR(addClocks(x));
    RETURN_IF_ERROR(addMemory(x));
    return addEvaluations();
  }

  /// Adds the metric at the position of the column: as a mean up to there if it fluctuates from batch to batch. Returns
  /// the values of the runs.
  Values addMetric(SummaryColumn column, const std::vector<MeasuredCurve>& measured) {
    const bool isMean = isMeasuredPerBatch(result_.options.metric);
    if (!isMean || (!result_.isEachBatch && !lastCommonPlace(measured)))
      return addMeasured(std::move(column), measured);
    const std::vector<Curve> curves = result_.isEachBatch ? plainCurves(measured) : alignedCurves(measured);
    if (!result_.isEachBatch) {
      column.taken = TakenAt::Measured;
      column.x = column.firstX = commonEnd(curves)->x;
    }
    column.window = averagingWindow(curves, column.x);
    Values values;
    for (const Curve& curve : curves)  // at 0 there is nothing to average over
      values.push_back(column.window > 0 ? meanBefore(curve, column.x, column.window) : valueAt(curve, column.x));
    addColumn(std::move(column), values);
    return values;
  }

  /// Returns the ends of the runs if these have read equally many samples of the same data there, whose tokens differ
  /// from seed to seed; nothing if they are more than 5 % apart.
  std::optional<CommonPlace> endsAtEqualSamples(Axis axis, const std::vector<MeasuredCurve>& measured) const {
    constexpr double kApart = 0.05, kSamplesApart = 0.01;  // the last global batch may be of another size
    const auto isOfData = [](const FieldRow& row) { return row.field.starts_with("data."); };
    if (axis == Axis::Time || axis == Axis::Steps || std::ranges::any_of(result_.differences.rows, isOfData))
      return std::nullopt;
    CommonPlace place(measured.size());
    std::vector<double> samples, ends;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (measured[i].empty()) continue;
      const Timestamp& at = result_.runs[i].summary.at;
      if (measured[i].back().batch != at.batch || at.sample == 0) return std::nullopt;
      place[i] = measured[i].size() - 1;
      samples.push_back(static_cast<double>(at.sample));
      ends.push_back(measured[i].back().x);
    }
    const auto areNear = [](const std::vector<double>& values, double apart) {
      const auto [least, most] = std::ranges::minmax(values);
      return least >= (1 - apart) * most;
    };
    if (samples.empty() || !areNear(samples, kSamplesApart) || !areNear(ends, kApart)) return std::nullopt;
    return place;
  }

  /// Adds values that were measured at certain places: at the last one that all runs have, or else those nearest to
  /// where the first run ends. Returns the values of the runs.
  Values addMeasured(SummaryColumn column, const std::vector<MeasuredCurve>& measured) {
    const auto end = commonEnd(plainCurves(measured));
    if (!end) return Values(measured.size());
    auto place = endsAtEqualSamples(column.axis, measured);
    if (!place) place = lastCommonPlace(measured);
    column.taken = place ? TakenAt::Measured : TakenAt::Nearest;
    column.x = place ? 0 : end->x;
    column.firstX = std::numeric_limits<double>::max();
    Values values(measured.size());
    Places places(measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (measured[i].empty()) continue;
      places[i] = measured[i][place ? *(*place)[i] : nearestPoint(measured[i], end->x)];
      values[i] = places[i]->y;
      if (place) column.x = std::max(column.x, places[i]->x);
      column.firstX = std::min(column.firstX, places[i]->x);
    }
    addColumn(std::move(column), values, places);
    return values;
  }

  /// Adds a series that is not measured in each global batch.
  Result<void> addSeries(const std::string& series) {
    std::vector<MeasuredCurve> measured;
    for (RunSeriesReader* reader : readers_) {
      ASSIGN_OR_RETURN(const auto rows, reader->points(series));
      measured.push_back(reader->measuredOver(rows));
    }
    addMeasured(seriesColumn(series, 0), measured);
    return {};
  }

  /// Adds loss, accuracy and bits per byte of the evaluations and of each of their sets, and the tasks.
  Result<void> addEvaluations() {
    std::set<std::string> all;
    for (const ComparedRun& run : result_.runs) {
      ASSIGN_OR_RETURN(const auto names, workspace_.seriesNames(run.summary.id));
      for (const std::string& name : names)
        if (name.starts_with(kEvalPrefix) && name != "eval.loss" && name != result_.options.metric &&
            (name.ends_with(".loss") || name.ends_with(".accuracy") || name.ends_with(".bits_per_byte") ||
             isOfTask(name)))
          all.insert(name);
    }
    for (const std::string& series : all) RETURN_IF_ERROR(addSeries(series));
    return {};
  }

  /// Adds the metric at equal tokens or training time, unless that is the axis of the comparison.
  Result<void> addAtEqual(Axis axis) {
    if (result_.runs.size() < 2 || axis == result_.options.axis) return {};
    const std::string& metric = result_.options.metric;
    std::vector<MeasuredCurve> measured;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      ASSIGN_OR_RETURN(auto curve, readers_[i]->measuredOver(std::string(axisSeries(axis)), metricRows_[i]));
      measured.push_back(std::move(curve));
    }
    const auto end = commonEnd(plainCurves(measured));
    if (!end) return {};
    SummaryColumn column = seriesColumn(metric, end->x);
    column.title = metricAtEqualAxisText(metric, axisText(axis));
    column.axis = axis;
    column.kind = ColumnKind::MetricAtEqual;
    addMetric(std::move(column), measured);
    return {};
  }

  SummaryColumn columnOf(const std::string& series, const std::string& title, const std::string& unit,
                         Direction direction, double x) const {
    return {series, title, unit, direction, x, result_.options.axis};
  }

  /// Column of a stored series; its unit is set only if it differs from the stored unit.
  SummaryColumn seriesColumn(const std::string& series, double x) const {
    SummaryColumn column = columnOf(series, series, seriesUnit(series), directionOf(series), x);
    column.kind = ColumnKind::Series;
    return column;
  }

  /// Adds time or tokens at x, and the mean speed up to x.
  Result<void> addClocks(double x) {
    ASSIGN_OR_RETURN(const Values tokens, clocksAt("tok", x));
    ASSIGN_OR_RETURN(const Values seconds, clocksAt("sec", x));
    Values speeds;
    for (std::size_t i = 0; i < readers_.size(); ++i)
      speeds.push_back(seconds[i] && tokens[i] && *seconds[i] > 0 ? std::optional(*tokens[i] / *seconds[i])
                                                                  : std::nullopt);
    if (result_.options.axis != Axis::Time)
      addColumn(columnOf("time", "time", "s", Direction::LowerIsBetter, x), seconds);
    if (const std::int64_t devices = result_.options.deviceClocks.devices; devices > 0) {
      ASSIGN_OR_RETURN(const Values predicted, clocksAt(kDevicesTime, x));
      addColumn(columnOf(kDevicesTime, formatText("time on {} predicted", countText(devices, "device")), "s",
                         Direction::LowerIsBetter, x),
                predicted);
    }
    if (result_.options.axis != Axis::Steps) {
      ASSIGN_OR_RETURN(const Values steps, clocksAt("steps", x));
      const auto differs = [&](const ComparedLine& line) { return isUnequal(steps, line); };
      if (std::ranges::any_of(result_.lines, differs))
        addColumn(columnOf("steps", "serial steps", "", Direction::Neither, x), steps);
    }
    if (result_.options.axis != Axis::Tokens)
      addColumn(columnOf("tokens", "tokens", "tok",
                         result_.options.axis == Axis::Time ? Direction::HigherIsBetter : Direction::Neither, x),
                tokens);
    addColumn(columnOf("tokens_per_sec", "mean speed", "tok/s", Direction::HigherIsBetter, x), speeds);
    return {};
  }

  Result<void> addMemory(double x) {
    Values peaks;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      ASSIGN_OR_RETURN(const auto names, workspace_.seriesNames(result_.runs[i].summary.id));
      std::optional<double> peak;
      for (const std::string& name : names) {
        if (!name.starts_with("memory.") || !name.ends_with(".peak")) continue;
        ASSIGN_OR_RETURN(const auto found, readers_[i]->maximumUpTo(name, x));
        if (found) peak = std::max(peak.value_or(*found), *found);
      }
      peaks.push_back(peak);
    }
    for (auto& peak : peaks)
      if (peak) *peak *= seriesFactor("memory.peak");
    addColumn(columnOf("memory.peak", "peak memory", "GiB", Direction::LowerIsBetter, x), peaks);
    return {};
  }

  Result<void> readMeasured() {
    if (result_.runs.size() < 2 || !result_.end) return {};
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      const ComparedRun& run = result_.runs[i];
      ASSIGN_OR_RETURN(const auto tokens, readers_[i]->points("eval.tokens"));
      ASSIGN_OR_RETURN(const auto parts, readers_[i]->maximumUpTo("parts", result_.end->x));
      measured_.push_back({run.summary.name, &run.config,
                           tokens.empty() ? std::nullopt : std::optional(tokens.back().value), parts, run.tokenizer,
                           run.evaluationText, run.trainingText, isExternal(run.summary)});
    }
    return {};
  }

  /// Notes runs that no mean counts, and starts from trained weights by the names of the lines.
  void addGroupNotes() {
    std::vector<std::string> uncounted;
    std::vector<MeasuredRun> named;
    for (const ComparedLine& line : result_.lines) {
      const auto startOf = [&](std::size_t member) {
        const ConfigValues& config = result_.runs[member].config;
        return std::pair(plainValue(config, "model.init_from"), plainValue(config, "model.tile_from"));
      };
      const bool alike = std::ranges::all_of(
          line.members, [&](std::size_t member) { return startOf(member) == startOf(line.members.front()); });
      if (alike) named.push_back({line.label, &result_.runs[line.members.front()].config, {}, {}});
      for (const std::size_t member : line.members) {
        const ComparedRun& run = result_.runs[member];
        if (!alike) named.push_back({run.summary.name, &run.config, {}, {}});
        if (std::ranges::find(line.counted, member) == line.counted.end()) uncounted.push_back(run.summary.name);
      }
    }
    for (std::string text : {startingWeightsNote(named), repeatedSeedsNote(uncounted)})
      if (!text.empty()) result_.notes.push_back(std::move(text));
  }

  /// Notes losses that were not measured alike.
  void addMeasurementNotes() {
    if (std::string note = unknownMeasurementNote(measured_); !note.empty()) result_.notes.push_back(std::move(note));
    for (std::string& text : evaluationNotes(measured_)) result_.notes.push_back(std::move(text));
    if (result_.options.metric != "loss") return;
    for (std::string text : {trainingTextNote(measured_), trainingLossNote(measured_)})
      if (!text.empty()) result_.notes.push_back(std::move(text));
  }

  /// Finds the runs whose time, speed and memory are not theirs alone.
  Result<void> readConcurrency() {
    if (result_.runs.size() < 2) return {};
    ASSIGN_OR_RETURN(besideOthers_, ranBesideOthers(workspace_, details_));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < besideOthers_.size(); ++i)
      if (besideOthers_[i]) names.push_back(result_.runs[i].summary.name);
    if (std::string note = besideOthersNote(names); !note.empty()) result_.notes.push_back(std::move(note));
    return {};
  }

  /// Replaces verdicts on differences that cannot be judged by the reason.
  Result<void> withholdVerdicts() {
    for (std::size_t j = 0; j < result_.columns.size(); ++j) {
      ASSIGN_OR_RETURN(const Values tokens, unequalTokensAt(result_.columns[j]));
      ASSIGN_OR_RETURN(const Values parts, partsBefore(result_.columns[j]));
      for (std::size_t i = 1; i < result_.lines.size(); ++i) {
        SummaryCell& cell = result_.cells[i][j];
        if (!std::isfinite(cell.delta.absolute)) continue;
        cell.caution = cautionOn(i, j);
        if (cell.caution.empty()) cell.caution = unequalText(tokens, result_.lines[i]);
        if (cell.caution.empty()) cell.caution = insideBatchText(parts, result_.lines[i]);
        if (cell.caution.empty()) continue;
        cell.delta.verdict = Assessment::Unknown;
        cell.upper.reset();
      }
    }
    return {};
  }

  /// Returns the most optimizer steps of the global batches that a column of the training loss is taken from; nothing
  /// for other columns.
  Result<Values> partsBefore(const SummaryColumn& column) {
    if (column.series != "loss" || result_.runs.size() < 2) return Values();
    Values most;
    for (RunSeriesReader* reader : readers_) {
      ASSIGN_OR_RETURN(const auto rows, reader->points("parts"));
      ASSIGN_OR_RETURN(const auto parts, column.axis == result_.options.axis
                                             ? Result(reader->measuredOver(rows))
                                             : reader->measuredOver(std::string(axisSeries(column.axis)), rows));
      std::optional<double> own;
      for (const MeasuredPoint& point : parts)  // the last one up to x, and those of the window
        if (point.x <= column.x)
          own = point.x - point.width < column.x - column.window ? point.y : std::max(own.value_or(point.y), point.y);
      most.push_back(own);
    }
    return most;
  }

  /// Returns "taken after up to 7 updates inside the batch" unless the global batches of a line and of the baseline
  /// have the same number of optimizer steps.
  std::string insideBatchText(const Values& parts, const ComparedLine& line) const {
    double most = 0, fewest = std::numeric_limits<double>::infinity();
    for (const ComparedLine* each : {&line, &result_.lines.front()})
      for (const std::size_t run : each->counted) {
        if (parts.empty() || !parts[run]) continue;
        most = std::max(most, *parts[run]);
        fewest = std::min(fewest, *parts[run]);
      }
    return most > fewest ? formatText("taken after up to {} inside the batch",
                                      countText(static_cast<std::int64_t>(most) - 1, "update"))
                         : std::string();
  }

  /// Adds where lines reach an evaluation loss of the baseline. `clock`: predicted; empty: that of the axis.
  Result<void> addEqualLosses(Axis axis, const std::string& clock = {}) {
    if (result_.lines.size() < 2 || !result_.end) return {};
    SummaryColumn column;
    column.series = "eval.loss";
    for (std::size_t line = 1; line < result_.lines.size(); ++line) {
      const auto isExcluded = [&](std::size_t run) {
        return result_.runs[run].diverged || (axis == Axis::Time && !besideOthers_.empty() && besideOthers_[run]);
      };
      if (hasAny(line, isExcluded) || !isMeasuredAlike(column, result_.lines[line])) continue;
      ASSIGN_OR_RETURN(const auto curves,
                       evaluationsAtSameTokens(line, clock.empty() ? std::string(axisSeries(axis)) : clock));
      if (auto found = equalLossOf(line, curves)) {
        found->axis = axis;
        if (!clock.empty()) found->devices = result_.options.deviceClocks.devices;
        result_.equalLosses.push_back(*found);
      }
    }
    return {};
  }

  /// Returns the evaluation losses of the runs of a line and of the baseline over a clock: those at tokens at which all
  /// were evaluated, as a straight line over a longer way falls later to most losses.
  Result<std::vector<Curve>> evaluationsAtSameTokens(std::size_t line, const std::string& clock) const {
    std::vector<std::size_t> runs = result_.lines[0].counted;
    runs.insert(runs.end(), result_.lines[line].counted.begin(), result_.lines[line].counted.end());
    std::vector<std::vector<SeriesPoint>> rows, kept(runs.size());
    std::vector<MeasuredCurve> overTokens;
    for (const std::size_t run : runs) {
      ASSIGN_OR_RETURN(rows.emplace_back(), readers_[run]->points("eval.loss"));
      ASSIGN_OR_RETURN(overTokens.emplace_back(), readers_[run]->measuredOver("tok", rows.back()));
    }
    for (const CommonPlace& place : commonPlaces(overTokens))
      for (std::size_t i = 0; i < runs.size(); ++i)
        if (place[i]) kept[i].push_back(rows[i][*place[i]]);
    std::vector<Curve> curves(readers_.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      ASSIGN_OR_RETURN(const auto measured, readers_[runs[i]]->measuredOver(clock, kept[i]));
      curves[runs[i]] = plainCurve(measured);
    }
    return curves;
  }

  /// Returns nothing if a run of the line or the baseline is not evaluated on the way to the loss. `curves`: of
  /// evaluation losses.
  std::optional<EqualLoss> equalLossOf(std::size_t line, const std::vector<Curve>& curves) const {
    const ComparedLine &own = result_.lines[line], &baseline = result_.lines[0];
    EqualLoss found;
    found.line = line;
    found.loss = -std::numeric_limits<double>::infinity();
    for (const ComparedLine* each : {&own, &baseline})
      for (const std::size_t run : each->counted) {
        const Curve& curve = curves[run];
        if (curve.empty()) return std::nullopt;
        found.loss = std::max(found.loss, std::ranges::min_element(curve, {}, &CurvePoint::y)->y);
      }
    SeededValues logs, baselineLogs;  // of places
    for (const auto& [side, values] : {std::pair(&own, &logs), std::pair(&baseline, &baselineLogs)})
      for (const std::size_t run : side->counted) {
        const auto place = firstReached(curves[run], found.loss);
        if (!place) return std::nullopt;
        values->emplace_back(repetitionSeeds(result_.runs[run].config), std::log(*place));
      }
    const double center = meanOf(numbersOf(logs)), baselineCenter = meanOf(numbersOf(baselineLogs));
    found.own = std::exp(center);
    found.baseline = std::exp(baselineCenter);
    found.relative = std::expm1(center - baselineCenter);
    if (logs.size() > 1 && baselineLogs.size() > 1 && differBySeed(own) && differBySeed(baseline)) {
      const double band = differenceNoise(logs, baselineLogs, Center::Mean).variance.band();
      found.low = std::expm1(center - baselineCenter - band);
      found.high = std::expm1(center - baselineCenter + band);
    }
    return found;
  }

  /// Returns the first x at which a curve falls to `y`, linear between its points; nothing if its first point is there.
  static std::optional<double> firstReached(const Curve& curve, double y) {
    const auto after = std::ranges::find_if(curve, [y](const CurvePoint& point) { return point.y <= y; });
    if (after == curve.begin() || after == curve.end()) return std::nullopt;
    const CurvePoint& before = *(after - 1);
    const double x = std::lerp(before.x, after->x, (before.y - y) / (before.y - after->y));
    return x > 0 ? std::optional(x) : std::nullopt;
  }

  /// Returns why the values of a line and of the baseline cannot be compared, whatever they are; empty if they can.
  std::string cautionOn(std::size_t line, std::size_t column) const {
    const SummaryColumn& of = result_.columns[column];
    const SummaryCell& cell = result_.cells[line][column];
    const bool isOfOthers = hasAny(line, [&](std::size_t run) { return isExternal(result_.runs[run].summary); });
    if (isOfOthers && isLearned(of.series)) return "text and tokenizer unknown";
    if (isOfOthers && dependsOnSpeed(of)) return "machine unknown";
    if (!isMeasuredAlike(of, result_.lines[line])) return "not measured alike";
    if (of.taken == TakenAt::Nearest && !isAtBaselinePlace(places_[column], result_.lines[line])) {
      const std::string place = axisRangeText(of.axis, cell.firstX, cell.lastX);
      return of.series.starts_with("eval.") ? formatText("nearest evaluation at {}", place)
                                            : formatText("nearest value at {}", place);
    }
    for (const SummaryCell* each : {&cell, &result_.cells[0][column]})
      if (each->notFinite > 0) return formatText("{} of {} not finite", each->notFinite, each->notFinite + each->count);
    if (of.direction == Direction::Neither) return {};
    if ((isResource(of.series) || isLearned(of.series)) &&
        hasAny(line, [&](std::size_t run) { return result_.runs[run].diverged; }))
      return "diverged";
    if (dependsOnSpeed(of) &&
        hasAny(line, [&](std::size_t run) { return !besideOthers_.empty() && besideOthers_[run]; }))
      return "ran beside other work";
    return {};
  }

  /// Returns whether a line or the baseline has a member for which `is` returns true.
  template <typename Is>
  bool hasAny(std::size_t line, const Is& is) const {
    return std::ranges::any_of(result_.lines[line].members, is) || std::ranges::any_of(result_.lines[0].members, is);
  }

  /// Returns whether all values of a line and of the baseline were measured where that of the baseline's first run was.
  bool isAtBaselinePlace(const Places& places, const ComparedLine& line) const {
    const auto isThere = [&](std::size_t member) { return isAtBaselinePlace(places, member); };
    return std::ranges::all_of(line.counted, isThere) && std::ranges::all_of(result_.lines[0].counted, isThere);
  }
  bool isAtBaselinePlace(const Places& places, std::size_t run) const {
    const auto hasPlace = [&](std::size_t member) { return places[member].has_value(); };
    const auto& baseline = result_.lines[0].counted;
    const auto first = std::ranges::find_if(baseline, hasPlace);
    return !places[run] || first == baseline.end() || areAtSamePlace(*places[run], *places[*first]);
  }

  bool isMeasuredAlike(const SummaryColumn& column, const ComparedLine& line) const {
    const auto like = [&](std::size_t member) { return isMeasuredAlike(column, member); };
    return std::ranges::all_of(result_.lines.front().members, like) && std::ranges::all_of(line.members, like);
  }
  /// Returns whether a run was measured like the first of the baseline.
  bool isMeasuredAlike(const SummaryColumn& column, std::size_t run) const {
    if (measured_.empty() || !isLearned(column.series)) return true;
    return column.series == "loss" ? isTrainingLossAlike(measured_[run], measured_.front())
                                   : isEvaluatedAlike(measured_[run], measured_.front(), column.series);
  }

  /// Returns the tokens of each run at the position of a column that depends on them; nothing at equal samples, tokens
  /// or time.
  Result<Values> unequalTokensAt(const SummaryColumn& column) const {
    const bool isTime = column.series == "time" || column.series == kDevicesTime;
    if (!countsBatches(column.axis) || (!isLearned(column.series) && !isTime)) return Values();
    return clocksAt("tok", column.x);
  }

  /// Returns another clock of each run at a position on the axis.
  Result<Values> clocksAt(const std::string& clock, double x) const {
    Values values;
    for (RunSeriesReader* reader : readers_) {
      ASSIGN_OR_RETURN(const auto value, reader->clockAt(clock, x));
      values.push_back(value);
    }
    return values;
  }

  /// Returns whether a line has seen clearly more or fewer tokens, or other units of a clock, than the baseline.
  bool isUnequal(const Values& tokens, const ComparedLine& line) const {
    const auto lineTokens = centerOf(line, tokens).value, baseline = centerOf(result_.lines.front(), tokens).value;
    return lineTokens && baseline && areUnequalTokens(*lineTokens, *baseline);
  }

  /// Returns "after 76.5k against 624k tokens"; empty if that is about the same.
  std::string unequalText(const Values& tokens, const ComparedLine& line) const {
    if (tokens.empty() || !isUnequal(tokens, line)) return {};
    return formatText("after {} against {} tokens", formatCount(*centerOf(line, tokens).value),
                      formatCount(*centerOf(result_.lines.front(), tokens).value));
  }

  /// Adds a column, unless no run has a value for it. `places`: where values were measured that are not taken at x.
  void addColumn(SummaryColumn column, const Values& values, const Places& places = {}) {
    if (std::none_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); })) return;
    column.noise = noiseOf(column, values, column.taken == TakenAt::Nearest ? places : Places());
    for (std::size_t i = 0; i < result_.lines.size(); ++i) {
      SummaryCell cell = centerOf(result_.lines[i], values);
      const SummaryCell& baseline = i == 0 ? cell : result_.cells[0].back();
      addPlaces(result_.lines[i], places, cell);
      if (i > 0) setBand(cell, column, i, values);
      cell.delta = deltaOf(cell.value, baseline.value, column.direction, cell.band);
      result_.cells[i].push_back(cell);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (isLearned(column.series) && isKnownNotFinite(values[i])) result_.runs[i].diverged = true;
    result_.columns.push_back(std::move(column));
    places_.push_back(places);
  }

  /// Sets the noise of the difference of a line to the baseline, if it is known. That of time, speed and memory is not
  /// taken from other runs: it depends on the settings.
  void setBand(SummaryCell& cell, const SummaryColumn& column, std::size_t line, const Values& values) const {
    const ComparedLine &own = result_.lines[line], &baseline = result_.lines[0];
    const std::size_t count = cell.count, baselineCount = centerOf(baseline, values).count;
    if (count > 1 && baselineCount > 1 && differBySeed(own) && differBySeed(baseline)) {
      const DifferenceNoise noise =
          differenceNoise(seededValues(own, values), seededValues(baseline, values), result_.options.center);
      cell.band = knownBand(noise.variance.band(), column.series);
      if (cell.band) cell.noiseFrom = noise.source;
      setUpper(
          cell, column, values,
          oneSidedNoise(seededValues(own, values), seededValues(baseline, values), result_.options.center).variance);
      return;
    }
    const std::size_t least = dependsOnSpeed(column) ? 2 : 1;
    if (!column.noise || count < least || baselineCount < least) return;
    const DifferenceVariance variance = column.noise->variance(count, baselineCount, result_.options.center);
    cell.band = knownBand(variance.band(), column.series);
    if (cell.band) cell.noiseFrom = NoiseSource::OtherRuns;
    setUpper(cell, column, values, variance);
  }

  void setUpper(SummaryCell& cell, const SummaryColumn& column, const Values& values,
                const DifferenceVariance& variance) const {
    const auto baseline = centerOf(result_.lines[0], values).value;
    const bool isKnown = knownBand(variance.band(), column.series).has_value();
    if (result_.options.margin && isLoss(column.series) && isKnown && cell.value && baseline)
      cell.upper = variance.upperBound(*cell.value - *baseline);
  }

  /// Returns whether the counted members of a line differ in ignored fields (the seed) only.
  bool differBySeed(const ComparedLine& line) const {
    const std::string& key = keys_[line.counted.front()];
    return !key.empty() && std::ranges::all_of(line.counted, [&](std::size_t run) { return keys_[run] == key; });
  }

  /// Returns the finite values of the counted members of a line.
  SeededValues seededValues(const ComparedLine& line, const Values& values) const {
    SeededValues seeded;
    for (const std::size_t run : line.counted)
      if (values[run] && std::isfinite(*values[run]))
        seeded.emplace_back(repetitionSeeds(result_.runs[run].config), *values[run]);
    return seeded;
  }

  static void addPlaces(const ComparedLine& line, const Places& places, SummaryCell& cell) {
    bool isFirst = true;
    for (const std::size_t index : line.counted) {
      if (places.empty() || !places[index]) continue;
      cell.firstX = isFirst ? places[index]->x : std::min(cell.firstX, places[index]->x);
      cell.lastX = std::max(cell.lastX, places[index]->x);
      isFirst = false;
    }
  }

  /// Returns the mean or median over the counted members of a line that have a finite value, and their number.
  SummaryCell centerOf(const ComparedLine& line, const Values& values) const {
    std::vector<double> own, bad;
    for (const std::size_t index : line.counted)
      if (values[index]) (std::isfinite(*values[index]) ? own : bad).push_back(*values[index]);
    SummaryCell cell;
    cell.count = own.size();
    cell.notFinite = bad.size();
    if (!own.empty())
      cell.value = result_.options.center == Center::Median ? medianOf(own) : meanOf(own);
    else if (!bad.empty())
      cell.value = meanOf(bad);
    return cell;
  }

  /// Runs of one other program with the same settings tell how much seeds differ in them, as long as the baseline is
  /// one of them.
  bool countsForNoise(const SummaryColumn& column, std::size_t run) const {
    const RunSummary &own = result_.runs[run].summary, &baseline = result_.runs.front().summary;
    return isExternal(own) ? own.source == baseline.source : isMeasuredAlike(column, run);
  }

  /// Returns the spread of runs that differ in ignored fields (the seed) only and were measured like the baseline; with
  /// `places`, where it was.
  std::optional<SeedNoise> noiseOf(const SummaryColumn& column, const Values& values, const Places& places) const {
    std::map<std::string, std::vector<double>> groups;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (counted_[i] && values[i] && std::isfinite(*values[i]) && !keys_[i].empty() &&
          (places.empty() || isAtBaselinePlace(places, i)) && countsForNoise(column, i))
        groups[keys_[i]].push_back(*values[i]);
    std::vector<std::vector<double>> lists;
    for (auto& [key, list] : groups) lists.push_back(std::move(list));
    return seedNoise(lists);
  }

  const Workspace& workspace_;
  KnownRuns& known_;
  std::vector<RunSeriesReader*> readers_;  // of known_
  std::vector<RunDetail> details_;
  std::vector<std::vector<SeriesPoint>> metricRows_;  // of each run, cached for several clocks
  std::vector<MeasuredCurve> measuredMetric_;         // of each run, over the axis
  std::vector<Places> places_;                        // of each column
  std::vector<bool> besideOthers_;                    // whether each run ran beside another one
  std::vector<std::string> keys_;                     // of each run, see experimentKey(); empty: unknown
  std::vector<bool> counted_;                         // whether each run counts as a repetition
  std::vector<MeasuredRun> measured_;                 // the runs; empty if there is nothing to compare
  RunComparison result_;
};

}  // namespace

Result<RunComparison> compareRuns(const Workspace& workspace, const std::vector<std::string>& runs,
                                  const ComparisonOptions& options) {
  return RunComparer(workspace).compare(runs, options);
}

RunComparer::RunComparer(const Workspace& workspace) : workspace_(workspace) {}

RunComparer::~RunComparer() = default;

Result<RunComparison> RunComparer::compare(const std::vector<std::string>& runs, const ComparisonOptions& options) {
  if (runs.empty()) return Error::config("there is no run to compare; name at least one");
  if (!(options.smoothing >= 0 && options.smoothing < 1))
    return Error::config(
        formatText("the smoothing is {}; it must be at least 0 and below 1", formatExact(options.smoothing)));
  auto compared = Comparer(workspace_, options, known_).compare(runs);
  if (compared.ok())
    std::erase_if(known_, [&](const auto& known) {
      return std::ranges::none_of(compared->runs,
                                  [&](const ComparedRun& run) { return run.summary.id == known.first; });
    });
  return compared;
}

Curve smoothedCurve(const RunComparison& comparison, const ComparedRun& run) {
  return smoothed(plainCurve(run.curve), comparison.options.smoothing, smoothingOf(run.summary.status));
}

std::vector<GroupPoint> groupCurve(const RunComparison& comparison, const ComparedLine& line) {
  constexpr std::size_t kGridPoints = 2'000;
  const ComparisonOptions& options = comparison.options;
  std::vector<Curve> curves;
  std::vector<MeasuredCurve> measured;
  for (const std::size_t index : line.counted) {
    curves.push_back(smoothedCurve(comparison, comparison.runs[index]));
    measured.push_back(comparison.runs[index].curve);
    for (std::size_t i = 0; i < curves.back().size(); ++i) measured.back()[i].y = curves.back()[i].y;
  }
  if (!comparison.isEachBatch) curves = alignedCurves(measured);
  return groupCurves(curves, gridOf(curves, kGridPoints), options.center, options.band,
                     interpolationFor(options.metric), leastValue(options.metric));
}

bool isLoss(std::string_view series) {
  return series == "loss" || (series.starts_with("eval.") && series.ends_with(".loss"));
}

bool countsBatches(Axis axis) {
  return axis == Axis::Batches || axis == Axis::Steps;
}

bool areUnequalTokens(double own, double baseline) {
  constexpr double kUnequal = 0.05;
  return std::abs(own - baseline) > kUnequal * baseline;
}

Result<std::vector<std::string>> comparableSeries(const Workspace& workspace, const std::vector<std::string>& runs) {
  constexpr std::array kClocks = {"ep", "steps", "sp", "tok", "sec", "wall"};
  std::set<std::string> all;
  for (const std::string& run : runs) {
    ASSIGN_OR_RETURN(const auto names, workspace.seriesNames(run));
    for (const std::string& name : names)
      if (!name.starts_with("step.") && std::find(kClocks.begin(), kClocks.end(), name) == kClocks.end())
        all.insert(name);
  }
  return std::vector<std::string>(all.begin(), all.end());
}

std::string comparedAtText(const RunComparison& comparison) {
  if (!comparison.end)
    return formatText("There is nothing to compare: no run has values of {}.", comparison.options.metric);
  const CommonEnd& end = *comparison.end;
  const std::string x = axisValueText(comparison.options.axis, end.x);
  if (comparison.runs.size() == 1) return formatText("Values at {}, where the run ends.", x);
  if (end.allEqual) return formatText("Compared at {}, where every run ends.", x);
  const RunSummary& shortest = comparison.runs[end.shortest].summary;
  return shortest.status == RunStatus::Running
             ? formatText("Compared at {}, the last point that all {} runs have reached: {} is still training.", x,
                          comparison.runs.size(), shortest.name)
             : formatText("Compared at {}, the last point that all {} runs reach: {} ends there.", x,
                          comparison.runs.size(), shortest.name);
}

std::string axisValueText(Axis axis, double x) {
  return axis == Axis::Time ? formatText("{} of training", formatDuration(x))
                            : formatText("{} {}", formatInteger(std::llround(x)), axisText(axis));
}

std::string axisRangeText(Axis axis, double first, double last) {
  if (first == last) return axisValueText(axis, last);
  return formatText("{} to {}", axis == Axis::Time ? formatDuration(first) : formatInteger(std::llround(first)),
                    axisValueText(axis, last));
}

bool isEvaluatedElsewhere(const RunComparison& comparison, const SummaryColumn& column) {
  return column.axis != comparison.options.axis || !comparison.end || column.x != comparison.end->x ||
         column.taken == TakenAt::Nearest || (column.taken == TakenAt::Measured && column.firstX != column.x);
}

std::string evaluatedAtText(const SummaryColumn& column) {
  switch (column.taken) {
    case TakenAt::Reached: break;
    case TakenAt::Measured:
      return formatText("{} is taken at {}, the last place at which all runs with values of it were measured.",
                        column.title, axisRangeText(column.axis, column.firstX, column.x));
    case TakenAt::Nearest:
      return formatText("{} was not measured at the same place in all runs: each value is the one nearest to {}.",
                        column.title, axisValueText(column.axis, column.x));
  }
  return formatText("{} is taken at {}, the last point that all runs with values of it reach.", column.title,
                    axisValueText(column.axis, column.x));
}

std::string averagedOverText(const SummaryColumn& column) {
  if (column.window <= 0) return {};
  return formatText("{} is the mean over the last {} up to there.", column.title,
                    axisValueText(column.axis, column.window));
}

}  // namespace batchwise
