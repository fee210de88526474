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
#include "core/run/awaited_run_controller.h"
#include "core/run/controllers/log_tail.h"
#include "core/run/slurm/slurm_client.h"
#include "core/run/slurm/slurm_looks.h"
#include "core/run/slurm/slurm_outcome.h"
#include "core/run/slurm/slurm_stop.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_run.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1000};
constexpr std::size_t kLogLinesAtOnce = 50;
constexpr std::size_t kLongestLogLine = 500;
constexpr std::size_t kLastLogLines = 3;  // that tell how a job died
constexpr std::size_t kLongestLastLine = 200;
constexpr int kLooksWithoutJob = 3;  // before a run is taken for over: a job that is queued again is away for a moment

class SlurmRunController final : public AwaitedRunController {
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
  Result<void> enter(const LaunchRequest& request);
  std::vector<RunEvent> passOverWhatIsThere();
  void obey();
  void look();
  void lookAtQueue();
  void stopJobs(const std::vector<SlurmJob>& jobs);
  Result<void> give(SlurmStop::Order order) const;
  void noteOnce(const std::string& trouble);
  std::filesystem::path logFile() const;
  void readJournal(const std::function<void(const RunEvent&)>& toldOf);
  void readLog();
  void somethingHappened() { looks_.somethingHappened(clock_.monotonicSec()); }
  void remember(const RunEvent& event);
  void take(const RunEvent& event);
  void showQueue(const std::vector<SlurmJob>& jobs);
  RunFinished outcome();

  EventSink& events_;
  const std::optional<SlurmOptions> options_;  // none: the job is there
  const SystemClock clock_{};

  // Of the worker.
  std::stop_token stop_;
  SlurmClient slurm_;
  SlurmLooks looks_;
  std::filesystem::path workspace_;
  std::string id_;
  std::string jobName_;
  std::shared_ptr<Workspace> store_;
  std::int64_t readNumber_ = 0, readByte_ = 0;  // of the journal
  LogTail log_{kLogLinesAtOnce, kLongestLogLine};
  std::int64_t logBefore_ = 0;           // bytes of the output that earlier jobs of the run left
  std::function<std::string()> heldUp_;  // why the events cannot be taken now; may be empty
  std::string queueShown_;
  int looksWithoutJob_ = 0;
  bool jobBegan_ = false;               // since it was submitted, or is followed here
  bool ranksListen_ = false;            // of the job that runs: they have said something
  std::string job_;                     // the newest that is known
  SlurmStop stopWish_;                  // a person's, from here
  bool stopTaken_ = false;              // by the cluster
  std::string troubleTold_;             // with a stop
  std::optional<RunFinished> lastEnd_;  // of a segment: another may follow
  Timestamp at_;
  std::string lastCheckpoint_;
  std::optional<RunFinished> over_;

  Mutex sleepMutex_;
  std::condition_variable_any asleep_;
  std::jthread worker_;  // last: ends first
};

Result<void> SlurmRunController::start(const LaunchRequest& request) {
  if (!run_.begin()) return Error{ErrorCode::Busy, "a run is under way here; wait for it or stop it first", {}};
  if (worker_.joinable()) worker_.join();
  commands_.clear();
  worker_ = std::jthread([this, request](const std::stop_token& stop) { work(request, stop); });
  return {};
}

void SlurmRunController::work(const LaunchRequest& request, const std::stop_token& stop) {
  stop_ = stop;
  slurm_ = SlurmClient(stop);
  if (Result<void> entered = enter(request); !entered.ok()) {
    if (!stop.stop_requested()) events_.publish(RunFinished{RunStatus::Failed, entered.error().text(), {}, {}});
    return run_.end(entered.error());
  }
  while (!over_ && !stop.stop_requested()) {
    obey();
    look();
    MutexLock lock(sleepMutex_);
    if (!over_) asleep_.wait_for(lock, stop, kBetweenLooks, [&stop] { return stop.stop_requested(); });
  }
  if (!over_) return run_.end(Error{ErrorCode::Stopped, "the run goes on in its Slurm job", {}});
  events_.publish(*over_);
  run_.end(*over_);
}

// Puts the run into the queue, unless it is to be watched only.
Result<void> SlurmRunController::enter(const LaunchRequest& request) {
  Result<std::shared_ptr<Workspace>> store = Workspace::open(request.workspace);
  if (!store.ok()) return store.error();
  store_ = std::move(*store);
  workspace_ = store_->folder();
  readNumber_ = readByte_ = 0;
  queueShown_.clear();
  looksWithoutJob_ = 0;
  jobBegan_ = ranksListen_ = stopTaken_ = false;
  stopWish_ = {};
  job_.clear();
  troubleTold_.clear();
  looks_ = {};
  over_.reset();
  at_ = {};
  lastCheckpoint_.clear();
  id_ = request.resumeRun;
  lastEnd_.reset();
  logBefore_ = 0;
  heldUp_ = request.eventsHeldUp;
  const std::vector<RunEvent> soFar = id_.empty() ? std::vector<RunEvent>() : passOverWhatIsThere();
  if (options_) {
    lastEnd_.reset();  // it goes on, and will end anew
    logBefore_ = id_.empty() ? 0 : log_.position();
    jobBegan_ = ranksListen_ = false;
    const Result<SlurmSubmission> submitted = submitToSlurm({request}, *options_, slurm_);
    if (!submitted.ok()) return submitted.error();
    id_ = submitted->runs.front();
    job_ = submitted->job;
    for (const std::string& note : submitted->notes) events_.publish(RunNote{NoteLevel::Info, note, {}});
    events_.publish(
        RunNote{NoteLevel::Info, "Slurm job " + submitted->job + " of run " + id_ + " is in the queue", {}});
  } else {
    for (const RunEvent& event : soFar) events_.publish(event);
  }
  jobName_ = slurmJobName(id_);
  if (request.resumeRun.empty()) log_.follow(logFile());
  somethingHappened();
  return {};
}

// To where journal and output are now. What the journal tells of that still holds: the newest beginning of the run, and
// the pause that it is in.
std::vector<RunEvent> SlurmRunController::passOverWhatIsThere() {
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
  jobBegan_ = ranksListen_ = readByte_ > 0 && !lastEnd_;
  return soFar;
}

void SlurmRunController::obey() {
  const RunCommand command = commands_.take();
  if (command == RunCommand::None) return;
  if (!endsRun(command)) {
    events_.publish(
        RunNote{NoteLevel::Warning, "a run in a Slurm job can be stopped, but not paused or saved from here", at_});
    return;
  }
  somethingHappened();
  // The mark first: a job that ends must not be followed by the next one.
  if (Result<void> marked = writeFileAtomically(slurmStopMark(workspace_, id_), "stop\n"); !marked.ok()) {
    events_.publish(RunNote{NoteLevel::Error, "the job was not stopped: " + marked.error().text(), at_});
    if (command != RunCommand::Abort) return;  // an abort takes the next one out of the queue, too
  }
  stopWish_.ask(command);
}

void SlurmRunController::look() {
  if (looks_.due(clock_.monotonicSec())) lookAtQueue();
  // The job goes on, and the journal keeps what it says, until somebody reads, for the store too. Whoever wants the end
  // does not wait.
  if (heldUp_ && !stopWish_.asked() && !heldUp_().empty()) return;
  readJournal([this](const RunEvent& event) { take(event); });
  readLog();
  const bool finished = lastEnd_ && lastEnd_->status == RunStatus::Finished;
  if (looksWithoutJob_ >= (finished ? 1 : kLooksWithoutJob)) over_ = outcome();
}

void SlurmRunController::lookAtQueue() {
  const auto jobs = slurm_.jobs(jobName_);
  if (!jobs.ok()) {  // asked again
    if (stopWish_.asked()) noteOnce(jobs.error().text());
    return;
  }
  showQueue(*jobs);
  if (!jobs->empty()) {
    const std::string before = std::exchange(job_, jobs->back().id);
    if (!before.empty() && before != job_) ranksListen_ = false;  // the next of a chain began between two looks
  }
  stopJobs(*jobs);
  looksWithoutJob_ = jobs->empty() ? looksWithoutJob_ + 1 : 0;
  if (jobs->empty()) somethingHappened();
  jobBegan_ = jobBegan_ || std::any_of(jobs->begin(), jobs->end(), [](const SlurmJob& job) {
                return job.state == "RUNNING" || job.state == "COMPLETING";
              });
  if (!jobs->empty() && jobs->back().state == "PENDING") ranksListen_ = false;  // those of the next start do not yet
}

void SlurmRunController::stopJobs(const std::vector<SlurmJob>& jobs) {
  const SlurmStop::Order order = stopWish_.next(jobs, ranksListen_);
  if (order == SlurmStop::Order::Nothing) return;
  if (Result<void> given = give(order); !given.ok()) return noteOnce(given.error().text());
  stopWish_.taken(order, jobs);
  stopTaken_ = true;
}

Result<void> SlurmRunController::give(SlurmStop::Order order) const {
  switch (order) {
    case SlurmStop::Order::Nothing: break;
    case SlurmStop::Order::Signal: return slurm_.signal(jobName_, "TERM");
    case SlurmStop::Order::CancelWaiting: return slurm_.cancelWaiting(jobName_);
    case SlurmStop::Order::CancelAll: return slurm_.cancel(jobName_);
  }
  return {};
}

void SlurmRunController::noteOnce(const std::string& trouble) {
  if (trouble != troubleTold_)
    events_.publish(RunNote{NoteLevel::Warning,
                            "the job has not been reached to stop it, and is asked again until it is: " + trouble,
                            at_});
  troubleTold_ = trouble;
}

void SlurmRunController::readJournal(const std::function<void(const RunEvent&)>& toldOf) {
  auto reader = JournalReader::open(journalFile(workspace_, id_));
  if (!reader.ok()) return;  // the job has not begun
  reader->seek(readNumber_, readByte_);
  nlohmann::json record;
  while (!stop_.stop_requested()) {
    const Result<bool> read = reader->next(record);
    if (!read.ok() || !*read) break;
    if (const auto found = record.find("event"); found != record.end())
      if (const auto event = eventFromJson(*found); event.ok()) toldOf(*event);
  }
  if (reader->byte() == readByte_) return;
  readNumber_ = reader->number();
  readByte_ = reader->byte();
  if (const auto synced = syncJournals(*store_, {journalFile(workspace_, id_)}, stop_); !synced.ok())
    events_.publish(
        RunNote{NoteLevel::Warning, "what is new is not in the database yet: " + synced.error().text(), at_});
}

std::filesystem::path SlurmRunController::logFile() const {
  return workspace_ / "runs" / (id_ + ".log");
}

// Whole lines that are no events: what srun, bash and the libraries had to say.
void SlurmRunController::readLog() {
  const LogTail::News news = log_.look();
  jobBegan_ = jobBegan_ || news.bytes > 0;
  ranksListen_ = ranksListen_ || news.events > 0;
  if (news.leftOut > 0)
    events_.publish(RunNote{NoteLevel::Info,
                            "job: " + std::to_string(news.leftOut) +
                                " lines of its output are left out here; see runs/" + id_ + ".log in the workspace",
                            at_});
  for (const std::string& line : news.lines)
    events_.publish(RunNote{NoteLevel::Info, "job: " + shownSafely(line), at_});
}

void SlurmRunController::remember(const RunEvent& event) {
  if (const auto* row = std::get_if<MetricsRow>(&event)) at_ = row->at;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) lastCheckpoint_ = saved->id;
  if (const auto* end = std::get_if<RunFinished>(&event)) lastEnd_ = *end;
  if (std::holds_alternative<RunStarted>(event)) lastEnd_.reset();
}

void SlurmRunController::take(const RunEvent& event) {
  remember(event);
  jobBegan_ = true;
  const bool ends = std::holds_alternative<RunFinished>(event);
  if (ends || std::holds_alternative<RunStarted>(event)) somethingHappened();
  if (!ends) events_.publish(event);  // an end is told when no job is left
}

void SlurmRunController::showQueue(const std::vector<SlurmJob>& jobs) {
  std::string shown;
  if (!jobs.empty() && jobs.back().state != "RUNNING" && jobs.back().state != "COMPLETING")
    shown =
        "in the queue: " + jobs.back().state + (jobs.back().reason == "None" ? "" : " (" + jobs.back().reason + ")");
  if (shown != queueShown_ && !shown.empty()) events_.publish(PhaseProgress{shown, 0, 0, {}});
  queueShown_ = shown;
}

// No job is left. What the run said last counts; if it said nothing, its job died, or never began.
RunFinished SlurmRunController::outcome() {
  if (lastEnd_) return *lastEnd_;
  SlurmSigns signs{id_, job_, jobBegan_, readByte_ > 0, stopTaken_, std::nullopt, {}};
  if (!job_.empty()) signs.end = slurm_.ended(job_);
  signs.lastLines = lastLines(logFile(), kLastLogLines, kLongestLastLine, logBefore_);
  RunFinished end = slurmOutcome(signs);
  end.at = at_;
  end.lastCheckpoint = lastCheckpoint_;
  if (end.status != RunStatus::Interrupted || !signs.runBegan) return end;
  if (const auto told = store_->setInterruptionReason(id_, end.reason); !told.ok())
    events_.publish(RunNote{NoteLevel::Warning, told.error().text(), at_});
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
