// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_writer.h"

#include <atomic>

#include "core/base/bounded_queue.h"
#include "core/base/mutex.h"
#include "core/base/return_if_error.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/recording/run_segment.h"
#include "core/store/recording/segment_event_writer.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_state.h"
#include "core/store/writer_lock.h"

namespace batchwise {
namespace {

constexpr std::size_t kQueueCapacity = 1 << 16;  // events; about a minute of the fastest tiny run
constexpr std::size_t kGroupLimit = 8192;        // events per transaction
constexpr double kHeartbeatSec = 5.0;

}  // namespace

struct RunWriter::State final : WriteSource {
  std::shared_ptr<Workspace> workspace;
  ProcessIdentity process = currentProcess();
  std::string runId;
  std::int64_t run = 0;
  std::int64_t segment = 0;
  BoundedQueue<StampedEvent> queue{kQueueCapacity};
  std::atomic<std::int64_t> published{0};
  std::atomic<std::int64_t> committed{0};

  // Writer thread only.
  std::optional<SegmentEventWriter> rows;
  std::vector<StampedEvent> group;  // popped from the queue, not committed yet
  double nextHeartbeatSec = 0;
  std::optional<WriterLock> writerLock;  // held until the end of the run is stored

  mutable Mutex errorMutex;
  std::optional<Error> writeError GUARDED_BY(errorMutex);

  const Clock& clock() const { return workspace->state().clock; }
  Result<void> open(SQLite::Database& database, const std::string& id, const SegmentStart& start);
  Result<void> takeLock();
  void tick(WriterThread& writer) override;
  void popGroup();
  bool commitGroup(WriterThread& writer);
  Result<void> writeGroup(SQLite::Database& database);
  void updateHeartbeat(SQLite::Database& database);
  void release();
};

Result<void> RunWriter::State::open(SQLite::Database& database, const std::string& id, const SegmentStart& start) {
  ASSIGN_OR_RETURN(const auto number, runNumber(database, id));
  run = number;
  const auto opened = openSegment(database, {run, 0, process, clock().wallMs()}, start, workspace->folder());
  if (!opened.ok()) return opened.error().within(messages::runContext(id));
  segment = *opened;
  return takeLock();
}

Result<void> RunWriter::State::takeLock() {
  ASSIGN_OR_RETURN(auto taken, WriterLock::acquire(workspace->folder(), run));
  writerLock = std::move(taken);
  return {};
}

void RunWriter::State::tick(WriterThread& writer) {
  do {
    popGroup();
    if (group.empty() && (rows->finished() || clock().monotonicSec() < nextHeartbeatSec)) return;
  } while (commitGroup(writer) && queue.size() >= kGroupLimit);
}

void RunWriter::State::popGroup() {
  while (group.size() < kGroupLimit) {
    auto next = queue.tryPop();
    if (!next) return;
    group.push_back(std::move(*next));
  }
}

bool RunWriter::State::commitGroup(WriterThread& writer) {
  const bool wasFinished = rows->finished();
  const auto done = writer.transact([this](SQLite::Database& database) { return writeGroup(database); });
  if (done.ok()) {
    committed += static_cast<std::int64_t>(group.size());
    group.clear();
    nextHeartbeatSec = clock().monotonicSec() + kHeartbeatSec;
  } else {
    rows->setFinished(wasFinished);
    rows->onRollback();
    if (!wasFinished && !writerLock) (void)takeLock();
  }
  const MutexLock lock(errorMutex);
  writeError = done.ok() ? std::nullopt : std::optional{done.error()};
  return done.ok();
}

Result<void> RunWriter::State::writeGroup(SQLite::Database& database) {
  for (const StampedEvent& stamped : group) rows->write(database, stamped);
  if (rows->finished()) {
    writerLock.reset();  // before the commit: the next writer finds neither claim nor lock
  } else {
    updateHeartbeat(database);
  }
  return rows->finishTransaction(database);
}

void RunWriter::State::updateHeartbeat(SQLite::Database& database) {
  const std::int64_t nowMs = clock().wallMs();
  SQLite::Statement update(database, "UPDATE run_writer SET heartbeat_ms=? WHERE run=?");
  update.bind(1, nowMs);
  update.bind(2, run);
  if (update.exec() > 0) return;
  // Another host, which cannot see this process, set the run to Interrupted: revive it.
  storeClaim(database, {run, segment, process, nowMs});
  SQLite::Statement revive(database,
                           "UPDATE run SET status='running', reason='', ended_ms=0 WHERE number=? AND "
                           "status='interrupted'");
  revive.bind(1, run);
  revive.exec();
}

void RunWriter::State::release() {
  if (rows->finished()) return;
  (void)workspace->state().write([this](SQLite::Database& database) -> Result<void> {
    SQLite::Statement update(database, "UPDATE run_writer SET process_id=0 WHERE run=? AND segment=?");
    update.bind(1, run);
    update.bind(2, segment);
    update.exec();
    return {};
  });
}

RunWriter::RunWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<RunWriter>> RunWriter::open(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                   const SegmentStart& start) {
  auto state = std::make_unique<State>();
  state->workspace = std::move(workspace);
  state->runId = run;
  auto opened =
      state->workspace->state().write([&](SQLite::Database& database) { return state->open(database, run, start); });
  if (!opened.ok()) return opened.error();
  state->rows.emplace(state->run, state->segment);
  state->nextHeartbeatSec = state->clock().monotonicSec() + kHeartbeatSec;
  state->workspace->state().writer->add(*state);
  return std::unique_ptr<RunWriter>(new RunWriter(std::move(state)));
}

RunWriter::~RunWriter() {
  if (!writeError()) (void)flush();  // after an error the caller has stopped waiting
  state_->workspace->state().writer->remove(*state_);
  state_->release();
}

std::int64_t RunWriter::segment() const {
  return state_->segment;
}

void RunWriter::publish(const RunEvent& event) {
  if (state_->queue.push({state_->clock().wallMs(), event})) ++state_->published;
}

Result<void> RunWriter::flush() {
  const std::int64_t wanted = state_->published;
  WriterThread& writer = *state_->workspace->state().writer;
  while (state_->committed < wanted) {
    writer.call([&] { state_->tick(writer); });
    const MutexLock lock(state_->errorMutex);
    if (state_->writeError) return *state_->writeError;
  }
  return {};
}

std::optional<Error> RunWriter::writeError() const {
  const MutexLock lock(state_->errorMutex);
  return state_->writeError;
}

std::vector<StampedEvent> RunWriter::unsavedEvents() {
  std::vector<StampedEvent> left;
  state_->workspace->state().writer->call([&] {
    while (auto next = state_->queue.tryPop()) state_->group.push_back(std::move(*next));
    left = state_->group;
  });
  return left;
}

Result<void> RunWriter::addCheckpoint(const CheckpointRecord& record) {
  RETURN_IF_ERROR(checkCheckpointPath(record.file));
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(state_->workspace->folder() / record.file, failure);
  if (failure) return Error::fromErrno(failure.value(), messages::cannotFindCheckpointFile, record.file);
  CheckpointRecord complete = record;
  complete.segment = state_->segment;
  complete.bytes = static_cast<std::int64_t>(bytes);
  if (complete.createdMs == 0) complete.createdMs = state_->clock().wallMs();
  // A resume from this checkpoint does not repeat the steps before it, so their rows must be durable first.
  RETURN_IF_ERROR(flush());
  return state_->workspace->state().write([&](SQLite::Database& database) -> Result<void> {
    insertCheckpoint(database, state_->run, complete);
    return {};
  });
}

Result<std::vector<CheckpointRecord>> RunWriter::checkpoints() const {
  return state_->workspace->checkpoints(state_->runId);
}

Result<void> RunWriter::removeCheckpoint(const CheckpointRecord& record) {
  return state_->workspace->deleteCheckpoint(record.id);
}

}  // namespace batchwise
