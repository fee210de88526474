// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "app/cli/slurm_options.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/run/launch/study.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/journal/journal.h"

namespace batchwise::cli {
namespace {

struct StudyArguments {
  std::string run;
  StudyRequest request;
  std::optional<double> toleranceTokens;
  std::string coolDown;
  bool plan = false;
  std::filesystem::path apply;
  Replaces replaces{};
  SlurmArguments slurm;
};

/// Stops a branch once it is not needed any more.
class BranchObserver final : public RunObserver {
 public:
  BranchObserver(const Study& study, const Branch& branch)
      : RunObserver({"stopping after this step, with a checkpoint; the same command goes on from there",
                     "stopping after this step, without a checkpoint"}),
        study_(study),
        branch_(branch) {}

  bool hasStrayed() const { return hasStrayed_; }

  void observe(const RunEvent& event, RunController& controller) override {
    const auto* started = std::get_if<RunStarted>(&event);
    const auto* found = std::get_if<EvalResult>(&event);
    const std::int64_t from = study_.placeOf(branch_.position)->checkpoint.at.sample;
    hasStrayed_ = hasStrayed_ || (started != nullptr && started->from.sample < from);
    if (hasStrayed_) controller.command(RunCommand::Abort);
    if (found != nullptr && !isStillNeeded(study_, branch_, *found)) controller.command(RunCommand::StopUnneeded);
  }

 private:
  const Study& study_;
  const Branch branch_;
  std::atomic<bool> hasStrayed_ = false;
};

/// Trains a branch to its end, or until it is not needed. Returns whether the user stopped it.
Result<bool> trainBranch(const Workspace& workspace, const Study& study, const Branch& branch, const Globals& globals) {
  ASSIGN_OR_RETURN(auto request, studyBranch(workspace, study, branch));
  BranchObserver observer(study, branch);
  ASSIGN_OR_RETURN(const auto finished, trainToEnd(std::move(request), globals, &observer));
  if (observer.hasStrayed())
    return Error::config(
        formatText("the branch could not go on from the checkpoint: the data or the model of run {} have changed since",
                   study.run.summary.name));
  const bool isUnneeded = finished.cause == FailureCause::Unneeded;
  if (finished.status == RunStatus::Finished || isUnneeded || hasDiverged(finished.cause)) return false;
  if (finished.status == RunStatus::Stopped) return true;
  return Error::config(
      formatText("a branch has failed: {}; the same command goes on once that is mended", finished.reason));
}

std::string nameOf(const Branch& branch) {
  return formatText("{} times the batch from {} tokens on, replicate {}", formatValue(branch.factor),
                    formatInteger(branch.position), branch.replicate + 1);
}

Error withoutLoss(const Branch& branch) {
  return Error::config(formatText(
      "a branch has ended without a loss that could be compared ({}); it needs evaluation data", nameOf(branch)));
}

/// Trains branch after branch until all is decided. Returns nothing if the user stopped it.
Result<std::optional<Study>> trainBranches(Study study, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  RETURN_IF_ERROR(rememberStudy(*workspace, study));
  std::optional<Branch> last;
  for (;;) {
    RETURN_IF_ERROR(syncJournals(*workspace));  // a branch that began on a cluster keeps its journal here
    ASSIGN_OR_RETURN(auto read, readStudy(workspace, study.run.summary.id));
    study = std::move(*read);
    RETURN_IF_ERROR(deleteBranchCheckpoints(*workspace, study));
    if (study.next.empty()) return std::optional(std::move(study));
    const Branch branch = study.next.front();
    if (last && isSameBranch(*last, branch)) return withoutLoss(branch);
    if (const StudyBranch* there = study.find(branch)) {
      ASSIGN_OR_RETURN(const bool isThere,
                       anyOnSlurm(workspace->folder(), {{there->run, there->status}}, SlurmClient()));
      if (isThere)
        return Error::config(
            formatText("a branch is on a Slurm cluster ({}); go on with --slurm, or delete its run", nameOf(branch)));
    }
    last = branch;
    std::cerr << "batchwise: branch " << study.branches.size() + 1 << " of at most " << study.cost.branches << ": "
              << nameOf(branch) << "\n";
    ASSIGN_OR_RETURN(const bool stopped, trainBranch(*workspace, study, branch, globals));
    if (stopped) return std::optional<Study>();
  }
}

/// Trains all branches that are needed now by one job array, then those that follow. Returns nothing if the user
/// stopped it.
Result<std::optional<Study>> trainBranchesOnSlurm(Study study, const SlurmArguments& slurm, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  RETURN_IF_ERROR(rememberStudy(*workspace, study));
  const std::string run = study.run.summary.id;
  const auto readAgain = [&]() -> Result<void> {
    ASSIGN_OR_RETURN(auto read, readStudy(workspace, run));
    study = std::move(*read);
    return {};
  };
  for (;;) {
    RETURN_IF_ERROR(syncJournals(*workspace));
    RETURN_IF_ERROR(readAgain());
    RETURN_IF_ERROR(queueBranches(workspace, study, EndedEarly::GoOn));
    RETURN_IF_ERROR(readAgain());
    RETURN_IF_ERROR(deleteBranchCheckpoints(*workspace, study));
    std::vector<std::string> runs;  // those that train already, too
    for (const Branch& branch : nextBranches(study.options, study.checkpoints, study.results()))
      if (const StudyBranch* there = study.find(branch); there != nullptr) runs.push_back(there->run);
    if (runs.empty()) return std::optional(std::move(study));
    for (const std::string& one : runs)
      if (const auto there = std::ranges::find(study.branches, one, &StudyBranch::run);
          there->status == RunStatus::Finished)
        return withoutLoss(there->result.branch);
    ASSIGN_OR_RETURN(const bool trained,
                     trainOnSlurm(workspace, slurm, runs, [&]() -> Result<std::vector<std::string>> {
                       RETURN_IF_ERROR(readAgain());
                       return unneededRuns(study);
                     }));
    if (!trained) return std::optional<Study>();
    for (const std::string& one : runs) {
      ASSIGN_OR_RETURN(const auto detail, workspace->findRun(one));
      if (detail.summary.status == RunStatus::Failed && !hasDiverged(detail.summary.cause))
        return Error::config(
            formatText("a branch has failed: {}; the same command goes on once that is mended", detail.summary.reason));
    }
  }
}

std::string lossText(const std::optional<double>& loss) {
  return loss ? formatDecimals(*loss, 4) : "";
}

/// "64 to 128", "below 32", "at least 256".
std::string intervalText(const StudyColumn& column, const StudyCheckpoint& checkpoint) {
  const auto samples = [&](double factor) { return formatInteger(std::llround(checkpoint.samplesOf(factor))); };
  if (column.low && column.high) return samples(*column.low) + " to " + samples(*column.high);
  if (column.low) return "at least " + samples(*column.low);
  return column.high ? "below " + samples(*column.high) : "";
}

Json columnJson(const StudyColumn& column, const StudyCheckpoint& checkpoint) {
  const auto samples = [&](const std::optional<double>& factor) {
    return jsonNumber(factor ? std::optional(checkpoint.samplesOf(*factor)) : std::nullopt);
  };
  return {{"low", jsonNumber(column.low)},
          {"high", jsonNumber(column.high)},
          {"low_samples", samples(column.low)},
          {"high_samples", samples(column.high)},
          {"decided", column.isDecided},
          {"factors", jsonList(column.factors, [](const FactorDecision& one) -> Json {
             return {{"factor", one.factor},
                     {"state", factorStateName(one.state)},
                     {"n", one.count},
                     {"mean_loss", jsonNumber(one.meanLoss)},
                     {"mean_difference", jsonNumber(one.meanDifference)},
                     {"deviation", jsonNumber(one.deviation)},
                     {"bound", jsonNumber(one.bound)},
                     {"stopped_early", one.isStoppedEarly},
                     {"needed_replicates", one.neededReplicates ? Json(*one.neededReplicates) : Json()}};
           })}};
}

Json checkpointJson(const Study& study, std::size_t index) {
  const CheckpointDecision& decision = study.decisions[index];
  const StudyPlace& place = study.places[index];
  return {
      {"position", decision.checkpoint.position},
      {"checkpoint", place.checkpoint.id},
      {"batch_samples", decision.checkpoint.batchSamples},
      {"from_sp", place.checkpoint.at.sample},
      {"to_sp", place.end},
      {"cooled_to_sp", place.cooledEnd},
      {"cools_down", decision.checkpoint.hasCooldown},
      {"tolerance", decision.tolerance},
      {"tolerance_as_tokens", jsonNumber(decision.toleranceAsTokens)},
      {"at_rate", columnJson(decision.atRate, decision.checkpoint)},
      {"after_cool_down", decision.afterCooldown ? columnJson(*decision.afterCooldown, decision.checkpoint) : Json()}};
}

Json branchJson(const Branch& branch) {
  return {{"position", branch.position}, {"factor", branch.factor}, {"replicate", branch.replicate}};
}

Json resultJson(const StudyBranch& branch) {
  Json json = branchJson(branch.result.branch);
  json["run"] = branch.run;
  json["name"] = branch.name;
  json["status"] = choiceName(branch.status);
  json["is_run_itself"] = branch.isRunItself;
  json["at_half"] = jsonNumber(branch.result.atHalf);
  json["at_three_quarters"] = jsonNumber(branch.result.atThreeQuarters);
  json["at_end"] = jsonNumber(branch.result.atEnd);
  json["after_cool_down"] = jsonNumber(branch.result.afterCooldown);
  return json;
}

Json lawJson(const Study& study) {
  if (!study.law) return {};
  const auto [least, most] = study.law->exponentBand();
  const auto [low, high] = study.law->meanBand(study.totalTokens);
  return {{"intercept", study.law->curve.intercept},
          {"exponent", study.law->curve.exponent},
          {"exponent_band", {least, most}},
          {"ceiling", jsonNumber(study.law->curve.ceiling)},
          {"constant_samples", study.law->curve.meanUntil(study.totalTokens)},
          {"constant_samples_band", {low, high}}};
}

Json rampJson(const Study& study) {
  const StudyRamp& ramp = *study.ramp;
  return {
      {"stages", jsonList(ramp.stages,
                          [](const RampLevelConfig& stage) -> Json {
                            return {{"at", stage.at.text()}, {"global_train_batch_size", stage.globalTrainBatchSize}};
                          })},
      {"steps", ramp.steps},
      {"constant_steps", ramp.constantSteps},
      {"saved_share", ramp.savedShare()},
      {"yaml", studyRampYaml(study)}};
}

Json studyJson(const Study& study) {
  Json checkpoints = Json::array();
  for (std::size_t i = 0; i < study.decisions.size(); ++i) checkpoints.push_back(checkpointJson(study, i));
  const bool byTokens = study.options.toleranceUnit == ToleranceUnit::Tokens;
  return {{"schema", "batchwise.critical_batch/1"},
          {"run", study.run.summary.id},
          {"name", study.run.summary.name},
          {"experiment", study.name},
          {"decided", std::ranges::all_of(study.decisions, [](const auto& one) { return one.deciding().isDecided; })},
          {"factors", study.options.factors},
          {"replicates", study.options.replicates},
          {"tokens", study.options.deltaTokens},
          {"tolerance", byTokens ? study.options.toleranceTokens : study.options.toleranceNats},
          {"tolerance_unit", byTokens ? "tokens" : "nats"},
          {"cost",
           {{"branches", study.cost.branches}, {"tokens", study.cost.tokens}, {"hours", jsonNumber(study.cost.hours)}}},
          {"noise",
           {{"deviation", jsonNumber(study.deviation)},
            {"source", study.deviationSource},
            {"resolvable", jsonNumber(study.resolvable)}}},
          {"checkpoints", std::move(checkpoints)},
          {"branches", jsonList(study.branches, resultJson)},
          {"next", jsonList(study.next, branchJson)},
          {"law", lawJson(study)},
          {"why_no_law", study.whyNoLaw},
          {"ramp", study.ramp ? rampJson(study) : Json()},
          {"warnings", study.warnings}};
}

void printPlan(const Study& study) {
  using enum Table::Align;
  Table table({{"checkpoint", Left},
               {"tokens", Right},
               {"batch", Right},
               {"factors", Left},
               {"branch ends at", Right},
               {"cool-down", Left}});
  for (std::size_t i = 0; i < study.places.size(); ++i) {
    const StudyPlace& place = study.places[i];
    table.add({place.checkpoint.id, formatInteger(place.checkpoint.at.token),
               formatValue(study.checkpoints[i].batchSamples), joined(study.options.factors, ", ", formatValue),
               formatInteger(place.cooledEnd) + "sp", study.checkpoints[i].hasCooldown ? "yes" : "no"});
  }
  table.print(std::cout);
  std::cout << "At most " << countText(study.cost.branches, "branch") << " of "
            << formatCount(static_cast<double>(study.options.deltaTokens)) << " tokens, "
            << formatCount(study.cost.tokens) << " tokens in all";
  if (study.cost.hours) std::cout << ", about " << formatDuration(*study.cost.hours * 3600) << " at the run's speed";
  std::cout << "; it stops as soon as all is clear.\n";
}

void printNoise(const Study& study) {
  if (!study.resolvable) {
    std::cout << "The noise is not known before the first branches; eval.draws: 2 or more measures a part of it.\n";
    return;
  }
  std::cout << "With " << study.options.replicates << " replicates it can resolve "
            << formatDecimals(*study.resolvable, 4) << " nats, by the noise of " << formatDecimals(*study.deviation, 4)
            << " (" << study.deviationSource << ").\n";
}

void printDecisions(const Study& study) {
  using enum Table::Align;
  Table table({{"tokens", Right},
               {"factor", Right},
               {"batch", Right},
               {"n", Right},
               {"loss", Right},
               {"difference", Right},
               {"upper bound", Right},
               {"", Left},
               {"before cool-down", Left}});
  for (const CheckpointDecision& decision : study.decisions)
    for (const FactorDecision& one : decision.deciding().factors) {
      const auto& before = decision.atRate.factors;
      const auto same = std::ranges::find(before, one.factor, &FactorDecision::factor);
      const bool shows = decision.afterCooldown && same != before.end();
      table.add({formatInteger(decision.checkpoint.position), formatValue(one.factor),
                 formatInteger(std::llround(decision.checkpoint.samplesOf(one.factor))), std::to_string(one.count),
                 lossText(one.meanLoss), lossText(one.meanDifference), lossText(one.bound),
                 std::string(factorStateName(one.state)) + (one.isStoppedEarly ? " early" : "") +
                     (one.neededReplicates ? formatText(", {} replicates would tell", *one.neededReplicates) : ""),
                 shows ? std::string(factorStateName(same->state)) : ""});
    }
  table.print(std::cout);
  for (const CheckpointDecision& decision : study.decisions) {
    const std::string interval = intervalText(decision.deciding(), decision.checkpoint);
    if (!interval.empty())
      std::cout << "Critical batch at " << formatInteger(decision.checkpoint.position) << " tokens: " << interval
                << " samples per step (no worse by " << formatDecimals(decision.tolerance, 4)
                << " nats of evaluation loss, 95 % confidence).\n";
  }
}

void printLaw(const Study& study) {
  if (!study.law) {
    std::cout << "No law: " << study.whyNoLaw << "\n";
    return;
  }
  const auto [least, most] = study.law->exponentBand();
  const auto [low, high] = study.law->meanBand(study.totalTokens);
  std::cout << "Law: it grows with tokens to the " << formatDecimals(study.law->curve.exponent, 2) << " ("
            << formatDecimals(least, 2) << " to " << formatDecimals(most, 2) << "); a constant batch of "
            << formatInteger(std::llround(study.law->curve.meanUntil(study.totalTokens))) << " ("
            << formatInteger(std::llround(low)) << " to " << formatInteger(std::llround(high))
            << ") samples comes nearest to it.\n";
  if (study.ramp)
    std::cout << "Ramp along the lower edge of its band, " << formatInteger(std::llround(study.ramp->steps))
              << " steps instead of " << formatInteger(std::llround(study.ramp->constantSteps)) << " ("
              << formatPercent(-study.ramp->savedShare()) << "):\n"
              << studyRampYaml(study);
  else
    std::cout << "No ramp: " << study.whyNoRamp << "\n";
}

Result<int> studyCriticalBatch(StudyArguments arguments, const Globals& globals) {
  StudyRequest& request = arguments.request;
  std::ranges::sort(request.options.factors);
  if (!arguments.coolDown.empty()) request.coolsDown = arguments.coolDown == "yes";
  if (arguments.toleranceTokens) {
    request.options.toleranceUnit = ToleranceUnit::Tokens;
    request.options.toleranceTokens = *arguments.toleranceTokens;
  }
  if (!arguments.apply.empty()) RETURN_IF_ERROR(checkOutputFile(arguments.apply, arguments.replaces));
  std::optional<Study> study;
  {
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
    ASSIGN_OR_RETURN(study, planStudy(workspace, arguments.run, request));
  }
  showNotes(study->warnings);
  if (!globals.json) {
    printPlan(*study);
    if (arguments.plan || !study->next.empty()) printNoise(*study);
  }
  if (!arguments.plan) {
    ASSIGN_OR_RETURN(study, arguments.slurm.wanted ? trainBranchesOnSlurm(std::move(*study), arguments.slurm, globals)
                                                   : trainBranches(std::move(*study), globals));
    if (!study) return kStopped;
  }
  if (!arguments.apply.empty()) {
    if (!study->ramp) return Error::config(formatText("there is no ramp to write: {}", study->whyNoRamp));
    RETURN_IF_ERROR(writeOutput(arguments.apply, arguments.replaces, withStudyRamp(*study).yaml));
  }
  if (globals.json) return printJson(studyJson(*study));
  if (!study->branches.empty()) {
    if (!arguments.plan) printNoise(*study);  // as it is known now
    printDecisions(*study);
    printLaw(*study);
  }
  std::cout << "The rate of each batch is that of the run times the square root of its factor, not tuned.\n";
  if (!arguments.apply.empty())
    reportStream(arguments.apply) << "the configuration with the ramp is in " << arguments.apply.native() << "\n";
  return kDone;
}

}  // namespace

void addCriticalBatchCommand(Commands& commands, CLI::App* study) {
  const auto arguments = std::make_shared<StudyArguments>();
  CLI::App* command = commands.add(
      study, "critical-batch",
      "How large may the batch be, and when? Trains branches from checkpoints of a run with larger batches on the same "
      "samples; those that have ended are kept, and a command that was interrupted goes on where it was",
      "batchwise study critical-batch latest --plan",
      [&commands, arguments] { return studyCriticalBatch(*arguments, commands.globals()); });
  StudyOptions& options = arguments->request.options;
  addRunArgument(*command, arguments->run);
  command
      ->add_option("--at", arguments->request.positions,
                   "Tokens of the checkpoints, nearest first (default: a 64th, 32nd, ... half of the run's)")
      ->delimiter(',')
      ->check(atLeast(1));
  command->add_option("--factors", options.factors, "Batches of the branches, in those of the run; with 1")
      ->delimiter(',')
      ->check(positiveNumber())
      ->capture_default_str();
  command
      ->add_option("--tokens", options.deltaTokens,
                   "Tokens of a branch (default: 50 steps of the largest batch, or 3 / (1 - beta2) if more)")
      ->check(atLeast(1));
  command
      ->add_option("--replicates", options.replicates,
                   "Branches of each factor; from the second on in another order of the epoch")
      ->check(atLeast(2))
      ->capture_default_str();
  CLI::Option* nats =
      command
          ->add_option("--tolerance", options.toleranceNats, "Evaluation loss, in nats, by which a batch may be worse")
          ->check(positiveNumber())
          ->capture_default_str();
  command
      ->add_option("--tolerance-tokens", arguments->toleranceTokens,
                   "The same as a share of the tokens up to the checkpoint, such as 0.02")
      ->check(positiveNumber())
      ->excludes(nats);
  command
      ->add_option("--cool-down", arguments->coolDown,
                   "Judge after a cool-down of the rate to 0 over a further fifth of the tokens (default: where the "
                   "rate is above half its peak)")
      ->check(CLI::IsMember({"yes", "no"}));
  command->add_flag("--plan", arguments->plan, "Show branches, cost and noise, and what is decided; train nothing");
  command->add_option("--apply", arguments->apply, "File for the configuration of the run with the ramp of the study")
      ->transform(outputFileName());
  addForceFlag(*command, arguments->replaces);
  addSlurmOptions(*command, arguments->slurm, SlurmUse::WithFlag);
}

}  // namespace batchwise::cli
