// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/analysis/config_difference.h"
#include "core/analysis/run_comparison.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/run_store.h"
#include "core/run/launch/search_plan.h"
#include "core/run/run_controller.h"
#include "core/store/journal/journal.h"

namespace batchwise::cli {
namespace {

struct SearchArguments {
  ConfigArguments config;
  std::vector<std::string> over;
  std::string name, keep = "1/2";
  std::int64_t arms = 8, rungs = 3, seed = 1;
  bool list = false;
};

/// A run of the search, as far as it has come.
struct Arm {
  RunDetail run;
  double share = 1;            ///< of its length at which it stops
  std::optional<double> loss;  ///< of the evaluation where it stopped; nothing if it has failed or not come there
};

/// Returns 0.5 for "1/2" and "0.5". Fails with Config unless it is between 0 and 1.
Result<double> shareFrom(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto numberIn = [](const std::string& part) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    return part.empty() || *end != '\0' ? std::nan("") : value;
  };
  const double share =
      numberIn(text.substr(0, slash)) / (slash == std::string::npos ? 1.0 : numberIn(text.substr(slash + 1)));
  if (share > 0 && share < 1) return share;
  return Error::config(formatText("--keep is '{}'; it takes a share of the arms between 0 and 1, such as 1/2", text));
}

std::string stopText(double share) {
  return share < 1 ? formatExact(share) + "dur" : "none";
}

double stopOf(const TrainConfig& config) {
  return config.launch.stopAt ? config.launch.stopAt->number() : 1.0;
}

/// Returns the arms as they are at the first rung.
Result<std::vector<LoadedConfig>> armsOf(const SearchArguments& arguments, double firstShare, const Globals& globals) {
  std::vector<std::string> assignments = arguments.config.assignments;
  assignments.push_back("launch.stop_at=" + stopText(firstShare));
  if (!arguments.name.empty()) assignments.push_back("experiment=" + Json(arguments.name).dump());
  SweepConfig sweep = loadSweep(arguments.config.config, assignments);
  if (!sweep.first.ok()) return Error::config(sweep.first.errorText());
  TrainConfig& first = sweep.first.config;
  if (first.experiment.empty()) return Error::config("the search needs a name: give --name, or experiment in the file");
  if (first.maxDuration.unit() == TimeUnit::Second)
    return Error::config("max_duration", "the rungs are shares of the tokens; give it in tok, ep, sp or ba");
  for (const std::string& over : arguments.over) {
    const std::size_t equals = over.find('=');
    const Field* field = equals == std::string::npos ? nullptr : findField(over.substr(0, equals));
    if (field == nullptr)
      return Error::config(
          formatText("'{}' is not of the form field=a,b,c or field=a..b with a field of the configuration", over));
    const auto axis = drawableAxis(*field, over.substr(equals + 1));
    if (!axis.ok()) return Error::config(field->path, axis.error().message);
    std::erase_if(sweep.axes, [&](const SweepAxis& other) { return other.field == field->path; });
    sweep.axes.push_back(*axis);
  }
  ASSIGN_OR_RETURN(const auto drawn,
                   drawArms(sweep.axes, first.zip, arguments.arms, static_cast<std::uint64_t>(arguments.seed)));
  first.zip.clear();
  for (const SweepAxis& axis : drawn) first.zip.push_back(axis.field);
  ASSIGN_OR_RETURN(auto runs, sweepRuns(sweep.first, drawn));
  std::vector<RunNotes> notes;
  for (LoadedConfig& run : runs) {
    run = withLaunchNotes(checkedForLaunch(std::move(run)), globals.workspace);
    if (!run.ok()) return errorOfRun(run);
    notes.push_back(runNotes(run));
  }
  showRunNotes(notes);
  return runs;
}

/// Equal for the same settings and seed.
std::string armKey(const std::string& yaml) {
  const ConfigValues values = configValues(parseConfig(yaml, "arm", {}).config);
  return experimentKey(values, IgnoredFields::standard()) + repetitionSeeds(values);
}

/// Returns the ids of the runs that are these arms of the experiment, in their order; adds them to the queue if there
/// are none. Fails with Config if there are others.
Result<std::vector<std::string>> enterArms(const std::shared_ptr<Workspace>& workspace,
                                           const std::vector<LoadedConfig>& arms) {
  const std::string& experiment = arms.front().config.experiment;
  std::map<std::string, std::string> known;
  ASSIGN_OR_RETURN(const auto runs, ownRuns(workspace));
  for (const RunDetail& run : runs)
    if (parseConfig(run.configYaml, run.summary.name, {}).config.experiment == experiment)
      known.emplace(armKey(run.configYaml), run.summary.id);
  std::vector<std::string> ids;
  for (const LoadedConfig& arm : arms)
    if (const auto found = known.find(armKey(arm.yaml)); found != known.end()) ids.push_back(found->second);
  if (ids.empty() && known.empty()) return RunQueue(workspace).add(arms);
  if (ids.size() == arms.size()) return ids;
  return Error::config(
      formatText("the experiment {} has {} other runs, so this is no continuation of its search; give the same "
                 "configuration, --over, --arms and --seed, or another --name",
                 experiment, known.size()));
}

Result<Arm> readArm(const Workspace& workspace, const std::string& id) {
  Arm arm;
  ASSIGN_OR_RETURN(arm.run, workspace.findRun(id));
  arm.share = stopOf(parseConfig(arm.run.configYaml, arm.run.summary.name, {}).config);
  if (arm.run.summary.status != RunStatus::Finished) return arm;
  ASSIGN_OR_RETURN(const auto losses, workspace.series(id, "eval.loss"));
  if (losses.empty() || losses.back().batch != arm.run.summary.at.batch)
    return Error::config(
        formatText("{} was not evaluated where it stopped, and the search judges by evaluations; give "
                   "data.eval or data.holdout",
                   arm.run.summary.name));
  arm.loss = losses.back().value;
  return arm;
}

class Search {
 public:
  Search(std::shared_ptr<Workspace> workspace, const Globals& globals, std::vector<std::string> ids,
         std::vector<double> shares, double keep)
      : workspace_(std::move(workspace)),
        globals_(globals),
        queue_(workspace_),
        ids_(std::move(ids)),
        shares_(std::move(shares)),
        keep_(keep) {}

  /// Trains and decides until the last rung has ended.
  Result<int> run() {
    RETURN_IF_ERROR(syncJournals(*workspace_));
    RETURN_IF_ERROR(queue_.release());
    RETURN_IF_ERROR(read());
    RETURN_IF_ERROR(requeue(armsWith({RunStatus::Stopped, RunStatus::Interrupted}), rungShare()));
    for (;;) {
      RETURN_IF_ERROR(read());
      if (!armsWith({RunStatus::Queued, RunStatus::Running, RunStatus::Created}).empty()) {
        ASSIGN_OR_RETURN(const bool isStopped, trainNext());
        if (isStopped) return kStopped;
      } else if (rungShare() >= 1) {
        return report();
      } else {
        RETURN_IF_ERROR(decide());
      }
    }
  }

 private:
  Result<void> read() {
    arms_.clear();
    for (const std::string& id : ids_) {
      ASSIGN_OR_RETURN(auto arm, readArm(*workspace_, id));
      arms_.push_back(std::move(arm));
    }
    return {};
  }

  /// Returns the share of the rung that is trained: arms that have stopped for good keep that of an earlier one.
  double rungShare() const { return std::ranges::max(arms_, {}, &Arm::share).share; }

  /// Returns the arms of the rung that are in one of these states.
  std::vector<std::size_t> armsWith(const std::vector<RunStatus>& states) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < arms_.size(); ++i)
      if (arms_[i].share == rungShare() && std::ranges::find(states, arms_[i].run.summary.status) != states.end())
        found.push_back(i);
    return found;
  }

  /// Queues arms anew, all or none, so that a search that is killed here goes on with the same choice.
  Result<void> requeue(const std::vector<std::size_t>& arms, double share) {
    std::vector<RunQueue::Further> further;
    for (const std::size_t arm : arms) {
      const RunDetail& run = arms_[arm].run;
      further.push_back(
          {run.summary.id,
           parseConfig(run.configYaml, run.summary.name, {}, {"launch.stop_at=" + stopText(share)}).yaml});
    }
    return queue_.requeue(further);
  }

  /// Trains the next run of the queue, or waits for another program that trains it. Returns whether a user stopped it.
  Result<bool> trainNext() {
    ASSIGN_OR_RETURN(const auto turn, queue_.takeNext());
    if (!turn.held.empty())
      return Error::config(formatText("the queue is held: {}; the same command continues", turn.held));
    if (!turn.run) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      return false;
    }
    const auto finished = trainToEnd(requestOf(turn, workspace_->folder()), globals_);
    const RunStatus status = finished.ok() ? finished->status : RunStatus::Failed;
    if (!finished.ok()) fail(finished.error());
    RETURN_IF_ERROR(
        queue_.ended(turn.run->summary.id, status, finished.ok() ? finished->reason : finished.error().text()));
    if (status == RunStatus::Failed) RETURN_IF_ERROR(queue_.release());  // it is out of the search; the others go on
    return status == RunStatus::Stopped;
  }

  Result<void> decide() {
    const std::vector<std::size_t> rung = armsWith({RunStatus::Finished, RunStatus::Failed});
    std::vector<std::optional<double>> losses;
    std::optional<double> tokens;
    for (const std::size_t arm : rung) {
      losses.push_back(arms_[arm].loss);
      const auto own = static_cast<double>(arms_[arm].run.summary.at.token);
      if (!arms_[arm].loss) continue;
      if (areUnequalTokens(own, tokens.value_or(own)))
        return Error::config(
            formatText("arms have seen {} and {} tokens at their rung, which is no fair comparison; "
                       "give max_duration in tok, sp or ep",
                       formatCount(*tokens), formatCount(own)));
      tokens = tokens.value_or(own);
    }
    std::vector<std::size_t> kept;
    for (const std::size_t place : bestArms(losses, armsKept(std::ssize(rung), keep_))) kept.push_back(rung[place]);
    if (kept.empty()) return Error::config("no arm has a finite evaluation loss, so the search has no result");
    const auto next = std::ranges::find_if(shares_, [&](double share) { return share > rungShare(); });
    if (!globals_.json) {
      std::cout << "rung at " << formatPercentOf(rungShare()) << " of the length:\n";
      show(rung, kept);
    }
    return requeue(kept, next == shares_.end() ? 1.0 : *next);
  }

  static std::string formatPercentOf(double share) { return formatDecimals(100 * share, share < 0.1 ? 1 : 0) + " %"; }

  void show(const std::vector<std::size_t>& arms, const std::vector<std::size_t>& kept) const {
    using enum Table::Align;
    Table table({{"arm", Left}, {"evaluation loss", Right}, {"tokens", Right}, {"", Left}});
    for (const std::size_t arm : arms) {
      const RunSummary& run = arms_[arm].run.summary;
      const bool goesOn = std::ranges::find(kept, arm) != kept.end();
      table.add({run.name, arms_[arm].loss ? formatAligned(*arms_[arm].loss) : "–",
                 formatCount(static_cast<double>(run.at.token)),
                 run.status == RunStatus::Failed ? "failed"
                 : goesOn                        ? (arms_[arm].share < 1 ? "goes on" : "best")
                                                 : "stops"});
    }
    table.print(std::cout);
  }

  Result<int> report() {
    const std::vector<std::size_t> rung = armsWith({RunStatus::Finished, RunStatus::Failed});
    std::vector<std::optional<double>> losses;
    double trained = 0, whole = 0;
    for (const std::size_t arm : rung) losses.push_back(arms_[arm].loss);
    for (const Arm& arm : arms_) {
      trained += static_cast<double>(arm.run.summary.at.token);
      if (arm.share >= 1 && arm.loss) whole = std::max(whole, static_cast<double>(arm.run.summary.at.token));
    }
    const auto best = bestArms(losses, 1);
    if (best.empty()) return Error::config("no arm has a finite evaluation loss, so the search has no result");
    const double all = whole * static_cast<double>(arms_.size());
    const RunSummary& winner = arms_[rung[best.front()]].run.summary;
    if (globals_.json) {
      const Json list = jsonList(arms_, [](const Arm& arm) -> Json {
        return {{"run", arm.run.summary.id},
                {"name", arm.run.summary.name},
                {"status", choiceName(arm.run.summary.status)},
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
    std::cout << "at the end:\n";
    show(rung, {rung[best.front()]});
    std::cout << formatCount(trained) << " tokens were trained; all " << arms_.size() << " arms to the end take "
              << formatCount(all) << ": " << formatPercentOf(1 - trained / all)
              << " saved. Arms that have stopped can be resumed with --set launch.stop_at=none.\nWith one seed an arm "
                 "the noise is unknown; batchwise runs add-seeds "
              << winner.id << " queues more of the best\n";
    return kDone;
  }

  std::shared_ptr<Workspace> workspace_;
  const Globals& globals_;
  RunQueue queue_;
  std::vector<std::string> ids_;
  std::vector<double> shares_;
  double keep_;
  std::vector<Arm> arms_;
};

/// Returns how many whole runs the rungs take.
double wholeRuns(std::int64_t arms, const std::vector<double>& shares, double keep) {
  double sum = 0, before = 0;
  for (const double share : shares) {
    sum += static_cast<double>(arms) * (share - std::exchange(before, share));
    arms = armsKept(arms, keep);
  }
  return sum;
}

Result<int> search(const SearchArguments& arguments, const Globals& globals) {
  ASSIGN_OR_RETURN(const double keep, shareFrom(arguments.keep));
  const std::vector<double> shares = rungShares(arguments.rungs, keep);
  ASSIGN_OR_RETURN(const auto arms, armsOf(arguments, shares.front(), globals));
  const double cost = wholeRuns(arguments.arms, shares, keep);
  if (arguments.list) {
    if (globals.json)
      return printJson({{"schema", "batchwise.search_plan/1"},
                        {"runs", jsonList(arms, [](const LoadedConfig& run) -> Json { return runName(run.config); })},
                        {"rungs", shares},
                        {"whole_runs", cost}});
    for (const LoadedConfig& run : arms) std::cout << runName(run.config) << "\n";
    std::cout << countText(arguments.arms, "arm") << " in " << countText(arguments.rungs, "rung")
              << " take as many tokens as " << formatValue(cost) << " whole runs\n";
    return kDone;
  }
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ASSIGN_OR_RETURN(auto ids, enterArms(workspace, arms));
  return Search(workspace, globals, std::move(ids), shares, keep).run();
}

Result<int> addSeeds(const std::vector<std::string>& runs, std::int64_t seeds, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ASSIGN_OR_RETURN(const auto added, runsOfMoreSeeds(workspace, runs, seeds));
  RETURN_IF_ERROR(RunQueue(workspace).add(added));
  const auto nameOf = [](const LoadedConfig& run) { return runName(run.config); };
  if (globals.json)
    return printJson({{"schema", "batchwise.queue_added/1"},
                      {"runs", jsonList(added, [&](const LoadedConfig& run) -> Json { return nameOf(run); })}});
  for (const LoadedConfig& run : added) std::cout << nameOf(run) << "\n";
  std::cout << countText(std::ssize(added), "run")
            << (added.empty() ? ": there are as many seeds already"
                              : " added to the queue; batchwise queue run trains them")
            << "\n";
  return kDone;
}

}  // namespace

void addSearchCommand(Commands& commands, CLI::App* study) {
  const auto given = std::make_shared<SearchArguments>();
  CLI::App* command = commands.add(
      study, "search",
      "Random search with successive halving: train all arms to a rung, go on with the best by evaluation loss. Killed "
      "or stopped, the same command continues",
      "batchwise study search run.yaml --name rates --over 'optimizer.lr=1e-4..1e-2 log' --arms 8 --rungs 3 --keep 1/2",
      [&commands, given] { return search(*given, commands.globals()); });
  addConfigArguments(*command, given->config);
  command->add_option("--name", given->name, "Name of the search: the experiment of its runs");
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
  command->add_option("--keep", given->keep, "Share of the arms that go on, and of the next rung at which one ends")
      ->capture_default_str();
  command->add_option("--seed", given->seed, "Of the draws")->check(atLeast(0))->capture_default_str();
  command->add_flag("--list", given->list, "Only show the arms and what they take");
}

void addSeedsCommand(Commands& commands, CLI::App* runs) {
  struct Arguments {
    std::vector<std::string> runs;
    std::int64_t seeds = 0;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command =
      commands.add(runs, "add-seeds", "Queue runs of the same configurations with other seeds, the same for all",
                   "batchwise runs add-seeds base ramp --seeds 5",
                   [&commands, given] { return addSeeds(given->runs, given->seeds, commands.globals()); });
  command->add_option("runs", given->runs, "Ids or names; each stands for all runs of its configuration")
      ->required()
      ->check(nonEmptyName("a run"));
  command
      ->add_option("--seeds", given->seeds,
                   "Seeds that each has then (default: as many as the others, three at least; one more if all have "
                   "that)")
      ->check(atLeast(1));
}

}  // namespace batchwise::cli
