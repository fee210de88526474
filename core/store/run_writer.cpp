// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <nlohmann/json.hpp>

#include "core/base/bounded_queue.h"
#include "core/store/metric_store.h"
#include "core/store/record_text.h"
#include "core/store/run_claim.h"
#include "core/store/run_segment.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr std::size_t kQueueCapacity = 1 << 16;  // events; about a minute of the fastest tiny run
constexpr std::size_t kGroupLimit = 8192;        // events of one transaction
constexpr double kHeartbeatSec = 5.0;

struct StampedEvent {
  std::int64_t wallMs = 0;
  RunEvent event;
};

/// The newest values, as the list of runs shows them.
struct LastValues {
  std::optional<MetricsRow> row;
  std::optional<double> evalLoss;
};

void updateSummary(SQLite::Database& database, std::int64_t run, const LastValues& last) {
  if (last.row) {
    SQLite::Statement update(database,
                             "UPDATE run SET at=?, loss=?, learning_rate=?, samples_per_sec=?, tokens_per_sec=? "
                             "WHERE number=?");
    update.bind(1, timestampText(last.row->at));
    bindDouble(update, 2, last.row->loss);
    bindDouble(update, 3, last.row->learningRate);
    bindDouble(update, 4, last.row->samplesPerSec);
    bindDouble(update, 5, last.row->tokensPerSec);
    update.bind(6, run);
    update.exec();
  }
  if (last.evalLoss) {
    SQLite::Statement update(database, "UPDATE run SET eval_loss=? WHERE number=?");
    bindDouble(update, 1, *last.evalLoss);
    update.bind(2, run);
    update.exec();
  }
}

}  // namespace

struct RunWriter::State final : WriteSource {
  std::shared_ptr<Workspace> workspace;
  ProcessIdentity process = currentProcess();
  std::int64_t run = 0;
  std::int64_t segment = 0;

  BoundedQueue<StampedEvent> queue{kQueueCapacity};
  std::atomic<std::int64_t> published{0};
  std::atomic<std::int64_t> committed{0};

  // Writer thread only.
  std::optional<MetricTable> table;
  std::vector<StampedEvent> group;  // taken from the queue, not committed yet
  double nextBeatSec = 0;
  bool finished = false;

  mutable std::mutex troubleMutex;  // guards trouble
  std::optional<Error> trouble;

  const Clock& clock() const { return workspace->state().clock; }
  Result<void> open(SQLite::Database& database, const std::string& id, const SegmentStart& start);
  void tick(WriterThread& writer) override;
  void takeFromQueue();
  bool commitGroup(WriterThread& writer);
  Result<void> writeGroup(SQLite::Database& database);
  void writeEvent(SQLite::Database& database, const StampedEvent& stamped, LastValues& last);
  void insertEvent(SQLite::Database& database, const StampedEvent& stamped);
  void finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs);
  void beat(SQLite::Database& database);
  void release();
};

Result<void> RunWriter::State::open(SQLite::Database& database, const std::string& id, const SegmentStart& start) {
  const auto number = runNumber(database, id);
  if (!number.ok()) return number.error();
  run = *number;
  const auto opened = openSegment(database, {run, 0, process, clock().wallMs()}, start);
  if (!opened.ok()) return opened.error().within("run '" + id + "'");
  segment = *opened;
  return {};
}

void RunWriter::State::tick(WriterThread& writer) {
  do {
    takeFromQueue();
    if (group.empty() && (finished || clock().monotonicSec() < nextBeatSec)) return;
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
  const bool wasFinished = finished;
  const auto done = writer.transact([this](SQLite::Database& database) { return writeGroup(database); });
  if (done.ok()) {
    committed += static_cast<std::int64_t>(group.size());
    group.clear();
    nextBeatSec = clock().monotonicSec() + kHeartbeatSec;
  } else {
    finished = wasFinished;
    table->forget();
  }
  const std::scoped_lock lock(troubleMutex);
  trouble = done.ok() ? std::nullopt : std::optional{done.error()};
  return done.ok();
}

Result<void> RunWriter::State::writeGroup(SQLite::Database& database) {
  LastValues last;
  for (const StampedEvent& stamped : group) writeEvent(database, stamped, last);
  updateSummary(database, run, last);
  if (!finished) beat(database);
  return table->sealFullBlocks(database);
}

void RunWriter::State::writeEvent(SQLite::Database& database, const StampedEvent& stamped, LastValues& last) {
  if (std::holds_alternative<PhaseProgress>(stamped.event)) return;
  if (const auto* row = std::get_if<MetricsRow>(&stamped.event)) {
    table->insert(database, kindOf(*row), positionOf(*row), valuesOf(*row));
    if (kindOf(*row) == RowKind::Batch) last.row = *row;
    return;
  }
  insertEvent(database, stamped);
  if (const auto* result = std::get_if<EvalResult>(&stamped.event)) {
    table->insert(database, RowKind::Eval, result->at.batch, valuesOf(*result));
    last.evalLoss = result->loss;
  } else if (const auto* started = std::get_if<RunStarted>(&stamped.event); started && started->plannedBatches > 0) {
    SQLite::Statement update(database, "UPDATE run SET planned_batches=? WHERE number=?");
    update.bind(1, started->plannedBatches);
    update.bind(2, run);
    update.exec();
  } else if (const auto* ended = std::get_if<RunFinished>(&stamped.event)) {
    finish(database, *ended, stamped.wallMs);
  }
}

void RunWriter::State::insertEvent(SQLite::Database& database, const StampedEvent& stamped) {
  SQLite::Statement insert(database, "INSERT INTO event(run, segment, wall_ms, step, json) VALUES(?,?,?,?,?)");
  insert.bind(1, run);
  insert.bind(2, segment);
  insert.bind(3, stamped.wallMs);
  if (const auto at = timestampOf(stamped.event)) insert.bind(4, at->step);
  insert.bind(5, eventToJson(stamped.event).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  insert.exec();
}

void RunWriter::State::finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs) {
  // A writer that was taken for dead and replaced has no say any more.
  SQLite::Statement update(database,
                           "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=?4 AND NOT EXISTS "
                           "(SELECT 1 FROM run_writer WHERE run=?4 AND segment > ?5)");
  update.bind(1, std::string{runStatusName(event.status)});
  update.bind(2, event.reason);
  update.bind(3, wallMs);
  update.bind(4, run);
  update.bind(5, segment);
  update.exec();
  SQLite::Statement remove(database, "DELETE FROM run_writer WHERE run=? AND segment=?");
  remove.bind(1, run);
  remove.bind(2, segment);
  remove.exec();
  finished = true;
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
  if (finished) return;
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
  auto opened = state->workspace->state().write(
      [&](SQLite::Database& database) { return state->open(database, run, start); });
  if (!opened.ok()) return opened.error();
  state->table.emplace(state->run, state->segment);
  state->nextBeatSec = state->clock().monotonicSec() + kHeartbeatSec;
  state->workspace->state().writer->add(*state);
  return std::unique_ptr<RunWriter>(new RunWriter(std::move(state)));
}

RunWriter::~RunWriter() {
  (void)flush();
  state_->workspace->state().writer->remove(*state_);
  state_->release();
}

std::int64_t RunWriter::segment() const { return state_->segment; }

void RunWriter::publish(const RunEvent& event) {
  if (state_->queue.push({state_->clock().wallMs(), event})) ++state_->published;
}

Result<void> RunWriter::flush() {
  const std::int64_t wanted = state_->published;
  WriterThread& writer = *state_->workspace->state().writer;
  while (state_->committed < wanted) {
    writer.call([&] { state_->tick(writer); });
    const std::scoped_lock lock(state_->troubleMutex);
    if (state_->trouble) return *state_->trouble;
  }
  return {};
}

std::string RunWriter::trouble() const {
  const std::scoped_lock lock(state_->troubleMutex);
  return state_->trouble ? state_->trouble->text() : "";
}

Result<void> RunWriter::addCheckpoint(const CheckpointRecord& record) {
  if (auto inside = checkRelativePath(record.file); !inside.ok()) return inside;
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(state_->workspace->folder() / record.file, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot find the checkpoint file", record.file);
  return state_->workspace->state().write([&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement insert(database,
                             "INSERT INTO checkpoint(id, run, segment, at, file, bytes, created_ms, reason, metric, "
                             "pinned, verified, finite) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
    insert.bind(1, record.id);
    insert.bind(2, state_->run);
    insert.bind(3, state_->segment);
    insert.bind(4, timestampText(record.at));
    insert.bind(5, record.file);
    insert.bind(6, static_cast<std::int64_t>(bytes));
    insert.bind(7, record.createdMs != 0 ? record.createdMs : state_->clock().wallMs());
    insert.bind(8, record.reason);
    bindDouble(insert, 9, record.metric);
    insert.bind(10, record.pinned ? 1 : 0);
    insert.bind(11, record.verified ? 1 : 0);
    insert.bind(12, record.finite ? 1 : 0);
    insert.exec();
    return {};
  });
}

}  // namespace batchwise
