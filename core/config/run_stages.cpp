// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/run_stages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"

namespace batchwise {
namespace {

using Problems = std::vector<FieldProblem>;

std::string fieldOf(std::size_t index) {
  return "stages[" + std::to_string(index) + "]";
}

bool sets(const StageConfig& stage, const std::string& prefix) {
  return std::ranges::any_of(stage.settings, [&](const auto& setting) { return setting.first.starts_with(prefix); });
}

/// Removes the rounding of a difference of two fractions.
double rounded(double number) {
  return std::round(number * 1e12) / 1e12;
}

/// Returns the end of a stage in the unit of max_duration; nothing if it is in another unit.
std::optional<Time> endOf(const StageConfig& stage, const Time& maxDuration) {
  if (stage.until.unit() == maxDuration.unit()) return stage.until;
  if (stage.until.unit() != TimeUnit::Duration) return std::nullopt;
  if (stage.until.number() == 1.0) return maxDuration;
  if (maxDuration.unit() == TimeUnit::Epoch) return Time::epochs(rounded(maxDuration.number() * stage.until.number()));
  const Result<Time> end = multiply(maxDuration, stage.until.number());
  return end.ok() ? std::optional(*end) : std::nullopt;
}

Time lengthBetween(const Time& from, const Time& end) {
  if (!from.isWhole() || !end.isWhole()) return Time::epochs(rounded(end.number() - from.number()));
  return Time::of(end.count() - from.count(), end.unit());
}

/// Returns what is wrong with a setting, empty if nothing.
std::string apply(const std::pair<std::string, std::string>& setting, TrainConfig& config) {
  const Field* field = findField(setting.first);
  return field == nullptr ? formatText("{} is not a field; see the reference of the configuration", setting.first)
                          : field->set(config, setting.second);
}

/// Converts a share of the run to a share of its first stage.
void rescale(std::optional<Time>& time, double ratio) {
  if (time && time->unit() == TimeUnit::Duration) time = Time::duration(rounded(time->number() * ratio));
}

/// Converts the ramp of the run, whose `dur` is a share of the run, to the ramp of its first stage.
void rescaleRamp(const TrainConfig& run, RampupConfig& ramp) {
  const auto end = endOf(run.stages.front(), run.maxDuration);
  if (!end || !(end->number() > 0)) return;
  const double ratio = run.maxDuration.number() / end->number();
  rescale(ramp.duration, ratio);
  for (RampStageConfig& stage : ramp.stages) {
    std::optional<Time> at = stage.at;
    rescale(at, ratio);
    stage.at = *at;
  }
}

/// Returns the configuration of a stage, of the length of the run.
TrainConfig configOf(const TrainConfig& run, std::size_t index) {
  const StageConfig& stage = run.stages[index];
  TrainConfig config = run;
  config.stages.clear();
  if (index > 0) {
    config.batch.rampup = {};
  } else if (!sets(stage, "batch.rampup.")) {
    rescaleRamp(run, config.batch.rampup);
  }
  if (sets(stage, "scheduler.")) config.scheduler = {};  // parameters of another schedule have no meaning
  for (const auto& setting : stage.settings) apply(setting, config);
  return config;
}

void checkMasks(const TrainConfig& config, Problems& problems) {
  if (config.data.mlmProbabilityEnd)
    problems.push_back(
        {"data.mlm_probability_end", "would change in every stage again; set it in the stage in which it changes"});
}

void checkEnds(const TrainConfig& config, Problems& problems) {
  Time before = Time::of(0, config.maxDuration.unit());
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    const StageConfig& stage = config.stages[index];
    const std::string field = fieldOf(index) + ".until";
    const auto end = endOf(stage, config.maxDuration);
    if (!end) {
      problems.push_back(
          {field,
           formatText("{} cannot be compared with max_duration {}; give a share such as 0.8dur, or the same unit",
                      stage.until.text(), config.maxDuration.text())});
      return;
    }
    if (end->number() <= before.number())
      problems.push_back(
          {field, index == 0
                      ? formatText("{} leaves no room for the stage; give an end above 0", stage.until.text())
                      : formatText("{} does not come after {}, the end of the previous stage; list the stages in order",
                                   stage.until.text(), config.stages[index - 1].until.text())});
    before = *end;
  }
  if (problems.empty() && before.number() != config.maxDuration.number())
    problems.push_back(
        {fieldOf(config.stages.size() - 1) + ".until",
         formatText(
             "the last stage ends at {0}, but the run ends at {1}; end the stage at 1dur, or set max_duration to {0}",
             config.stages.back().until.text(), config.maxDuration.text())});
}

/// A stage without a schedule follows that of the run. Such stages must come first, and if the run is counted in
/// epochs, their epochs must have equal lengths.
void checkSchedules(const TrainConfig& config, Problems& problems) {
  bool own = false;
  bool changesEpoch = false;
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    const StageConfig& stage = config.stages[index];
    changesEpoch = changesEpoch || sets(stage, "batch.") || sets(stage, "data.train") ||
                   sets(stage, "data.max_seq_len") || sets(stage, "data.join_documents");
    if (sets(stage, "scheduler.")) {
      own = true;
    } else if (own) {
      problems.push_back({fieldOf(index),
                          "comes after a stage with a schedule of its own and has none; give it one, such as "
                          "scheduler: {name: constant}"});
    } else if (index > 0 && changesEpoch && config.maxDuration.unit() == TimeUnit::Epoch) {
      problems.push_back(
          {fieldOf(index),
           formatText("follows the schedule of the run, which counts in epochs ({}), but the stages have epochs of "
                      "different lengths; give the stage a schedule of its own, or max_duration in ba, sp or tok",
                      config.maxDuration.text())});
    }
  }
}

/// Adds the problems of a stage's configuration that the run does not have.
void checkCombined(const TrainConfig& config, const Problems& ofRun, Problems& problems) {
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    TrainConfig scratch;
    for (const auto& setting : config.stages[index].settings)
      if (const std::string why = apply(setting, scratch); !why.empty())
        problems.push_back({fieldOf(index) + "." + setting.first, why});
    const TrainConfig combined = configOf(config, index);
    for (FieldProblem& problem : checkRules(combined)) {
      const bool known = std::ranges::any_of(ofRun, [&](const FieldProblem& other) {
        return other.field == problem.field && other.message == problem.message;
      });
      if (!known) problems.push_back({fieldOf(index) + "." + problem.field, std::move(problem.message)});
    }
    if (combined.batch.growth.enabled())
      problems.push_back({config.batch.growth.enabled() ? "batch.growth" : fieldOf(index) + ".batch.growth",
                          "batches cannot grow by a function in a run of several stages; give each stage its "
                          "batch.global_train_batch_size"});
    if (config.batch.growth.enabled()) return;
  }
}

/// Returns whether two stages read the same units in the same order.
bool readsSameUnits(const RunStage& stage, const RunStage& other) {
  const BatchConfig& batch = stage.config.batch;
  const bool sameOrder = stage.config.data.shuffle == other.config.data.shuffle;
  const bool samples = !batch.tokens.enabled() && !other.config.batch.tokens.enabled();
  return readsSameData(stage.config, other.config) && sameOrder && (samples || batch == other.config.batch);
}

std::int64_t seedOf(const TrainConfig& run, std::size_t index) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(subKey(static_cast<std::uint64_t>(run.seed), index) & kLargest);
}

}  // namespace

std::vector<RunStage> runStages(const TrainConfig& config) {
  const Time begin = Time::of(0, config.maxDuration.unit());
  if (config.stages.empty()) return {{"", config, config.maxDuration, begin, true, false, {}}};
  std::vector<RunStage> stages;
  Time from = begin;
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    const StageConfig& given = config.stages[index];
    RunStage stage{fieldOf(index), configOf(config, index), given.until, from, sets(given, "scheduler."), false, {}};
    const Time end = endOf(given, config.maxDuration).value_or(config.maxDuration);
    stage.config.maxDuration = lengthBetween(from, end);
    stage.continuesPass = index > 0 && readsSameUnits(stage, stages.back());
    if (index > 0) stage.config.seed = stage.continuesPass ? stages.back().config.seed : seedOf(config, index);
    for (const auto& [path, value] : given.settings) stage.changes.push_back(path + ": " + value);
    from = end;
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::vector<FieldProblem> checkRunStages(const TrainConfig& config) {
  Problems problems;
  if (config.stages.empty()) return problems;
  if (config.maxDuration.unit() == TimeUnit::Second) {
    problems.push_back(
        {"stages",
         formatText("stages end at counted places, but the run is {} of time; give max_duration in ep, ba, sp or tok",
                    config.maxDuration.text())});
    return problems;
  }
  TrainConfig run = config;
  run.stages.clear();
  checkEnds(config, problems);
  checkSchedules(config, problems);
  checkMasks(config, problems);
  checkCombined(config, checkRules(run), problems);
  return problems;
}

std::int64_t longestSequence(const TrainConfig& config) {
  std::int64_t longest = 0;
  for (const RunStage& stage : runStages(config)) longest = std::max(longest, stage.config.data.maxSeqLen);
  return longest;
}

bool readsSameData(const TrainConfig& stage, const TrainConfig& other) {
  DataConfig data = stage.data;
  // Masks are drawn while training.
  data.mlmProbability = other.data.mlmProbability;
  data.mlmProbabilityEnd = other.data.mlmProbabilityEnd;
  data.maskUnit = other.data.maskUnit;
  data.attentionAcrossDocuments = other.data.attentionAcrossDocuments;
  data.shuffle = other.data.shuffle;
  return data == other.data;
}

}  // namespace batchwise
