// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/result.h"
#include "core/config/sweep.h"
#include "core/plan/lengths.h"
#include "core/plan/plan_report.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/launch/scaling_plan.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"

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
  std::int64_t run = 0;  ///< of a sweep, counted from 1; 0: all
  std::string baseline;  ///< id or name of a run; empty: the first of several
};

/// What preparing the text tells beside its lengths.
struct TextFacts {
  std::vector<std::string> notes;
  std::vector<SourceShare> sources;
};

/// Returns the sample lengths of the configured text, tokenizing it into the cache if needed. Null if none is
/// configured. Adds what is to be said about the text to `facts`.
Result<std::shared_ptr<const Lengths>> dataLengths(const LoadedConfig& config, const Globals& globals,
                                                   TextFacts& facts) {
  if (config.config.data.train.empty() && config.config.data.format != TextFormat::Demo)
    return std::shared_ptr<const Lengths>();
  ASSIGN_OR_RETURN(const auto data, prepareWithProgress(config, globals, STDERR_FILENO));
  facts.sources = data.sources;
  for (const FieldProblem& note : data.notes) facts.notes.push_back(note.text());
  return lengthsOf(config, data);
}

bool hasLengthsFile(const LoadedConfig& config) {
  const std::filesystem::path file = metricsFile(config);
  std::error_code unknown;
  return !file.empty() && std::filesystem::exists(file, unknown);
}

/// Returns the lengths from batch.tokens.metrics_path; if the tokenized text is in the cache, checks them against it
/// and adds what is to be said about the text to `facts`.
Result<std::shared_ptr<const Lengths>> savedLengths(const LoadedConfig& config, const Globals& globals,
                                                    TextFacts& facts) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  const auto data = cachedLaunchData(config, workspace->cacheFolder());
  if (!data.ok()) return openLengths(metricsFile(config));
  facts.sources = data->sources;
  for (const FieldProblem& note : data->notes) facts.notes.push_back(note.text());
  return lengthsOf(config, *data);
}

Result<std::shared_ptr<const Lengths>> lengthsFor(const LoadedConfig& config, const PlanArguments& arguments,
                                                  const Globals& globals, TextFacts& facts) {
  if (!arguments.seqlens.empty()) return openLengths(arguments.seqlens);
  if (arguments.samplesPerEpoch == 0)
    return hasLengthsFile(config) ? savedLengths(config, globals, facts) : dataLengths(config, globals, facts);
  const std::int64_t tokens = arguments.tokensPerSample > 0 ? arguments.tokensPerSample : config.config.data.maxSeqLen;
  if (tokens > std::numeric_limits<std::uint32_t>::max())
    return Error::config(formatText("--tokens-per-sample: {} is above 4294967295; use less", tokens));
  return std::shared_ptr<const Lengths>(
      std::make_shared<EqualLengths>(arguments.samplesPerEpoch, static_cast<std::uint32_t>(tokens)));
}

/// `lengths` may be null.
DeviceShape deviceShape(const TrainConfig& config, const PlanArguments& arguments, const Lengths* lengths) {
  DeviceShape shape = plannedDevices(config);
  const bool elsewhere = arguments.devices > 0 && config.devices.use == "auto";  // perhaps on GPUs
  if (arguments.devices > 0) shape.devices = arguments.devices;
  if (!elsewhere) shape.microbatchUnits = plannedMicrobatch(config, lengths, shape.devices);
  return shape;
}

/// Returns what each stage is planned for: its own data unless figures are given. `lengths`: of the run. Adds what is
/// to be said about the text of stages to `facts`.
Result<std::vector<RunPlan::StageInput>> stageInputs(const LoadedConfig& config, const PlanArguments& arguments,
                                                     const Globals& globals,
                                                     const std::shared_ptr<const Lengths>& lengths, TextFacts& facts) {
  const bool figures = !arguments.seqlens.empty() || arguments.samplesPerEpoch > 0 || lengths == nullptr;
  const std::vector<RunStage> stages = runStages(config.config);
  const auto hasOther = [&](const RunStage& stage) { return !readsSameData(stage.config, config.config); };
  std::vector<PreparedData> prepared;
  if (!figures && std::ranges::any_of(stages, hasOther)) {
    ASSIGN_OR_RETURN(const auto own, prepareWithProgress(config, globals, STDERR_FILENO));
    ASSIGN_OR_RETURN(prepared, prepareStagesWithProgress(config, own, globals, STDERR_FILENO));
  }
  std::vector<RunPlan::StageInput> inputs;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    inputs.push_back({lengths, {}});
    RunPlan::StageInput& input = inputs.back();
    if (!prepared.empty() && hasOther(stages[i])) {
      input.lengths = std::make_shared<const DatasetLengths>(prepared[i].train);
      for (const FieldProblem& note : prepared[i].notes)
        if (std::ranges::find(facts.notes, note.text()) == facts.notes.end()) facts.notes.push_back(note.text());
    }
    input.devices = deviceShape(stages[i].config, arguments, input.lengths.get());
  }
  return inputs;
}

/// Returns reasons why `train` would reject a configuration that can still be planned.
std::vector<std::string> refusals(const LoadedConfig& config, const Lengths* lengths) {
  if (lengths == nullptr) return {};
  const auto enough = checkEnoughSamples(config.config, *lengths);
  if (enough.ok()) return {};
  return {formatText("`batchwise train` rejects this: {}", enough.error().message)};
}

Json notesOf(const LoadedConfig& config, const std::vector<std::string>& refused, const Json& planNotes) {
  Json notes = jsonList(config.notes, [](const ConfigIssue& note) -> Json { return note.text(); });
  for (const std::string& why : refused) notes.push_back(why);
  for (const Json& note : planNotes) notes.push_back(note);
  return notes;
}

/// Validates a configuration. The text is not read if lengths are given or a lengths file exists.
LoadedConfig checkedConfig(LoadedConfig config, const PlanArguments& arguments) {
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
  return forecastText(*forecast) + (tooMuch ? "  " + tooMuch->text() + "\n" : "");
}

/// Returns the evaluation and checkpoint intervals as a launch would resolve them, for the first stage.
ResolvedValues intervalsOf(const LoadedConfig& config, const RunPlan& plan) {
  ResolvedValues values;
  if (const auto intervals = resolveIntervals(config.config, plan, 0); intervals.ok())
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

/// A run as planned, and what it takes here.
struct PlannedRun {
  LoadedConfig config;
  RunPlan plan;
  Result<MemoryForecast> memory;
  std::optional<RunCost> cost;
  TextFacts text;  ///< with what speaks against the run
};

/// Plans a validated configuration. `speeds` null: no run has been measured.
Result<PlannedRun> planned(const LoadedConfig& config, const PlanArguments& arguments, const Globals& globals,
                           MeasuredSpeeds* speeds) {
  TextFacts text;
  ASSIGN_OR_RETURN(const auto lengths, lengthsFor(config, arguments, globals, text));
  ASSIGN_OR_RETURN(auto inputs, stageInputs(config, arguments, globals, lengths, text));
  const auto input = [next = inputs.begin()](const RunStage&) mutable { return Result<RunPlan::StageInput>(*next++); };
  ASSIGN_OR_RETURN(auto plan, RunPlan::resolve(config.config, input));
  auto memory = forecastMemory(config, plan.first().devices(), lengths.get());
  auto cost =
      runCost(config, totalsOfStages(plan), speeds == nullptr ? std::nullopt : speeds->of(config), machineInfo());
  for (std::string& refusal : refusals(config, lengths.get())) text.notes.push_back(std::move(refusal));
  for (const FieldProblem& mistake : findPlanMistakes(config.config, plan))
    text.notes.push_back(inContextText(mistake.field, mistake.message));
  return PlannedRun{config, std::move(plan), std::move(memory), std::move(cost), std::move(text)};
}

/// Returns the workspace if there is one; it is only read.
std::shared_ptr<Workspace> readableWorkspace(const Globals& globals) {
  if (!holdsWorkspace(globals.workspace)) return nullptr;
  auto workspace = Workspace::open(globals.workspace, Workspace::Mode::ReadOnly);
  return workspace.ok() ? *workspace : nullptr;
}

std::string basisText(const RunCost& cost) {
  return cost.speed ? "from the speed of run " + cost.speed->run
                    : "a rough guess: no such model has been trained on such devices in this workspace";
}

std::string costText(const std::optional<RunCost>& cost) {
  if (!cost) return "  not known before the run\n";
  return "  " + formatCount(cost->tokens) + " tokens in about " + formatDuration(cost->seconds) + " of training\n  " +
         basisText(*cost) + "\n";
}

Json costJson(const std::optional<RunCost>& cost) {
  if (!cost) return nullptr;
  return {{"tokens", cost->tokens},
          {"operations", cost->operations},
          {"seconds", cost->seconds},
          {"measured_on", cost->speed ? Json(cost->speed->run) : Json(nullptr)}};
}

Result<Json> previewJsonOf(const PlannedRun& run, const std::vector<Time>& points) {
  ASSIGN_OR_RETURN(const auto json, previewJson(run.plan, points));
  Json shown(json);
  shown["notes"] = notesOf(run.config, run.text.notes, shown["notes"]);
  for (const auto& [name, value] : intervalsOf(run.config, run.plan)) shown["resolved"][name] = value;
  shown["memory"] = run.memory.ok() ? Json(memoryJson(*run.memory)) : Json();
  shown["cost"] = costJson(run.cost);
  shown["sources"] = sourcesJson(run.text.sources);
  return shown;
}

Result<int> showRun(const PlannedRun& run, const std::vector<Time>& points, const Globals& globals) {
  if (globals.json) {
    ASSIGN_OR_RETURN(const auto json, previewJsonOf(run, points));
    return printJson(json);
  }
  ASSIGN_OR_RETURN(const auto text, previewText(run.plan, points));
  showNotes(run.config);
  showNotes(run.text.notes);
  std::cout << text << intervalText(intervalsOf(run.config, run.plan)) << "\nMemory\n"
            << memoryText(run.memory) << "\nCost on this machine\n"
            << costText(run.cost);
  return kDone;
}

std::string orUnknown(const std::optional<std::int64_t>& count) {
  return count ? formatInteger(*count) : "?";
}

/// Prints a row per run, and the sum.
void printRuns(const std::vector<PlannedRun>& runs) {
  using enum Table::Align;
  Table table({{"", Right},
               {"run", Left},
               {"global batches", Right},
               {"steps", Right},
               {"tokens", Right},
               {"time here", Right}});
  double tokens = 0, seconds = 0;
  bool known = true, guessed = false;
  for (const PlannedRun& run : runs) {
    const Plan::Totals totals = run.plan.totals();
    table.add({std::to_string(&run - runs.data() + 1), runName(run.config.config), orUnknown(totals.batches),
               orUnknown(totals.steps), totals.tokens ? formatCount(static_cast<double>(*totals.tokens)) : "?",
               run.cost ? formatDuration(run.cost->seconds) : "?"});
    known = known && run.cost.has_value();
    if (!run.cost) continue;
    tokens += run.cost->tokens;
    seconds += run.cost->seconds;
    guessed = guessed || !run.cost->speed;
  }
  table.print(std::cout);
  if (!known) return;
  std::cout << "\nAll " << runs.size() << " runs, one after the other: " << formatCount(tokens) << " tokens in about "
            << formatDuration(seconds) << " of training\n"
            << (guessed
                    ? "The time is a rough guess: not every model has been trained on such devices in this workspace\n"
                    : "");
}

/// Prints the largest memory that a run of several needs.
void printLargestMemory(const std::vector<PlannedRun>& runs) {
  const PlannedRun* largest = nullptr;
  for (const PlannedRun& run : runs)
    if (run.memory.ok() && (largest == nullptr || run.memory->perDevice.total() > largest->memory->perDevice.total()))
      largest = &run;
  if (largest != nullptr)
    std::cout << "\nMemory, at most in " << runName(largest->config.config) << "\n" << memoryText(largest->memory);
}

RunNotes allNotesOf(const PlannedRun& run) {
  RunNotes all = runNotes(run.config);
  for (const FieldProblem& note : run.plan.notes()) all.notes.push_back(note.text());
  all.notes.insert(all.notes.end(), run.text.notes.begin(), run.text.notes.end());
  return all;
}

Result<int> showRuns(const std::vector<PlannedRun>& runs, const std::vector<Time>& points, const Globals& globals) {
  if (!globals.json) {
    std::vector<RunNotes> notes;
    for (const PlannedRun& run : runs) notes.push_back(allNotesOf(run));
    showRunNotes(notes);
    printRuns(runs);
    printLargestMemory(runs);
    std::cout << "\n--run N shows the plan of one of them\n";
    return kDone;
  }
  Json all = Json::array();
  for (const PlannedRun& run : runs) {
    ASSIGN_OR_RETURN(auto json, previewJsonOf(run, points));
    all.push_back({{"name", runName(run.config.config)}, {"preview", std::move(json)}});
  }
  return printJson({{"schema", "batchwise.preview_runs/1"}, {"runs", std::move(all)}});
}

/// Adds what keeps the evaluations from being compared with those of the baseline: a run, or the first of several.
void addBaselineNotes(std::vector<PlannedRun>& runs, const RunDetail* baseline, const Workspace* workspace) {
  std::vector<LoadedConfig> configs;
  for (const PlannedRun& run : runs) configs.push_back(run.config);
  const std::vector<std::string> ofSweep = sweepBaselineNotes(configs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string note = baseline == nullptr ? ofSweep[i] : baselineNote(configs[i], *baseline, *workspace);
    if (!note.empty()) runs[i].text.notes.push_back(std::move(note));
  }
}

Result<int> preview(const PlanArguments& arguments, const Globals& globals) {
  ASSIGN_OR_RETURN(auto runs, checkedRuns(arguments.config, [](LoadedConfig run) { return run; }));
  const auto count = std::ssize(runs);
  const bool readable = count > 1 || runs.front().ok();
  if (readable && arguments.run > count)
    return Error::config(formatText("--run {}: the configuration makes {} runs", arguments.run, count));
  if (readable && arguments.run > 0) runs = {runs[static_cast<std::size_t>(arguments.run - 1)]};
  for (LoadedConfig& run : runs) {
    run = checkedConfig(std::move(run), arguments);
    if (!run.ok() && count > 1) return errorOfRun(run);
    if (!run.ok()) return fail(run, globals.json);
  }
  const auto points =
      arguments.at.empty() ? Result<std::vector<Time>>(std::vector<Time>()) : parseTimeList(arguments.at);
  if (!points.ok()) return points.error().within("--at");
  auto workspace = readableWorkspace(globals);
  std::optional<RunDetail> baseline;
  if (!arguments.baseline.empty()) {
    ASSIGN_OR_RETURN(workspace, openExisting(globals));
    ASSIGN_OR_RETURN(baseline, workspace->findRun(arguments.baseline));
  }
  std::optional<MeasuredSpeeds> speeds;
  if (workspace) speeds.emplace(*workspace);
  std::vector<PlannedRun> all;
  for (const LoadedConfig& run : runs) {
    ASSIGN_OR_RETURN(auto plan, planned(run, arguments, globals, speeds ? &*speeds : nullptr));
    all.push_back(std::move(plan));
  }
  addBaselineNotes(all, baseline ? &*baseline : nullptr, workspace.get());
  return all.size() == 1 ? showRun(all.front(), *points, globals) : showRuns(all, *points, globals);
}

Result<int> batches(const PlanArguments& arguments, const Globals& globals) {
  const LoadedConfig config =
      checkedConfig(loadConfig(arguments.config.config, arguments.config.assignments), arguments);
  if (!config.ok()) return fail(config, globals.json);
  if (arguments.seqlens.empty() && !hasLengthsFile(config))
    return Error::config("--seqlens is missing, and batch.tokens.metrics_path names no file with lengths; give one");
  TextFacts text;
  ASSIGN_OR_RETURN(const auto lengths, lengthsFor(config, arguments, globals, text));
  ASSIGN_OR_RETURN(const auto plan,
                   Plan::resolve(config.config, lengths, deviceShape(config.config, arguments, lengths.get())));
  const bool sameLength = config.config.batch.tokens.requiredMicrobatchesOfSameSeqlen;
  const RowLength rows = sameLength ? RowLength::OfGlobalBatch : RowLength::OfPack;
  if (globals.json) {
    ASSIGN_OR_RETURN(const auto json, batchesJson(plan, *lengths, arguments.epoch, rows));
    return printJson(Json(json));
  }
  ASSIGN_OR_RETURN(const auto shown, batchesText(plan, *lengths, arguments.epoch, rows));
  showNotes(config);
  showNotes(text.notes);
  std::cout << shown;
  return kDone;
}

}  // namespace

void addPlanCommands(Commands& commands) {
  const auto seeing = std::make_shared<PlanArguments>();
  CLI::App* preview_ =
      commands.add(nullptr, "preview",
                   "What a run will do and take, before it starts: stages, steps, rates, warm-up, memory, time. Of a "
                   "file with several runs, a line for each. With --samples-per-epoch or --seqlens no text is read",
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
      ->excludes(samples)
      ->transform(pathName("a file"));
  preview_->add_option("--at", seeing->at,
                       "Times of the run to show, such as 0ba,5ba,0.5dur (units ep, ba, sp, tok, dur)");
  preview_
      ->add_option(
          "--baseline", seeing->baseline,
          "A run to compare with: says if evaluations will not be measured like its own (default: the first of "
          "several runs)")
      ->check(nonEmptyName("a run"));
  preview_->add_option("--run", seeing->run, "Of several runs, the number of the one to show, from 1")
      ->check(atLeast(1));

  const auto packing = std::make_shared<PlanArguments>();
  CLI::App* batches_ = commands.add(nullptr, "batches", "Which samples go into which pack and global batch of an epoch",
                                    "batchwise batches run.yaml --seqlens lengths.json --epoch 1 --json",
                                    [&commands, packing] { return batches(*packing, commands.globals()); });
  addConfigArguments(*batches_, packing->config);
  batches_
      ->add_option("--seqlens", packing->seqlens,
                   "File with the length of each sample in tokens: JSON array, one per line, .u16 or .u32; left "
                   "out: those of batch.tokens.metrics_path")
      ->transform(pathName("a file"));
  batches_->add_option("--epoch", packing->epoch, "Which epoch, counted from 0")
      ->check(atLeast(0))
      ->capture_default_str();
  batches_->add_option("--devices", packing->devices, "Devices to plan for (default: those of the configuration)")
      ->check(atLeast(1));
}

}  // namespace batchwise::cli
