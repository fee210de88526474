// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_preparation.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/process_setup.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "core/config/task_config.h"
#include "core/config/time/time.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/launch/scaling_plan.h"
#include "core/run/ranks/rank_group.h"
#include "core/run/session/launch_model.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

/// The name of the identity of a stage's training data among its resolved values.
constexpr const char* kStageIdentity = "data.identity";
constexpr const char* kRopeTheta = "model.rope_theta";
constexpr const char* kLocalRopeTheta = "model.local_rope_theta";

std::string stageIdentityName(std::size_t index) {
  return "stages[" + std::to_string(index) + "]." + kStageIdentity;
}

// A run that read the vocab.txt of a folder goes on with it, in its case, even if the files beside it, which decide
// today, give other ids.
void keepVocabularyFile(LoadedConfig& loaded, const RunFacts& facts) {
  TokenizerConfig& tokenizer = loaded.config.tokenizer;
  if (!facts.tokenizer.json.empty() || tokenizer.path != facts.config.tokenizer.path) return;
  const std::filesystem::path given = tokenizer.path.empty() ? loaded.config.model.initFrom : tokenizer.path;
  const std::filesystem::path folder = loaded.baseFolder / expandedHome(given);
  std::error_code unknown;
  if (given.empty() || !std::filesystem::is_regular_file(folder / "vocab.txt", unknown)) return;
  const auto preferred = Tokenizer::load(folder, tokenizer.lowercase);
  const auto stored = Tokenizer::fromTexts(facts.tokenizer, "the tokenizer");
  if (preferred.ok() && stored.ok() && preferred->identity() == stored->identity()) return;
  if (tokenizer.lowercase == facts.config.tokenizer.lowercase) tokenizer.lowercase = facts.tokenizer.lowercase;
  tokenizer.path = (given / "vocab.txt").string();
}

class RunPreparation {
 public:
  RunPreparation(const LaunchRequest& request, EventSink& events, CommandMailbox& commands, const Clock& clock,
                 RankGroup* rankGroup)
      : request_(request), events_(events), commands_(commands), clock_(clock), rankGroup_(rankGroup) {
    run_.config = request.config;
  }

  // Every rank goes this way: the only collectives are in shareDecisions(), chooseDevices() and chooseMicrobatches().
  Result<PreparedRun> prepare(const std::function<void(const TrainConfig&)>& configKnown) {
    if (decides()) {
      RETURN_IF_ERROR(openRunStore());
      RETURN_IF_ERROR(openSource());
      configKnown(config());
      RETURN_IF_ERROR(checkChanges());
    }
    RETURN_IF_ERROR(shareDecisions());
    if (!decides()) configKnown(config());
    RETURN_IF_ERROR(chooseDevices());
    if (decides()) {
      RETURN_IF_ERROR(findData());
      RETURN_IF_ERROR(readTasks());
      RETURN_IF_ERROR(readData());
      RETURN_IF_ERROR(validateData());
      RETURN_IF_ERROR(describeModel());
      noteTaskTexts();
      keepMicrobatches();
    }
    RETURN_IF_ERROR(shareDecisions());
    if (!decides()) RETURN_IF_ERROR(readSameData());
    RETURN_IF_ERROR(makeModel());
    RETURN_IF_ERROR(chooseMicrobatches());
    if (decides()) RETURN_IF_ERROR(makePlan());
    RETURN_IF_ERROR(shareDecisions());
    RETURN_IF_ERROR(decides() ? restoreState() : restorePlan());
    return std::move(run_);
  }

 private:
  Result<void> openRunStore() {
    if (!request_.config.ok()) return Error::config(request_.config.errorText());
    if (request_.resumeRun.empty()) {
      RETURN_IF_ERROR(checkConfig(CheckScope::Files::Checked));
      run_.config.config = withDefaults(std::move(run_.config.config));
    }
    ASSIGN_OR_RETURN(run_.store, RunStore::open(request_.workspace, config().launch.journal, clock_));
    cacheFolder_ = run_.store->cacheFolder();
    run_.notes = run_.store->notices();
    if (request_.resumeRun.empty()) noteLikelyMistakes();
    return {};
  }

  // Adds notes on likely mistakes. A configuration from the form was not parsed from text, which would have added them.
  void noteLikelyMistakes() {
    std::vector<ConfigIssue> notes = run_.config.notes;
    if (request_.config.notes.empty())
      for (const FieldProblem& slip : findLikelyMistakes(request_.config.config))
        notes.push_back(request_.config.issueAt(slip.field, slip.message));
    for (const ConfigIssue& note : notes) run_.notes.push_back(note.text());
  }

  bool stretches() const { return run_.resume && run_.resume->stretches; }
  /// Whether all values resolved at launch are kept.
  bool restoresPlan() const { return run_.isContinuation() && !stretches() && !run_.resume->addsStage; }

  Result<void> openSource() {
    if (request_.resumeRun.empty()) return {};
    ASSIGN_OR_RETURN(const auto history, run_.store->history(request_.resumeRun));
    ASSIGN_OR_RETURN(run_.source, openResumeSource(run_.store->folder(), history, request_));
    run_.warnings = run_.source->notes;
    run_.warnings.insert(run_.warnings.end(), history.notes.begin(), history.notes.end());
    run_.resume = decideResume(request_, run_.source->run, run_.source->record, run_.source->facts.config);
    run_.config.config = run_.resume->config;
    std::string all;
    for (const ResumeRefusal& refusal : run_.resume->refusals)
      all = all.empty() ? refusal.text() : followedByText(all, refusal.text());
    return all.empty() ? Result<void>() : Error::config(all);
  }

  // Reports the changes of a resume, and checks what they allow.
  Result<void> checkChanges() {
    if (!run_.resume) {
      run_.config.baseFolder = absoluteFolder(run_.config.baseFolder);
      return {};
    }
    const RunFacts& facts = run_.source->facts;
    if (const auto folder = facts.resolved.find(resolved_names::kBaseFolder);
        run_.config.baseFolder.empty() && folder != facts.resolved.end())
      run_.config.baseFolder = folder->second;
    keepVocabularyFile(run_.config, facts);
    run_.notes.insert(run_.notes.end(), run_.resume->changes.begin(), run_.resume->changes.end());
    if (!run_.is(ResumeDecision::Kind::ForkFromWeights))  // else they are named with the weights
      run_.notes.insert(run_.notes.end(), run_.resume->forkChanges.begin(), run_.resume->forkChanges.end());
    if (run_.resume->restAtZeroRate)
      run_.warnings.push_back(
          "the last value of the schedule is 0, so the global batches after its end learn nothing; --stretch resolves "
          "the schedule again for the new length");
    else if (run_.resume->keepsSchedule)
      run_.notes.push_back(
          "the learning rate keeps the schedule resolved at launch and holds its last value after the end of it; "
          "resolving the schedule again (--stretch) spreads it over the new length");
    // A run that continues unchanged resolves nothing again.
    return restoresPlan() ? checkChangedFields() : checkConfig(CheckScope::Files::Unread);
  }

  Result<void> checkChangedFields() const {
    const std::vector<FieldProblem> broken = checkNewRun(config(), &run_.source->facts.config);
    return broken.empty() ? Result<void>() : Error::config(broken.front().field, broken.front().message);
  }

  Result<void> checkConfig(CheckScope::Files files) {
    const TrainConfig* stored = run_.source ? &run_.source->facts.config : nullptr;
    run_.config = checkedForLaunch(std::move(run_.config), {.files = files, .stored = stored});
    return run_.config.ok() ? Result<void>() : Error::config(run_.config.errorText());
  }

  // A continued run keeps the threads resolved at launch, unless the configuration changes devices or threads.
  DevicesConfig devicesWithThreads() const {
    DevicesConfig devices = config().devices;
    if (!run_.isContinuation() || devices.threads || devices.use != run_.source->facts.config.devices.use)
      return devices;
    if (const std::int64_t threads = storedNumber(resolved_names::kThreads); threads > 0) devices.threads = threads;
    return devices;
  }

  // Returns a resolved number of the source run; 0 if missing.
  std::int64_t storedNumber(const std::string& name) const {
    return numberNamed<std::int64_t>(run_.source->facts.resolved, name).value_or(0);
  }

  bool decides() const { return rankGroup_ == nullptr || rankGroup_->rank() == 0; }

  std::string decisionsText() const {
    TrainConfig decided = config();
    decided.devices = devicesWithThreads();
    nlohmann::json shapes = nlohmann::json::array();
    for (const DeviceShape& shape : shapes_) shapes.push_back({shape.microbatchUnits, shape.largestUnits});
    return jsonText({{"config", configToYaml(decided, YamlScope::Everything)},
                     {"folder", run_.config.baseFolder.string()},
                     {"cache", cacheFolder_.string()},
                     {"data", dataIdentities_},
                     {"model", run_.model ? storedConfig(run_.model->shape, run_.data->tokenizer.vocabulary().special())
                                          : std::string()},
                     {"shapes", shapes},
                     {"resolved", run_.resolved}});
  }

  Result<void> takeDecisions(const std::string& text) {
    const auto decided = nlohmann::json::parse(text);
    run_.config = parseConfig(decided.at("config").get<std::string>(), "the configuration of rank 0",
                              decided.at("folder").get<std::string>());
    if (!run_.config.ok()) return Error::corrupt(run_.config.errorText());
    cacheFolder_ = decided.at("cache").get<std::string>();
    decided.at("data").get_to(dataIdentities_);
    if (const auto model = decided.at("model").get<std::string>(); !model.empty() && !run_.model) {
      ASSIGN_OR_RETURN(const auto shape, parseStoredConfig(model));
      run_.model = LaunchModel{shape, std::nullopt};
    }
    shapes_.clear();
    for (const auto& shape : decided.at("shapes")) shapes_.push_back({run_.devices.count(), shape.at(0), shape.at(1)});
    decided.at("resolved").get_to(run_.resolved);
    return {};
  }

  // Sends what rank 0 has decided so far to the others.
  Result<void> shareDecisions() {
    if (rankGroup_ == nullptr) return {};
    ASSIGN_OR_RETURN(const auto text, rankGroup_->broadcastFromFirst(decides() ? decisionsText() : std::string()));
    return decides() ? Result<void>() : takeDecisions(text);
  }

  Result<void> chooseDevices() {
    ProcessShare share;
    if (rankGroup_ != nullptr) {
      ASSIGN_OR_RETURN(share, rankGroup_->share());
    }
    ASSIGN_OR_RETURN(run_.devices, useDevices(devicesWithThreads(), share));
    if (rankGroup_ != nullptr) RETURN_IF_ERROR(rankGroup_->open(run_.devices.devices.front()));
    if (decides()) noteDevices();
    return {};
  }

  void noteDevices() {
    if (const auto launched = launchedRank(); rankGroup_ != nullptr && launched && launched->launcher == "mpirun")
      run_.notes.push_back(
          "mpirun that gets Ctrl-C or SIGTERM kills the run within two seconds, at a second signal at once, perhaps "
          "before its checkpoint is saved; send SIGUSR1 to mpirun to save one and stop, such as with timeout -s USR1 "
          "3h mpirun ...");
    run_.warnings.insert(run_.warnings.end(), run_.devices.notes.begin(), run_.devices.notes.end());
    if (config().precision == Precision::Tf32 && !run_.devices.onGpu())
      run_.notes.push_back("precision: tf32 is for GPUs; the processor computes in fp32");
    run_.environment = environmentText(config(), run_.devices);
  }

  // Finds files that moved since the checkpoint was taken by their content.
  Result<void> findData() {
    if (!run_.fromCheckpoint()) return {};
    ASSIGN_OR_RETURN(const auto notes, findMovedData(run_.config, cacheFolder_, events_, commands_));
    run_.notes.insert(run_.notes.end(), notes.begin(), notes.end());
    return {};
  }

  Result<void> readTasks() {
    for (const TaskConfig& given : config().tasks) {
      const auto task = resolvedTask(given, run_.config.baseFolder);
      if (!task.ok()) return task.error().about("tasks");
      const auto isNamedAlike = [&](const auto& other) { return other->task.name == task->name; };
      if (std::ranges::any_of(run_.tasks, isNamedAlike))
        return Error::config("tasks", formatText("two tasks have the name {}; rename one", task->name));
      auto data = readTask(*task);
      if (!data.ok()) return data.error().about("tasks");
      std::erase_if(data->parts, [](const TaskPart& part) { return part.name == "test"; });
      for (const std::string& note : data->notes) run_.notes.push_back(formatText("task {}: {}", task->name, note));
      run_.tasks.push_back(std::make_shared<const TaskData>(*std::move(data)));
    }
    return {};
  }

  void noteTaskTexts() {
    const std::int64_t longest = std::min(longestSequence(config()), run_.model->shape.maxPositions);
    for (const auto& task : run_.tasks)
      for (const std::string& note : encodeTask(*task, run_.data->tokenizer, longest).notes)
        run_.notes.push_back(formatText("task {}: {}", task->task.name, note));
  }

  Result<void> readData() {
    ASSIGN_OR_RETURN(run_.data, prepareLaunchData(run_.config, cacheFolder_, events_, commands_));
    addNotes(run_.data->notes);
    if (DataConfig& data = run_.config.config.data; !data.holdout && data.eval.empty())
      data.holdout = run_.data->holdout;
    if (!run_.data->hasEvaluation() && config().guard.earlyStop.action != GuardAction::Off)
      return Error::config("guard.early_stop.action",
                           "there is no evaluation data, as neither data.eval nor data.holdout gave a document; set "
                           "data.eval, or use off");
    if (!run_.data->hasEvaluation() && !config().tasks.empty())
      return Error::config("tasks",
                           "they are probed at evaluations, and there is no evaluation data, as neither data.eval "
                           "nor data.holdout gave a document; set data.eval");
    // A continued run identifies its data by hash, and its configuration may be untrusted: no lengths file is written.
    if (!run_.fromCheckpoint()) RETURN_IF_ERROR(lengthsOf(run_.config, *run_.data));
    return readStages();
  }

  Result<void> readStages() {
    ASSIGN_OR_RETURN(auto all, prepareStageData(run_.config, *run_.data, cacheFolder_, events_, commands_));
    const std::vector<RunStage> stages = runStages(config());
    for (std::size_t index = 0; index < all.size(); ++index) {
      PreparedStage stage{std::move(all[index]), nullptr, {}};
      stage.lengths = std::make_shared<DatasetLengths>(stage.data.train);
      if (Result<void> enough = checkEnoughSamples(stages[index].config, *stage.lengths); !enough.ok())
        return stages[index].field.empty() ? enough : enough.error().about(stages[index].field);
      if (!readsSameData(stages[index].config, config())) addNotes(stage.data.notes);
      run_.stages.push_back(std::move(stage));
    }
    return {};
  }

  Result<void> validateData() {
    if (!run_.fromCheckpoint()) return {};
    std::string differs;
    ASSIGN_OR_RETURN(const auto tokenizer, Tokenizer::fromTexts(run_.source->facts.tokenizer, "the tokenizer"));
    if (run_.data->tokenizer.identity() != tokenizer.identity())
      differs = "the tokenizer";
    else if (run_.data->train.identity().hex() != run_.source->facts.trainIdentity)
      differs = "the training data";
    for (std::size_t index = 0; differs.empty() && index < run_.stages.size(); ++index) {
      const auto& resolved = run_.source->facts.resolved;
      const auto identity = resolved.find(stageIdentityName(index));
      if (identity != resolved.end() && identity->second != run_.stages[index].data.train.identity().hex())
        differs = "the training data";
    }
    if (run_.data->evaluationIdentity() != run_.source->facts.evalIdentity)
      run_.notes.push_back(formatText(
          "the evaluation data differs from that of run {}: its results cannot be compared with the earlier ones",
          run_.source->run.summary.name));
    if (differs.empty()) return {};
    // A fork of the queue was planned as one that goes on.
    const bool goesOn = run_.resume->addsStage || (!request_.runId.empty() && run_.isContinuation());
    if (!request_.fork || goesOn)
      return Error::config(
          formatText("{} is not the one that run {} was trained with (data.train, tokenizer); give the same files, or "
                     "fork a new run (--fork)",
                     differs, run_.source->run.summary.name));
    run_.resume->kind = ResumeDecision::Kind::ForkFromWeights;
    run_.notes.push_back(formatText("{} differs from that of run {}", differs, run_.source->run.summary.name));
    return {};
  }

  // Reads what rank 0 has prepared. Fails with Config if this rank finds other files.
  Result<void> readSameData() {
    ASSIGN_OR_RETURN(run_.data, prepareLaunchData(run_.config, cacheFolder_, events_, commands_));
    RETURN_IF_ERROR(readStages());
    const std::vector<std::string> own = dataIdentities();
    const auto [differs, ofZero] = std::ranges::mismatch(own, dataIdentities_);
    if (differs == own.end() && ofZero == dataIdentities_.end()) return {};
    const Error error = Error::config(
        "this rank sees other training data than rank 0: data.train and the workspace must lie where every machine of "
        "the run finds the same files");
    const auto index = differs - own.begin();
    return index == 0 ? error : error.about(runStages(config())[static_cast<std::size_t>(index - 1)].field);
  }

  std::vector<std::string> dataIdentities() const {
    std::vector<std::string> all{run_.data->train.identity().hex()};
    for (const PreparedStage& stage : run_.stages) all.push_back(stage.data.train.identity().hex());
    return all;
  }

  Result<void> describeModel() {
    events_.publish(PhaseProgress{"building the model", 0, 0, {}});
    if (run_.isContinuation()) {
      ASSIGN_OR_RETURN(const auto shape, parseStoredConfig(run_.source->facts.modelConfig));
      if (const std::int64_t longest = longestSequence(config()); longest > shape.maxPositions)
        return Error::config(
            "data.max_seq_len",
            formatText("{0} is longer than the {1} positions that the model of the checkpoint has; use at most {1}",
                       longest, shape.maxPositions));
      run_.model = LaunchModel{shape, std::nullopt};
    } else {
      ASSIGN_OR_RETURN(run_.model, launchModel(run_.config, run_.data->tokenizer.vocabulary()));
    }
    dataIdentities_ = dataIdentities();
    fillModelDefaults();
    return {};
  }

  // Fills defaults that follow from device and model. All are stored, so that a later default does not change the run.
  void fillModelDefaults() {
    TrainConfig& filled = run_.config.config;
    if (!filled.model.layerNormEps) filled.model.layerNormEps = run_.model->shape.layerNormEps;
    if (!filled.precision) filled.precision = choosePrecision(run_.model->shape, run_.devices);
    if (run_.resume) return;
    if (const std::string all = joined(filledDefaults(request_.config.config, filled)); !all.empty())
      run_.notes.push_back(formatText("chosen where nothing was specified: {}", all));
  }

  Result<void> makeModel() {
    ASSIGN_OR_RETURN(run_.replicas, makeReplicas(*run_.model, config(), run_.devices));
    return {};
  }

  // A continued run keeps its current micro-batch, which an out-of-memory error may have reduced, unless the
  // configuration changes it.
  bool keepsMicrobatch() const {
    return run_.isContinuation() && !run_.resume->addsStage &&
           config().batch.deviceTrainMicrobatchSize == run_.source->facts.config.batch.deviceTrainMicrobatchSize;
  }

  void keepMicrobatches() {
    if (!keepsMicrobatch()) return;
    const std::int64_t launchedOn = std::max<std::int64_t>(1, storedNumber(resolved_names::kDevices));
    for (const RunStage& stage : runStages(config())) {
      const std::string prefix = stage.field.empty() ? "" : stage.field + ".";
      // The largest global batch follows from the micro-batch of the launch, not from one that was halved since.
      const bool current =
          std::ssize(shapes_) == run_.source->loop.stage && !(stretches() && config().batch.useMaximumBatchSize);
      const std::int64_t units = current ? run_.source->loop.microbatchUnits
                                         : stage.config.batch.deviceTrainMicrobatchSize.value_or(
                                               storedNumber(prefix + resolved_names::kMicrobatch));
      shapes_.push_back(
          {run_.devices.count(), units, storedNumber(prefix + resolved_names::kGrowthLargest) / launchedOn});
    }
  }

  Result<void> chooseMicrobatches() {
    if (!shapes_.empty()) return {};
    for (const RunStage& stage : runStages(config())) {
      ASSIGN_OR_RETURN(const auto micro, resolveMicrobatch(stage.config, run_.stages[shapes_.size()].lengths,
                                                           run_.devices, run_.replicas.front(), events_, rankGroup_));
      shapes_.push_back({run_.devices.count(), micro.units, micro.largest});
      if (stage.field.empty() && config().batch.useMaximumBatchSize && !run_.isContinuation())
        run_.config.config.batch.globalTrainBatchSize = micro.units * run_.devices.count();
      if (!micro.note.empty())
        run_.notes.push_back(stage.field.empty() ? micro.note : inContextText(stage.field, micro.note));
    }
    return {};
  }

  void addNotes(const std::vector<FieldProblem>& notes) {
    for (const FieldProblem& note : notes) run_.notes.push_back(note.text());
  }

  RunPlan::InputOf planInputs() const {
    return [this, index = std::size_t{0}](const RunStage&) mutable {
      RunPlan::StageInput input{run_.stages[index].lengths, shapes_[index]};
      ++index;
      return Result<RunPlan::StageInput>(std::move(input));
    };
  }

  Result<void> makePlan() {
    const bool restore = restoresPlan();
    ASSIGN_OR_RETURN(run_.runPlan, restore ? RunPlan::restore(config(), run_.source->facts.resolved, planInputs())
                                           : RunPlan::resolve(config(), planInputs()));
    addNotes(run_.runPlan->notes());
    if (!restore) addNotes(findPlanMistakes(config(), *run_.runPlan));
    if (!run_.resume) noteCost();
    RETURN_IF_ERROR(resolveAll(restore));
    if (run_.isContinuation()) {
      run_.state.stage = run_.source->loop.stage;
      run_.state.stageStart = run_.source->loop.stageStart;
    }
    ASSIGN_OR_RETURN(run_.plan, planOf(*run_.runPlan, run_.state));
    run_.state.growth = run_.plan->initialGrowth();
    run_.state.microbatchUnits = run_.plan->microbatchUnits();
    for (std::size_t index = 0; index < shapes_.size(); ++index)
      shapes_[index].microbatchUnits = run_.runPlan->plans()[index].microbatchUnits();
    return {};
  }

  // Restores the plan that rank 0 has made.
  Result<void> restorePlan() {
    ASSIGN_OR_RETURN(run_.runPlan, RunPlan::restore(config(), run_.resolved, planInputs()));
    for (std::size_t index = 0; index < run_.stages.size(); ++index) {
      const ResolvedValues values = valuesOfStage(run_.resolved, run_.runPlan->stages()[index].field);
      ASSIGN_OR_RETURN(run_.stages[index].intervals, keepIntervals(config(), *run_.runPlan, index, config(), values));
    }
    return {};
  }

  // Adds what the run is expected to take on this machine, so that it is known before the first step.
  void noteCost() {
    std::optional<MeasuredSpeed> speed;
    const auto workspace = run_.store->workspace();  // null with a journal: its runs cannot be read
    if (workspace) speed = MeasuredSpeeds(*workspace).of(run_.config);
    const auto cost = runCost(run_.config, totalsOfStages(*run_.runPlan), speed, machineInfo());
    const DatasetLengths lengths(run_.data->train);
    const auto memory = forecastMemory(run_.config, run_.devices.count(), &lengths);
    if (!cost || !memory.ok()) return;
    const std::string basis = cost->speed ? formatText("by the speed of run {}", cost->speed->run)
                              : workspace
                                  ? "a rough guess, as no such model has been trained on such devices in this workspace"
                                  : "a rough guess";
    run_.notes.push_back(formatText(
        "expected here: {} tokens in about {} of training, {}; needs about {} per device (model, optimizer, "
        "activations)",
        formatCount(cost->tokens), formatDuration(cost->seconds), basis, formatBytes(memory->perDevice.total())));
  }

  // Collects all values that are resolved at launch and kept by a resume.
  Result<void> resolveAll(bool restore) {
    if (restore) run_.resolved = run_.source->facts.resolved;
    for (std::size_t index = 0; index < run_.stages.size(); ++index) RETURN_IF_ERROR(resolveStage(index, restore));
    run_.resolved[resolved_names::kDevices] = std::to_string(run_.devices.count());
    run_.resolved[resolved_names::kThreads] = std::to_string(run_.devices.threadsPerDevice);
    run_.resolved[resolved_names::kBaseFolder] = run_.config.baseFolder.string();
    if (restore)
      for (const auto& [name, value] : run_.resolved)
        if (!run_.source->facts.resolved.contains(name))
          return Error::corrupt(
              formatText("checkpoint {} does not record the resolved value of {}; use another checkpoint, or fork "
                         "(--fork) with a changed configuration",
                         run_.source->record.id, name));
    return {};
  }

  Result<void> resolveStage(std::size_t index, bool restore) {
    const std::string& stage = run_.runPlan->stages()[index].field;
    const Plan& plan = run_.runPlan->plans()[index];
    ResolvedValues values = valuesOfStage(run_.resolved, stage);
    values.insert(plan.resolved().begin(), plan.resolved().end());
    if (restore && !keepsMicrobatch()) values[resolved_names::kMicrobatch] = std::to_string(plan.microbatchUnits());
    ASSIGN_OR_RETURN(run_.stages[index].intervals,
                     restore ? keepIntervals(config(), *run_.runPlan, index, run_.source->facts.config, values)
                             : resolveIntervals(config(), *run_.runPlan, index));
    storeIntervals(run_.stages[index].intervals, values);
    if (!stage.empty()) values[kStageIdentity] = run_.stages[index].data.train.identity().hex();
    if (!stage.empty()) RETURN_IF_ERROR(resolveThetas(run_.runPlan->stages()[index], values));
    addStageValues(values, stage, run_.resolved);
    return {};
  }

  // Resolves the bases of rotary positions in a stage; a resume keeps them.
  Result<void> resolveThetas(const RunStage& stage, ResolvedValues& values) const {
    const ModelConfig& wanted = stage.config.model;
    const ModelShape& shape = run_.model->shape;
    const bool learned = shape.ropeTheta == 0.0;
    if (learned && (wanted.ropeTheta || wanted.localRopeTheta))
      return Error::config(
          stage.field + (wanted.ropeTheta ? ".model.rope_theta" : ".model.local_rope_theta"),
          formatText("has no effect on a {} model, whose positions are learned; leave it out, or choose "
                     "a family with rotary positions, such as modernbert",
                     choiceName(shape.family)));
    if (learned) return {};
    // The model of a checkpoint has the bases of the stage that it was saved in, not those of the launch.
    const ResolvedValues launched =
        run_.isContinuation() ? valuesOfStage(run_.source->facts.resolved, stage.field) : ResolvedValues();
    const auto resolve = [&](const char* name, const std::optional<double>& given, double ofModel) {
      const auto stored = launched.find(name);
      const bool keeps = !given && stored != launched.end();
      values.emplace(name, keeps ? stored->second : formatExact(given.value_or(ofModel)));
    };
    resolve(kRopeTheta, wanted.ropeTheta, shape.ropeTheta);
    resolve(kLocalRopeTheta, wanted.localRopeTheta, shape.localRopeTheta);
    return {};
  }

  Result<void> restoreState() {
    if (run_.is(ResumeDecision::Kind::ForkFromWeights)) loadWeightsOnly();
    if (!run_.isContinuation()) return {};
    for (Replica& replica : run_.replicas)
      if (Result<void> restored = restoreReplica(replica, run_.source->state); !restored.ok())
        return restored.error().within(checkpointContextText(run_.source->record.id));
    run_.source->state.tensors.clear();
    const std::int64_t microbatch = run_.state.microbatchUnits;
    const std::int64_t globalUnits = run_.state.growth.globalUnits;
    run_.state = run_.source->loop;
    // Growth continues from the global batch that a stretch gives.
    const bool isResized = stretches() && globalUnits != storedNumber("batch.global_train_batch_size");
    if (isResized && config().stages.empty()) run_.state.growth.globalUnits = globalUnits;
    RETURN_IF_ERROR(checkNotFinished());
    std::string differs = environmentDifference(run_.source->facts.environment, run_.environment);
    if (microbatch != run_.state.microbatchUnits)
      differs = differs.empty() ? "another micro-batch" : listItemsText(differs, "another micro-batch");
    if (microbatch != run_.state.microbatchUnits) run_.state.passesPerPack = 1;
    run_.state.microbatchUnits = microbatch;
    if (run_.resume->addsStage) {
      run_.notes.push_back(
          formatText("the fork keeps weights, moments of the optimizer and clocks of checkpoint {}, at step {}; what "
                     "changed applies from there on, as a further stage",
                     run_.source->record.id, run_.state.now.step));
      return {};
    }
    run_.notes.push_back(exactness(differs));
    return {};
  }

  // Returns what is equal to before after the resume. `differs`: the devices or libraries that do; may be empty.
  std::string exactness(const std::string& differs) const {
    const std::string from =
        formatText("resumes from checkpoint {} at step {}", run_.source->record.id, run_.state.now.step);
    const ResumeDecision& decision = *run_.resume;
    const std::string changes =
        decision.effectiveFields.empty() ? "--stretch" : std::string(joined(decision.effectiveFields, ", "));
    const auto closely = [&from](const std::string& differences) {
      return formatText("{}: same samples and masks, numbers that may differ in the last bits ({})", from, differences);
    };
    switch (decision.effect) {
      case ChangeEffect::Samples:
        return formatText("{}: from there on, the samples of the steps differ, and with them the numbers ({})", from,
                          changes);
      case ChangeEffect::Masks:
        return formatText("{}: same samples; from there on, masks and numbers differ ({})", from, changes);
      case ChangeEffect::Numbers:
        return formatText("{}: same samples and masks; from there on, rates or numbers may differ ({})", from, changes);
      case ChangeEffect::Rounding: return closely(differs.empty() ? changes : differs);
      case ChangeEffect::None: break;
    }
    return differs.empty() ? formatText("{}, bit for bit", from) : closely(differs);
  }

  // Loads only the weights, for a fork with another configuration.
  void loadWeightsOnly() {
    for (Replica& replica : run_.replicas) {
      const std::vector<std::string> fresh = loadMatchingWeights(replica, run_.source->state);
      const std::size_t all = replica.model.stateTensors().size();
      if (&replica == &run_.replicas.front() && !fresh.empty())
        run_.notes.push_back(formatText("{} of {} tensors are loaded; {} newly initialized", all - fresh.size(), all,
                                        fresh.size() > 1
                                            ? formatText("{} and {} more are", fresh.front(), fresh.size() - 1)
                                            : fresh.front() + " is"));
    }
    const std::string changes = joined(run_.resume->forkChanges);
    run_.notes.push_back(
        formatText("starts from the weights of checkpoint {}; clocks and optimizer moments start at zero{}",
                   run_.source->record.id, changes.empty() ? "" : " (" + changes + ")"));
    run_.source->state.tensors.clear();
  }

  // Fails if nothing is left to train, except for a resume with an unchanged max_duration, which simply finishes.
  Result<void> checkNotFinished() const {
    const Time& wanted = config().maxDuration;
    const bool asBefore = wanted == run_.source->facts.config.maxDuration && run_.is(ResumeDecision::Kind::Continue);
    if (asBefore || !run_.finished()) return {};
    const Time done = Time::of(clockValue(run_.state.now, wanted.unit()), wanted.unit());
    const std::string batches = std::to_string(run_.state.now.batch) + "ba";
    return Error::config(
        "max_duration",
        formatText("run {} has trained {}{} at checkpoint {}, so nothing is left to train up to {}; give a longer "
                   "max_duration, or fork from an earlier checkpoint",
                   run_.source->run.summary.name, done.text(), done.text() == batches ? "" : " (" + batches + ")",
                   run_.source->record.id, wanted.text()));
  }

  const TrainConfig& config() const { return run_.config.config; }

  const LaunchRequest& request_;
  EventSink& events_;
  CommandMailbox& commands_;
  const Clock& clock_;
  RankGroup* const rankGroup_;  // null: single process
  PreparedRun run_;
  std::filesystem::path cacheFolder_;
  std::vector<std::string> dataIdentities_;  // of the training data of the run, then of each stage; once it is read
  std::vector<DeviceShape> shapes_;          // of the stages: kept ones, or none until chooseMicrobatches()
};

}  // namespace

Result<Plan> planOf(const RunPlan& runPlan, const LoopState& state) {
  const auto index = static_cast<std::size_t>(state.stage);
  if (state.stage < 0 || index >= runPlan.plans().size())
    return Error::corrupt(
        formatText("the checkpoint is of stage {}, but the run has {}", state.stage + 1, runPlan.plans().size()));
  Plan plan = runPlan.plans()[index].startingAt(state.stageStart);
  const bool smaller = state.microbatchUnits > 0 && state.microbatchUnits != plan.microbatchUnits();
  return smaller ? plan.withMicrobatch(state.microbatchUnits) : plan;
}

LoopState stateOfNextStage(const RunPlan& runPlan, LoopState state) {
  const auto next = static_cast<std::size_t>(++state.stage);
  const Plan& plan = runPlan.plans()[next];
  state.now = stageStart(runPlan.stages()[next], state.now);
  state.batchStart = state.now;
  state.stageStart = state.now;
  state.growth = plan.initialGrowth();
  state.microbatchUnits = plan.microbatchUnits();
  state.passesPerPack = 1;
  // Losses of other lengths, masks or texts are no measure.
  state.guards.lossSpike = {};
  state.guards.plateau = {};
  startStage(state.guards.lossCourse);
  return state;
}

void enterStage(const RunStage& stage, const ResolvedValues& resolved, ModelShape& shape,
                std::vector<Replica>& replicas) {
  for (Replica& replica : replicas) replica.optimizer.setWeightDecay(stage.config.optimizer);
  const ResolvedValues values = valuesOfStage(resolved, stage.field);
  const auto global = numberNamed(values, kRopeTheta), local = numberNamed(values, kLocalRopeTheta);
  if (stage.field.empty() || !global || !local) return;
  shape.ropeTheta = *global;
  shape.localRopeTheta = *local;
  for (Replica& replica : replicas) replica.model.setRopeThetas(shape.ropeTheta, shape.localRopeTheta);
}

Result<PreparedRun> prepareRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                               const Clock& clock, const std::function<void(const TrainConfig&)>& configKnown,
                               RankGroup* rankGroup) {
  return RunPreparation(request, events, commands, clock, rankGroup).prepare(configKnown);
}

}  // namespace batchwise
