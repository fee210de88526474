// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <limits>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/result.h"
#include "core/batch/lengths.h"
#include "core/batch/preview.h"
#include "core/config/messages.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/plan_mistakes.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/resolved_values.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct PlanArguments {
  ConfigArguments config;
  std::int64_t devices = 0;  ///< 0: as configured
  std::int64_t samplesPerEpoch = 0;
  std::int64_t tokensPerSample = 0;
  std::string seqlens;
  std::string at;
  std::int64_t epoch = 0;
};

/// Returns the sample lengths of the configured text, tokenizing it into the cache if needed. Null if none is
/// configured.
Result<std::shared_ptr<const Lengths>> dataLengths(const LoadedConfig& config, const Globals& globals) {
  if (config.config.data.train.empty() && config.config.data.format != TextFormat::Demo)
    return std::shared_ptr<const Lengths>();
  ASSIGN_OR_RETURN(const auto data, prepareWithProgress(config, globals, STDERR_FILENO));
  return lengthsOf(config, data);
}

bool hasLengthsFile(const LoadedConfig& config) {
  const std::filesystem::path file = metricsFile(config);
  std::error_code unknown;
  return !file.empty() && std::filesystem::exists(file, unknown);
}

/// Returns the lengths from batch.tokens.metrics_path; if the tokenized text is in the cache, checks them against it.
Result<std::shared_ptr<const Lengths>> savedLengths(const LoadedConfig& config, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  const auto data = cachedLaunchData(config, workspace->cacheFolder());
  return data.ok() ? lengthsOf(config, *data) : openLengths(metricsFile(config));
}

Result<std::shared_ptr<const Lengths>> lengthsFor(const LoadedConfig& config, const PlanArguments& arguments,
                                                  const Globals& globals) {
  if (!arguments.seqlens.empty()) return openLengths(arguments.seqlens);
  if (arguments.samplesPerEpoch == 0)
    return hasLengthsFile(config) ? savedLengths(config, globals) : dataLengths(config, globals);
  const std::int64_t tokens = arguments.tokensPerSample > 0 ? arguments.tokensPerSample : config.config.data.maxSeqLen;
  if (tokens > std::numeric_limits<std::uint32_t>::max())
    return Error::config(messages::tokensPerSampleTooLarge(tokens));
  return std::shared_ptr<const Lengths>(
      std::make_shared<EqualLengths>(arguments.samplesPerEpoch, static_cast<std::uint32_t>(tokens)));
}

DeviceShape deviceShape(const LoadedConfig& config, const PlanArguments& arguments) {
  DeviceShape shape = plannedDevices(config.config);
  if (arguments.devices > 0) shape.devices = arguments.devices;
  return shape;
}

/// Returns what a stage is planned for: its own data unless figures are given. `lengths`: of the run.
Result<RunPlan::StageInput> inputOf(const RunStage& stage, const LoadedConfig& config, const PlanArguments& arguments,
                                    const Globals& globals, const std::shared_ptr<const Lengths>& lengths) {
  RunPlan::StageInput input{lengths, deviceShape(config, arguments)};
  const bool figures = !arguments.seqlens.empty() || arguments.samplesPerEpoch > 0 || lengths == nullptr;
  if (figures || readsSameData(stage.config, config.config)) return input;
  ASSIGN_OR_RETURN(const auto train, prepareStageWithProgress(config, stage, globals, STDERR_FILENO));
  input.lengths = std::make_shared<const DatasetLengths>(train);
  return input;
}

/// Returns reasons why `train` would reject a configuration that can still be planned.
std::vector<Message> refusals(const LoadedConfig& config, const Lengths* lengths) {
  if (lengths == nullptr) return {};
  const auto enough = checkEnoughSamples(config.config, *lengths);
  if (enough.ok()) return {};
  return {messages::launchWillFail(enough.error().message)};
}

Json notesOf(const LoadedConfig& config, const std::vector<Message>& refused, const Json& planNotes) {
  Json notes = jsonList(config.notes, [](const ConfigIssue& note) -> Json { return note.text(); });
  for (const Message& why : refused) notes.push_back(why);
  for (const Json& note : planNotes) notes.push_back(note);
  return notes;
}

/// Loads and validates the configuration. The text is not read if lengths are given or a lengths file exists.
LoadedConfig checkedConfig(const PlanArguments& arguments) {
  LoadedConfig config = loadConfig(arguments.config.config, arguments.config.assignments);
  const bool kept = hasLengthsFile(config) && openLengths(metricsFile(config)).ok();
  const bool figures = arguments.samplesPerEpoch > 0 || !arguments.seqlens.empty() || kept;
  return checkedForLaunch(std::move(config), {.files = figures ? CheckScope::Files::Unread : CheckScope::Files::Checked,
                                              .text = CheckScope::Text::Optional,
                                              .devices = arguments.devices});
}

std::string reasonFor(const MemoryForecast& forecast) {
  switch (forecast.sizeSource) {
    case MemoryForecast::SizeSource::Config: return "";
    case MemoryForecast::SizeSource::ProcessorRule: return ", the size that auto takes on a processor";
    case MemoryForecast::SizeSource::Limit:
      return ", about the largest within devices.memory_limit; a search at launch decides";
    case MemoryForecast::SizeSource::Device: break;
  }
  return forecast.fillsDevice ? "; a search on the device takes the largest that fits"
                              : ", if that fits; a search on the device decides at launch";
}

std::string forecastText(const MemoryForecast& forecast) {
  const TrainingMemory& m = forecast.perDevice;
  std::string text = "  about " + formatBytes(m.total()) + " of tensors per device in a step\n  ";
  const std::pair<const char*, std::int64_t> parts[] = {
      {"weights", m.weights}, {"gradients", m.gradients},     {"moments of the optimizer", m.moments},
      {"copies", m.copies},   {"activations", m.activations}, {"head", m.head},
      {"work space", m.work}};
  for (const auto& [name, bytes] : parts)
    if (bytes > 0) text += std::string(text.back() == ' ' ? "" : ", ") + name + " " + formatBytes(bytes);
  return text + "\n  with micro-batches of " + countText(forecast.units, forecast.countsPacks ? "pack" : "sample") +
         ", " + formatInteger(forecast.sequencesOf(forecast.units)) + " x " + countText(forecast.longest, "token") +
         reasonFor(forecast) + "\n";
}

std::string memoryText(const Result<MemoryForecast>& forecast) {
  if (!forecast.ok()) return "  not known: " + forecast.error().text() + "\n";
  const auto tooMuch = assessMemory(*forecast, machineInfo().availableMemoryBytes);
  return forecastText(*forecast) + (tooMuch ? "  " + tooMuch->text().text() + "\n" : "");
}

/// Returns the evaluation and checkpoint intervals as a launch would resolve them, for the first stage.
ResolvedValues intervalsOf(const LoadedConfig& config, const RunPlan& plan) {
  ResolvedValues values;
  if (const auto intervals = resolveIntervals(config.config, intervalLength(plan, 0)); intervals.ok())
    storeIntervals(*intervals, values);
  return values;
}

std::string intervalText(const ResolvedValues& values) {
  const auto every = [&values](const char* field) {
    const auto found = values.find(field);
    return found == values.end() || found->second.empty() ? std::string() : "every " + found->second + " and ";
  };
  const bool evaluated = !every("eval.interval").empty();
  return "\nEvaluation\n  " + (evaluated ? every("eval.interval") + "at the end" : "none while training") +
         "\n\nCheckpoints\n  " + every("checkpoint.interval") + "at the end\n";
}

Result<int> preview(const PlanArguments& arguments, const Globals& globals) {
  const LoadedConfig config = checkedConfig(arguments);
  if (!config.ok()) return fail(config);
  const auto points =
      arguments.at.empty() ? Result<std::vector<Time>>(std::vector<Time>()) : parseTimeList(arguments.at);
  if (!points.ok()) return fail(points.error().within("--at"));
  ASSIGN_OR_RETURN(const auto lengths, lengthsFor(config, arguments, globals));
  const auto input = [&](const RunStage& stage) { return inputOf(stage, config, arguments, globals, lengths); };
  ASSIGN_OR_RETURN(const auto plan, RunPlan::resolve(config.config, input));
  const auto memory = forecastMemory(config, plan.first().devices(), lengths.get());
  std::vector<Message> against = refusals(config, lengths.get());
  for (const FieldProblem& mistake : findPlanMistakes(config.config, plan))
    against.push_back(messages::inContext(mistake.field, mistake.message));
  if (globals.json) {
    auto json = previewJson(plan, *points);
    if (!json.ok()) return fail(json.error());
    Json shown(*json);
    shown["notes"] = notesOf(config, against, shown["notes"]);
    for (const auto& [name, value] : intervalsOf(config, plan)) shown["resolved"][name] = value;
    shown["memory"] = memory.ok() ? Json(memoryJson(*memory)) : Json();
    return printJson(shown);
  }
  ASSIGN_OR_RETURN(const auto text, previewText(plan, *points));
  showNotes(config);
  showNotes(against);
  std::cout << text << intervalText(intervalsOf(config, plan)) << "\nMemory\n" << memoryText(memory);
  return kDone;
}

Result<int> batches(const PlanArguments& arguments, const Globals& globals) {
  const LoadedConfig config = checkedConfig(arguments);
  if (!config.ok()) return fail(config);
  if (arguments.seqlens.empty() && !hasLengthsFile(config)) return fail(Error::config(messages::lengthsNotGiven()));
  ASSIGN_OR_RETURN(const auto lengths, lengthsFor(config, arguments, globals));
  ASSIGN_OR_RETURN(const auto plan, Plan::resolve(config.config, lengths, deviceShape(config, arguments)));
  const bool sameLength = config.config.batch.tokens.requiredMicrobatchesOfSameSeqlen;
  const RowLength rows = sameLength ? RowLength::OfGlobalBatch : RowLength::OfPack;
  if (globals.json) {
    ASSIGN_OR_RETURN(const auto json, batchesJson(plan, *lengths, arguments.epoch, rows));
    return printJson(Json(json));
  }
  ASSIGN_OR_RETURN(const auto text, batchesText(plan, *lengths, arguments.epoch, rows));
  showNotes(config);
  std::cout << text;
  return kDone;
}

}  // namespace

void addPlanCommands(Commands& commands) {
  const auto seeing = std::make_shared<PlanArguments>();
  CLI::App* preview_ =
      commands.add(nullptr, "preview",
                   "What a run will do, before it starts: stages, steps, rates, warm-up. "
                   "With --samples-per-epoch or --seqlens no text is read",
                   "batchwise preview run.yaml --samples-per-epoch 1000000 --at 0ba,100ba,0.5dur --json",
                   [&commands, seeing] { return preview(*seeing, commands.globals()); });
  addConfigArguments(*preview_, seeing->config);
  preview_->add_option("--devices", seeing->devices, "Devices to plan for (default: those of the configuration)")
      ->check(atLeast(1));
  CLI::Option* samples =
      preview_->add_option("--samples-per-epoch", seeing->samplesPerEpoch, "Samples of one epoch")->check(atLeast(1));
  preview_
      ->add_option("--tokens-per-sample", seeing->tokensPerSample, "Tokens of each sample (default: data.max_seq_len)")
      ->check(atLeast(1))
      ->needs(samples);
  preview_
      ->add_option("--seqlens", seeing->seqlens,
                   "File with the length of each sample in tokens: JSON array, one per line, .u16 or .u32")
      ->excludes(samples);
  preview_->add_option("--at", seeing->at,
                       "Times of the run to show, such as 0ba,5ba,0.5dur (units ep, ba, sp, tok, dur)");

  const auto packing = std::make_shared<PlanArguments>();
  CLI::App* batches_ = commands.add(nullptr, "batches", "Which samples go into which pack and global batch of an epoch",
                                    "batchwise batches run.yaml --seqlens lengths.json --epoch 1 --json",
                                    [&commands, packing] { return batches(*packing, commands.globals()); });
  addConfigArguments(*batches_, packing->config);
  batches_->add_option("--seqlens", packing->seqlens,
                       "File with the length of each sample in tokens: JSON array, one per line, .u16 or .u32; left "
                       "out: those of batch.tokens.metrics_path");
  batches_->add_option("--epoch", packing->epoch, "Which epoch, counted from 0")
      ->check(atLeast(0))
      ->capture_default_str();
  batches_->add_option("--devices", packing->devices, "Devices to plan for (default: those of the configuration)")
      ->check(atLeast(1));
}

}  // namespace batchwise::cli
