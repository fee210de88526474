// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_writer.h"

#include <algorithm>
#include <atomic>

#include "core/base/bounded_queue.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/integrity.h"
#include "core/store/process_identity.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/run_rows.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr std::size_t kQueueCapacity = 1 << 16;  // events; about a minute of the fastest tiny run
constexpr std::size_t kGroupLimit = 8192;        // events per transaction

class DatabaseRunWriter final : public RunWriter, private WriteSource {
 public:
  DatabaseRunWriter(std::shared_ptr<Workspace> workspace, std::string run)
      : workspace_(std::move(workspace)), runId_(std::move(run)) {}
  ~DatabaseRunWriter() override;
  Result<void> openSegmentAt(const SegmentStart& start);

  std::int64_t segment() const override { return segment_; }
  void publish(const RunEvent& event) override;
  Result<void> addCheckpoint(const CheckpointRecord& record) override;
  Result<std::vector<CheckpointRecord>> checkpoints() const override { return workspace_->checkpoints(runId_); }
  Result<void> removeCheckpoint(const CheckpointRecord& record) override {
    return workspace_->deleteCheckpoint(record.id);
  }
  Result<void> flush() override;
  std::optional<Error> writeError() const override;
  std::int64_t storedBatch() const override { return storedBatch_; }

 private:
  Workspace::State& store() const { return workspace_->state(); }
  const Clock& clock() const { return store().clock; }
  Result<void> takeLock();
  void tick(WriterThread& writer) override;
  void popGroup();
  bool commitGroup(WriterThread& writer);
  Result<void> writeGroup(SQLite::Database& database);

  const std::shared_ptr<Workspace> workspace_;
  const std::string runId_;
  std::int64_t run_ = 0;
  std::int64_t segment_ = 0;
  BoundedQueue<StampedEvent> queue_{kQueueCapacity};
  std::atomic<std::int64_t> published_{0};
  std::atomic<std::int64_t> committed_{0};
  std::atomic<std::int64_t> storedBatch_{0};

  // Writer thread only.
  std::optional<SegmentEventWriter> rows_;
  std::vector<StampedEvent> group_;       // popped from the queue, not committed yet
  std::optional<WriterLock> writerLock_;  // held until the end of the run is stored

  mutable Mutex errorMutex_;
  std::optional<Error> writeError_ GUARDED_BY(errorMutex_);
};

Result<void> DatabaseRunWriter::openSegmentAt(const SegmentStart& start) {
  const ProcessIdentity self = currentProcess();
  RETURN_IF_ERROR(store().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(run_, runNumber(database, runId_));
    const auto opened = openSegment(database, {run_, 0, false, self.host, self.processId, clock().wallMs()}, start,
                                    workspace_->folder());
    if (!opened.ok()) return opened.error().within(runContextText(runId_));
    segment_ = *opened;
    const auto locked = takeLock();  // now nobody else writes the run
    if (locked.ok()) removeUnlistedCheckpoints(database, workspace_->folder(), runId_, segment_);
    return locked;
  }));
  rows_.emplace(run_, segment_);
  storedBatch_ = start.from.batch;
  store().writer->add(*this);
  return {};
}

Result<void> DatabaseRunWriter::takeLock() {
  ASSIGN_OR_RETURN(writerLock_, WriterLock::acquire(workspace_->folder(), run_));
  return {};
}

void DatabaseRunWriter::tick(WriterThread& writer) {
  if (writerLock_ && !writerLock_->isInPlace()) (void)takeLock();  // somebody deleted the file
  do {
    popGroup();
    if (group_.empty()) return;
  } while (commitGroup(writer) && queue_.size() >= kGroupLimit);
}

void DatabaseRunWriter::popGroup() {
  while (group_.size() < kGroupLimit) {
    auto next = queue_.tryPop();
    if (!next) return;
    group_.push_back(std::move(*next));
  }
}

bool DatabaseRunWriter::commitGroup(WriterThread& writer) {
  const bool wasFinished = rows_->finished();
  const auto done = writer.transact([this](SQLite::Database& database) { return writeGroup(database); });
  if (done.ok()) {
    committed_ += static_cast<std::int64_t>(group_.size());
    for (const StampedEvent& stamped : group_)
      if (const auto* row = std::get_if<MetricsRow>(&stamped.event)) storedBatch_ = row->at.batch;
    group_.clear();
  } else {
    rows_->setFinished(wasFinished);
    rows_->onRollback();
    if (!wasFinished && !writerLock_) (void)takeLock();
  }
  const MutexLock lock(errorMutex_);
  writeError_ = done.ok() ? std::nullopt : std::optional{done.error()};
  return done.ok();
}

Result<void> DatabaseRunWriter::writeGroup(SQLite::Database& database) {
  for (const StampedEvent& stamped : group_) rows_->write(database, stamped);
  if (rows_->finished()) {
    writerLock_.reset();  // before the commit: the next writer finds neither claim nor lock
  } else {
    updateClaim(database, run_, segment_, clock().wallMs());
  }
  return rows_->finishTransaction(database);
}

DatabaseRunWriter::~DatabaseRunWriter() {
  if (!rows_) return;                // open() failed
  if (!writeError()) (void)flush();  // after an error the caller has stopped waiting
  store().writer->remove(*this);
}

void DatabaseRunWriter::publish(const RunEvent& event) {
  if (queue_.push({clock().wallMs(), event})) ++published_;
}

Result<void> DatabaseRunWriter::flush() {
  const std::int64_t wanted = published_;
  WriterThread& writer = *store().writer;
  while (committed_ < wanted) {
    writer.call([&] { tick(writer); });
    const MutexLock lock(errorMutex_);
    if (writeError_) return *writeError_;
  }
  return {};
}

std::optional<Error> DatabaseRunWriter::writeError() const {
  const MutexLock lock(errorMutex_);
  return writeError_;
}

Result<void> DatabaseRunWriter::addCheckpoint(const CheckpointRecord& record) {
  CheckpointRecord complete = record;
  ASSIGN_OR_RETURN(complete.bytes, checkpointFileBytes(workspace_->folder(), record.file));
  complete.segment = segment_;
  if (complete.createdMs == 0) complete.createdMs = clock().wallMs();
  // A resume from this checkpoint does not repeat the steps before it, so their rows must be durable first.
  RETURN_IF_ERROR(flush());
  return store().write([&](SQLite::Database& database) { insertCheckpoint(database, run_, complete); });
}

std::int64_t appendSegment(SQLite::Database& database, const RunClaim& claim, const RunRecorder::SegmentStart& start) {
  const std::int64_t number = nextSegment(database, claim.run);
  insertSegment(
      database, claim.run,
      {number, start.from, start.checkpoint, claim.writtenMs, claim.host, claim.processId, start.environment});
  if (start.restart) replaceLaunch(database, claim.run, *start.restart);
  if (!start.resolvedYaml.empty())
    changePart(database, RunPart::Launch, claim.run, [&] {
      execute(database, "UPDATE run SET resolved_yaml=? WHERE number=?", start.resolvedYaml, claim.run);
    });
  return number;
}

/// Returns the newest value of a series that is not superseded, in [from, to].
Result<std::optional<double>> valueAt(SQLite::Database& database, std::int64_t run, const std::string& name,
                                      std::int64_t from, std::int64_t to) {
  const auto all = readSeriesKeys(database, run);
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
  if (found == all.end()) return std::optional<double>{};
  const SeriesKey& key = found->second;
  std::vector<SeriesPoint> points;
  for (SegmentRange range : currentRanges(database, run, key.kind)) {
    range.from = std::max(range.from, from);
    range.to = std::min(range.to, to);
    RETURN_IF_ERROR(readPoints(database, key, range, points));
  }
  if (points.empty()) return std::optional<double>{};
  return std::optional{points.back().value};
}

/// The values of a run where it resumes.
struct SummaryValues {
  std::optional<double> loss, evalLoss, learningRate, samplesPerSec, tokensPerSec;
};

Result<SummaryValues> summaryAt(SQLite::Database& database, std::int64_t run, const Timestamp& from) {
  const auto at = [&](const char* series, std::int64_t since) {
    return valueAt(database, run, series, since, from.batch);
  };
  SummaryValues values;
  ASSIGN_OR_RETURN(values.loss, at("loss", from.batch));
  ASSIGN_OR_RETURN(values.evalLoss, at("eval.loss", 0));
  ASSIGN_OR_RETURN(values.learningRate, at("lr", from.batch));
  ASSIGN_OR_RETURN(values.samplesPerSec, at("samples_per_sec", from.batch));
  ASSIGN_OR_RETURN(values.tokensPerSec, at("tokens_per_sec", from.batch));
  return values;
}

void resetSummary(SQLite::Database& database, std::int64_t run, const Timestamp& from, const SummaryValues& values) {
  execute(database,
          "UPDATE run SET status='running', reason='', ended_ms=0, at=?, loss=?, eval_loss=?, learning_rate=?, "
          "samples_per_sec=?, tokens_per_sec=? WHERE number=?",
          timestampText(from), values.loss, values.evalLoss, values.learningRate, values.samplesPerSec,
          values.tokensPerSec, run);
  storeChecksum(database, RunPart::Figures, run);
}

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::open(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                   const SegmentStart& start) {
  auto writer = std::make_unique<DatabaseRunWriter>(std::move(workspace), run);
  RETURN_IF_ERROR(writer->openSegmentAt(start));
  return std::unique_ptr<RunWriter>(std::move(writer));
}

Result<std::int64_t> openSegment(SQLite::Database& database, RunClaim claim, const RunRecorder::SegmentStart& start,
                                 const std::filesystem::path& folder) {
  const auto holder = claimOn(database, claim.run);
  const bool ofSameJournal = holder && claim.ofJournal && holder->ofJournal;
  if (holder && !ofSameJournal && !holder->isDeadAt(claim.writtenMs, folder))
    return Error{ErrorCode::Busy,
                 formatText("the run is being written by process {} on '{}'; stop that process first",
                            holder->processId, holder->host),
                 {}};
  ASSIGN_OR_RETURN(const auto values, summaryAt(database, claim.run, start.from));
  if (ofSameJournal) interruptRun(database, *holder);
  claim.segment = appendSegment(database, claim, start);
  storeClaim(database, claim);
  resetSummary(database, claim.run, start.from, values);
  return claim.segment;
}

void SegmentEventWriter::write(SQLite::Database& database, const StampedEvent& stamped) {
  if (std::holds_alternative<PhaseProgress>(stamped.event)) return;
  if (const auto* row = std::get_if<MetricsRow>(&stamped.event)) {
    auto values = valuesOf(*row);
    const bool ofBatch = kindOf(*row) == RowKind::Batch;
    if (ofBatch) values.push_back({"wall", static_cast<double>(stamped.wallMs) / 1000.0});
    table_.insert(database, kindOf(*row), positionOf(*row), values);
    if (ofBatch) newest_ = *row;
    return;
  }
  insertEvent(database, run_, segment_, stamped.wallMs, stamped.event);
  if (const auto* result = std::get_if<EvalResult>(&stamped.event)) {
    table_.insert(database, RowKind::Eval, result->at.batch, valuesOf(*result));
    evalLoss_ = result->loss;
  } else if (const auto* started = std::get_if<RunStarted>(&stamped.event);
             started && started->plannedBatches > 0 && isNewest(database)) {
    execute(database, "UPDATE run SET planned_batches=? WHERE number=?", started->plannedBatches, run_);
  } else if (const auto* ended = std::get_if<RunFinished>(&stamped.event)) {
    finish(database, *ended, stamped.wallMs);
  }
}

Result<void> SegmentEventWriter::finishTransaction(SQLite::Database& database) {
  if ((newest_ || evalLoss_) && isNewest(database)) {
    changePart(database, RunPart::Figures, run_, [&] {
      if (newest_)
        execute(database,
                "UPDATE run SET at=?, loss=?, learning_rate=?, samples_per_sec=?, tokens_per_sec=? WHERE number=?",
                timestampText(newest_->at), newest_->loss, newest_->learningRate, newest_->samplesPerSec,
                newest_->tokensPerSec, run_);
      if (evalLoss_) execute(database, "UPDATE run SET eval_loss=? WHERE number=?", *evalLoss_, run_);
    });
  }
  newest_.reset();
  evalLoss_.reset();
  return table_.finishTransaction(database);
}

bool SegmentEventWriter::isNewest(SQLite::Database& database) const {
  return nextSegment(database, run_) == segment_ + 1;
}

void SegmentEventWriter::onRollback() {
  newest_.reset();
  evalLoss_.reset();
  table_.onRollback();
}

void SegmentEventWriter::finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs) {
  if (isNewest(database))
    execute(database, "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=?", choiceName(event.status),
            event.reason, wallMs, run_);
  removeClaim(database, run_, segment_);
  finished_ = true;
}

}  // namespace batchwise
