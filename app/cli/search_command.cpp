// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "app/cli/slurm_options.h"
#include "core/analysis/run_comparison.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/run_store.h"
#include "core/run/launch/search_plan.h"
#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/journal/journal.h"

namespace batchwise::cli {
namespace {

struct SearchArguments {
  ConfigArguments config;
  std::vector<std::string> over;
  std::string name, keep = "1/2";
  std::int64_t arms = 8, rungs = 3, seed = 1;
  SlurmArguments slurm;
};

/// A run of the search, as far as it has come.
struct Arm {
  RunDetail run;
  double share = 1;            ///< of its length at which it stops
  std::optional<double> loss;  ///< of the evaluation where it stopped; nothing if it has failed or not come there
};

/// Returns 0.5 for "1/2" and "0.5".
Result<double> shareFrom(const std::string& text) {
  const auto parts = partsOf(text, '/');
  const auto above = numberFrom<double>(parts.empty() ? "" : parts.front());
  const auto below = parts.size() == 2 ? numberFrom<double>(parts.back()) : 1.0;
  if (parts.size() <= 2 && above && below && *above > 0 && *above < *below) return *above / *below;
  return Error::config(formatText("--keep is '{}'; it takes a share of the arms between 0 and 1, such as 1/2", text));
}

std::string stopAssignment(double share) {
  return "launch.stop_at=" + (share < 1 ? formatExact(share) + "dur" : "none");
}

/// Returns the arms as they are at the first rung.
Result<std::vector<LoadedConfig>> armsOf(const SearchArguments& arguments, double firstShare, const Globals& globals) {
  std::vector<std::string> assignments = arguments.config.assignments;
  assignments.push_back(stopAssignment(firstShare));
  assignments.push_back("experiment=" + Json(arguments.name).dump());
  SweepConfig sweep = loadSweep(arguments.config.config, assignments);
  TrainConfig& first = sweep.first.config;
  if (!sweep.first.ok()) return Error::config(sweep.first.errorText());
  if (first.maxDuration.unit() == TimeUnit::Second)
    return Error::config("max_duration", "the rungs are shares of the tokens; give it in tok, ep, sp or ba");
  for (const std::string& over : arguments.over) {
    ASSIGN_OR_RETURN(auto axis, drawableAxis(over));
    sweep.axes.push_back(std::move(axis));
  }
  const auto seed = static_cast<std::uint64_t>(arguments.seed);
  ASSIGN_OR_RETURN(const auto drawn, drawArms(sweep.axes, first.zip, arguments.arms, seed));
  first.zip.clear();
  for (const SweepAxis& axis : drawn) first.zip.push_back(axis.field);
  ASSIGN_OR_RETURN(auto runs, sweepRuns(sweep.first, drawn));
  for (LoadedConfig& run : runs) {
    run = withLaunchNotes(checkedForLaunch(std::move(run)), globals.workspace);
    if (!run.ok()) return errorOfRun(run);
  }
  const std::vector<std::string> unlike = sweepBaselineNotes(runs);
  for (std::size_t arm = 0; arm < runs.size(); ++arm)
    if (!unlike[arm].empty())
      return Error::config(
          formatText("arm {}: {}. The search compares evaluation losses; leave out what changes how they are measured",
                     runName(runs[arm].config), unlike[arm]));
  return runs;
}

/// Returns the ids of the runs that are these arms; adds them to the queue if the experiment has no run. Fails with
/// Config if it has others.
Result<std::vector<std::string>> enterArms(const std::shared_ptr<Workspace>& workspace,
                                           const std::vector<LoadedConfig>& arms) {
  std::map<std::string, std::string> known;  // ids by configuration and seed
  const auto keyOf = [](const TrainConfig& config) { return configKey(config) + std::to_string(config.seed); };
  ASSIGN_OR_RETURN(const auto runs, ownRuns(workspace));
  for (const RunDetail& run : runs)
    if (const TrainConfig config = launchedConfig(run); config.experiment == arms.front().config.experiment)
      known.emplace(keyOf(config), run.summary.id);
  if (known.empty()) return RunQueue(workspace).add(arms);
  std::vector<std::string> ids;
  for (const LoadedConfig& arm : arms) {
    const auto found = known.find(keyOf(parseConfig(arm.yaml, "arm", {}).config));
    if (found == known.end())
      return Error::config(
          formatText("the experiment {} has other runs, so this does not continue its search; give the "
                     "same configuration, --over, --arms and --seed, or another --name",
                     arm.config.experiment));
    ids.push_back(found->second);
  }
  return ids;
}

Error onCluster() {
  return Error::config("arms of the search are on a Slurm cluster; go on with --slurm, or delete their runs");
}

Error leftBehind(const RunSummary& arm) {
  const std::string why = arm.reason.empty() ? std::string(choiceName(arm.status)) : arm.reason;
  return Error::config(formatText(
      "the other arms are not judged without {}, which has not come to its rung ({}); the same command continues it",
      arm.name, why));
}

class Search {
 public:
  Search(std::shared_ptr<Workspace> workspace, const Globals& globals, std::vector<std::string> ids, double keep,
         const SlurmArguments& slurm)
      : workspace_(std::move(workspace)),
        globals_(globals),
        queue_(workspace_),
        ids_(std::move(ids)),
        keep_(keep),
        slurm_(slurm) {}

  /// Trains and decides until the last rung has ended; each before it is `keep` times as long as the next.
  Result<int> run() {
    RETURN_IF_ERROR(syncJournals(*workspace_));
    RETURN_IF_ERROR(read());
    if (!slurm_.wanted) {
      using enum RunStatus;
      std::map<std::string, RunStatus> runs;
      for (const std::size_t arm : rungWith({Created, Running, Stopped, Interrupted}))
        runs.emplace(ids_[arm], arms_[arm].run.summary.status);
      ASSIGN_OR_RETURN(const bool isThere, anyOnSlurm(workspace_->folder(), std::move(runs), SlurmClient()));
      if (isThere) return onCluster();
      RETURN_IF_ERROR(requeue(rungWith({Created, Stopped, Interrupted}), share_));
    }
    for (;;) {
      RETURN_IF_ERROR(read());
      if (slurm_.wanted) {
        std::vector<std::string> open;
        using enum RunStatus;
        for (const std::size_t arm : rungWith({Created, Queued, Running, Stopped, Interrupted}))
          open.push_back(ids_[arm]);
        ASSIGN_OR_RETURN(const bool isTrained, open.empty() ? true : trainOnSlurm(workspace_, slurm_, open));
        if (!isTrained) return kStopped;
        if (!open.empty()) continue;
      } else if (!rungWith({RunStatus::Created}).empty()) {  // another program has handed them over meanwhile
        return onCluster();
      } else if (!rungWith({RunStatus::Queued, RunStatus::Running}).empty()) {
        ASSIGN_OR_RETURN(const bool isStopped, trainNext());
        if (isStopped) return kStopped;
        continue;
      } else if (const auto left = rungWith({RunStatus::Stopped, RunStatus::Interrupted}); !left.empty()) {
        return leftBehind(arms_[left.front()].run.summary);
      }
      ASSIGN_OR_RETURN(const auto best, decide());
      if (share_ >= 1) return report(best.front());
      RETURN_IF_ERROR(requeue(best, share_ / keep_ < 0.999 ? share_ / keep_ : 1));
    }
  }

 private:
  Result<void> read() {
    arms_.clear();
    for (const std::string& id : ids_) {
      Arm arm;
      ASSIGN_OR_RETURN(arm.run, workspace_->findRun(id));
      const auto stop = launchedConfig(arm.run).launch.stopAt;
      arm.share = stop ? stop->number() : 1;
      ASSIGN_OR_RETURN(const auto losses, workspace_->series(id, "eval.loss"));
      const RunSummary& run = arm.run.summary;
      const bool isEvaluated = !losses.empty() && losses.back().batch == run.at.batch;
      if (run.status == RunStatus::Finished && !isEvaluated)
        return Error::config(
            formatText("{} was not evaluated where it stopped; the search judges by evaluations, so give "
                       "data.eval or data.holdout",
                       run.name));
      if (run.status == RunStatus::Finished) arm.loss = losses.back().value;
      arms_.push_back(std::move(arm));
    }
    share_ = std::ranges::max(arms_, {}, &Arm::share).share;  // arms that have stopped for good keep an earlier one
    return {};
  }

  /// Returns the arms of the rung that are in one of these states.
  std::vector<std::size_t> rungWith(const std::vector<RunStatus>& states) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < arms_.size(); ++i)
      if (arms_[i].share == share_ && std::ranges::find(states, arms_[i].run.summary.status) != states.end())
        found.push_back(i);
    return found;
  }

  bool isOwn(const std::string& run) const { return std::ranges::find(ids_, run) != ids_.end(); }

  /// Queues arms anew, all or none, so that a search that is killed here goes on with the same choice. Says which other
  /// runs come first.
  Result<void> requeue(const std::vector<std::size_t>& arms, double share) {
    std::vector<RunQueue::Further> further;
    for (const std::size_t arm : arms) {
      const RunDetail& run = arms_[arm].run;
      const LoadedConfig next = parseConfig(run.configYaml, run.summary.name, {}, {stopAssignment(share)});
      further.push_back({run.summary.id, next.yaml});
    }
    RETURN_IF_ERROR(retryWhileTransient([&] { return queue_.requeue(further); }, reportWaitOnce()));
    ASSIGN_OR_RETURN(const auto queue, queue_.read());
    std::vector<std::string> others;
    for (const QueueEntry& entry : queue.entries) {
      if (entry.status != RunStatus::Queued) continue;
      if (isOwn(entry.id)) break;
      others.push_back(entry.name);
    }
    if (!others.empty() && !slurm_.wanted)
      std::cerr << "batchwise: the queue trains these before the runs of the search: " << joined(others, ", ") << "\n";
    return {};
  }

  /// Trains the next run of the queue, or waits for another program that does. Returns whether a user stopped it.
  Result<bool> trainNext() {
    ASSIGN_OR_RETURN(const auto turn, retryWhileTransient([&] { return queue_.takeNext(); }, reportWaitOnce()));
    if (!turn.held.empty())
      return Error::config(
          formatText("the queue is held: {}; `batchwise queue remove` takes that run out of it, `batchwise queue run` "
                     "goes on with the others, and then the same command continues",
                     turn.held));
    if (!turn.run) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const auto seen = syncJournals(*workspace_);  // perhaps nobody else notices that the other program was killed
      if (!seen.ok() && !isTransient(seen.error())) return seen.error();
      return false;
    }
    const auto finished = trainToEnd(requestOf(turn, workspace_->folder()), globals_);
    const RunStatus status = finished.ok() ? finished->status : RunStatus::Failed;
    const std::string reason = finished.ok() ? finished->reason : finished.error().text();
    if (!finished.ok() && turn.run->segments.empty()) fail(finished.error());
    using enum RunQueue::AfterFailure;
    const std::string& id = turn.run->summary.id;
    const auto after = isOwn(id) && status == RunStatus::Failed ? GoOn : Default;  // the other arms go on
    RETURN_IF_ERROR(retryWhileTransient([&] { return queue_.ended(id, status, reason, after); }, reportWaitOnce()));
    if (!finished.ok() && !turn.run->segments.empty()) return finished.error();
    return status == RunStatus::Stopped;
  }

  /// Returns the arms of the rung that go on, at its end the best one. Fails with Config if none has a loss, or if they
  /// have seen unequal numbers of tokens.
  Result<std::vector<std::size_t>> decide() const {
    const std::vector<std::size_t> rung = rungWith({RunStatus::Finished, RunStatus::Failed});
    std::vector<std::optional<double>> losses(arms_.size());
    double fewest = std::numeric_limits<double>::infinity(), most = 0;
    for (const std::size_t arm : rung) {
      losses[arm] = arms_[arm].loss;
      if (!arms_[arm].loss) continue;
      const auto tokens = static_cast<double>(arms_[arm].run.summary.at.token);
      fewest = std::min(fewest, tokens);
      most = std::max(most, tokens);
    }
    if (most > 0 && areUnequalTokens(most, fewest))
      return Error::config("max_duration", formatText("arms have seen {} and {} tokens at their rung, which is no fair "
                                                      "comparison; give it in tok, sp or ep",
                                                      formatCount(fewest), formatCount(most)));
    const std::vector<std::size_t> best = bestArms(losses, share_ < 1 ? armsKept(std::ssize(rung), keep_) : 1);
    if (best.empty()) return Error::config("no arm has a finite evaluation loss, so the search has no result");
    if (globals_.json) return best;
    using enum Table::Align;
    Table table({{"arm", Left}, {"evaluation loss", Right}, {formatText("at {} %", formatValue(100 * share_)), Left}});
    for (const std::size_t arm : rung)
      table.add({arms_[arm].run.summary.name, arms_[arm].loss ? formatAligned(*arms_[arm].loss) : "failed",
                 std::ranges::find(best, arm) == best.end() ? "stops"
                 : share_ < 1                               ? "goes on"
                                                            : "best"});
    table.print(std::cout);
    return best;
  }

  Result<int> report(std::size_t best) const {
    const RunSummary& winner = arms_[best].run.summary;
    double trained = 0;
    for (const Arm& arm : arms_) trained += static_cast<double>(arm.run.summary.at.token);
    const double all = static_cast<double>(winner.at.token) * static_cast<double>(arms_.size());
    if (globals_.json) {
      const Json list = jsonList(arms_, [](const Arm& arm) -> Json {
        return {{"run", arm.run.summary.id},
                {"name", arm.run.summary.name},
                {"share", arm.share},
                {"tokens", arm.run.summary.at.token},
                {"loss", jsonNumber(arm.loss)}};
      });
      return printJson({{"schema", "batchwise.search/1"},
                        {"arms", list},
                        {"best", winner.id},
                        {"trained_tokens", trained},
                        {"whole_tokens", all},
                        {"saved", 1 - trained / all}});
    }
    std::cout
        << formatCount(trained) << " of the " << formatCount(all)
        << " tokens that all arms take to the end: " << formatValue(100 * (1 - trained / all))
        << " % saved. An arm that has stopped is resumed with --set launch.stop_at=none.\nOne seed an arm does not "
           "tell the noise: batchwise runs add-seeds "
        << winner.id << " queues more of the best\n";
    return kDone;
  }

  std::shared_ptr<Workspace> workspace_;
  const Globals& globals_;
  RunQueue queue_;
  std::vector<std::string> ids_;
  double keep_;
  const SlurmArguments& slurm_;
  std::vector<Arm> arms_;
  double share_ = 0;  // at which the rung ends that is trained
};

Result<int> search(const SearchArguments& arguments, const Globals& globals) {
  ASSIGN_OR_RETURN(const double keep, shareFrom(arguments.keep));
  const double firstShare = std::pow(keep, static_cast<double>(arguments.rungs - 1));
  if (constexpr double kShortest = 1e-3; firstShare < kShortest)
    return Error::config(
        formatText("the first of {} rungs would end at {} of the length, before anything is learned; "
                   "take fewer (--rungs) or keep more of the arms (--keep)",
                   arguments.rungs, formatValue(firstShare)));
  ASSIGN_OR_RETURN(const auto arms, armsOf(arguments, firstShare, globals));
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ASSIGN_OR_RETURN(auto ids, enterArms(workspace, arms));
  return Search(workspace, globals, std::move(ids), keep, arguments.slurm).run();
}

Result<int> addSeeds(const std::vector<std::string>& runs, std::int64_t seeds, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ASSIGN_OR_RETURN(const auto added, runsOfMoreSeeds(workspace, runs, seeds));
  RETURN_IF_ERROR(RunQueue(workspace).add(added.runs));
  const Json names = jsonList(added.runs, [](const LoadedConfig& run) -> Json { return runName(run.config); });
  if (globals.json) return printJson({{"schema", "batchwise.queue_added/1"}, {"runs", names}});
  for (const LoadedConfig& run : added.runs) std::cout << runName(run.config) << "\n";
  if (added.runs.empty())
    std::cout << "all have so many seeds already\n";
  else
    std::cout << countText(std::ssize(added.runs), "run") << " added to the queue; batchwise queue run trains them\n";
  return kDone;
}

}  // namespace

void addSearchCommand(Commands& commands, CLI::App* study) {
  const auto given = std::make_shared<SearchArguments>();
  CLI::App* command = commands.add(
      study, "search",
      "Random search with successive halving: all arms train to a rung, the best by evaluation loss go on. Killed or "
      "stopped, the same command continues",
      "batchwise study search run.yaml --name rates --over 'optimizer.lr=1e-4..1e-2 log' --arms 8 --rungs 3 --keep 1/2",
      [&commands, given] { return search(*given, commands.globals()); });
  addConfigArguments(*command, given->config);
  command->add_option("--name", given->name, "Name of the search: the experiment of its runs")->required();
  command
      ->add_option("--over", given->over,
                   "A field and the values or the range to draw from, such as 'optimizer.lr=1e-4..1e-2 log'; may be "
                   "repeated. Lists in the file count too")
      ->allow_extra_args(false);
  command->add_option("--arms", given->arms, "Configurations to draw")
      ->check(CLI::Range(std::int64_t{2}, kMaxSweepRuns))
      ->capture_default_str();
  command->add_option("--rungs", given->rungs, "Times to decide, the end included")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10}))
      ->capture_default_str();
  command->add_option("--keep", given->keep, "Share of the arms that go on; a rung ends at this share of the next one")
      ->capture_default_str();
  command->add_option("--seed", given->seed, "Of the draws")->check(atLeast(0))->capture_default_str();
  addSlurmOptions(*command, given->slurm, SlurmUse::WithFlag);
}

void addSeedsCommand(Commands& commands, CLI::App* runs) {
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto seeds = std::make_shared<std::int64_t>(0);
  CLI::App* command =
      commands.add(runs, "add-seeds", "Queue runs of the same configurations with other seeds, the same for all",
                   "batchwise runs add-seeds base ramp --seeds 5",
                   [&commands, names, seeds] { return addSeeds(*names, *seeds, commands.globals()); });
  command->add_option("runs", *names, "Ids or names; each stands for all runs of its configuration")
      ->required()
      ->check(nonEmptyName("a run"));
  command->add_option("--seeds", *seeds, "Seeds that each has then (default: three, or one more than all have)")
      ->check(CLI::Range(std::int64_t{1}, kMaxSweepRuns));
}

}  // namespace batchwise::cli
