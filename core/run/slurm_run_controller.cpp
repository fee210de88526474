// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm_run_controller.h"

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/file.h"
#include "core/base/plain_text.h"
#include "core/run/awaited_run_controller.h"
#include "core/run/slurm_client.h"
#include "core/run/slurm_submission.h"
#include "core/store/journal.h"
#include "core/store/journal_run.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1000};
constexpr int kLogLinesAtOnce = 50;
constexpr std::size_t kLongestLogLine = 500;
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
  std::optional<RunStarted> passOverWhatIsThere();
  void obey();
  void look();
  void readJournal(const std::function<void(const RunEvent&)>& toldOf);
  std::filesystem::path logFile() const;
  void readLog();
  void remember(const RunEvent& event);
  void take(const RunEvent& event);
  void showQueue(const std::vector<SlurmJob>& jobs);
  RunFinished outcome();

  EventSink& events_;
  const std::optional<SlurmOptions> options_;  // none: the job is there
  const SlurmClient slurm_{};

  // Of the worker.
  std::filesystem::path workspace_;
  std::string id_;
  std::string jobName_;
  std::shared_ptr<Workspace> store_;
  std::int64_t readNumber_ = 0, readByte_ = 0;  // of the journal
  std::int64_t readLog_ = 0;                    // bytes of the job's output
  std::string queueShown_;
  int looksWithoutJob_ = 0;
  std::optional<RunFinished> lastEnd_;  // of a segment: another may follow
  Timestamp at_;
  std::string lastCheckpoint_;
  std::optional<RunFinished> over_;

  std::mutex sleepMutex_;
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
  if (Result<void> entered = enter(request); !entered.ok()) {
    events_.publish(RunFinished{RunStatus::Failed, entered.error().text(), {}, {}});
    return run_.end(entered.error());
  }
  while (!over_ && !stop.stop_requested()) {
    obey();
    look();
    std::unique_lock lock(sleepMutex_);
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
  readNumber_ = readByte_ = readLog_ = 0;
  queueShown_.clear();
  looksWithoutJob_ = 0;
  over_.reset();
  at_ = {};
  lastCheckpoint_.clear();
  id_ = request.resumeRun;
  lastEnd_.reset();
  const std::optional<RunStarted> begun = id_.empty() ? std::nullopt : passOverWhatIsThere();
  if (options_) lastEnd_.reset();  // it goes on, and will end anew
  if (options_) {
    const Result<SlurmSubmission> submitted = submitToSlurm({request}, *options_, slurm_);
    if (!submitted.ok()) return submitted.error();
    id_ = submitted->runs.front();
    for (const std::string& note : submitted->notes) events_.publish(RunNote{NoteLevel::Info, note, {}});
    events_.publish(
        RunNote{NoteLevel::Info, "Slurm job " + submitted->job + " of run " + id_ + " is in the queue", {}});
  } else if (begun) {
    events_.publish(*begun);
  }
  jobName_ = slurmJobName(id_);
  return {};
}

// To where journal and output are now. The newest beginning of the run that the journal tells of.
std::optional<RunStarted> SlurmRunController::passOverWhatIsThere() {
  std::optional<RunStarted> begun;
  readJournal([&](const RunEvent& event) {
    if (const auto* started = std::get_if<RunStarted>(&event)) begun = *started;
    remember(event);
  });
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(logFile(), missing);
  readLog_ = missing ? 0 : static_cast<std::int64_t>(bytes);
  return begun;
}

void SlurmRunController::obey() {
  const RunCommand command = commands_.take();
  if (command == RunCommand::None) return;
  if (!endsRun(command)) {
    events_.publish(
        RunNote{NoteLevel::Warning, "a run in a Slurm job can be stopped, but not paused or saved from here", at_});
    return;
  }
  // The mark first: a job that ends must not be followed by the next one.
  Result<void> done = writeFileAtomically(slurmStopMark(workspace_, id_), "stop\n");
  const auto jobs = slurm_.jobs(jobName_);
  const bool runs = jobs.ok() && !jobs->empty() && jobs->back().state == "RUNNING";
  if (done.ok())
    done = runs && command != RunCommand::Abort ? slurm_.signal(jobName_, "TERM") : slurm_.cancel(jobName_);
  if (!done.ok()) events_.publish(RunNote{NoteLevel::Error, "the job was not reached: " + done.error().text(), at_});
}

void SlurmRunController::look() {
  const auto jobs = slurm_.jobs(jobName_);
  readJournal([this](const RunEvent& event) { take(event); });
  readLog();
  if (!jobs.ok()) return;  // asked again
  showQueue(*jobs);
  looksWithoutJob_ = jobs->empty() ? looksWithoutJob_ + 1 : 0;
  const bool finished = lastEnd_ && lastEnd_->status == RunStatus::Finished;
  if (jobs->empty() && (finished || looksWithoutJob_ >= kLooksWithoutJob)) over_ = outcome();
}

void SlurmRunController::readJournal(const std::function<void(const RunEvent&)>& toldOf) {
  auto reader = JournalReader::open(journalFile(workspace_, id_));
  if (!reader.ok()) return;  // the job has not begun
  reader->seek(readNumber_, readByte_);
  nlohmann::json record;
  for (;;) {
    const Result<bool> read = reader->next(record);
    if (!read.ok() || !*read) break;
    if (const auto found = record.find("event"); found != record.end())
      if (const auto event = eventFromJson(*found); event.ok()) toldOf(*event);
  }
  if (reader->byte() == readByte_) return;
  readNumber_ = reader->number();
  readByte_ = reader->byte();
  if (const auto synced = syncJournals(*store_); !synced.ok())
    events_.publish(
        RunNote{NoteLevel::Warning, "what is new is not in the database yet: " + synced.error().text(), at_});
}

std::filesystem::path SlurmRunController::logFile() const {
  return workspace_ / "runs" / (id_ + ".log");
}

// Whole lines that are no events: what srun, bash and the libraries had to say.
void SlurmRunController::readLog() {
  std::ifstream log(logFile(), std::ios::binary);
  log.seekg(readLog_);
  std::string line;
  for (int lines = 0; lines < kLogLinesAtOnce && std::getline(log, line) && !log.eof(); ++lines) {
    readLog_ += static_cast<std::int64_t>(line.size()) + 1;
    if (line.empty() || line.front() == '{') continue;
    if (line.size() > kLongestLogLine) line.resize(kLongestLogLine);
    events_.publish(RunNote{NoteLevel::Info, "job: " + shownSafely(line), at_});
  }
}

void SlurmRunController::remember(const RunEvent& event) {
  if (const auto* row = std::get_if<MetricsRow>(&event)) at_ = row->at;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) lastCheckpoint_ = saved->id;
  if (const auto* end = std::get_if<RunFinished>(&event)) lastEnd_ = *end;
  if (std::holds_alternative<RunStarted>(event)) lastEnd_.reset();
}

void SlurmRunController::take(const RunEvent& event) {
  remember(event);
  if (!std::holds_alternative<RunFinished>(event)) events_.publish(event);  // an end is told when no job is left
}

void SlurmRunController::showQueue(const std::vector<SlurmJob>& jobs) {
  std::string shown;
  if (!jobs.empty() && jobs.back().state != "RUNNING" && jobs.back().state != "COMPLETING")
    shown =
        "in the queue: " + jobs.back().state + (jobs.back().reason == "None" ? "" : " (" + jobs.back().reason + ")");
  if (shown != queueShown_ && !shown.empty()) events_.publish(PhaseProgress{shown, 0, 0, {}});
  queueShown_ = shown;
}

// No job is left. What the run said last counts; if it said nothing, its job died.
RunFinished SlurmRunController::outcome() {
  if (lastEnd_) return *lastEnd_;
  RunFinished gone{RunStatus::Interrupted,
                   "its Slurm job ended before the run did; see runs/" + id_ + ".log in the workspace", at_,
                   lastCheckpoint_};
  if (readByte_ == 0) {
    gone.status = RunStatus::Failed;
    gone.reason = "its Slurm job ended before the run began; see runs/" + id_ + ".log in the workspace";
    return gone;
  }
  if (const auto told = store_->setInterruptionReason(id_, gone.reason); !told.ok())
    events_.publish(RunNote{NoteLevel::Warning, told.error().text(), at_});
  return gone;
}

}  // namespace

std::unique_ptr<RunController> makeSlurmRunController(EventSink& events, const SlurmOptions& options) {
  return std::make_unique<SlurmRunController>(events, options);
}

std::unique_ptr<RunController> makeSlurmWatcher(EventSink& events) {
  return std::make_unique<SlurmRunController>(events, std::nullopt);
}

}  // namespace batchwise
