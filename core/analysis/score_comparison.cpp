// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/score_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/analysis/metrics.h"
#include "core/analysis/run_labels.h"
#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/text/task_data.h"

namespace batchwise {
namespace {

constexpr std::size_t kResamplings = 1'000;
constexpr std::size_t kFewestRows = 10;  // of the data, that tell how much examples vary
constexpr std::uint64_t kResamplingKey = 0x5C0'8E5;

/// A model: of each seed the mean of its scores, their number, and where they can be resampled the metrics behind them.
struct Side {
  SeededValues values;
  std::vector<std::size_t> scores;
  std::vector<std::vector<WeightedMetric>> metrics;

  std::vector<double> resampled(std::span<const double> weights) const {
    std::vector<double> all;
    for (const auto& ofSeed : metrics) {
      double sum = 0;
      for (const WeightedMetric& metric : ofSeed) sum += metric(weights);
      all.push_back(sum / static_cast<double>(ofSeed.size()));
    }
    return all;
  }
};

/// Fails with Config unless all scores are of one task and all predictions of the same examples.
Result<void> checkComparable(std::span<const SeedScores> model, std::span<const SeedScores> baseline) {
  const auto isEmpty = [](const SeedScores& seed) { return seed.scores.empty(); };
  if (model.empty() || baseline.empty() || std::ranges::any_of(model, isEmpty) ||
      std::ranges::any_of(baseline, isEmpty))
    return Error::config("there is no score to compare");
  const Score& first = model.front().scores.front();
  const auto keyOf = [](const Score& of) { return std::tie(of.taskHash, of.metric, of.split, of.method); };
  for (const auto side : {model, baseline})
    for (const SeedScores& seed : side)
      for (const Score& score : seed.scores) {
        if (keyOf(score) != keyOf(first))
          return Error::config(
              formatText("scores of '{}' and '{}' cannot be compared: data, metric, split or method differ", first.task,
                         score.task));
        if (!score.predictions.empty() && !first.predictions.empty() &&
            !std::ranges::equal(score.predictions, first.predictions, {}, &ExampleScore::example,
                                &ExampleScore::example))
          return Error::config(
              formatText("scores of '{}' cannot be compared: they are not of the same examples", score.task));
      }
  return {};
}

/// Returns whether the metric of the predictions is the stored value, so that resampling them says how it varies.
bool isValueOfPredictions(const Score& score) {
  if (score.predictions.empty()) return false;
  const double sign = directionOfScore(score.metric) == Direction::LowerIsBetter ? -1 : 1;
  return std::abs(sign * scoreOf(score.metric, score.predictions) - score.value) <=
         1e-6 * std::max(1.0, std::abs(score.value));
}

/// In the order of the seeds, so that those that two sides share stand at the same places.
Side sideOf(std::span<const SeedScores> seeds, bool withMetrics) {
  std::vector<const SeedScores*> bySeed;
  for (const SeedScores& seed : seeds) bySeed.push_back(&seed);
  std::ranges::stable_sort(bySeed, {}, &SeedScores::seed);
  Side side;
  for (const SeedScores* seed : bySeed) {
    side.values.emplace_back(seed->seed, 0.0);
    side.scores.push_back(seed->scores.size());
    side.metrics.emplace_back();
    for (const Score& score : seed->scores) {
      side.values.back().second += score.value / static_cast<double>(seed->scores.size());
      if (withMetrics) side.metrics.back().push_back(weightedMetric(score.metric, score.predictions));
    }
  }
  return side;
}

/// Returns for each example which row of the data it is of, counted from 0: the words of one are not independent.
std::vector<std::size_t> rowsOf(std::span<const ExampleScore> examples) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const bool isNew = i > 0 && rowOfExample(examples[i].example) != rowOfExample(examples[i - 1].example);
    rows.push_back(i == 0 ? 0 : rows.back() + (isNew ? 1 : 0));
  }
  return rows;
}

/// How the difference of two models varies if the same rows of the data are resampled in both.
struct Resampled {
  double exampleVariance = 0;  // with the seeds as they are
  double betterShare = 0;      // with the seeds resampled too
};

/// `rows`: of the examples, see rowsOf(); at least one.
Resampled resample(const Side& model, const Side& baseline, std::span<const std::size_t> rows) {
  const auto seedOf = [](const auto& value) { return value.first; };
  const bool areSeedsShared = std::ranges::equal(model.values, baseline.values, {}, seedOf, seedOf);
  const auto meanOfDrawn = [](std::span<const double> values, std::uint64_t key) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[boundedRandom(randomBits(key, i), values.size())];
    return sum / static_cast<double>(values.size());
  };
  const std::size_t count = rows.back() + 1;
  std::vector<double> drawnRows(count), weights(rows.size()), differences;
  double better = 0;
  for (std::size_t round = 0; round < kResamplings; ++round) {
    const std::uint64_t key = subKey(kResamplingKey, round);
    std::ranges::fill(drawnRows, 0.0);
    for (std::size_t i = 0; i < count; ++i) drawnRows[boundedRandom(randomBits(key, i), count)] += 1;
    for (std::size_t i = 0; i < rows.size(); ++i) weights[i] = drawnRows[rows[i]];
    const std::vector<double> own = model.resampled(weights), other = baseline.resampled(weights);
    differences.push_back(meanOf(own) - meanOf(other));
    const double drawn = meanOfDrawn(own, subKey(key, 1)) - meanOfDrawn(other, subKey(key, areSeedsShared ? 1 : 2));
    better += drawn > 0 ? 1 : drawn == 0 ? 0.5 : 0;
  }
  const double deviation = deviationOf(differences);
  return {deviation * deviation, better / static_cast<double>(kResamplings)};
}

/// Returns the noise between seeds: of both sides, or of the one that has several; nothing if none has, or if each of
/// these is the mean of more scores than the other side has.
std::optional<DifferenceNoise> seedNoiseOf(const Side& model, const Side& baseline) {
  if (model.values.size() > 1 && baseline.values.size() > 1)
    return differenceNoise(model.values, baseline.values, Center::Mean);
  const auto& [several, single] = model.values.size() > 1 ? std::tie(model, baseline) : std::tie(baseline, model);
  const std::size_t ofSingle = single.scores.front();
  if (several.values.size() < 2 || std::ranges::all_of(several.scores, [=](std::size_t own) { return own > ofSingle; }))
    return std::nullopt;
  const std::vector<double> values = numbersOf(several.values);
  const double variance = std::pow(deviationOf(values), 2), count = static_cast<double>(values.size());
  return DifferenceNoise{NoiseSource::OtherRuns, {variance * (1 + 1 / count), count - 1}};
}

std::optional<int> moreSeedsFor(double difference, const DifferenceNoise& noise, std::size_t own, std::size_t other,
                                double exampleVariance) {
  constexpr int kMost = 30;
  constexpr double kPower80 = 0.8416;  // quantile of the normal distribution
  const bool paired = noise.source == NoiseSource::PairedSeeds;
  const auto partOf = [paired](double a, double b) { return paired ? 1 / a : 1 / a + 1 / b; };
  const double perSeed = noise.variance.variance / partOf(static_cast<double>(own), static_cast<double>(other));
  for (int more = 1; more <= kMost; ++more) {
    const double a = static_cast<double>(own) + more, b = static_cast<double>(other) + more;
    const DifferenceVariance then{perSeed * partOf(a, b), paired ? a - 1 : a + b - 2};
    if (then.band(exampleVariance) + kPower80 * std::sqrt(then.variance + exampleVariance) <= std::abs(difference))
      return more;
  }
  return std::nullopt;
}

}  // namespace

Direction directionOfScore(std::string_view metric) {
  constexpr std::array kLower = {"loss", "perplexity", "pseudo_perplexity", "bits_per_byte"};
  return std::ranges::find(kLower, metric) == kLower.end() ? Direction::HigherIsBetter : Direction::LowerIsBetter;
}

Result<ScoreDifference> compareScores(std::span<const SeedScores> model, std::span<const SeedScores> baseline) {
  RETURN_IF_ERROR(checkComparable(model, baseline));
  bool withPredictions = true;
  for (const auto side : {model, baseline})
    for (const SeedScores& seed : side)
      withPredictions = withPredictions && std::ranges::all_of(seed.scores, isValueOfPredictions);
  const Side own = sideOf(model, withPredictions), other = sideOf(baseline, withPredictions);
  const Score& first = model.front().scores.front();
  ScoreDifference found;
  const double mean = meanOf(numbersOf(own.values)), baselineMean = meanOf(numbersOf(other.values));
  found.difference = mean - baselineMean;
  const std::vector<std::size_t> rows = rowsOf(first.predictions);
  double exampleVariance = 0;
  if (withPredictions) {
    const Resampled resampled = resample(own, other, rows);
    exampleVariance = resampled.exampleVariance;
    found.betterShare = resampled.betterShare;
  }
  const auto noise = seedNoiseOf(own, other);
  found.isOfCheckpoints = own.values.size() == 1 && other.values.size() == 1;
  std::optional<double> band;
  if (noise && noise->variance.variance > 0) {  // values come in steps: a few are often equal by chance
    found.noiseFrom = noise->source;
    band = noise->variance.band(exampleVariance);
  } else if (found.isOfCheckpoints && withPredictions && rows.back() + 1 >= kFewestRows) {
    found.noiseFrom = NoiseSource::Examples;
    band = DifferenceVariance{exampleVariance, static_cast<double>(rows.back())}.band();
  }
  if (band) {
    found.low = found.difference - *band;
    found.high = found.difference + *band;
  }
  found.verdict = deltaOf(mean, baselineMean, directionOfScore(first.metric), band).verdict;
  if (noise && found.verdict == Assessment::WithinNoise)
    found.moreSeeds = moreSeedsFor(found.difference, *noise, own.values.size(), other.values.size(), exampleVariance);
  return found;
}

std::string ScoreDifference::text() const {
  std::string share;
  if (betterShare) {
    const bool isBetter = *betterShare >= 0.5;
    share = formatText("{} in {} of 100 resamplings", isBetter ? "better" : "worse",
                       static_cast<int>(100 * (isBetter ? *betterShare : 1 - *betterShare) + 1e-9));
  }
  std::string text(assessmentName(verdict));
  if (!high || verdict == Assessment::Same) return text;
  if (verdict == Assessment::WithinNoise) {
    if (moreSeeds) text += formatText("; about {} more {} would tell", *moreSeeds, *moreSeeds == 1 ? "seed" : "seeds");
    if (!share.empty()) text += " (" + share + ")";
  } else if (!share.empty()) {
    text = share;
  }
  if (noiseFrom == NoiseSource::Examples) return text + ", of examples, for these two checkpoints only";
  return isOfCheckpoints ? text + ", of these two checkpoints only" : text;
}

namespace {

/// What makes scores of several runs one row.
using ScoreKey = std::tuple<std::string, std::string, std::string, std::string, std::string, double>;

/// Returns the rate that is best on the validation part of a task; nothing unless it was scored there.
std::optional<double> bestRate(std::span<const Score> ofCheckpoint, const Score& of) {
  std::map<double, std::vector<double>> values;
  for (const Score& score : ofCheckpoint)
    if (score.split == "validation" && std::tie(score.task, score.taskHash, score.method, score.metric) ==
                                           std::tie(of.task, of.taskHash, of.method, of.metric))
      values[score.rate].push_back(score.value);
  if (values.empty()) return std::nullopt;
  const double sign = directionOfScore(of.metric) == Direction::LowerIsBetter ? -1 : 1;
  return std::ranges::max_element(values, {}, [sign](const auto& each) { return sign * meanOf(each.second); })->first;
}

/// The scores of a run by row: of the last checkpoint that has one.
struct RunScores {
  std::size_t run = 0;
  std::string checkpoint;
  std::vector<Score> scores;
};

using ScoresByKey = std::map<ScoreKey, RunScores>;

/// Of several rates, takes the best one.
ScoresByKey scoresByKey(std::span<const Score> ofModel, std::size_t run, const std::string& model) {
  ScoresByKey found;
  for (const Score& score : ofModel) {
    const auto best = bestRate(ofModel, score);
    if (best && *best != score.rate) continue;
    RunScores& row =
        found[{score.task, score.taskHash, score.method, score.metric, score.split, best ? 0 : score.rate}];
    row.run = run;
    row.checkpoint = model;
    row.scores.push_back(score);
  }
  return found;
}

Result<ScoresByKey> scoresOfRun(const Workspace& workspace, const ComparedRun& run, std::size_t index) {
  ScoresByKey found;
  ASSIGN_OR_RETURN(const auto all, workspace.scores({.run = run.summary.id}));
  if (all.empty()) return found;
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run.summary.id));
  ASSIGN_OR_RETURN(const auto records, workspace.checkpoints(run.summary.id));
  for (const CheckpointRecord& record : resumeOrder(detail.segments, records)) {
    std::vector<Score> here;
    std::ranges::copy_if(all, std::back_inserter(here), [&](const Score& score) { return score.model == record.file; });
    // What a later checkpoint has stays.
    found.merge(scoresByKey(here, index, formatText("{} at {}ba", run.summary.name, record.at.batch)));
  }
  return found;
}

/// By key, then by line.
using ScoresByLine = std::map<ScoreKey, std::map<std::size_t, std::vector<RunScores>>>;

/// Adds the folders that were scored as the compared runs were, each as a line after theirs, and returns their paths.
Result<std::vector<std::string>> addFolders(const Workspace& workspace, std::size_t lines, ScoresByLine& found) {
  ASSIGN_OR_RETURN(const auto all, workspace.scores({.run = ""}));
  std::map<std::string, std::vector<Score>> byFolder;
  for (const Score& score : all) byFolder[score.model].push_back(score);
  std::vector<std::string> folders;
  for (const auto& [folder, scores] : byFolder) {
    for (auto& [key, one] : scoresByKey(scores, 0, folder))
      if (const auto row = found.find(key); row != found.end())
        row->second[lines + folders.size()].push_back(std::move(one));
    folders.push_back(folder);
  }
  return folders;
}

Result<std::vector<RunScores>> withPredictions(const Workspace& workspace, std::vector<RunScores> runs) {
  for (RunScores& run : runs)
    for (Score& score : run.scores) {
      ASSIGN_OR_RETURN(score.predictions, workspace.predictions(score));
    }
  return runs;
}

/// Returns the seeds of a line: its runs, or those of its only run.
std::vector<SeedScores> seedsOf(const RunComparison& comparison, const std::vector<RunScores>& runs, bool byRun) {
  std::vector<SeedScores> seeds;
  for (const RunScores& run : runs) {
    const bool isFolder = run.scores.front().run.empty();
    if (byRun) seeds.push_back({isFolder ? "" : repetitionSeeds(comparison.runs[run.run].config), {}});
    for (const Score& score : run.scores) {
      if (!byRun) seeds.push_back({std::to_string(score.seed), {}});
      seeds.back().scores.push_back(score);
    }
  }
  return seeds;
}

LineScore lineScore(std::size_t line, const ScoreKey& key, const std::vector<RunScores>& runs) {
  LineScore row;
  row.line = line;
  std::tie(row.task, row.taskHash, row.method, row.metric, row.split, std::ignore) = key;
  const double rate = runs.front().scores.front().rate;
  bool sameRate = true;
  std::vector<double> values;
  for (const RunScores& run : runs) {
    row.checkpoints.push_back(run.checkpoint);
    row.scores.insert(row.scores.end(), run.scores.begin(), run.scores.end());
    std::vector<double> ofRun;
    for (const Score& score : run.scores) {
      ofRun.push_back(score.value);
      sameRate = sameRate && score.rate == rate;
      row.examples = score.examples;
    }
    if (runs.size() == 1)
      values = ofRun;
    else
      values.push_back(meanOf(ofRun));
  }
  row.rate = sameRate ? rate : 0;
  row.mean = meanOf(values);
  row.seeds = values.size();
  if (values.size() > 1) row.deviation = deviationOf(values);
  return row;
}

}  // namespace

Result<std::vector<LineScore>> scoresOfLines(const Workspace& workspace, const RunComparison& comparison) {
  ScoresByLine found;
  for (std::size_t line = 0; line < comparison.lines.size(); ++line)
    for (const std::size_t run : comparison.lines[line].counted) {
      ASSIGN_OR_RETURN(auto scores, scoresOfRun(workspace, comparison.runs[run], run));
      for (auto& [key, one] : scores) found[key][line].push_back(std::move(one));
    }
  const auto scored = addFolders(workspace, comparison.lines.size(), found);
  const auto folders = scored.ok() ? *scored : std::vector<std::string>();
  std::vector<LineScore> rows;
  for (const auto& [key, lines] : found) {
    const auto baseline = lines.find(0);
    const bool hasOthers = baseline != lines.end() && lines.size() > 1;
    const auto other = withPredictions(workspace, hasOthers ? baseline->second : std::vector<RunScores>());
    for (const auto& [line, runs] : lines) {
      LineScore& row = rows.emplace_back(lineScore(line, key, runs));
      const std::size_t count = comparison.lines.size();
      row.label = line < count ? comparison.lines[line].label : folders[line - count];
      if (line == 0) continue;
      const bool isElsewhere = std::ranges::any_of(found, [&row](const auto& each) {
        const auto& [task, hash, method, metric, split, rate] = each.first;
        return std::tie(task, method, metric, split) == std::tie(row.task, row.method, row.metric, row.split) &&
               hash != row.taskHash && each.second.contains(0);
      });
      if (baseline == lines.end()) {
        row.caution = isElsewhere ? "not measured alike" : "the baseline has no score";
        continue;
      }
      const bool byRun = runs.size() > 1 || baseline->second.size() > 1;
      const auto own = withPredictions(workspace, runs);
      if (!own.ok() || !other.ok()) {
        row.caution = (own.ok() ? other : own).error().message;
        continue;
      }
      const auto to = compareScores(seedsOf(comparison, *own, byRun), seedsOf(comparison, *other, byRun));
      if (!to.ok()) {
        row.caution = "not of the same examples";
        continue;
      }
      row.toBaseline = *to;
      row.toBaseline->isOfCheckpoints = !byRun;
    }
  }
  return rows;
}

TextTable scoreTable(const RunComparison& comparison, std::span<const LineScore> scores) {
  TextTable table;
  for (const char* title : {"task", "metric", comparison.options.groupBy.empty() ? "run" : "group"})
    table.columns.push_back({title, false});
  for (const char* title : {"mean", "seeds", "difference"}) table.columns.push_back({title, true});
  for (const char* title : {"vs baseline", "checkpoints"}) table.columns.push_back({title, false});
  for (const LineScore& score : scores) {
    const auto& to = score.toBaseline;
    std::string metric = formatText("{} ({}, {}", score.metric, score.split, score.method);
    metric += score.rate > 0 ? formatText(" at {})", formatRate(score.rate)) : ")";
    std::string mean = formatAligned(score.mean), difference = to ? formatDifference(to->difference) : "–";
    if (score.deviation) mean += " ± " + formatValue(*score.deviation);
    if (to && to->high) difference += " ± " + formatValue(*to->high - to->difference);
    table.rows.push_back({score.task, metric, score.label, mean, std::to_string(score.seeds), difference,
                          to ? to->text() : score.caution, joined(score.checkpoints)});
  }
  return table;
}

}  // namespace batchwise
