// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/launch_check.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "core/analysis/measured_alike.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/process_setup.h"
#include "core/config/default_values.h"
#include "core/config/run_stages.h"
#include "core/config/sweep.h"
#include "core/config/task_config.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/hugging_face/start_weights.h"
#include "core/model/hugging_face/weights_reader.h"
#include "core/plan/lengths.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/resolved_values.h"
#include "core/store/records.h"
#include "core/text/text_check.h"
#include "core/text/text_files.h"
#include "core/text/tokenizer.h"

namespace batchwise {

namespace fs = std::filesystem;
namespace {

Result<std::int64_t> vocabularySize(const LoadedConfig& config) {
  const TokenizerConfig& tokenizer = config.config.tokenizer;
  // A model that starts from a folder uses the vocabulary of that folder.
  const std::string& path = tokenizer.path.empty() ? config.config.model.initFrom : tokenizer.path;
  if (path.empty()) return tokenizer.trainVocabSize;
  const Result<Tokenizer> loaded = Tokenizer::load(config.baseFolder / expandedHome(path), tokenizer.lowercase);
  if (!loaded.ok()) return loaded.error().about("tokenizer.path");
  return static_cast<std::int64_t>(loaded->vocabulary().size());
}

using Findings = std::vector<PreflightFinding>;

void checkPattern(const LoadedConfig& loaded, TextFormat format, const std::string& field, const std::string& pattern,
                  Findings& found) {
  const auto files = findTextFiles({pattern}, loaded.baseFolder, format);
  if (!files.ok()) {
    const fs::path start = loaded.baseFolder.empty() ? fs::current_path() : loaded.baseFolder;
    found.push_back({true, field, files.error().message,
                     formatText("name files that exist; relative paths start at {}", start.string())});
    return;
  }
  const std::size_t before = found.size();
  for (const fs::path& file : *files)
    if (access(file.c_str(), R_OK) != 0)
      found.push_back({true, field, formatText("{} cannot be read by this account", file.string()),
                       "give this account the right to read it"});
  if (found.size() > before) return;
  if (const auto heads = inspectTexts(*files, format); !heads.ok())
    found.push_back({true, field, heads.error().message, {}});
}

void checkText(const LoadedConfig& loaded, Findings& found) {
  for (const TaskConfig& task : loaded.config.tasks)
    if (const auto read = resolvedTask(task, loaded.baseFolder); !read.ok())
      found.push_back({true, "tasks", read.error().text(), {}});
  const DataConfig& data = loaded.config.data;
  if (data.format == TextFormat::Demo) return;  // it has its own text
  for (const std::string& pattern : data.train.names()) checkPattern(loaded, data.format, "data.train", pattern, found);
  for (const std::string& pattern : data.eval) checkPattern(loaded, data.format, "data.eval", pattern, found);
  for (const EvalSetConfig& set : loaded.config.eval.sets)
    for (const std::string& pattern : set.text)
      checkPattern(loaded, data.format, "eval.sets." + set.name, pattern, found);
  for (const RunStage& stage : runStages(loaded.config)) {
    if (stage.config.data.train == data.train) continue;
    for (const std::string& pattern : stage.config.data.train.names())
      checkPattern(loaded, data.format, stage.field + ".data.train", pattern, found);
  }
}

bool checkVocabulary(const LoadedConfig& loaded, Findings& found) {
  const TokenizerConfig& tokenizer = loaded.config.tokenizer;
  const bool own = !tokenizer.path.empty();
  if (!own && loaded.config.model.initFrom.empty()) return true;
  const auto read = Tokenizer::load(
      loaded.baseFolder / expandedHome(own ? tokenizer.path : loaded.config.model.initFrom), tokenizer.lowercase);
  if (read.ok()) return true;
  found.push_back(
      {true, "tokenizer.path", read.error().text(),
       own ? "name a tokenizer.json, a vocab.txt or a folder with either, or leave it empty to train a tokenizer"
           : "name the tokenizer.json or vocab.txt that the model of model.init_from was trained with"});
  return false;
}

bool checkStartFiles(const LoadedConfig& loaded, Findings& found) {
  constexpr const char* kLayout = "name a folder in the layout of Hugging Face, or leave it empty for fresh weights";
  const StartFolder start = startFolder(loaded);
  const std::size_t before = found.size();
  if (const fs::path file = modelFolder(start.path).transformer / "config.json"; access(file.c_str(), R_OK) != 0)
    found.push_back(
        {true, start.field, formatText("{} has no config.json that can be read", start.path.string()), kLayout});
  if (const auto weights = WeightsReader::open(start.path); !weights.ok())
    found.push_back(
        {true, start.field, weights.error().text(), weights.error().code == ErrorCode::NotFound ? kLayout : ""});
  return found.size() == before;
}

// Embeddings are found by the ids of tokens, so new tokens must follow the known ones.
void checkExtension(const LoadedConfig& loaded, const StartFolder& start, Findings& found) {
  const TokenizerConfig& tokenizer = loaded.config.tokenizer;
  if (!loaded.config.model.extendVocab || tokenizer.path.empty()) return;
  const auto known = Tokenizer::load(start.path, tokenizer.lowercase);
  const auto extended = Tokenizer::load(loaded.baseFolder / expandedHome(tokenizer.path), tokenizer.lowercase);
  if (!known.ok() || !extended.ok()) return;  // a folder without a tokenizer cannot be compared
  const Vocabulary& before = known->vocabulary();
  const Vocabulary& after = extended->vocabulary();
  for (std::int32_t id = 0; id < std::min(before.size(), after.size()); ++id) {
    if (before.token(id) == after.token(id)) continue;
    found.push_back({true, "tokenizer.path",
                     formatText("token {} is '{}', in the folder of the weights '{}'; embeddings belong to ids", id,
                                after.token(id), before.token(id)),
                     "name the folder's tokenizer with tokens added at its end, or leave model.extend_vocab out"});
    return;
  }
}

void checkShape(const LoadedConfig& loaded, Findings& found) {
  const auto shape = plannedShape(loaded);
  if (!shape.ok()) {
    const FieldProblem problem = problemOf(shape.error());
    found.push_back({true, problem.field.empty() ? startFolder(loaded).field : problem.field, problem.message, {}});
    return;
  }
  const TrainConfig& config = loaded.config;
  if (plansGpus(config)) {
    const bool half = config.precision == Precision::Bf16 || config.precision == Precision::Fp16;
    if (const auto fits = checkGpuHeadSize(*shape, half); !fits.ok())
      found.push_back({true, "model.num_attention_heads", fits.error().message, {}});
  }
  const StartFolder start = startFolder(loaded);
  if (start.path.empty()) return;
  if (const auto fits = checkModelFolder(start.path); !fits.ok())
    found.push_back({true, start.field, fits.error().text(), {}});
  checkExtension(loaded, start, found);
}

void checkLengthsFile(const LoadedConfig& loaded, Findings& found) {
  const fs::path file = metricsFile(loaded);
  if (file.empty()) return;
  std::error_code unknown;
  if (fs::exists(file, unknown)) {
    if (const auto lengths = openLengths(file); !lengths.ok())
      found.push_back({true, "batch.tokens.metrics_path", lengths.error().text(), {}});
    return;
  }
  fs::path folder = fs::absolute(file, unknown).parent_path();
  while (!fs::exists(folder, unknown) && folder.has_relative_path()) folder = folder.parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    found.push_back({true, "batch.tokens.metrics_path",
                     formatText("the lengths cannot be written below {}", folder.string()),
                     "name a place that this account can write to"});
}

// Adds what is not used as it is of the folder that the model starts from, once.
void noteStart(LoadedConfig& loaded) {
  const StartFolder start = startFolder(loaded);
  if (start.path.empty()) return;
  const auto folder = checkModelFolder(start.path);
  const auto shape = plannedShape(loaded);
  const auto tokens = vocabularySize(loaded);
  if (!folder.ok() || !shape.ok() || !tokens.ok()) return;
  for (const std::string& note : startNotes(*folder, *shape, *tokens)) {
    const bool known = std::ranges::any_of(loaded.notes, [&](const ConfigIssue& one) { return one.message == note; });
    if (!known) loaded.notes.push_back(loaded.issueAt(start.field, note));
  }
}

// Synthetic data: global batches per epoch, and sample length as a share of the longest allowed.
struct SyntheticData {
  std::int64_t batchesPerEpoch;
  double lengthShare;
};
constexpr SyntheticData kSyntheticData[] = {{1'000, 1.0}, {1, 0.5},   {1'000'000, 1.0},
                                            {10, 0.25},   {100, 0.5}, {30'000, 0.1}};
// Limited because packs are planned one by one.
constexpr std::int64_t kMostPackedSamples = 200'000;

std::shared_ptr<const Lengths> syntheticLengths(const TrainConfig& config, const SyntheticData& data) {
  std::int64_t tokens = config.data.maxSeqLen;
  std::int64_t perUnit = 1;
  if (config.batch.tokens.enabled()) {
    // A pack of min_batch_size sequences must stay within the budget.
    tokens =
        std::min(tokens, *config.batch.tokens.maxTokens / std::max<std::int64_t>(1, config.batch.tokens.minBatchSize));
    perUnit = *config.batch.tokens.maxTokens / std::max<std::int64_t>(1, tokens);
  }
  tokens = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(tokens) * data.lengthShare));
  std::int64_t batch = largestGlobalBatch(config.batch);
  for (const RampLevelConfig& stage : config.batch.rampup.stages) batch = std::max(batch, stage.globalTrainBatchSize);
  constexpr double kMost = 1e15;
  const double wanted =
      static_cast<double>(batch) * static_cast<double>(perUnit) * static_cast<double>(data.batchesPerEpoch);
  std::int64_t samples = static_cast<std::int64_t>(std::min(wanted, kMost));
  if (config.batch.tokens.enabled()) samples = std::min(samples, kMostPackedSamples);
  return std::make_shared<EqualLengths>(samples, static_cast<std::uint32_t>(tokens));
}

Result<RunPlan> syntheticPlan(const TrainConfig& config, const SyntheticData& data, const DeviceShape& devices) {
  return RunPlan::resolve(config, [&](const RunStage& stage) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{syntheticLengths(stage.config, data), devices};
  });
}

std::optional<Error> problemWith(const TrainConfig& config, const SyntheticData& data, const DeviceShape& devices) {
  ASSIGN_OR_RETURN(const auto plan, syntheticPlan(config, data, devices));
  for (std::size_t stage = 0; stage < plan.plans().size(); ++stage)
    RETURN_IF_ERROR(resolveIntervals(config, plan, stage));
  return std::nullopt;
}

// Returns the error that occurs with all synthetic data, if there is one.
std::optional<Error> dataIndependentError(const TrainConfig& config, const DeviceShape& devices) {
  std::optional<Error> first;
  for (const SyntheticData& data : kSyntheticData) {
    const auto problem = problemWith(config, data, devices);
    if (!problem || problem->code != ErrorCode::Config) return std::nullopt;
    if (first && first->text() != problem->text()) return std::nullopt;
    first = problem;
  }
  return first;
}

std::string groupOf(const std::string& field) {
  return field.substr(0, field.find('.'));
}

// Replaces the settings that `field` belongs to by neutral ones, so that the rest can be validated. Returns false if
// that would change the meaning of the rest.
bool neutralize(const std::string& field, TrainConfig& config) {
  if (field.starts_with("scheduler")) {
    config.scheduler = SchedulerConfig();
    config.scheduler.name = "constant";
    config.batch.rampup.fromSchedule = {};
    return true;
  }
  if (field == "batch.growth.increase_function" || field == "batch.growth.batch_increase_function" ||
      field == "batch.growth.rule" || field == "batch.growth.values") {
    config.batch.growth.rule = GrowthPreset::None;
    config.batch.growth.batchIncreaseFunction.clear();
    config.batch.growth.increaseFunction = "current_batch_size";
    return true;
  }
  return false;
}

/// Number of evaluated tokens of runs that have none yet: only whether there is an evaluation matters.
constexpr double kEvaluated = 1;

}  // namespace

StartFolder startFolder(const LoadedConfig& config) {
  const ModelConfig& model = config.config.model;
  // An absolute path replaces the base folder.
  if (!model.initFrom.empty()) return {config.baseFolder / expandedHome(model.initFrom), "model.init_from", false};
  if (!model.tileFrom.empty()) return {config.baseFolder / expandedHome(model.tileFrom), "model.tile_from", true};
  return {};
}

Result<ModelShape> resolveFromFolder(const LoadedConfig& config, const ModelShape& folder, std::int64_t tokens) {
  const std::int64_t longest = longestSequence(config.config);
  return startFolder(config).tiles ? resolveTiledShape(config.config.model, folder, tokens, longest)
                                   : resolveModelShape(config.config.model, folder, tokens, longest);
}

Result<ModelShape> plannedShape(const LoadedConfig& config) {
  ASSIGN_OR_RETURN(const auto vocabulary, vocabularySize(config));
  const StartFolder start = startFolder(config);
  if (start.path.empty()) return resolveModelShape(config.config.model, vocabulary, longestSequence(config.config));
  const Result<ModelShape> folder = readFolderShape(start.path);
  if (!folder.ok()) return folder.error().about(start.field);
  return resolveFromFolder(config, *folder, vocabulary);
}

std::string missingTextMessage(const TrainConfig& config) {
  if (config.data.format == TextFormat::Demo || !config.data.train.empty()) return {};
  return "names no text; give files, folders or patterns such as text/*.txt";
}

std::vector<PreflightFinding> checkFiles(const LoadedConfig& loaded) {
  Findings found;
  checkText(loaded, found);
  const bool vocabulary = checkVocabulary(loaded, found);
  const bool start = startFolder(loaded).path.empty() || checkStartFiles(loaded, found);
  if (start && vocabulary) checkShape(loaded, found);
  checkLengthsFile(loaded, found);
  return found;
}

bool plansGpus(const TrainConfig& config, const MachineInfo& machine) {
  return config.devices.use == "auto" ? machine.gpus > 0 : config.devices.use.starts_with("cuda");
}

DeviceShape plannedDevices(const TrainConfig& config, const MachineInfo& machine) {
  DeviceShape shape;
  if (const auto launched = launchedRank()) {
    shape.devices = launched->size;
    return shape;
  }
  shape.devices = namedDeviceCount(config.devices.use).value_or(std::max<std::int64_t>(1, machine.gpus));
  return shape;
}

Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths) {
  const std::int64_t samples = lengths.size();
  if (samples == 0) return Error::config("the training text gave no sample; name more text in data.train");
  const auto& ramp = config.batch.rampup.stages;
  const std::int64_t global = ramp.empty() ? largestGlobalBatch(config.batch) : ramp.back().globalTrainBatchSize;
  const bool found = config.batch.useMaximumBatchSize;  // at launch, never above the samples
  if (config.batch.tokens.enabled() || found || samples >= global) return {};
  const bool follows = config.batch.rampup.fromSchedule.enabled() && samples > config.batch.globalTrainBatchSize;
  const char* field = follows        ? "batch.rampup.from_schedule.cap"
                      : ramp.empty() ? "batch.global_train_batch_size"
                                     : "the sizes of batch.rampup.stages";
  return Error::config(
      formatText("the training text gives {}, fewer than one global batch of {}; set {} to at most {}, lower "
                 "data.max_seq_len, or name more text in data.train",
                 countText(samples, "sample"), formatInteger(global), field, samples));
}

std::vector<ConfigIssue> checkPlan(const LoadedConfig& loaded, const DeviceShape& devices, const TrainConfig* stored) {
  std::vector<ConfigIssue> issues;
  if (!loaded.ok()) return issues;
  for (FieldProblem& problem : checkNewRun(loaded.config, stored))
    issues.push_back(loaded.issueAt(problem.field, std::move(problem.message)));
  TrainConfig config = loaded.config;
  std::vector<std::string> seen;
  while (const auto problem = dataIndependentError(config, devices)) {
    auto [field, message, untilLaunch] = problemOf(*problem);
    // The largest batch is only known on the device, so a ramp cannot be validated here.
    if (config.batch.useMaximumBatchSize && field.starts_with("batch.rampup")) break;
    issues.push_back(loaded.issueAt(field, std::move(message)));
    const bool again = std::find(seen.begin(), seen.end(), field) != seen.end();
    seen.push_back(field);
    if (again || !neutralize(field, config)) break;
  }
  return issues;
}

std::vector<FieldProblem> dataIndependentNotes(const TrainConfig& config) {
  constexpr std::int64_t kFewestBatches = 100;  // in less, ramps lack stages
  std::optional<std::vector<FieldProblem>> common;
  for (const SyntheticData& data : kSyntheticData) {
    if (data.batchesPerEpoch < kFewestBatches) continue;
    const auto plan = syntheticPlan(config, data, plannedDevices(config));
    if (!plan.ok()) continue;
    const std::vector<FieldProblem> notes = plan->notes();
    if (!common) common = notes;
    std::erase_if(*common, [&](const FieldProblem& note) {
      return note.untilLaunch || std::find(notes.begin(), notes.end(), note) == notes.end();
    });
  }
  return common.value_or(std::vector<FieldProblem>());
}

LoadedConfig checkedForLaunch(LoadedConfig loaded, const CheckScope& scope) {
  // Skips fields whose group, or whose whole configuration, has parse errors.
  const auto hasParseErrors = [errors = loaded.errors](const std::string& field) {
    return std::any_of(errors.begin(), errors.end(), [&](const ConfigIssue& error) {
      return error.field.empty() || groupOf(error.field) == groupOf(field);
    });
  };
  DeviceShape devices = plannedDevices(loaded.config);
  if (scope.devices > 0) devices.devices = scope.devices;
  std::vector<ConfigIssue> issues = checkPlan(loaded, devices, scope.stored);
  const auto add = [&](const std::string& field, const std::string& message) {
    if (!hasParseErrors(field)) issues.push_back(loaded.issueAt(field, message));
  };
  if (scope.files == CheckScope::Files::Checked) {
    if (const std::string why = missingTextMessage(loaded.config);
        !why.empty() && scope.text == CheckScope::Text::Required)
      add("data.train", why);
    else if (!why.empty() && loaded.ok())
      loaded.notes.push_back(loaded.issueAt("data.train", formatText("`batchwise train` rejects this: {}", why)));
    for (const PreflightFinding& finding : checkFiles(loaded)) add(finding.field, finding.text());
    noteStart(loaded);
  }
  for (ConfigIssue& issue : issues) loaded.errors.push_back(std::move(issue));
  return loaded;
}

std::string baselineNote(const LoadedConfig& config, const RunDetail& baseline, const Workspace& workspace) {
  if (isExternal(baseline.summary)) return {};
  const auto stored = configValuesOf(baseline);
  auto resolved = currentResolvedValues(baseline);
  const std::string text = resolved[resolved_names::kEvaluationText];
  if (!stored.ok() || !hasEvalData(config.config) || (text.empty() && !baseline.summary.evalLoss)) return {};
  ConfigValues values = configValues(config.config);
  const bool isAutomatic = !parseConfig(baseline.configYaml, baseline.summary.name, {}).config.data.holdout;
  if (const auto share = stored->find("data.holdout");
      isAutomatic && !config.config.data.holdout && share != stored->end())
    values["data.holdout"] = share->second;  // the automatic share is resolved at launch, and follows from the text
  MeasuredRun first{
      baseline.summary.name, &*stored, kEvaluated, {}, resolved[resolved_names::kTokenizerIdentity], text};
  MeasuredRun draft{"", &values, kEvaluated, {}};
  if (const auto data = cachedLaunchData(config, workspace.cacheFolder()); data.ok()) {
    draft.evaluationText = data->evaluationText;
    draft.tokenizer = data->tokenizer.identity().hex();
  }
  return plannedEvaluationNote(first, draft);
}

std::vector<std::string> sweepBaselineNotes(const std::vector<LoadedConfig>& runs) {
  std::vector<std::string> notes;
  const ConfigValues first = runs.empty() ? ConfigValues() : configValues(runs.front().config);
  for (const LoadedConfig& run : runs) {
    const ConfigValues values = configValues(run.config);
    const bool both = hasEvalData(run.config) && hasEvalData(runs.front().config);
    notes.push_back(both ? plannedEvaluationNote({runName(runs.front().config), &first, kEvaluated, {}},
                                                 {"", &values, kEvaluated, {}})
                         : std::string());
  }
  return notes;
}

}  // namespace batchwise
