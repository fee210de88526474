// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/preflight.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/config/run_stages.h"
#include "core/plan/microbatch_search.h"
#include "core/plan/schedule/curves.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/resolved_values.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

using Findings = std::vector<PreflightFinding>;

constexpr std::int64_t kBytesPerParameter = 12;  // fp32 weight and both moments of AdamW

void checkDevices(const TrainConfig& config, Findings& found) {
  if (!config.devices.use.starts_with("cuda")) return;
  const std::int64_t gpus = machineInfo().gpus;
  std::int64_t wanted = 1;
  for (const int gpu : namedGpus(config.devices.use)) wanted = std::max<std::int64_t>(wanted, gpu + 1);
  if (gpus >= wanted) return;
  found.push_back(
      {true, "devices.use",
       gpus == 0 ? formatText("{} is set, but the NVIDIA driver shows no GPU", config.devices.use)
                 : formatText("{} is set, but the NVIDIA driver shows {}", config.devices.use, countText(gpus, "GPU")),
       gpus == 0 ? "use cpu or auto" : "use cuda for all GPUs"});
}

/// Returns the largest micro-batch that fits with activation checkpointing; 0 if that is on already.
std::int64_t unitsWithCheckpointing(MemoryForecast forecast, std::int64_t limitBytes) {
  if (forecast.pass.recompute) return 0;
  forecast.pass.recompute = true;
  return forecast.largestWithin(limitBytes);
}

PreflightFinding smallerStep(const MemoryForecast& forecast, std::int64_t limitBytes, const std::string& what) {
  if (forecast.perDevice.resident() > limitBytes)
    return {false, "model.preset", what,
            "use a smaller model: its weights, gradients and optimizer moments alone need too much memory"};
  const std::int64_t recomputed = unitsWithCheckpointing(forecast, limitBytes);
  if (const std::int64_t fits = forecast.largestWithin(limitBytes); fits > 0)
    return {false, "batch.device_train_microbatch_size", what,
            formatText("set batch.device_train_microbatch_size to at most {}{}", fits,
                       recomputed >= forecast.units ? ", or turn devices.activation_checkpointing on" : "")};
  const std::string field = forecast.countsPacks ? "batch.tokens.max_tokens" : "data.max_seq_len";
  return {false, field, what,
          formatText("lower {}, or {}", field,
                     recomputed > 0 ? "turn devices.activation_checkpointing on" : "use a smaller model")};
}

/// Returns the data if the cache has it.
std::optional<PreparedData> knownData(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  const std::filesystem::path cache = workspace / kCacheFolder;
  std::error_code unknown;
  if (!std::filesystem::is_directory(cache, unknown)) return std::nullopt;  // opening the cache would create the folder
  auto data = cachedLaunchData(loaded, cache);
  if (!data.ok() || data->train.size() == 0) return std::nullopt;
  return std::move(*data);
}

/// Returns what is noted of the text when it is prepared, such as evaluation text that is trained on: all of it if
/// `data` has been prepared before. Fails as reviewLaunchText().
Result<std::vector<FieldProblem>> textNotes(const LoadedConfig& loaded, const std::filesystem::path& workspace,
                                            const std::optional<PreparedData>& data) {
  std::vector<FieldProblem> notes = data ? data->notes : std::vector<FieldProblem>();
  ASSIGN_OR_RETURN(const auto reviewed, reviewLaunchText(loaded, workspace));
  for (const FieldProblem& note : reviewed)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  return notes;
}

/// Returns what each stage is planned for; nothing if the cache lacks its data.
std::vector<RunPlan::StageInput> knownInputs(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  std::vector<RunPlan::StageInput> inputs;
  const auto lengths = cachedStageLengths(loaded, workspace / kCacheFolder);
  if (!lengths.ok()) return inputs;
  const std::vector<RunStage> stages = runStages(loaded.config);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    DeviceShape devices = plannedDevices(stages[i].config);
    devices.microbatchUnits = plannedMicrobatch(stages[i].config, (*lengths)[i].get(), devices.devices);
    inputs.push_back({(*lengths)[i], devices});
  }
  return inputs;
}

/// Returns the notes of the plan, what is a likely mistake in it, and if its text is too short, as far as its data is
/// known.
std::vector<FieldProblem> planNotes(const LoadedConfig& loaded, std::vector<RunPlan::StageInput> inputs) {
  const TrainConfig& config = loaded.config;
  const bool known = !inputs.empty();
  std::vector<FieldProblem> notes;
  if (!known) notes = dataIndependentNotes(config);
  if (!known) inputs.assign(runStages(config).size(), {nullptr, plannedDevices(config)});
  const auto plan = RunPlan::resolve(
      config, [next = inputs.begin()](const RunStage&) mutable { return Result<RunPlan::StageInput>(*next++); });
  if (!plan.ok()) return notes;
  for (std::size_t i = 0; known && i < inputs.size(); ++i) {
    const RunStage& stage = plan->stages()[i];
    const auto enough = checkEnoughSamples(stage.config, *inputs[i].lengths);
    if (!enough.ok())
      notes.push_back({stage.field, formatText("`batchwise train` rejects this: {}", enough.error().message)});
  }
  if (known)
    for (FieldProblem& note : plan->notes()) notes.push_back(std::move(note));
  for (FieldProblem& mistake : findPlanMistakes(config, *plan)) notes.push_back(std::move(mistake));
  return notes;
}

void checkMemory(const LoadedConfig& loaded, const std::optional<PreparedData>& data, Findings& found) {
  const auto lengths = data ? std::make_shared<const DatasetLengths>(data->train) : nullptr;
  const auto forecast = forecastMemory(loaded, plannedDevices(loaded.config).devices, lengths.get());
  if (!forecast.ok()) return;  // another finding names the file
  if (auto finding = assessMemory(*forecast, machineInfo().availableMemoryBytes)) found.push_back(std::move(*finding));
}

std::int64_t checkpointBytes(const LoadedConfig& config) {
  const auto shape = plannedShape(config);
  return shape.ok() ? shape->parameterCount() * kBytesPerParameter : 0;
}

void checkDisk(const LoadedConfig& loaded, const std::filesystem::path& workspace, Findings& found) {
  if (access(workspace.c_str(), W_OK | X_OK) != 0) {
    found.push_back({true, "", formatText("the workspace {} cannot be written to", workspace.string()),
                     "open another one, or give this account the right to write there"});
    return;
  }
  const auto free = freeBytes(workspace);
  // While a new checkpoint is written, one more than is kept is on disk.
  const TrainConfig& config = loaded.config;
  const std::int64_t kept = config.checkpoint.keepLast + config.checkpoint.keepBest + 1;
  const std::int64_t needed = kept * checkpointBytes(loaded);
  if (!free.ok() || needed <= *free) return;
  found.push_back(
      {false, "checkpoint.keep_last",
       formatText("{} {} about {}, and {} are free", kept, pluralText(kept, "checkpoint needs", "checkpoints need"),
                  formatBytes(needed), formatBytes(*free)),
       "keep fewer checkpoints, or open a workspace on another disk"});
}

using Mistakes = std::vector<FieldProblem>;

/// A batch size chosen as a number of samples makes steps many times as large once it counts packs.
void notePacks(const TrainConfig& config, const Plan& plan, Mistakes& mistakes) {
  const auto samples = numberNamed(plan.resolved(), "scheduler.samples_per_batch");
  const auto packs = numberNamed(plan.resolved(), "batch.global_train_batch_size");
  if (!config.batch.tokens.enabled() || !samples || !packs || *packs < 1 || *samples < 2 * *packs) return;
  mistakes.push_back(
      {"batch.global_train_batch_size",
       formatText("with a token budget this counts packs: one step takes {} of up to {} tokens, about {} samples",
                  countText(std::llround(*packs), "pack"), formatInteger(*config.batch.tokens.maxTokens),
                  formatInteger(std::llround(*samples)))});
}

/// Returns the global batch that contains `time`; nothing if that is not known before the run.
template <typename AnyPlan>
std::optional<std::int64_t> batchAt(const AnyPlan& plan, const Time& time) {
  if (time.unit() == TimeUnit::Second) return std::nullopt;
  if (time.unit() == TimeUnit::Batch) return time.count();
  const auto point = plan.pointAt(time);
  return point.ok() ? std::optional(point->at.batch) : std::nullopt;
}

/// A rate that is usual at the reference size may not be at that of a step.
void noteScaledRate(const TrainConfig& config, const Plan& plan, Mistakes& mistakes) {
  const LrScalingConfig& scaling = config.lrScaling;
  const bool byTokens = scaling.by == StepSizeUnit::Tokens;
  const auto size =
      numberNamed(plan.resolved(), byTokens ? "scheduler.tokens_per_batch" : "scheduler.samples_per_batch");
  const auto reference = numberNamed(plan.resolved(), "lr_scaling.reference_batch_size");
  const bool sized =
      !(config.batch.tokens.enabled() || byTokens) || std::ranges::count(scaling.appliesTo, StepSizeCause::Tokens) > 0;
  if (!sized || !size || !reference || config.optimizer.lr > kLargestUsualRate) return;
  const double rate = scaledRate(config.optimizer.lr, *size, *reference, scaling.method, scaling.exponent);
  if (rate > kLargestUsualRate)
    mistakes.push_back(
        {"lr_scaling.reference_batch_size",
         formatText(
             "a step of {} has the learning rate {}, far above the rates that train with Adam, 1e-5 to 1e-2, so the "
             "loss will most likely diverge; use a smaller optimizer.lr, a larger reference or lr_scaling.method: sqrt",
             formatValue(*size), formatValue(rate))});
}

void noteShortRamp(const TrainConfig& config, const Plan& plan, Mistakes& mistakes) {
  const auto& duration = config.batch.rampup.duration;
  const auto resolved = plan.resolved().find("batch.rampup.duration");
  if (!duration || resolved == plan.resolved().end()) return;
  const auto length = Time::parse(resolved->second);
  if (!length.ok() || length->number() <= 0) return;  // reported by the plan
  if (batchAt(plan, *length) == 0)
    mistakes.push_back(
        {"batch.rampup.duration",
         formatText("{} is over within the first global batch, so the ramp changes nothing; use a longer one",
                    duration->text())});
}

/// Returns whether all of `times` come after the last global batch.
bool neverDue(const RunPlan& plan, const std::vector<Time>& times, std::int64_t batches) {
  return !times.empty() && std::ranges::all_of(times, [&](const Time& time) {
    const auto batch = batchAt(plan, time);
    return batch && *batch >= batches;
  });
}

void noteIntervals(const TrainConfig& config, const RunPlan& plan, Mistakes& mistakes) {
  const auto batches = plan.totals().batches;
  const auto intervals = resolveIntervals(config, plan, 0);
  if (!batches || !intervals.ok()) return;
  if (!hasEvalData(config))
    mistakes.push_back(
        {"data.holdout", "is 0 and data.eval is empty, so there is no text to evaluate on and no evaluation loss"});
  else if (neverDue(plan, intervals->at("eval.interval"), *batches))
    mistakes.push_back(
        {"eval.interval", formatText("is longer than the run ({}), so the model is evaluated at the end only",
                                     countText(*batches, "global batch"))});
  if (neverDue(plan, intervals->at("checkpoint.interval"), *batches))
    mistakes.push_back({"checkpoint.interval", formatText("is longer than the run ({}), so a killed run "
                                                          "starts over: there is no checkpoint before the end",
                                                          countText(*batches, "global batch"))});
}

/// Returns whether the rate is 0 in the global batch `batch`.
bool isRateZero(const RunPlan& plan, std::int64_t batch) {
  const auto point = plan.pointAt(Time::of(batch, TimeUnit::Batch));
  return point.ok() && point->factor == 0.0;
}

/// A schedule that ends long before the run.
void noteZeroRate(const TrainConfig& config, const RunPlan& plan, Mistakes& mistakes) {
  constexpr std::int64_t kLeastShare = 20;  // of the run: a twentieth
  const auto batches = plan.totals().batches;
  if (plan.plans().size() > 1 || !batches || *batches < 2 || config.optimizer.lr == 0.0) return;
  std::int64_t zero = *batches - std::max<std::int64_t>(2, *batches / kLeastShare);
  if (zero < 0 || !isRateZero(plan, zero) || !isRateZero(plan, *batches - 1)) return;
  for (std::int64_t above = -1; zero - above > 1;) {  // the first of the zeros at the end
    const std::int64_t middle = above + (zero - above) / 2;
    (isRateZero(plan, middle) ? zero : above) = middle;
  }
  mistakes.push_back(
      {"scheduler.name",
       formatText("makes the learning rate 0 from {}ba on: the last {} global {} nothing", formatInteger(zero),
                  formatInteger(*batches - zero), pluralText(*batches - zero, "batch learns", "batches learn"))});
}

}  // namespace

std::optional<PreflightFinding> assessMemory(const MemoryForecast& forecast, std::optional<std::int64_t> freeBytes) {
  const std::int64_t needed = forecast.perDevice.total();
  const bool searched = forecast.sizeSource == MemoryForecast::SizeSource::Limit;
  std::optional<std::int64_t> configured = forecast.limitBytes;
  if (configured && searched)
    configured = static_cast<std::int64_t>(static_cast<double>(*configured) * (1.0 - forecast.reserve));
  if (forecast.pass.onGpu) freeBytes.reset();
  for (const MemoryLimit& limit : forecastLimits(configured, freeBytes, forecast.devices)) {
    if (needed <= limit.bytes) continue;
    return smallerStep(
        forecast, limit.bytes,
        limit.source == MemoryLimit::Source::Host
            ? formatText("a step is expected to take about {} of memory, and {} are free",
                         formatBytes(forecast.devices * needed), formatBytes(*freeBytes))
            : formatText("a step is expected to take about {} per device, and {} of devices.memory_limit can be used",
                         formatBytes(needed), formatBytes(limit.bytes)));
  }
  return std::nullopt;
}

LoadedConfig withLaunchNotes(LoadedConfig config, const std::filesystem::path& workspace) {
  if (!config.ok()) return config;
  const auto add = [&](FieldProblem note) {
    config.notes.push_back(config.issueAt(note.field, std::move(note.message)));
  };
  const auto data = knownData(config, workspace);
  std::vector<RunPlan::StageInput> inputs;
  if (data) inputs = knownInputs(config, workspace);
  for (FieldProblem& note : planNotes(config, std::move(inputs))) add(std::move(note));
  const auto text = textNotes(config, workspace, data);
  if (text.ok()) {
    for (const FieldProblem& note : *text) add(note);
  } else if (text.error().code == ErrorCode::Stopped) {
    add({"data.train",
         "the text is too long to be read by a check; preview and train say if evaluation text is in it, too"});
  } else {
    FieldProblem problem = problemOf(text.error());
    config.errors.push_back(config.issueAt(problem.field, std::move(problem.message)));
  }
  return config;
}

std::vector<PreflightFinding> preflight(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  Findings found;
  for (const ConfigIssue& issue : checkPlan(loaded, plannedDevices(loaded.config)))
    found.push_back({true, issue.field, issue.message, {}});
  if (const std::string why = missingTextMessage(loaded.config); !why.empty())
    found.push_back({true, "data.train", why, {}});
  for (PreflightFinding& finding : checkFiles(loaded)) found.push_back(std::move(finding));
  checkDevices(loaded.config, found);
  const auto data = knownData(loaded, workspace);
  if (const auto notes = textNotes(loaded, workspace, data); notes.ok())
    for (const FieldProblem& note : *notes)
      if (!note.field.empty()) found.push_back({false, note.field, note.message, {}});
  checkMemory(loaded, data, found);
  checkDisk(loaded, workspace, found);
  return found;
}

std::vector<FieldProblem> findPlanMistakes(const TrainConfig& config, const RunPlan& plan) {
  Mistakes mistakes;
  for (std::size_t i = 0; i < plan.plans().size(); ++i) {
    const RunStage& stage = plan.stages()[i];
    Mistakes own;
    notePacks(stage.config, plan.plans()[i], own);
    noteScaledRate(stage.config, plan.plans()[i], own);
    noteShortRamp(stage.config, plan.plans()[i], own);
    for (FieldProblem& mistake : own)
      mistakes.push_back({stage.field.empty() ? mistake.field : stage.field + "." + mistake.field, mistake.message});
  }
  noteIntervals(config, plan, mistakes);
  noteZeroRate(config, plan, mistakes);
  return mistakes;
}

}  // namespace batchwise
