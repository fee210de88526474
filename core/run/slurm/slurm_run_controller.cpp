// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/run/controllers/child_process.h"
#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_client.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/journal/journal.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kReadInterval{1000};  // of journal and output
constexpr double kPollSec = 20;                           // of the cluster's controller, which all users share
constexpr double kQuickPollSec = 1;                       // for a while after each change
constexpr double kQuickForSec = 15;
constexpr int kPollsWithoutJob = 3;     // before it is over: a requeued job is briefly absent
constexpr int kPollsWithoutAnswer = 3;  // before it is told: the controller is busy at times
constexpr std::size_t kLogLinesAtOnce = 50;
constexpr std::size_t kLongestLogLine = 500;
constexpr std::size_t kLastLogLines = 3;  // quoted to explain how a job died
constexpr std::size_t kLongestLastLine = 200;

// What is known of the run and its jobs.
struct WatchedRun {
  std::string id;
  std::string jobName;
  std::string job;  // newest known id
  double lastPollSec = -std::numeric_limits<double>::infinity(), quickUntilSec = 0;
  int pollsWithoutJob = 0, pollsWithoutAnswer = 0;
  std::string queueShown;
  JournalReader::Position journalRead;  // up to here
  std::int64_t logBefore = 0;           // bytes of output left by earlier jobs of the run
  bool ranksReady = false;              // of the running job: they have published events
  RunCommand stop = RunCommand::None;   // wanted by the user
  bool stopAccepted = false;            // by the cluster
  std::string signaled;                 // id of the job that was asked to stop
  bool jobRan = false;                  // the newest one, when last seen
  std::set<std::string> reported;       // problems
  std::optional<RunFinished> lastEnd;   // of a segment; another may follow
  Timestamp at;
  std::string lastCheckpoint;
};

// No signal reaches a job in these states.
bool isHeld(const SlurmJob& job) {
  constexpr std::string_view kStates[] = {"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"};
  return std::ranges::find(kStates, job.state) != std::end(kStates);
}

// In every other state its ranks may train; a suspended job handles a signal when it continues.
bool isWaiting(const SlurmJob& job) {
  return job.state == "PENDING" || job.state == "CONFIGURING" || isHeld(job);
}

class SlurmRunController final : public RunControllerBase {
 public:
  SlurmRunController(EventSink& events, std::optional<SlurmOptions> options, const Clock& clock)
      : events_(events), options_(std::move(options)), clock_(clock) {}
  ~SlurmRunController() override {
    worker_.request_stop();
    if (worker_.joinable()) worker_.join();
  }

  Result<void> start(const LaunchRequest& request) override;

 private:
  void work(const LaunchRequest& request, const std::stop_token& stop);
  Result<void> submitOrWatch(const LaunchRequest& request);
  std::vector<RunEvent> skipExisting();
  void handleCommand();
  void pollQueue();
  Result<void> stopJobs(const std::vector<SlurmJob>& jobs);
  void note(NoteLevel level, const std::string& text) { events_.publish(RunNote{level, text, watched_.at}); }
  void warnOnce(const std::string& trouble);
  void pollQuickly() { watched_.quickUntilSec = clock_.monotonicSec() + kQuickForSec; }
  std::filesystem::path logFile() const { return workspace_ / "runs" / (watched_.id + ".log"); }
  void readJournal(const std::function<void(const RunEvent&)>& onEvent);
  void readLog();
  void remember(const RunEvent& event);
  void showQueue(const std::vector<SlurmJob>& jobs);
  bool isOver() const;
  RunFinished outcome();
  RunFinished endWithoutReport();

  EventSink& events_;
  const std::optional<SlurmOptions> options_;  // none: watch an existing job
  const Clock& clock_;

  // Used by the worker.
  std::stop_token stop_;
  SlurmClient slurm_;
  std::filesystem::path workspace_;
  std::shared_ptr<Workspace> store_;
  LogTail log_{kLogLinesAtOnce, kLongestLogLine};
  std::function<std::string()> eventsBlockedReason_;  // why events cannot be consumed now; may be empty
  WatchedRun watched_;

  Mutex sleepMutex_;
  std::condition_variable_any asleep_;
  std::jthread worker_;  // last: ends first
};

Result<void> SlurmRunController::start(const LaunchRequest& request) {
  if (!run_.begin())
    return Error{ErrorCode::Busy, "this window already follows a run; wait for it or stop it first", {}};
  if (worker_.joinable()) worker_.join();
  commands_.clear();
  worker_ = std::jthread([this, request](const std::stop_token& stop) { work(request, stop); });
  return {};
}

void SlurmRunController::work(const LaunchRequest& request, const std::stop_token& stop) {
  stop_ = stop;
  slurm_ = SlurmClient(stop);
  if (Result<void> entered = submitOrWatch(request); !entered.ok()) {
    if (!stop.stop_requested()) events_.publish(failedRun(entered.error()));
    return run_.end(entered.error());
  }
  for (;;) {
    handleCommand();
    const double nowSec = clock_.monotonicSec();
    if (nowSec >= watched_.lastPollSec + (nowSec < watched_.quickUntilSec ? kQuickPollSec : kPollSec)) pollQueue();
    // While events cannot be consumed, the journal keeps them, and the store waits too. A stop does not wait.
    const bool waits = eventsBlockedReason_ && watched_.stop == RunCommand::None && !eventsBlockedReason_().empty();
    if (!waits) {
      readJournal([this](const RunEvent& event) {
        remember(event);
        if (!std::holds_alternative<RunFinished>(event)) events_.publish(event);  // that once no job is left
      });
      readLog();
    }
    if (stop.stop_requested()) return run_.end(Error{ErrorCode::Stopped, "the run continues in its Slurm job", {}});
    if (!waits && isOver()) break;
    MutexLock lock(sleepMutex_);
    asleep_.wait_for(lock, stop, kReadInterval, [&stop] { return stop.stop_requested(); });
  }
  const RunFinished end = outcome();
  events_.publish(end);
  run_.end(end);
}

// Submits the run, unless it is only watched.
Result<void> SlurmRunController::submitOrWatch(const LaunchRequest& request) {
  ASSIGN_OR_RETURN(auto store, Workspace::open(request.workspace));
  store_ = std::move(store);
  workspace_ = store_->folder();
  watched_ = {};
  watched_.id = request.resumeRun;
  eventsBlockedReason_ = request.eventsBlockedReason;
  const std::vector<RunEvent> soFar = watched_.id.empty() ? std::vector<RunEvent>() : skipExisting();
  if (options_) {
    watched_.lastEnd.reset();  // it continues, and will end again
    watched_.logBefore = watched_.id.empty() ? 0 : log_.position();
    watched_.ranksReady = false;
    ASSIGN_OR_RETURN(const auto submitted, submitToSlurm({request}, *options_, slurm_));
    watched_.id = submitted.runs.front();
    watched_.job = submitted.job;
    for (const std::string& text : submitted.notes) note(NoteLevel::Info, text);
    note(NoteLevel::Info, formatText("Slurm job {} of run {} is submitted and waits for its turn on the cluster",
                                     submitted.job, watched_.id));
  } else {
    for (const RunEvent& event : soFar) events_.publish(event);
  }
  watched_.jobName = slurmJobName(watched_.id);
  pollQuickly();
  if (request.resumeRun.empty()) log_.follow(logFile());
  return {};
}

// Skips the present content of journal and output. Returns the events that still hold: the newest RunStarted, and the
// pause that the run is in.
std::vector<RunEvent> SlurmRunController::skipExisting() {
  std::vector<RunEvent> soFar;
  readJournal([&](const RunEvent& event) {
    const auto* paused = std::get_if<RunNote>(&event);
    if (std::holds_alternative<RunStarted>(event)) soFar = {event};
    if (paused != nullptr && paused->paused && !soFar.empty()) soFar = {soFar.front()};
    if (paused != nullptr && paused->paused == true) soFar.push_back(event);
    remember(event);
  });
  log_.follow(logFile());
  log_.skip();
  watched_.ranksReady = watched_.journalRead.byte > 0 && !watched_.lastEnd;
  return soFar;
}

void SlurmRunController::handleCommand() {
  const RunCommand command = commands_.take();
  if (command == RunCommand::None) return;
  if (!endsRun(command))
    return note(NoteLevel::Warning, "a run in a Slurm job can be stopped, but not paused or saved from here");
  // Write the mark first, so that no job of the chain follows the one that ends.
  if (Result<void> marked = writeFileAtomically(slurmStopFile(workspace_, watched_.id), "stop\n"); !marked.ok()) {
    note(NoteLevel::Error, formatText("the job was not stopped: {}", marked.error().text()));
    if (command != RunCommand::Abort) return;  // Abort also cancels the next job
  }
  if (watched_.stop != RunCommand::Abort) watched_.stop = command;
  watched_.lastPollSec = -std::numeric_limits<double>::infinity();
  pollQuickly();
}

void SlurmRunController::pollQueue() {
  watched_.lastPollSec = clock_.monotonicSec();
  const auto jobs = slurm_.jobs(watched_.jobName);
  const bool stopWanted = watched_.stop != RunCommand::None;
  const auto warnOfStop = [this](const Error& error) {
    warnOnce(
        formatText("the job could not be reached to stop it; this is retried until it succeeds: {}", error.text()));
  };
  if (!jobs.ok()) {  // retried
    if (stopWanted)
      warnOfStop(jobs.error());
    else if (++watched_.pollsWithoutAnswer == kPollsWithoutAnswer)
      warnOnce(formatText("the cluster does not say what became of the job; it is asked until it does: {}",
                          jobs.error().text()));
    return;
  }
  watched_.pollsWithoutAnswer = 0;
  showQueue(*jobs);
  if (jobs->empty()) {
    if (watched_.pollsWithoutJob++ == 0) pollQuickly();
    return;
  }
  watched_.pollsWithoutJob = 0;
  const SlurmJob& newest = jobs->back();
  const std::string before = std::exchange(watched_.job, newest.id);
  const bool anotherJob = !before.empty() && before != watched_.job;  // of the chain, started between two polls
  if (anotherJob || isWaiting(newest)) watched_.ranksReady = false;
  if (anotherJob || isWaiting(newest) == watched_.jobRan) pollQuickly();
  watched_.jobRan = !isWaiting(newest);
  if (!stopWanted) return;
  if (Result<void> asked = stopJobs(*jobs); !asked.ok()) warnOfStop(asked.error());
}

// Asks training ranks once to save and end, as a second signal would end them without a checkpoint, and takes what
// waits out of the queue. Only Abort kills training jobs.
Result<void> SlurmRunController::stopJobs(const std::vector<SlurmJob>& jobs) {
  const auto training = std::ranges::find_if_not(jobs, isWaiting);
  const auto isPending = [](const SlurmJob& job) { return job.state == "PENDING"; };
  if (watched_.stop == RunCommand::Abort) {
    RETURN_IF_ERROR(slurm_.cancel(watched_.jobName));
    watched_.stop = RunCommand::None;
  } else if (std::ranges::any_of(jobs, isPending)) {
    RETURN_IF_ERROR(slurm_.cancelWaiting(watched_.jobName));
  } else if (std::ranges::all_of(jobs, isHeld)) {
    RETURN_IF_ERROR(slurm_.cancel(watched_.jobName));
  } else if (training != jobs.end() && training->state != "COMPLETING" && training->id != watched_.signaled &&
             watched_.ranksReady) {
    RETURN_IF_ERROR(slurm_.signal(watched_.jobName, "TERM"));  // before its ranks are ready it would be lost
    watched_.signaled = training->id;
  } else {
    return {};
  }
  if (!std::exchange(watched_.stopAccepted, true)) pollQuickly();
  return {};
}

void SlurmRunController::warnOnce(const std::string& trouble) {
  if (watched_.reported.insert(trouble).second) note(NoteLevel::Warning, trouble);
}

void SlurmRunController::readJournal(const std::function<void(const RunEvent&)>& onEvent) {
  auto reader = JournalReader::open(journalFile(workspace_, watched_.id));
  const auto warnOfJournal = [this](const Error& error) {
    warnOnce(formatText("what the run reports cannot be read further; it may train on: {}", error.text()));
  };
  if (!reader.ok()) {
    if (reader.error().code != ErrorCode::NotFound) warnOfJournal(reader.error());  // else the job has not started
    return;
  }
  reader->seek(watched_.journalRead);
  JournalLine line;
  while (!stop_.stop_requested()) {
    const Result<bool> read = reader->next(line);
    if (!read.ok()) warnOfJournal(read.error());
    if (!read.ok() || !*read) break;
    if (const auto* event = std::get_if<RunEvent>(&line.entry)) onEvent(*event);
  }
  if (reader->position().byte == watched_.journalRead.byte) return;
  watched_.journalRead = reader->position();
  const auto synced = syncJournals(*store_, {journalFile(workspace_, watched_.id)}, stop_);
  if (!synced.ok())
    return warnOnce(formatText("the newest rows are not in the database yet: {}", synced.error().text()));
  for (const std::string& text : synced->notes) warnOnce(text);
}

// Publishes complete lines that are not events: output of srun, bash and libraries.
void SlurmRunController::readLog() {
  const LogTail::NewLines newLines = log_.poll();
  if (newLines.events > 0 && !std::exchange(watched_.ranksReady, true)) pollQuickly();
  if (newLines.dropped > 0)
    note(NoteLevel::Info,
         formatText("job: {} {} left out here; see runs/{}.log in the workspace", newLines.dropped,
                    pluralText(newLines.dropped, "line of its output is", "lines of its output are"), watched_.id));
  for (const std::string& line : newLines.lines) note(NoteLevel::Info, formatText("job: {}", escapedForTerminal(line)));
}

void SlurmRunController::remember(const RunEvent& event) {
  if (const auto* row = std::get_if<MetricsRow>(&event)) watched_.at = row->at;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) watched_.lastCheckpoint = saved->id;
  if (const auto* end = std::get_if<RunFinished>(&event)) {
    watched_.lastEnd = *end;
    pollQuickly();
  }
  if (std::holds_alternative<RunStarted>(event)) watched_.lastEnd.reset();
}

void SlurmRunController::showQueue(const std::vector<SlurmJob>& jobs) {
  std::string shown;
  if (!jobs.empty() && isWaiting(jobs.back()))
    shown = formatText("in the queue: {}", jobs.back().reason == "None"
                                               ? jobs.back().state
                                               : jobs.back().state + " (" + jobs.back().reason + ")");
  if (shown != watched_.queueShown && !shown.empty()) events_.publish(PhaseProgress{shown, 0, 0, {}});
  watched_.queueShown = shown;
}

bool SlurmRunController::isOver() const {
  const bool finished = watched_.lastEnd && watched_.lastEnd->status == RunStatus::Finished;
  return watched_.pollsWithoutJob >= (finished ? 1 : kPollsWithoutJob);
}

// Called when no job is left. The last reported end counts; without one, the job died or never started.
RunFinished SlurmRunController::outcome() {
  if (watched_.lastEnd) return *watched_.lastEnd;
  RunFinished end = endWithoutReport();
  end.at = watched_.at;
  end.lastCheckpoint = watched_.lastCheckpoint;
  // A job that did not run leaves the stored reason of the one before.
  if (end.status != RunStatus::Interrupted || watched_.journalRead.byte == 0 || !watched_.jobRan) return end;
  if (const auto stored = store_->setInterruptionReason(watched_.id, end.reason, end.cause); !stored.ok())
    note(NoteLevel::Warning, stored.error().text());
  return end;
}

// Tells what the cluster still knows, and the last lines of the job's output.
RunFinished SlurmRunController::endWithoutReport() {
  const bool runStarted = watched_.journalRead.byte > 0;
  const auto end = watched_.job.empty() ? std::nullopt : slurm_.ended(watched_.job);
  if (end && end->hadNodes) watched_.jobRan = true;  // between two polls
  if (watched_.stopAccepted && !(runStarted && watched_.jobRan))
    return {RunStatus::Stopped,
            formatText("its Slurm job was stopped before the run {}", runStarted ? "continued" : "started"),
            {},
            {}};
  std::string output;
  for (const std::string& line : lastLines(logFile(), kLastLogLines, kLongestLastLine, watched_.logBefore))
    output += (output.empty() ? "'" : " / '") + escapedForTerminal(line) + "'";
  const bool jobStarted = !output.empty() || (end && end->hadNodes);
  if (jobStarted) watched_.jobRan = true;
  const bool canceled = end && end->state == "CANCELLED";
  RunFinished finished;
  finished.status = jobStarted && !runStarted && !canceled ? RunStatus::Failed : RunStatus::Interrupted;
  finished.reason = formatText(
      "its Slurm job {} ended before {}: {}; {}", watched_.job.empty() ? "?" : watched_.job,
      runStarted ? "the run did" : "the run started",
      end ? describe(*end) : "the cluster does not say how, it may have been canceled",
      output.empty() ? "it left no output"
                     : formatText("its output ends with {}; see runs/{}.log in the workspace", output, watched_.id));
  if (end && end->state == "OUT_OF_MEMORY") finished.cause = FailureCause::OutOfMemory;
  return finished;
}

}  // namespace

std::unique_ptr<RunController> makeSlurmRunController(EventSink& events, const SlurmOptions& options) {
  return std::make_unique<SlurmRunController>(events, options, Workspace::systemClock());
}

std::unique_ptr<RunController> makeSlurmWatcher(EventSink& events, const Clock& clock) {
  return std::make_unique<SlurmRunController>(events, std::nullopt, clock);
}

}  // namespace batchwise
