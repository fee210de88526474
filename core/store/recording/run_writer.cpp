// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_writer.h"

#include <atomic>

#include "core/base/bounded_queue.h"
#include "core/base/mutex.h"
#include "core/store/record_text.h"
#include "core/store/recording/event_rows.h"
#include "core/store/recording/run_segment.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_state.h"
#include "core/store/writer_lock.h"

namespace batchwise {
namespace {

constexpr std::size_t kQueueCapacity = 1 << 16;  // events; about a minute of the fastest tiny run
constexpr std::size_t kGroupLimit = 8192;        // events of one transaction
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
  std::optional<EventRows> rows;
  std::vector<StampedEvent> group;  // taken from the queue, not committed yet
  double nextBeatSec = 0;
  std::optional<WriterLock> presence;  // until the end of the run is stored

  mutable Mutex troubleMutex;
  std::optional<Error> trouble GUARDED_BY(troubleMutex);

  const Clock& clock() const { return workspace->state().clock; }
  Result<void> open(SQLite::Database& database, const std::string& id, const SegmentStart& start);
  Result<void> takeLock();
  void tick(WriterThread& writer) override;
  void takeFromQueue();
  bool commitGroup(WriterThread& writer);
  Result<void> writeGroup(SQLite::Database& database);
  void beat(SQLite::Database& database);
  void release();
};

Result<void> RunWriter::State::open(SQLite::Database& database, const std::string& id, const SegmentStart& start) {
  const auto number = runNumber(database, id);
  if (!number.ok()) return number.error();
  run = *number;
  const auto opened = openSegment(database, {run, 0, process, clock().wallMs()}, start, workspace->folder());
  if (!opened.ok()) return opened.error().within("run '" + id + "'");
  segment = *opened;
  return takeLock();
}

Result<void> RunWriter::State::takeLock() {
  auto taken = WriterLock::take(workspace->folder(), run);
  if (!taken.ok()) return taken.error();
  presence = std::move(*taken);
  return {};
}

void RunWriter::State::tick(WriterThread& writer) {
  do {
    takeFromQueue();
    if (group.empty() && (rows->finished() || clock().monotonicSec() < nextBeatSec)) return;
  } while (commitGroup(writer) && queue.size() >= kGroupLimit);
}

void RunWriter::State::takeFromQueue() {
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
    nextBeatSec = clock().monotonicSec() + kHeartbeatSec;
  } else {
    rows->setFinished(wasFinished);
    rows->forget();
    if (!wasFinished && !presence) (void)takeLock();
  }
  const MutexLock lock(troubleMutex);
  trouble = done.ok() ? std::nullopt : std::optional{done.error()};
  return done.ok();
}

Result<void> RunWriter::State::writeGroup(SQLite::Database& database) {
  for (const StampedEvent& stamped : group) rows->write(database, stamped);
  if (rows->finished()) {
    presence.reset();  // before the commit: whoever begins next finds neither claim nor lock
  } else {
    beat(database);
  }
  return rows->settle(database);
}

void RunWriter::State::beat(SQLite::Database& database) {
  const std::int64_t nowMs = clock().wallMs();
  SQLite::Statement update(database, "UPDATE run_writer SET heartbeat_ms=? WHERE run=?");
  update.bind(1, nowMs);
  update.bind(2, run);
  if (update.exec() > 0) return;
  // Somebody who could not see this process took it for dead.
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

Result<std::unique_ptr<RunWriter>> RunWriter::begin(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                    const SegmentStart& start) {
  auto state = std::make_unique<State>();
  state->workspace = std::move(workspace);
  state->runId = run;
  auto opened =
      state->workspace->state().write([&](SQLite::Database& database) { return state->open(database, run, start); });
  if (!opened.ok()) return opened.error();
  state->rows.emplace(state->run, state->segment);
  state->nextBeatSec = state->clock().monotonicSec() + kHeartbeatSec;
  state->workspace->state().writer->add(*state);
  return std::unique_ptr<RunWriter>(new RunWriter(std::move(state)));
}

RunWriter::~RunWriter() {
  if (!trouble()) (void)flush();  // else whoever waited for it has given up
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
    const MutexLock lock(state_->troubleMutex);
    if (state_->trouble) return *state_->trouble;
  }
  return {};
}

std::optional<Error> RunWriter::trouble() const {
  const MutexLock lock(state_->troubleMutex);
  return state_->trouble;
}

std::vector<StampedEvent> RunWriter::unstored() {
  std::vector<StampedEvent> left;
  state_->workspace->state().writer->call([&] {
    while (auto next = state_->queue.tryPop()) state_->group.push_back(std::move(*next));
    left = state_->group;
  });
  return left;
}

Result<void> RunWriter::addCheckpoint(const CheckpointRecord& record) {
  if (auto inside = checkCheckpointPath(record.file); !inside.ok()) return inside;
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(state_->workspace->folder() / record.file, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot find the checkpoint file", record.file);
  CheckpointRecord complete = record;
  complete.segment = state_->segment;
  complete.bytes = static_cast<std::int64_t>(bytes);
  if (complete.createdMs == 0) complete.createdMs = state_->clock().wallMs();
  // A resume from it does not train again what was reported before it: those rows must be safe first.
  if (auto safe = flush(); !safe.ok()) return safe;
  return state_->workspace->state().write([&](SQLite::Database& database) -> Result<void> {
    enterCheckpoint(database, state_->run, complete);
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
