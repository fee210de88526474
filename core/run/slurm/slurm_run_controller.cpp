// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_run_controller.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/plain_text.h"
#include "core/base/result.h"
#include "core/run/controllers/output_lines.h"
#include "core/run/failure_cause.h"
#include "core/run/run_controller_base.h"
#include "core/run/slurm/slurm_client.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/run/slurm/slurm_tracking.h"
#include "core/store/journal/journal.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kPollInterval{1000};
constexpr std::size_t kLogLinesAtOnce = 50;
constexpr std::size_t kLongestLogLine = 500;
constexpr std::size_t kLastLogLines = 3;  // quoted to explain how a job died
constexpr std::size_t kLongestLastLine = 200;
constexpr int kPollsWithoutJob = 3;  // before a run counts as over: a requeued job is briefly absent

// What is known of the run and its jobs.
struct WatchedRun {
  std::string id;
  std::string jobName;
  SlurmPollSchedule pollSchedule;
  JournalReader::Position journalRead;  // up to here
  std::int64_t logBefore = 0;                 // bytes of output left by earlier jobs of the run
  std::string queueShown;
  int pollsWithoutJob = 0;
  bool jobStarted = false;             // since its submission, or since it is watched
  bool ranksReady = false;             // of the running job: they have published events
  std::string job;                     // newest known id
  SlurmStop stopRequest;               // stop requested here
  bool stopAccepted = false;           // by the cluster
  std::string reportedTrouble;         // last reported problem of a stop
  std::optional<RunFinished> lastEnd;  // of a segment; another may follow
  Timestamp at;
  std::string lastCheckpoint;
  std::optional<RunFinished> over;
};

class SlurmRunController final : public RunControllerBase {
 public:
  SlurmRunController(EventSink& events, std::optional<SlurmOptions> options)
      : events_(events), options_(std::move(options)) {}
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
  void poll();
  void pollQueue();
  void stopJobs(const std::vector<SlurmJob>& jobs);
  Result<void> sendOrder(SlurmStop::Order order) const;
  void noteOnce(const std::string& trouble);
  std::filesystem::path logFile() const;
  void readJournal(const std::function<void(const RunEvent&)>& onEvent);
  void readLog();
  void jobChanged() { watched_.pollSchedule.jobChanged(clock_.monotonicSec()); }
  void remember(const RunEvent& event);
  void take(const RunEvent& event);
  void showQueue(const std::vector<SlurmJob>& jobs);
  RunFinished outcome();

  EventSink& events_;
  const std::optional<SlurmOptions> options_;  // none: watch an existing job
  const SystemClock clock_{};

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
  while (!watched_.over && !stop.stop_requested()) {
    handleCommand();
    poll();
    MutexLock lock(sleepMutex_);
    if (!watched_.over) asleep_.wait_for(lock, stop, kPollInterval, [&stop] { return stop.stop_requested(); });
  }
  if (!watched_.over) return run_.end(Error{ErrorCode::Stopped, "the run continues in its Slurm job", {}});
  events_.publish(*watched_.over);
  run_.end(*watched_.over);
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
    watched_.jobStarted = watched_.ranksReady = false;
    ASSIGN_OR_RETURN(const auto submitted, submitToSlurm({request}, *options_, slurm_));
    watched_.id = submitted.runs.front();
    watched_.job = submitted.job;
    for (const std::string& note : submitted.notes) events_.publish(RunNote{NoteLevel::Info, note, {}});
    events_.publish(RunNote{NoteLevel::Info,
                            formatText("Slurm job {} of run {} is submitted and waits for its turn on the cluster",
                                       submitted.job, watched_.id),
                            {}});
  } else {
    for (const RunEvent& event : soFar) events_.publish(event);
  }
  watched_.jobName = slurmJobName(watched_.id);
  if (request.resumeRun.empty()) log_.follow(logFile());
  jobChanged();
  return {};
}

// Skips the present content of journal and output. Returns the events that still hold: the newest RunStarted, and the
// pause that the run is in.
std::vector<RunEvent> SlurmRunController::skipExisting() {
  std::vector<RunEvent> soFar;
  readJournal([&](const RunEvent& event) {
    const auto* note = std::get_if<RunNote>(&event);
    if (std::holds_alternative<RunStarted>(event)) soFar = {event};
    if (note != nullptr && note->paused && !soFar.empty()) soFar = {soFar.front()};
    if (note != nullptr && note->paused == true) soFar.push_back(event);
    remember(event);
  });
  log_.follow(logFile());
  log_.skip();
  watched_.jobStarted = watched_.ranksReady = watched_.journalRead.byte > 0 && !watched_.lastEnd;
  return soFar;
}

void SlurmRunController::handleCommand() {
  const RunCommand command = commands_.take();
  if (command == RunCommand::None) return;
  if (!endsRun(command)) {
    events_.publish(RunNote{NoteLevel::Warning,
                            "a run in a Slurm job can be stopped, but not paused or saved from here", watched_.at});
    return;
  }
  jobChanged();
  // Write the mark first, so that no job of the chain follows the one that ends.
  if (Result<void> marked = writeFileAtomically(slurmStopFile(workspace_, watched_.id), "stop\n"); !marked.ok()) {
    events_.publish(
        RunNote{NoteLevel::Error, formatText("the job was not stopped: {}", marked.error().text()), watched_.at});
    if (command != RunCommand::Abort) return;  // Abort also cancels the next job
  }
  watched_.stopRequest.ask(command);
}

void SlurmRunController::poll() {
  if (watched_.pollSchedule.due(clock_.monotonicSec())) pollQueue();
  // While events cannot be consumed, the journal keeps them, and the store waits too. A stop does not wait.
  if (eventsBlockedReason_ && !watched_.stopRequest.asked() && !eventsBlockedReason_().empty()) return;
  readJournal([this](const RunEvent& event) { take(event); });
  readLog();
  const bool finished = watched_.lastEnd && watched_.lastEnd->status == RunStatus::Finished;
  if (watched_.pollsWithoutJob >= (finished ? 1 : kPollsWithoutJob)) watched_.over = outcome();
}

void SlurmRunController::pollQueue() {
  const auto jobs = slurm_.jobs(watched_.jobName);
  if (!jobs.ok()) {  // retried
    if (watched_.stopRequest.asked()) noteOnce(jobs.error().text());
    return;
  }
  showQueue(*jobs);
  if (!jobs->empty()) {
    const std::string before = std::exchange(watched_.job, jobs->back().id);
    if (!before.empty() && before != watched_.job)
      watched_.ranksReady = false;  // the next job of the chain started between two polls
  }
  stopJobs(*jobs);
  watched_.pollsWithoutJob = jobs->empty() ? watched_.pollsWithoutJob + 1 : 0;
  if (jobs->empty()) jobChanged();
  watched_.jobStarted = watched_.jobStarted || std::any_of(jobs->begin(), jobs->end(), [](const SlurmJob& job) {
                          return job.state == "RUNNING" || job.state == "COMPLETING";
                        });
  if (!jobs->empty() && jobs->back().state == "PENDING") watched_.ranksReady = false;  // until the next start
}

void SlurmRunController::stopJobs(const std::vector<SlurmJob>& jobs) {
  const SlurmStop::Order order = watched_.stopRequest.next(jobs, watched_.ranksReady);
  if (order == SlurmStop::Order::Nothing) return;
  if (Result<void> given = sendOrder(order); !given.ok()) return noteOnce(given.error().text());
  watched_.stopRequest.accepted(order, jobs);
  watched_.stopAccepted = true;
}

Result<void> SlurmRunController::sendOrder(SlurmStop::Order order) const {
  switch (order) {
    case SlurmStop::Order::Nothing: break;
    case SlurmStop::Order::Signal: return slurm_.signal(watched_.jobName, "TERM");
    case SlurmStop::Order::CancelWaiting: return slurm_.cancelWaiting(watched_.jobName);
    case SlurmStop::Order::CancelAll: return slurm_.cancel(watched_.jobName);
  }
  return {};
}

void SlurmRunController::noteOnce(const std::string& trouble) {
  if (trouble != watched_.reportedTrouble)
    events_.publish(
        RunNote{NoteLevel::Warning,
                formatText("the job could not be reached to stop it; this is retried until it succeeds: {}", trouble),
                watched_.at});
  watched_.reportedTrouble = trouble;
}

void SlurmRunController::readJournal(const std::function<void(const RunEvent&)>& onEvent) {
  auto reader = JournalReader::open(journalFile(workspace_, watched_.id));
  if (!reader.ok()) return;  // the job has not started
  reader->seek(watched_.journalRead);
  JournalLine line;
  while (!stop_.stop_requested()) {
    const Result<bool> read = reader->next(line);
    if (!read.ok() || !*read) break;
    if (const auto* event = std::get_if<RunEvent>(&line.entry)) onEvent(*event);
  }
  if (reader->position().byte == watched_.journalRead.byte) return;
  watched_.journalRead = reader->position();
  if (const auto synced = syncJournals(*store_, {journalFile(workspace_, watched_.id)}, stop_); !synced.ok())
    events_.publish(RunNote{NoteLevel::Warning,
                            formatText("the newest rows are not in the database yet: {}", synced.error().text()),
                            watched_.at});
}

std::filesystem::path SlurmRunController::logFile() const {
  return workspace_ / "runs" / (watched_.id + ".log");
}

// Publishes complete lines that are not events: output of srun, bash and libraries.
void SlurmRunController::readLog() {
  const LogTail::NewLines newLines = log_.poll();
  watched_.jobStarted = watched_.jobStarted || newLines.bytes > 0;
  watched_.ranksReady = watched_.ranksReady || newLines.events > 0;
  if (newLines.dropped > 0)
    events_.publish(RunNote{
        NoteLevel::Info,
        formatText("job: {} {} left out here; see runs/{}.log in the workspace", newLines.dropped,
                   pluralText(newLines.dropped, "line of its output is", "lines of its output are"), watched_.id),
        watched_.at});
  for (const std::string& line : newLines.lines)
    events_.publish(RunNote{NoteLevel::Info, formatText("job: {}", escapedForTerminal(line)), watched_.at});
}

void SlurmRunController::remember(const RunEvent& event) {
  if (const auto* row = std::get_if<MetricsRow>(&event)) watched_.at = row->at;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) watched_.lastCheckpoint = saved->id;
  if (const auto* end = std::get_if<RunFinished>(&event)) watched_.lastEnd = *end;
  if (std::holds_alternative<RunStarted>(event)) watched_.lastEnd.reset();
}

void SlurmRunController::take(const RunEvent& event) {
  remember(event);
  watched_.jobStarted = true;
  const bool ends = std::holds_alternative<RunFinished>(event);
  if (ends || std::holds_alternative<RunStarted>(event)) jobChanged();
  if (!ends) events_.publish(event);  // published once no job is left
}

void SlurmRunController::showQueue(const std::vector<SlurmJob>& jobs) {
  std::string shown;
  if (!jobs.empty() && jobs.back().state != "RUNNING" && jobs.back().state != "COMPLETING")
    shown = formatText("in the queue: {}", jobs.back().reason == "None"
                                               ? jobs.back().state
                                               : jobs.back().state + " (" + jobs.back().reason + ")");
  if (shown != watched_.queueShown && !shown.empty()) events_.publish(PhaseProgress{shown, 0, 0, {}});
  watched_.queueShown = shown;
}

// Called when no job is left. The last reported end counts; without one, the job died or never started.
RunFinished SlurmRunController::outcome() {
  if (watched_.lastEnd) return *watched_.lastEnd;
  SlurmEvidence evidence{
      watched_.id, watched_.job, watched_.jobStarted, watched_.journalRead.byte > 0, watched_.stopAccepted, std::nullopt, {}};
  if (!watched_.job.empty()) evidence.end = slurm_.ended(watched_.job);
  evidence.lastLines = lastLines(logFile(), kLastLogLines, kLongestLastLine, watched_.logBefore);
  RunFinished end = slurmOutcome(evidence);
  end.at = watched_.at;
  end.lastCheckpoint = watched_.lastCheckpoint;
  if (end.status != RunStatus::Interrupted || !evidence.runStarted) return end;
  if (const auto told = store_->setInterruptionReason(watched_.id, end.reason); !told.ok())
    events_.publish(RunNote{NoteLevel::Warning, told.error().text(), watched_.at});
  return end;
}

}  // namespace

std::unique_ptr<RunController> makeSlurmRunController(EventSink& events, const SlurmOptions& options) {
  return std::make_unique<SlurmRunController>(events, options);
}

std::unique_ptr<RunController> makeSlurmWatcher(EventSink& events) {
  return std::make_unique<SlurmRunController>(events, std::nullopt);
}

}  // namespace batchwise
