// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/config/path_fields.h"
#include "core/config/schema.h"
#include "core/config/sweep.h"
#include "core/plan/schedule/curves.h"
#include "core/plan/schedule/schedule.h"
#include "core/run/launch/fork_stage.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/launch/scaling_plan.h"
#include "core/store/checkpoints/checkpoint_selection.h"

namespace batchwise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFewSteps = 20;
constexpr const char* kExperimentEnd = ": critical batch";

/// What the configuration of a branch is made from.
struct Trained {
  TrainConfig config;
  ResolvedValues resolved;

  explicit Trained(const RunDetail& run)
      : config(parseConfig(run.resolvedYaml, run.summary.name, {}).config), resolved(currentResolvedValues(run)) {}
  double value(const char* name, double otherwise) const { return numberNamed(resolved, name).value_or(otherwise); }
  std::int64_t globalUnits() const {
    return std::llround(value("batch.global_train_batch_size", static_cast<double>(config.batch.globalTrainBatchSize)));
  }
  double samplesPerBatch() const { return value("scheduler.samples_per_batch", static_cast<double>(globalUnits())); }
};

std::int64_t unitsOf(const StudyPlace& place, double factor) {
  return std::llround(static_cast<double>(place.batchUnits) * factor);
}

/// As branchOf() reads it.
std::string variantOf(const Branch& branch) {
  return formatText("x{} at {}tok", formatExact(branch.factor), branch.position);
}

/// Returns the branch that a configuration is of; nothing if it is none.
std::optional<Branch> branchOf(const TrainConfig& config, std::int64_t seedOfRun) {
  const auto words = partsOf(config.variant, ' ');
  if (words.size() != 3 || !words[0].starts_with('x')) return std::nullopt;
  const auto factor = numberFrom<double>(std::string_view(words[0]).substr(1));
  const auto position = Time::parse(words[2]);
  if (!factor || !position.ok() || position->unit() != TimeUnit::Token) return std::nullopt;
  Branch branch{position->count(), *factor, 0};
  for (const StageConfig& stage : config.stages)
    for (const auto& [field, value] : stage.settings)
      if (field == "seed") branch.replicate = static_cast<int>(numberFrom<std::int64_t>(value).value_or(0) - seedOfRun);
  return branch;
}

/// Returns optimizer.lr of a branch: its rate is that of the run times the square root of the factor, whatever
/// lr_scaling does to both.
double rateOf(const Trained& trained, const StudyPlace& place, std::int64_t units) {
  const LrScalingConfig& scaling = trained.config.lrScaling;
  const auto applies = [&](StepSizeCause cause) { return std::ranges::count(scaling.appliesTo, cause) > 0; };
  const auto whole = static_cast<double>(trained.globalUnits());
  const double counted = applies(StepSizeCause::Rampup) ? static_cast<double>(place.batchUnits) : whole;
  const bool counts = trained.config.batch.tokens.enabled() || scaling.by == StepSizeUnit::Tokens;
  const double factor = static_cast<double>(units) / static_cast<double>(place.batchUnits);
  const double rate = trained.config.optimizer.lr * std::sqrt(factor);
  if (scaling.method == LrScalingMethod::None || (counts && !applies(StepSizeCause::Tokens))) return rate;
  // Without a reference, that of a stage is its own batch.
  const double own = scaling.referenceBatchSize ? static_cast<double>(units) : whole;
  return rate * scaledRate(1.0, counted, own, scaling.method, scaling.exponent);
}

/// Returns what lr_scaling makes of optimizer.lr in the steps of the run at a place.
double scaleAt(const Trained& trained, const StudyPlace& place, double tokensPerSample) {
  const LrScalingConfig& scaling = trained.config.lrScaling;
  const auto applies = [&](StepSizeCause cause) { return std::ranges::count(scaling.appliesTo, cause) > 0; };
  const bool byTokens = scaling.by == StepSizeUnit::Tokens;
  if (scaling.method == LrScalingMethod::None || (byTokens && !applies(StepSizeCause::Tokens))) return 1;
  const auto whole = static_cast<double>(trained.globalUnits());
  const double units = applies(StepSizeCause::Rampup) ? static_cast<double>(place.batchUnits) : whole;
  const double reference = scaling.referenceBatchSize ? static_cast<double>(*scaling.referenceBatchSize) : whole;
  return scaledRate(1.0, units * (byTokens ? tokensPerSample : 1.0), reference, scaling.method, scaling.exponent);
}

/// Whether the length of a run or a time of its schedule counts global batches.
bool countsBatches(const TrainConfig& config) {
  return config.maxDuration.unit() == TimeUnit::Batch ||
         std::ranges::any_of(scheduleTimes(config.scheduler), [](const auto& named) {
           const auto time = Time::parse(named.second);
           return time.ok() && time->unit() == TimeUnit::Batch;
         });
}

/// Returns the clocks of the run at a sample, the others by their means.
Timestamp clocksAt(const Trained& trained, const Timestamp& from, std::int64_t sample, double tokensPerSample) {
  Timestamp at = from;
  const auto more = static_cast<double>(sample - from.sample);
  at.sample = sample;
  at.token += std::llround(more * tokensPerSample);
  at.batch += std::llround(more / trained.samplesPerBatch());
  return at;
}

void addEvaluation(const StudyPlace& place, std::int64_t sample, double found, BranchResult& result) {
  const double loss = std::isfinite(found) ? found : kInfinity;
  if (sample >= place.cooledEnd && place.cooledEnd > place.end)
    result.afterCooldown = loss;
  else if (sample >= place.end && !result.atEnd)
    result.atEnd = loss;
  else if (sample >= place.threeQuarters && sample < place.end && !result.atThreeQuarters)
    result.atThreeQuarters = loss;
  else if (sample >= place.half && sample < place.threeQuarters && !result.atHalf)
    result.atHalf = loss;
}

/// Calls `visit` with the evaluations of a run that count.
template <typename Visit>
Result<void> visitEvaluations(const Workspace& workspace, const std::string& run, const Visit& visit) {
  ASSIGN_OR_RETURN(const auto events, workspace.events(run));
  for (const StoredEvent& stored : events)
    if (const auto* found = std::get_if<EvalResult>(&stored.event); found != nullptr && !stored.superseded)
      visit(*found);
  return {};
}

/// Returns the guards of a branch: without those that change which samples it alone learns from.
GuardConfig guardsOfBranch(GuardConfig guard) {
  if (guard.nonFinite >= GuardAction::Skip) guard.nonFinite = GuardAction::Stop;
  for (LimitGuardConfig* limit : {&guard.gradNorm, &guard.updateRatio, &guard.attentionLogit})
    if (limit->action >= GuardAction::Skip) limit->action = GuardAction::Off;
  if (guard.lossSpike.action >= GuardAction::Skip) guard.lossSpike.action = GuardAction::Off;
  return guard;
}

class StudyPlanner {
 public:
  StudyPlanner(std::shared_ptr<Workspace> workspace, const StudyRequest& request) : workspace_(std::move(workspace)) {
    study_.asked = request;
    study_.options = request.options;
  }

  Result<std::int64_t> length(const std::string& run) {
    RETURN_IF_ERROR(begin(run));
    return study_.options.deltaTokens;
  }

  Result<Study> plan(const std::string& run) {
    RETURN_IF_ERROR(begin(run));
    RETURN_IF_ERROR(choosePlaces());
    RETURN_IF_ERROR(readRun());
    for (std::size_t i = 0; i < study_.places.size(); ++i) RETURN_IF_ERROR(checkPlace(study_.places[i], i));
    noteFewSteps();
    noteEpochs();
    noteGuards();
    RETURN_IF_ERROR(readBranches());
    decide();
    return std::move(study_);
  }

 private:
  Result<void> begin(const std::string& run) {
    ASSIGN_OR_RETURN(study_.run, workspace_->findRun(run));
    RETURN_IF_ERROR(checkRun());
    trained_.emplace(study_.run);
    RETURN_IF_ERROR(readCheckpoints());
    return chooseLength();
  }

  const std::string& runName() const { return study_.run.summary.name; }

  Result<void> checkRun() const {
    if (isExternal(study_.run.summary))
      return Error::unsupported(formatText(
          "run {} was recorded by another program and has no checkpoint from which a branch could go on", runName()));
    const TrainConfig config = Trained(study_.run).config;
    if (!study_.run.summary.parent.empty() && config.experiment.ends_with(kExperimentEnd) &&
        branchOf(config, config.seed)) {
      const auto parent = workspace_->findRun(study_.run.summary.parent);
      return Error::config(formatText("run {} cannot be studied: it is a branch of a study; study {}", runName(),
                                      parent.ok() ? "run " + parent->summary.name : "a run that is no branch"));
    }
    if (config.batch.tokens.enabled() && config.batch.rampup.enabled())
      return Error::config(
          formatText("run {} cannot be studied: its ramp is in packs (batch.tokens), and how many a step had at a "
                     "checkpoint is not "
                     "recorded; study a run with a ramp or a token budget alone",
                     runName()));
    const std::string why = whyNoFurtherStage(config);
    return why.empty() ? Result<void>()
                       : Error::config(formatText("run {} cannot be studied: {}, so that no branch could go on with "
                                                  "another batch at the same rate",
                                                  runName(), why));
  }

  Result<void> readCheckpoints() {
    ASSIGN_OR_RETURN(const auto all, workspace_->checkpoints(study_.run.summary.id));
    records_ = resumeOrder(study_.run.segments, all);
    std::erase_if(records_, [](const CheckpointRecord& one) { return one.at.stepInBatch != 0 || one.at.token == 0; });
    std::ranges::sort(records_, {}, [](const CheckpointRecord& one) { return one.at.token; });
    const auto same = [](const CheckpointRecord& a, const CheckpointRecord& b) { return a.at.token == b.at.token; };
    records_.erase(std::unique(records_.begin(), records_.end(), same), records_.end());
    if (records_.empty())
      return Error::config(
          formatText("run {} has no checkpoint between two global batches from which branches could go on; train it "
                     "with checkpoint.interval and checkpoint.keep_every",
                     runName()));
    const Timestamp& last = records_.back().at;
    study_.tokensPerSample = static_cast<double>(last.token) / static_cast<double>(last.sample);
    const auto carried = carriedSchedule(trained_->config, trained_->resolved, last, BatchClock::Kept);
    if (!carried) return Error::config(formatText("run {} cannot be studied: its length is not known", runName()));
    study_.totalTokens = carried->end.number() * (carried->end.unit() == TimeUnit::Sample ? study_.tokensPerSample : 1);
    if (const auto speed = speedOf(study_.run); speed.ok()) study_.tokensPerSec = speed->tokensPerSec;
    return {};
  }

  Result<void> chooseLength() {
    StudyOptions& options = study_.options;
    const double batchTokens = trained_->samplesPerBatch() * study_.tokensPerSample;
    if (options.factors.empty()) return checkStudyOptions(options);
    const double factor = options.factors.back();
    double beta2 = trained_->config.optimizer.betas.back();
    if (const auto& halfLife = trained_->config.optimizer.beta2HalfLife)
      beta2 = std::exp2(-factor * batchTokens / halfLife->number());  // of the largest batch
    if (options.deltaTokens == 0) options.deltaTokens = shortestDelta(factor, batchTokens, beta2);
    return checkStudyOptions(options);
  }

  Result<void> choosePlaces() {
    std::vector<std::int64_t> available;
    for (const CheckpointRecord& record : records_) available.push_back(record.at.token);
    const std::string all = joined(available, "; ", [](std::int64_t tokens) { return formatInteger(tokens); });
    std::set<std::int64_t> chosen;
    for (const std::int64_t wanted : study_.asked.positions) {
      const auto nearest =
          std::ranges::min_element(available, {}, [wanted](std::int64_t tokens) { return std::abs(tokens - wanted); });
      if (std::abs(*nearest - wanted) > wanted / 10)
        return Error::config(formatText("run {} has no checkpoint near {} tokens; there are some at {}", runName(),
                                        formatInteger(wanted), all));
      chosen.insert(*nearest);
    }
    const auto length = static_cast<double>(study_.options.deltaTokens);
    const double whole = length * (1 + (study_.asked.coolsDown.value_or(true) ? study_.options.cooldownShare : 0));
    if (chosen.empty()) {
      const auto total = static_cast<std::int64_t>(study_.totalTokens);
      const auto found = studyPositions(available, total, std::llround(whole));
      chosen.insert(found.begin(), found.end());
    }
    if (chosen.empty() && static_cast<double>(available.front()) + whole > study_.totalTokens)
      return Error::config(
          formatText("no checkpoint of run {} leaves room for a branch of {} before its planned end at {}; there are "
                     "some at {}: take shorter branches (--tokens) or smaller factors (--factors)",
                     runName(), formatCount(length), formatCount(study_.totalTokens), all));
    if (chosen.empty())
      return Error::config(
          formatText("no checkpoint of run {} is near a 64th, 32nd, ... half of its {} tokens and leaves room for a "
                     "branch of {}; there are some at {}: name one (--at), or take shorter branches (--tokens)",
                     runName(), formatCount(study_.totalTokens), formatCount(length), all));
    for (const CheckpointRecord& record : records_)
      if (chosen.contains(record.at.token)) study_.places.push_back({record, trained_->globalUnits()});
    return {};
  }

  /// Reads from the rows and evaluations of the run what its branches depend on.
  Result<void> readRun() {
    const std::string& id = study_.run.summary.id;
    ASSIGN_OR_RETURN(const auto sizes, workspace_->series(id, "step_samples"));
    ASSIGN_OR_RETURN(const auto rates, workspace_->series(id, "lr"));
    std::vector<std::pair<double, double>> evaluations;
    RETURN_IF_ERROR(visitEvaluations(*workspace_, id, [&](const EvalResult& found) {
      evaluations.emplace_back(static_cast<double>(found.at.token), found.loss);
      if (found.drawError) drawError_ = found.drawError;
    }));
    const auto valueAt = [](const std::vector<SeriesPoint>& points, std::int64_t batch) {
      const auto after = std::ranges::upper_bound(points, batch, {}, &SeriesPoint::batch);
      return after == points.begin() ? std::nullopt : std::optional(std::prev(after)->value);
    };
    double peak = 0;
    for (const SeriesPoint& point : rates) peak = std::max(peak, point.value);
    for (StudyPlace& place : study_.places) {
      const Timestamp& at = place.checkpoint.at;
      const bool packs = trained_->config.batch.tokens.enabled();
      const bool cut = at.unitInEpoch == 0;  // the last step of an epoch is smaller
      if (const auto size = valueAt(sizes, at.batch - (cut ? 1 : 0)); size && !packs)
        place.batchUnits = std::llround(*size);
      StudyCheckpoint& checkpoint = study_.checkpoints.emplace_back();
      checkpoint.position = at.token;
      checkpoint.batchSamples = packs ? trained_->samplesPerBatch() : static_cast<double>(place.batchUnits);
      checkpoint.batchUnits = place.batchUnits;
      checkpoint.slope = lossSlope(evaluations, static_cast<double>(at.token));
      if (!checkpoint.slope && study_.options.toleranceUnit == ToleranceUnit::Tokens)
        warn(
            formatText("a tolerance in tokens needs at least three evaluations of the run between half and twice the "
                       "tokens of a checkpoint, with a falling loss; at {} there are none, so {} nats are taken there",
                       formatInteger(at.token), formatValue(study_.options.toleranceNats)));
      const bool byDefault = coolsDownByDefault(valueAt(rates, at.batch).value_or(peak), peak);
      checkpoint.hasCooldown = study_.asked.coolsDown.value_or(byDefault) && study_.options.cooldownShare > 0;
      measure(checkpoint, place);
    }
    return {};
  }

  /// Sets where branches are evaluated: after whole steps, of the largest factor too if that changes little.
  void measure(const StudyCheckpoint& checkpoint, StudyPlace& place) const {
    const double batch = checkpoint.batchSamples;
    const double delta = static_cast<double>(study_.options.deltaTokens) / study_.tokensPerSample;
    const double largest = batch * std::max(1.0, study_.options.factors.back());
    const double grain = delta >= 10 * largest ? largest : batch;
    const auto samples = [&](double share) {
      return place.checkpoint.at.sample + std::llround(std::max(1.0, std::round(delta * share / grain)) * grain);
    };
    place.end = samples(1);
    const auto length = static_cast<double>(place.end - place.checkpoint.at.sample);
    place.half = place.end - std::llround(std::round(length / 2 / batch) * batch);
    place.threeQuarters = place.end - std::llround(std::round(length / 4 / batch) * batch);
    place.cooledEnd = place.end;
    if (checkpoint.hasCooldown)
      place.cooledEnd += std::llround(std::max(1.0, std::round(length * study_.options.cooldownShare / batch)) * batch);
  }

  Result<void> checkPlace(const StudyPlace& place, std::size_t index) {
    const std::vector<double>& factors = study_.options.factors;
    const Timestamp& at = place.checkpoint.at;
    const std::string units = trained_->config.batch.tokens.enabled() ? "pack" : "sample";
    if (static_cast<double>(place.batchUnits) * factors.front() < 1)
      return Error::config(formatText("{} times the batch of {} is less than one {}; use larger factors (--factors)",
                                      formatValue(factors.front()), countText(place.batchUnits, units), units));
    const auto same = std::ranges::adjacent_find(factors, {}, [&](double factor) { return unitsOf(place, factor); });
    if (same != factors.end())
      return Error::config(
          formatText("{} and {} times the batch of {} are the same, as a step has whole {}s; use "
                     "factors further apart (--factors)",
                     formatValue(*same), formatValue(same[1]), countText(place.batchUnits, units), units));
    const auto tokens =
        static_cast<double>(at.token) + static_cast<double>(place.cooledEnd - at.sample) * study_.tokensPerSample;
    if (tokens > study_.totalTokens * 1.001)
      return Error::config(formatText(
          "branches of {} tokens from the checkpoint at {} would end at {}, after the planned end of run {} at "
          "{}; take an earlier checkpoint (--at) or shorter branches (--tokens)",
          formatCount(static_cast<double>(study_.options.deltaTokens)), formatInteger(at.token), formatCount(tokens),
          runName(), formatCount(study_.totalTokens)));
    const double perStep = study_.checkpoints[index].batchSamples * factors.back();
    const double steps = static_cast<double>(place.end - at.sample) / perStep;
    if (steps < 1)
      return Error::config(
          formatText("a branch of {} tokens is shorter than one step of {} times the batch; take "
                     "longer branches (--tokens) or smaller factors (--factors)",
                     formatInteger(study_.options.deltaTokens), formatValue(factors.back())));
    if (steps < kFewSteps)
      fewSteps_.push_back(
          formatText("{} from {} tokens on", formatInteger(std::llround(steps)), formatInteger(at.token)));
    if (carriedSchedule(trained_->config, trained_->resolved, at, BatchClock::Rewritten)) return {};
    return Error::config(
        formatText("run {} cannot be studied: with another batch its schedule cannot go on at the same rate; a "
                   "scheduler.expression of ba must be written in tok or frac",
                   runName()));
  }

  void noteFewSteps() {
    if (!fewSteps_.empty())
      warn(
          formatText("{} times the batch is trained for few steps only ({}), so that the moments of the optimizer "
                     "hardly follow it; {} or more are better (--tokens)",
                     formatValue(study_.options.factors.back()), joined(fewSteps_, ", "), kFewSteps));
  }

  void noteEpochs() {
    const double perEpoch = trained_->value("data.samples_per_epoch", kInfinity);
    const bool again = std::ranges::any_of(study_.places, [perEpoch](const StudyPlace& place) {
      const Timestamp& at = place.checkpoint.at;
      return at.epoch > 0 || static_cast<double>(at.sampleInEpoch + place.cooledEnd - at.sample) > perEpoch;
    });
    if (again)
      warn(
          "branches read text that was trained on before: every source on critical batches has one pass over the data, "
          "so that the result is outside of all of them");
  }

  bool keepsGuards() const { return guardsOfBranch(trained_->config.guard) == trained_->config.guard; }

  void noteGuards() {
    if (!keepsGuards())
      warn(
          "guards of the run that skip steps or roll back would change the samples of one branch alone: branches stop "
          "at a gradient that is not finite, and the others of these guards are off in them");
  }

  void warn(std::string text) {
    if (std::ranges::count(study_.warnings, text) == 0) study_.warnings.push_back(std::move(text));
  }

  Result<void> readBranches() {
    study_.name = runName() + kExperimentEnd;
    std::set<std::string> ids;
    ASSIGN_OR_RETURN(const auto runs, workspace_->listRuns(/*withArchived=*/true));
    for (const RunSummary& run : runs)
      if (run.parent == study_.run.summary.id) ids.insert(run.id);
    ASSIGN_OR_RETURN(const auto queue, RunQueue(workspace_).read());
    for (const QueueEntry& entry : queue.entries)
      if (entry.experiment.ends_with(kExperimentEnd)) ids.insert(entry.id);
    for (const std::string& id : ids) RETURN_IF_ERROR(readBranch(id));
    for (std::size_t i = 0; i < study_.places.size(); ++i) RETURN_IF_ERROR(readRunItself(i));
    return {};
  }

  Result<void> readBranch(const std::string& id) {
    ASSIGN_OR_RETURN(const auto run, workspace_->findRun(id));
    const TrainConfig config = parseConfig(run.configYaml, run.summary.name, {}).config;
    const auto branch = branchOf(config, trained_->config.seed);
    // By the parent and not by its name, which may have changed since.
    if (run.summary.parent != study_.run.summary.id || !config.experiment.ends_with(kExperimentEnd) || !branch)
      return {};
    const StudyPlace* const place = study_.placeOf(branch->position);
    if (place == nullptr) return {};
    // One of other options, as of another length, is not of this study.
    const TrainConfig expected = branchConfig(study_, *branch).config;
    if (expected.stages != config.stages || expected.maxDuration != config.maxDuration ||
        expected.eval != config.eval || study_.find(*branch) != nullptr)
      return {};
    StudyBranch found{{*branch, {}, {}, {}, {}}, id, run.summary.name, run.summary.status};
    if (!run.segments.empty() && run.segments.back().from.sample < place->checkpoint.at.sample)
      return Error::config(
          formatText("run {} is a branch that did not go on from its checkpoint, as the data or the model of run {} "
                     "have changed since; delete it, and study the run with the data that it was trained on",
                     found.name, runName()));
    RETURN_IF_ERROR(visitEvaluations(*workspace_, id, [&](const EvalResult& evaluation) {
      addEvaluation(*place, evaluation.at.sample, evaluation.loss, found.result);
    }));
    if (hasDiverged(run.summary.cause)) {
      found.result.atEnd = kInfinity;
      if (place->cooledEnd > place->end) found.result.afterCooldown = kInfinity;
    }
    ASSIGN_OR_RETURN(const auto checkpoints, workspace_->checkpoints(id));
    found.hasCheckpoint = !resumeOrder(run.segments, checkpoints).empty();
    study_.branches.push_back(std::move(found));
    return {};
  }

  /// The run is the branch of factor 1 where it was evaluated at its end.
  Result<void> readRunItself(std::size_t index) {
    const StudyPlace& place = study_.places[index];
    const Branch itself{place.checkpoint.at.token, 1, 0};
    const bool same =
        place.batchUnits == trained_->globalUnits() && !study_.checkpoints[index].hasCooldown && keepsGuards();
    if (!same || study_.find(itself) != nullptr) return {};
    StudyBranch found{{itself, {}, {}, {}, {}}, study_.run.summary.id, runName(), RunStatus::Finished};
    found.isRunItself = true;
    RETURN_IF_ERROR(visitEvaluations(*workspace_, found.run, [&](const EvalResult& evaluation) {
      const std::int64_t sample = evaluation.at.sample;
      if (sample == place.half || sample == place.threeQuarters || sample == place.end)
        addEvaluation(place, sample, evaluation.loss, found.result);
    }));
    if (!found.result.atEnd) return {};
    ++parentRows_;
    study_.branches.push_back(std::move(found));
    return {};
  }

  void decide() {
    const std::vector<BranchResult> results = study_.results();
    for (const StudyCheckpoint& checkpoint : study_.checkpoints)
      study_.decisions.push_back(decideCheckpoint(study_.options, checkpoint, results));
    study_.next = nextBranches(study_.options, study_.checkpoints, results);
    std::erase_if(study_.next, [this](const Branch& branch) {
      const StudyBranch* there = study_.find(branch);
      return there != nullptr && there->isTraining();
    });
    study_.cost = studyCost(study_.options, study_.checkpoints, parentRows_, study_.tokensPerSec);
    findNoise();
    fit();
  }

  /// Pools the differences between branches; before there are any, takes the noise of the evaluations alone.
  void findNoise() {
    double squares = 0;
    int degrees = 0;
    for (const CheckpointDecision& decision : study_.decisions)
      for (const FactorDecision& factor : decision.deciding().factors)
        if (factor.deviation && factor.count > 1) {
          squares += (factor.count - 1) * *factor.deviation * *factor.deviation;
          degrees += factor.count - 1;
        }
    if (degrees > 0) {
      study_.deviation = std::sqrt(squares / degrees);
      study_.deviationSource = "differences between its branches";
    } else if (drawError_) {
      study_.deviation = std::sqrt(2.0) * *drawError_;
      study_.deviationSource = "eval.draw_error of the run: of the masks alone, seeds add to it";
    }
    if (study_.deviation) study_.resolvable = resolvableDifference(study_.options.replicates, *study_.deviation);
  }

  void fit() {
    auto law = fitLaw(lawPoints(study_.decisions));
    if (!law.ok()) {
      study_.whyNoLaw = study_.whyNoRamp = law.error().message;
      return;
    }
    study_.law = *std::move(law);
    if (trained_->config.batch.tokens.enabled()) {
      study_.whyNoRamp = "the sizes of the run are packs (batch.tokens), and the law counts samples";
      return;
    }
    const double first = study_.checkpoints.front().batchSamples;
    study_.ramp =
        rampOfLaw(*study_.law, std::max<std::int64_t>(1, std::llround(first * study_.options.factors.front())),
                  std::llround(first * study_.options.factors.back()), static_cast<std::int64_t>(study_.totalTokens),
                  study_.tokensPerSample);
    study_.ramp->constantSteps = study_.totalTokens / (first * study_.tokensPerSample);  // of the run, as it was
    study_.ramp->lrScaling.referenceBatchSize = std::llround(first);                     // its rate is that of factor 1
    if (study_.ramp->stages.size() > 1) return;
    study_.whyNoRamp = "the lower edge of the law never reaches twice the smallest batch";
    study_.ramp.reset();
  }

  std::shared_ptr<Workspace> workspace_;
  std::optional<Trained> trained_;
  std::vector<CheckpointRecord> records_;
  std::optional<double> drawError_;
  std::vector<std::string> fewSteps_;  ///< of the largest factor, by checkpoint
  int parentRows_ = 0;
  Study study_;
};

std::string studySetting(const std::string& run) {
  return "study.critical_batch." + run;
}

/// Returns the stages of a branch after those that the run had up to the checkpoint.
std::vector<StageConfig> stagesOf(const StudyPlace& place, StageConfig own, const StageConfig& cooldown) {
  std::vector<StageConfig> stages;
  const auto at = [](std::int64_t sample) { return Time::of(sample, TimeUnit::Sample); };
  if (!own.settings.empty()) stages.push_back({at(place.checkpoint.at.sample), {}});
  own.until = at(place.end);
  stages.push_back(own);
  if (place.cooledEnd > place.end) {
    for (const auto& setting : cooldown.settings) own.settings.push_back(setting);
    own.until = at(place.cooledEnd);
    stages.push_back(std::move(own));
  }
  return stages.size() == 1 ? std::vector<StageConfig>() : stages;
}

/// Returns the configuration of the run, wherever it is read.
TrainConfig configOfRun(const Study& study) {
  TrainConfig config = parseConfig(study.run.configYaml, study.run.summary.name, {}).config;
  std::vector<SweepAxis> axes;
  const ResolvedValues resolved = currentResolvedValues(study.run);
  if (const auto folder = resolved.find(resolved_names::kBaseFolder); folder != resolved.end())
    makePathsAbsolute(config, axes, folder->second);
  return config;
}

}  // namespace

std::vector<BranchResult> Study::results() const {
  std::vector<BranchResult> all;
  for (const StudyBranch& branch : branches) all.push_back(branch.result);
  return all;
}

const StudyPlace* Study::placeOf(std::int64_t position) const {
  const auto found =
      std::ranges::find(places, position, [](const StudyPlace& place) { return place.checkpoint.at.token; });
  return found == places.end() ? nullptr : &*found;
}

const StudyBranch* Study::find(const Branch& branch) const {
  const auto found =
      std::ranges::find_if(branches, [&](const StudyBranch& one) { return isSameBranch(one.result.branch, branch); });
  return found == branches.end() ? nullptr : &*found;
}

bool hasDiverged(FailureCause cause) {
  return cause == FailureCause::NonFinite || cause == FailureCause::LossSpike;
}

Result<Study> planStudy(const std::shared_ptr<Workspace>& workspace, const std::string& run,
                        const StudyRequest& request) {
  return StudyPlanner(workspace, request).plan(run);
}

Result<std::int64_t> lengthOfBranches(const std::shared_ptr<Workspace>& workspace, const std::string& run,
                                      const StudyRequest& request) {
  return StudyPlanner(workspace, request).length(run);
}

StudyCost costLeft(const Study& study) {
  StudyCost left;
  for (const CheckpointDecision& decision : study.decisions) {
    const StudyColumn& column = decision.deciding();
    if (column.isDecided) continue;
    const bool cools = decision.checkpoint.hasCooldown;
    const bool isUndivided = column.factors.size() == study.options.factors.size();
    std::int64_t branches = isUndivided && mayDivide(study.options.factors) ? study.options.replicates : 0;
    for (const FactorDecision& row : column.factors) {
      const bool isDecided = row.state == FactorState::Passed || row.state == FactorState::Failed;
      if (isDecided || (column.high && row.factor > *column.high)) continue;
      branches += study.options.replicates - std::ranges::count_if(study.branches, [&](const StudyBranch& there) {
                    const auto& [branch, half, threeQuarters, end, cooled] = there.result;
                    return isSameBranch(branch, {decision.checkpoint.position, row.factor, branch.replicate}) &&
                           branch.replicate < study.options.replicates && (cools ? cooled : end);
                  });
    }
    left.branches += branches;
    left.tokens +=
        static_cast<double>(branches * study.options.deltaTokens) * (cools ? 1 + study.options.cooldownShare : 1.0);
  }
  if (study.tokensPerSec && *study.tokensPerSec > 0) left.hours = left.tokens / *study.tokensPerSec / 3600;
  return left;
}

LoadedConfig branchConfig(const Study& study, const Branch& branch) {
  const Trained trained(study.run);
  const StudyPlace& place = *study.placeOf(branch.position);
  const std::int64_t units = unitsOf(place, branch.factor), whole = trained.globalUnits();
  const bool resizes = units != whole || place.batchUnits != whole;  // in a ramp each branch leaves it
  const auto clock = resizes ? BatchClock::Rewritten : BatchClock::Kept;
  StageConfig own{Time::duration(1.0), {}}, cooldown = own;
  if (resizes) {
    own.settings.emplace_back("batch.global_train_batch_size", std::to_string(units));
    own.settings.emplace_back("optimizer.lr", formatExact(rateOf(trained, place, units)));
    if (trained.config.batch.useMaximumBatchSize) own.settings.emplace_back("batch.use_maximum_batch_size", "false");
  }
  if (branch.replicate > 0) own.settings.emplace_back("seed", std::to_string(trained.config.seed + branch.replicate));
  TrainConfig config = trained.config;
  const auto carried = carriedSchedule(trained.config, trained.resolved, place.checkpoint.at, clock);
  if (carried && place.cooledEnd > place.end) {
    const auto schedule = Schedule::make(carried->scheduler, {trained.config.optimizer.lr, trained.samplesPerBatch(),
                                                              trained.value("scheduler.tokens_per_batch", 1.0)});
    const Timestamp end = clocksAt(trained, place.checkpoint.at, place.end, study.tokensPerSample);
    const double factor = schedule.ok() ? schedule->factor(end) : 1.0;
    cooldown.settings = {
        {"scheduler.name", "linear"}, {"scheduler.alpha_i", formatExact(factor)}, {"scheduler.alpha_f", "0"}};
  }
  config.maxDuration = Time::of(place.cooledEnd, TimeUnit::Sample);
  config.stages = stagesOf(place, std::move(own), cooldown);
  if (carried && !config.stages.empty()) {
    config.scheduler = carried->scheduler;
    config.batch.rampup = carried->rampup;
  }
  // The same passes through the model for every factor, and no search for them.
  if (const auto micro = numberNamed<std::int64_t>(trained.resolved, resolved_names::kMicrobatch))
    config.batch.deviceTrainMicrobatchSize = *micro;
  config.eval.interval = {Time::of(place.half, TimeUnit::Sample), Time::of(place.threeQuarters, TimeUnit::Sample)};
  config.checkpoint.keepLast = 0;
  config.checkpoint.keepBest = 0;
  config.checkpoint.keepEvery.reset();
  config.guard = guardsOfBranch(config.guard);
  config.guard.earlyStop.action = config.guard.plateau.action = GuardAction::Off;
  config.tasks.clear();
  config.log.tensorboard.clear();
  config.experiment = study.run.summary.name + kExperimentEnd;
  config.variant = variantOf(branch);
  config.name = formatText("{} x{} at {}, replicate {}", study.run.summary.name, formatValue(branch.factor),
                           formatCount(static_cast<double>(branch.position)), branch.replicate + 1);
  config.launch.stopAt.reset();
  config.launch.tags = {"critical batch"};
  config.launch.why = formatText("study of the critical batch of run {}: {} times its batch from {} tokens on",
                                 study.run.summary.name, formatValue(branch.factor), formatInteger(branch.position));
  const auto folder = trained.resolved.find(resolved_names::kBaseFolder);
  LoadedConfig loaded = parseConfig(configToYaml(config, YamlScope::Everything), config.name,
                                    folder == trained.resolved.end() ? "" : folder->second);
  for (const ConfigDifference& difference : compareConfigs(trained.config, config))
    loaded.assigned.insert(difference.field);
  return loaded;
}

Result<LaunchRequest> studyBranch(const Workspace& workspace, const Study& study, const Branch& branch) {
  const StudyBranch* there = study.find(branch);
  if (there != nullptr && there->isTraining())
    return Error{ErrorCode::Busy, formatText("run {} is training in another program", there->name), {}};
  LaunchRequest request;
  request.workspace = workspace.folder();
  if (there != nullptr && there->hasCheckpoint) {
    ASSIGN_OR_RETURN(const auto run, workspace.findRun(there->run));
    request.resumeRun = there->run;
    request.config = parseConfig(run.configYaml, runContextText(there->name), {});
    return request;
  }
  request.config = branchConfig(study, branch);
  request.resumeRun = study.run.summary.id;
  request.resumeCheckpoint = study.placeOf(branch.position)->checkpoint.id;
  request.fork = true;
  if (there != nullptr) request.runId = there->run;
  return request;
}

Result<std::int64_t> queueBranches(const std::shared_ptr<Workspace>& workspace, const Study& study, EndedEarly ended) {
  RunQueue queue(workspace);
  std::int64_t added = 0;
  for (const Branch& branch : study.next) {
    const StudyBranch* there = study.find(branch);
    if (there != nullptr && (ended == EndedEarly::Left || !there->endedEarly())) continue;
    const LoadedConfig config = branchConfig(study, branch);
    const ForkOrigin origin{study.run.summary.id, study.placeOf(branch.position)->checkpoint.id};
    if (there != nullptr)
      RETURN_IF_ERROR(queue.requeue({{there->run, config.yaml}}));
    else
      RETURN_IF_ERROR(queue.add({config}, origin));
    ++added;
  }
  return added;
}

bool isStillNeeded(const Study& study, const Branch& branch, const EvalResult& result) {
  std::vector<BranchResult> results = study.results();
  auto own = std::ranges::find_if(results, [&](const BranchResult& one) { return isSameBranch(one.branch, branch); });
  if (own == results.end()) own = results.insert(own, BranchResult{branch, {}, {}, {}, {}});
  const StudyPlace& place = *study.placeOf(branch.position);
  if (result.at.sample >= place.cooledEnd) return true;  // it has ended
  addEvaluation(place, result.at.sample, result.loss, *own);
  return std::ranges::any_of(nextBranches(study.options, study.checkpoints, results),
                             [&](const Branch& next) { return isSameBranch(next, branch); });
}

std::vector<std::string> unneededRuns(const Study& study) {
  const auto needed = nextBranches(study.options, study.checkpoints, study.results());
  std::vector<std::string> runs;
  for (const StudyBranch& there : study.branches) {
    const bool isOpen = there.status != RunStatus::Finished && there.status != RunStatus::Failed;
    const auto isIt = [&](const Branch& next) { return isSameBranch(next, there.result.branch); };
    if (isOpen && !there.isRunItself && std::ranges::none_of(needed, isIt)) runs.push_back(there.run);
  }
  return runs;
}

Result<void> deleteBranchCheckpoints(Workspace& workspace, const Study& study) {
  for (const StudyBranch& branch : study.branches) {
    const bool needed =
        std::ranges::any_of(study.next, [&](const Branch& next) { return isSameBranch(next, branch.result.branch); });
    if (branch.isRunItself || branch.isTraining() || needed || !branch.hasCheckpoint) continue;
    ASSIGN_OR_RETURN(const auto checkpoints, workspace.checkpoints(branch.run));
    for (const CheckpointRecord& checkpoint : checkpoints)
      if (!checkpoint.pinned) RETURN_IF_ERROR(workspace.deleteCheckpoint(checkpoint.id));
  }
  return {};
}

LoadedConfig withStudyRamp(const Study& study) {
  const Trained trained(study.run);
  TrainConfig config = configOfRun(study);
  config.name = study.run.summary.name + "-ramp";
  config.batch.rampup = {};
  config.batch.rampup.stages = study.ramp->stages;
  config.batch.globalTrainBatchSize = study.ramp->stages.back().globalTrainBatchSize;
  config.batch.useMaximumBatchSize = false;
  config.lrScaling = study.ramp->lrScaling;
  config.launch.stopAt.reset();
  const StudyPlace& place = study.places.front();
  config.optimizer.lr *= scaleAt(trained, place, study.tokensPerSample);
  // Global batches have another size now.
  if (const auto carried =
          carriedSchedule(trained.config, trained.resolved, place.checkpoint.at, BatchClock::Rewritten);
      carried && countsBatches(config)) {
    config.scheduler = carried->scheduler;
    config.maxDuration = carried->end;
  }
  return parseConfig(configToYaml(config, YamlScope::ChangedOnly), config.name, {});
}

std::string studyRampYaml(const Study& study) {
  std::string yaml;
  for (const ConfigDifference& change : compareConfigs(configOfRun(study), withStudyRamp(study).config))
    yaml += parseConfig("", "ramp", {}, {change.field + "=" + change.right}).yaml.substr(4);  // after "---" and a break
  return yaml;
}

namespace {

nlohmann::json toJson(const StudyRequest& request) {
  const StudyOptions& options = request.options;
  return {{"positions", request.positions},
          {"factors", options.factors},
          {"replicates", options.replicates},
          {"tokens", options.deltaTokens},
          {"by_tokens", options.toleranceUnit == ToleranceUnit::Tokens},
          {"nats", options.toleranceNats},
          {"share", options.toleranceTokens},
          {"cooldown", options.cooldownShare},
          {"cools_down", request.coolsDown ? nlohmann::json(*request.coolsDown) : nlohmann::json()}};
}

Result<StudyRequest> requestFromJson(const nlohmann::json& json) try {
  StudyRequest request;
  StudyOptions& options = request.options;
  json.at("positions").get_to(request.positions);
  json.at("factors").get_to(options.factors);
  json.at("replicates").get_to(options.replicates);
  json.at("tokens").get_to(options.deltaTokens);
  options.toleranceUnit = json.at("by_tokens").get<bool>() ? ToleranceUnit::Tokens : ToleranceUnit::Nats;
  json.at("nats").get_to(options.toleranceNats);
  json.at("share").get_to(options.toleranceTokens);
  json.at("cooldown").get_to(options.cooldownShare);
  if (!json.at("cools_down").is_null()) request.coolsDown = json.at("cools_down").get<bool>();
  return request;
} catch (const nlohmann::json::exception&) {
  return Error::corrupt("the stored study cannot be read; plan it again");
}

}  // namespace

Result<std::optional<Study>> readStudy(const std::shared_ptr<Workspace>& workspace, const std::string& run) {
  ASSIGN_OR_RETURN(const auto detail, workspace->findRun(run));
  ASSIGN_OR_RETURN(const auto text, workspace->setting(studySetting(detail.summary.id)));
  if (!text) return std::optional<Study>();
  ASSIGN_OR_RETURN(const auto request, requestFromJson(parseJsonOrDiscarded(*text)));
  ASSIGN_OR_RETURN(auto study, planStudy(workspace, detail.summary.id, request));
  return std::optional(std::move(study));
}

bool isStillNeeded(const std::shared_ptr<Workspace>& workspace, const std::string& run, const EvalResult& result) {
  const auto detail = workspace->findRun(run);
  if (!detail.ok() || detail->summary.parent.empty()) return true;
  const auto study = readStudy(workspace, detail->summary.parent);
  if (!study.ok() || !*study) return true;
  const auto& branches = (*study)->branches;
  const auto found = std::ranges::find(branches, run, &StudyBranch::run);
  return found == branches.end() || found->isRunItself || isStillNeeded(**study, found->result.branch, result);
}

Result<void> rememberStudy(Workspace& workspace, const Study& study) {
  StudyRequest request{{}, study.options, study.asked.coolsDown};  // as it was chosen, whatever the run does later
  for (const StudyCheckpoint& checkpoint : study.checkpoints) request.positions.push_back(checkpoint.position);
  return workspace.saveSetting(studySetting(study.run.summary.id), toJson(request).dump());
}

}  // namespace batchwise
