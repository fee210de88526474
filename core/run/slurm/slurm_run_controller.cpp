// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_run_controller.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/plain_text.h"
#include "core/base/return_if_error.h"
#include "core/run/controllers/log_tail.h"
#include "core/run/failure_cause.h"
#include "core/run/messages.h"
#include "core/run/run_controller_base.h"
#include "core/run/slurm/slurm_client.h"
#include "core/run/slurm/slurm_outcome.h"
#include "core/run/slurm/slurm_poll_schedule.h"
#include "core/run/slurm/slurm_stop.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_run.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kPollInterval{1000};
constexpr std::size_t kLogLinesAtOnce = 50;
constexpr std::size_t kLongestLogLine = 500;
constexpr std::size_t kLastLogLines = 3;  // quoted to explain how a job died
constexpr std::size_t kLongestLastLine = 200;
constexpr int kPollsWithoutJob = 3;  // before a run counts as over: a requeued job is briefly absent

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
  void noteOnce(const Message& trouble);
  std::filesystem::path logFile() const;
  void readJournal(const std::function<void(const RunEvent&)>& onEvent);
  void readLog();
  void jobChanged() { pollSchedule_.jobChanged(clock_.monotonicSec()); }
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
  SlurmPollSchedule pollSchedule_;
  std::filesystem::path workspace_;
  std::string id_;
  std::string jobName_;
  std::shared_ptr<Workspace> store_;
  std::int64_t readNumber_ = 0, readByte_ = 0;  // of the journal
  LogTail log_{kLogLinesAtOnce, kLongestLogLine};
  std::int64_t logBefore_ = 0;                        // bytes of output left by earlier jobs of the run
  std::function<std::string()> eventsBlockedReason_;  // why events cannot be consumed now; may be empty
  Message queueShown_;
  int pollsWithoutJob_ = 0;
  bool jobStarted_ = false;             // since its submission, or since it is watched
  bool ranksReady_ = false;             // of the running job: they have published events
  std::string job_;                     // newest known id
  SlurmStop stopRequest_;               // stop requested here
  bool stopAccepted_ = false;           // by the cluster
  std::string reportedTrouble_;         // last reported problem of a stop
  std::optional<RunFinished> lastEnd_;  // of a segment; another may follow
  Timestamp at_;
  std::string lastCheckpoint_;
  std::optional<RunFinished> over_;

  Mutex sleepMutex_;
  std::condition_variable_any asleep_;
  std::jthread worker_;  // last: ends first
};

Result<void> SlurmRunController::start(const LaunchRequest& request) {
  if (!run_.begin()) return Error{ErrorCode::Busy, messages::runActiveInController(), {}};
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
  while (!over_ && !stop.stop_requested()) {
    handleCommand();
    poll();
    MutexLock lock(sleepMutex_);
    if (!over_) asleep_.wait_for(lock, stop, kPollInterval, [&stop] { return stop.stop_requested(); });
  }
  if (!over_) return run_.end(Error{ErrorCode::Stopped, messages::runContinuesInSlurmJob(), {}});
  events_.publish(*over_);
  run_.end(*over_);
}

// Submits the run, unless it is only watched.
Result<void> SlurmRunController::submitOrWatch(const LaunchRequest& request) {
  ASSIGN_OR_RETURN(auto store, Workspace::open(request.workspace));
  store_ = std::move(store);
  workspace_ = store_->folder();
  readNumber_ = readByte_ = 0;
  queueShown_ = {};
  pollsWithoutJob_ = 0;
  jobStarted_ = ranksReady_ = stopAccepted_ = false;
  stopRequest_ = {};
  job_.clear();
  reportedTrouble_.clear();
  pollSchedule_ = {};
  over_.reset();
  at_ = {};
  lastCheckpoint_.clear();
  id_ = request.resumeRun;
  lastEnd_.reset();
  logBefore_ = 0;
  eventsBlockedReason_ = request.eventsBlockedReason;
  const std::vector<RunEvent> soFar = id_.empty() ? std::vector<RunEvent>() : skipExisting();
  if (options_) {
    lastEnd_.reset();  // it continues, and will end again
    logBefore_ = id_.empty() ? 0 : log_.position();
    jobStarted_ = ranksReady_ = false;
    ASSIGN_OR_RETURN(const auto submitted, submitToSlurm({request}, *options_, slurm_));
    id_ = submitted.runs.front();
    job_ = submitted.job;
    for (const Message& note : submitted.notes) events_.publish(RunNote{NoteLevel::Info, note, {}});
    events_.publish(RunNote{NoteLevel::Info, messages::slurmJobIsQueued(submitted.job, id_), {}});
  } else {
    for (const RunEvent& event : soFar) events_.publish(event);
  }
  jobName_ = slurmJobName(id_);
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
  jobStarted_ = ranksReady_ = readByte_ > 0 && !lastEnd_;
  return soFar;
}

void SlurmRunController::handleCommand() {
  const RunCommand command = commands_.take();
  if (command == RunCommand::None) return;
  if (!endsRun(command)) {
    events_.publish(RunNote{NoteLevel::Warning, messages::slurmRunCanOnlyStop(), at_});
    return;
  }
  jobChanged();
  // Write the mark first, so that no job of the chain follows the one that ends.
  if (Result<void> marked = writeFileAtomically(slurmStopFile(workspace_, id_), "stop\n"); !marked.ok()) {
    events_.publish(RunNote{NoteLevel::Error, messages::slurmJobNotStopped(marked.error().full()), at_});
    if (command != RunCommand::Abort) return;  // Abort also cancels the next job
  }
  stopRequest_.ask(command);
}

void SlurmRunController::poll() {
  if (pollSchedule_.due(clock_.monotonicSec())) pollQueue();
  // While events cannot be consumed, the journal keeps them, and the store waits too. A stop does not wait.
  if (eventsBlockedReason_ && !stopRequest_.asked() && !eventsBlockedReason_().empty()) return;
  readJournal([this](const RunEvent& event) { take(event); });
  readLog();
  const bool finished = lastEnd_ && lastEnd_->status == RunStatus::Finished;
  if (pollsWithoutJob_ >= (finished ? 1 : kPollsWithoutJob)) over_ = outcome();
}

void SlurmRunController::pollQueue() {
  const auto jobs = slurm_.jobs(jobName_);
  if (!jobs.ok()) {  // retried
    if (stopRequest_.asked()) noteOnce(jobs.error().text());
    return;
  }
  showQueue(*jobs);
  if (!jobs->empty()) {
    const std::string before = std::exchange(job_, jobs->back().id);
    if (!before.empty() && before != job_) ranksReady_ = false;  // the next job of the chain started between two polls
  }
  stopJobs(*jobs);
  pollsWithoutJob_ = jobs->empty() ? pollsWithoutJob_ + 1 : 0;
  if (jobs->empty()) jobChanged();
  jobStarted_ = jobStarted_ || std::any_of(jobs->begin(), jobs->end(), [](const SlurmJob& job) {
                  return job.state == "RUNNING" || job.state == "COMPLETING";
                });
  if (!jobs->empty() && jobs->back().state == "PENDING") ranksReady_ = false;  // until the next start
}

void SlurmRunController::stopJobs(const std::vector<SlurmJob>& jobs) {
  const SlurmStop::Order order = stopRequest_.next(jobs, ranksReady_);
  if (order == SlurmStop::Order::Nothing) return;
  if (Result<void> given = sendOrder(order); !given.ok()) return noteOnce(given.error().text());
  stopRequest_.accepted(order, jobs);
  stopAccepted_ = true;
}

Result<void> SlurmRunController::sendOrder(SlurmStop::Order order) const {
  switch (order) {
    case SlurmStop::Order::Nothing: break;
    case SlurmStop::Order::Signal: return slurm_.signal(jobName_, "TERM");
    case SlurmStop::Order::CancelWaiting: return slurm_.cancelWaiting(jobName_);
    case SlurmStop::Order::CancelAll: return slurm_.cancel(jobName_);
  }
  return {};
}

void SlurmRunController::noteOnce(const Message& trouble) {
  if (trouble != reportedTrouble_)
    events_.publish(RunNote{NoteLevel::Warning, messages::slurmJobStopIsRetried(trouble), at_});
  reportedTrouble_ = trouble;
}

void SlurmRunController::readJournal(const std::function<void(const RunEvent&)>& onEvent) {
  auto reader = JournalReader::open(journalFile(workspace_, id_));
  if (!reader.ok()) return;  // the job has not started
  reader->seek(readNumber_, readByte_);
  nlohmann::json record;
  while (!stop_.stop_requested()) {
    const Result<bool> read = reader->next(record);
    if (!read.ok() || !*read) break;
    if (const auto found = record.find("event"); found != record.end())
      if (const auto event = eventFromJson(*found); event.ok()) onEvent(*event);
  }
  if (reader->byte() == readByte_) return;
  readNumber_ = reader->number();
  readByte_ = reader->byte();
  if (const auto synced = syncJournals(*store_, {journalFile(workspace_, id_)}, stop_); !synced.ok())
    events_.publish(RunNote{NoteLevel::Warning, messages::slurmRowsNotSynced(synced.error().full()), at_});
}

std::filesystem::path SlurmRunController::logFile() const {
  return workspace_ / "runs" / (id_ + ".log");
}

// Publishes complete lines that are not events: output of srun, bash and libraries.
void SlurmRunController::readLog() {
  const LogTail::NewLines newLines = log_.poll();
  jobStarted_ = jobStarted_ || newLines.bytes > 0;
  ranksReady_ = ranksReady_ || newLines.events > 0;
  if (newLines.dropped > 0)
    events_.publish(RunNote{NoteLevel::Info, messages::slurmJobLinesOmitted(newLines.dropped, id_), at_});
  for (const std::string& line : newLines.lines)
    events_.publish(RunNote{NoteLevel::Info, messages::slurmJobOutputLine(escapedForTerminal(line)), at_});
}

void SlurmRunController::remember(const RunEvent& event) {
  if (const auto* row = std::get_if<MetricsRow>(&event)) at_ = row->at;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) lastCheckpoint_ = saved->id;
  if (const auto* end = std::get_if<RunFinished>(&event)) lastEnd_ = *end;
  if (std::holds_alternative<RunStarted>(event)) lastEnd_.reset();
}

void SlurmRunController::take(const RunEvent& event) {
  remember(event);
  jobStarted_ = true;
  const bool ends = std::holds_alternative<RunFinished>(event);
  if (ends || std::holds_alternative<RunStarted>(event)) jobChanged();
  if (!ends) events_.publish(event);  // published once no job is left
}

void SlurmRunController::showQueue(const std::vector<SlurmJob>& jobs) {
  Message shown;
  if (!jobs.empty() && jobs.back().state != "RUNNING" && jobs.back().state != "COMPLETING")
    shown = messages::slurmQueued(jobs.back().reason == "None" ? jobs.back().state
                                                               : jobs.back().state + " (" + jobs.back().reason + ")");
  if (shown != queueShown_ && !shown.empty()) events_.publish(PhaseProgress{shown, 0, 0, {}});
  queueShown_ = shown;
}

// Called when no job is left. The last reported end counts; without one, the job died or never started.
RunFinished SlurmRunController::outcome() {
  if (lastEnd_) return *lastEnd_;
  SlurmEvidence evidence{id_, job_, jobStarted_, readByte_ > 0, stopAccepted_, std::nullopt, {}};
  if (!job_.empty()) evidence.end = slurm_.ended(job_);
  evidence.lastLines = lastLines(logFile(), kLastLogLines, kLongestLastLine, logBefore_);
  RunFinished end = slurmOutcome(evidence);
  end.at = at_;
  end.lastCheckpoint = lastCheckpoint_;
  if (end.status != RunStatus::Interrupted || !evidence.runStarted) return end;
  if (const auto told = store_->setInterruptionReason(id_, end.reason); !told.ok())
    events_.publish(RunNote{NoteLevel::Warning, told.error().full(), at_});
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
