// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/default_values.h"

#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/bundled_presets.h"
#include "core/config/run_stages.h"
#include "core/config/schedule_parameters.h"

namespace batchwise {
namespace {

std::string demoFormatExcludesText(const auto& field) {
  return formatText(
      "names text, but data.format is demo, which generates its own; set data.format to text, lines, jsonl, csv, "
      "parquet or mds, or leave {} empty",
      field);
}

constexpr double kEvaluationShare = 0.1;  // of the run: ten evaluations
constexpr std::int64_t kCheckpointSec = 600;
constexpr const char* kAutoFields[] = {"scheduler.t_warmup", "scheduler.warmup_from", "scheduler.parts",
                                       "precision",          "model.layer_norm_eps",  "eval.interval",
                                       "checkpoint.interval"};

void fillWarmup(SchedulerConfig& scheduler, const Time& maxDuration, double ratio) {
  for (SchedulerConfig& part : scheduler.parts) fillWarmup(part, part.length.value_or(Time::duration(1.0)), ratio);
  if (scheduler.tWarmup || !hasOptionalWarmup(scheduler.name)) return;
  // A share of a run with a time limit cannot be counted.
  if (!scheduler.tMax && maxDuration.unit() == TimeUnit::Second) return;
  scheduler.tWarmup = defaultWarmup(scheduler);
  // A share of a scaled t_max is scaled with it; dur is scaled with the run.
  if (ratio != 1.0 && scheduler.tWarmup->unit() != TimeUnit::Duration) scheduler.scaleWarmup = true;
}

std::vector<FieldProblem> brokenRules(const TrainConfig& config) {
  std::vector<FieldProblem> problems;
  if (static_cast<float>(config.optimizer.eps) == 0.0F)
    problems.push_back({"optimizer.eps", formatText("{} is 0 in fp32, in which the optimizer computes, and a weight "
                                                    "without a gradient would become 0 / 0; use 1e-8 to 1e-6",
                                                    formatExact(config.optimizer.eps))});
  if (config.batch.useMaximumBatchSize && config.batch.deviceTrainMicrobatchSize)
    problems.push_back(
        {"batch.use_maximum_batch_size", formatText("cannot be given together with batch.device_train_microbatch_size: "
                                                    "{}; set that to auto, as the largest micro-batch is searched for",
                                                    formatInteger(*config.batch.deviceTrainMicrobatchSize))});
  if (config.data.format != TextFormat::Demo) return problems;
  if (!config.data.train.empty()) problems.push_back({"data.train", demoFormatExcludesText("data.train")});
  if (!config.data.eval.empty()) problems.push_back({"data.eval", demoFormatExcludesText("data.eval")});
  if (!config.eval.sets.empty()) problems.push_back({"eval.sets", demoFormatExcludesText("eval.sets")});
  for (const RunStage& stage : runStages(config))
    if (stage.config.data.train != config.data.train)
      problems.push_back({stage.field + ".data.train", demoFormatExcludesText("data.train")});
  return problems;
}

/// The numbers after the colon; empty if something there is no number.
std::vector<int> numbersIn(const std::string& text) {
  const std::string_view listed = std::string_view(text).substr(text.find(':') + 1);
  std::vector<int> numbers;
  if (listed.ends_with(',')) return numbers;
  for (const std::string_view part : partsOf<std::string_view>(listed, ',')) {
    const auto number = numberFrom<int>(part);
    if (!number || *number < 0 || *number > 9999) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::string defaultEvalSetName(const TrainConfig& config) {
  return config.data.format == TextFormat::Demo || !config.data.eval.empty() ? "eval" : "held_out";
}

bool hasEvalData(const TrainConfig& config) {
  const bool named = !config.data.eval.empty() || !config.eval.sets.empty();
  return config.data.format == TextFormat::Demo || named || config.data.holdout.value_or(1.0) > 0;
}

std::optional<std::int64_t> seesawCap(const std::string& cap, std::int64_t initial) {
  constexpr double kMost = 0x1p40;  // of a size
  const bool isMultiple = cap.ends_with('x');
  const auto number = numberFrom<double>(isMultiple ? cap.substr(0, cap.size() - 1) : cap);
  if (!number || !(*number >= 1.0) || *number > kMost || (!isMultiple && *number != std::floor(*number)))
    return std::nullopt;
  return std::llround(std::min(kMost, isMultiple ? *number * static_cast<double>(initial) : *number));
}

std::string checkCap(const std::string& text) {
  return seesawCap(text, 1) ? "" : "is neither a size such as 256 nor a multiple of the initial size such as 4x";
}

std::int64_t largestGlobalBatch(const BatchConfig& batch) {
  const SeesawConfig& seesaw = batch.rampup.fromSchedule;
  if (!seesaw.enabled()) return batch.globalTrainBatchSize;
  return seesawCap(seesaw.cap, batch.globalTrainBatchSize).value_or(batch.globalTrainBatchSize);
}

double largestMlmProbability(const DataConfig& data) {
  return std::max(data.mlmProbability, data.mlmProbabilityEnd.value_or(0.0));
}

std::vector<Time> evalInterval(const TrainConfig& config) {
  if (config.eval.interval) return *config.eval.interval;
  if (!hasEvalData(config)) return {};
  return {Time::duration(kEvaluationShare)};
}

std::vector<Time> checkpointInterval(const TrainConfig& config) {
  return config.checkpoint.interval.value_or(std::vector<Time>{Time::of(kCheckpointSec, TimeUnit::Second)});
}

TrainConfig withDefaults(TrainConfig config) {
  fillWarmup(config.scheduler, config.maxDuration, config.scaleScheduleRatio);
  fillWarmupStart(config);
  config.checkpoint.interval = checkpointInterval(config);
  return config;
}

std::vector<std::string> filledDefaults(const TrainConfig& typed, const TrainConfig& resolved) {
  TrainConfig chosen = resolved;
  chosen.eval.interval = evalInterval(resolved);  // resolved with the plan, see resolveIntervals()
  std::vector<std::string> filled;
  for (const char* path : kAutoFields) {
    const Field& field = *findField(path);
    if (field.get(typed) != field.get(chosen)) filled.push_back(path + (": " + field.get(chosen)));
  }
  return filled;
}

LoadedConfig newRunConfig() {
  return parseConfig(config::presetWithoutName(bundledConfig("demo")), "demo", absoluteFolder({}));
}

std::string config::presetWithoutName(std::string yaml) {
  const std::size_t line = yaml.find("\nname:");
  return line == std::string::npos ? yaml : yaml.erase(line, yaml.find('\n', line + 1) - line);
}

std::vector<FieldProblem> checkNewRun(const TrainConfig& config, const TrainConfig* stored) {
  std::vector<FieldProblem> problems = brokenRules(config);
  if (stored == nullptr) return problems;
  for (const FieldProblem& excused : brokenRules(*stored))
    std::erase_if(problems, [&](const FieldProblem& problem) {
      const Field* own = findField(problem.field);
      const Field& field = own != nullptr ? *own : *findField("stages");
      return problem.field == excused.field && field.get(config) == field.get(*stored);
    });
  return problems;
}

std::string checkDeviceNames(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return "";
  const std::string kind = text.substr(0, text.find(':'));
  std::vector<int> numbers = numbersIn(text);
  if ((kind != "cpu" && kind != "cuda") || kind == text || numbers.empty())
    return "is not a device; use auto, cpu, cpu:4 (four devices on the processor), cuda (all GPUs), or cuda:0,1 (GPUs "
           "by number)";
  if (kind == "cpu" && numbers.size() > 1)
    return "has several numbers; cpu:N takes one, the number of devices on the processor";
  if (kind == "cpu" && (numbers.front() < 1 || numbers.front() > kMaxCpuDevices))
    return formatText("asks for {} devices; cpu:N is N devices on the processor, 1 to {}, and cpu is one",
                      numbers.front(), kMaxCpuDevices);
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) return "names a device twice";
  return "";
}

std::optional<std::int64_t> namedDeviceCount(const std::string& text) {
  if (text == "cpu") return 1;
  if (text.find(':') == std::string::npos) return std::nullopt;
  const std::vector<int> numbers = numbersIn(text);
  if (text.rfind("cpu:", 0) == 0) return numbers.empty() ? 1 : numbers.front();
  return static_cast<std::int64_t>(numbers.size());
}

std::vector<int> namedGpus(const std::string& text) {
  return text.starts_with("cuda:") ? numbersIn(text) : std::vector<int>();
}

}  // namespace batchwise
