// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_writer.h"

#include <atomic>

#include "core/base/bounded_queue.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/process_identity.h"
#include "core/store/recording/segment_writer.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr std::size_t kQueueCapacity = 1 << 16;  // events; about a minute of the fastest tiny run
constexpr std::size_t kGroupLimit = 8192;        // events per transaction

class DatabaseRunWriter final : public RunWriter {
 public:
  DatabaseRunWriter(std::shared_ptr<Workspace> workspace, std::string run)
      : workspace_(std::move(workspace)), runId_(std::move(run)) {}
  ~DatabaseRunWriter() override;

  Result<void> openSegmentAt(const SegmentStart& start) {
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
    store().writer->add(this, [this] { writePending(); });
    return {};
  }

  std::int64_t segment() const override { return segment_; }

  void publish(const RunEvent& event) override {
    ++published_;  // first: else an event of another thread, not counted yet, would end a flush() in place of this one
    if (!queue_.push({clock().wallMs(), event})) --published_;
  }

  Result<void> addCheckpoint(const CheckpointRecord& record) override {
    CheckpointRecord complete = record;
    ASSIGN_OR_RETURN(complete.bytes, checkpointFileBytes(workspace_->folder(), record.file));
    complete.segment = segment_;
    if (complete.createdMs == 0) complete.createdMs = clock().wallMs();
    // A resume from this checkpoint does not repeat the steps before it, so their rows must be durable first.
    RETURN_IF_ERROR(flush());
    return store().write([&](SQLite::Database& database) { insertCheckpoint(database, run_, complete); });
  }

  Result<std::vector<CheckpointRecord>> checkpoints() const override { return workspace_->checkpoints(runId_); }
  Result<void> removeCheckpoint(const CheckpointRecord& record) override {
    return workspace_->deleteCheckpoint(record.id);
  }

  Result<void> flush() override {
    const std::int64_t wanted = published_;
    while (committed_ < wanted) {
      store().writer->call([this] { writePending(); });
      const MutexLock lock(errorMutex_);
      if (writeError_) return *writeError_;
    }
    return {};
  }

  std::optional<Error> writeError() const override {
    const MutexLock lock(errorMutex_);
    return writeError_;
  }

  std::int64_t storedBatch() const override { return storedBatch_; }

 private:
  Workspace::State& store() const { return workspace_->state(); }
  const Clock& clock() const { return store().clock; }

  Result<void> takeLock() {
    ASSIGN_OR_RETURN(writerLock_, WriterLock::acquire(workspace_->folder(), run_));
    return {};
  }

  void writePending() {
    if (writerLock_ && !writerLock_->isInPlace()) (void)takeLock();  // somebody deleted the file
    do {
      popGroup();
      if (group_.empty()) return;
    } while (commitGroup() && queue_.size() >= kGroupLimit);
  }

  void popGroup() {
    while (group_.size() < kGroupLimit) {
      auto next = queue_.tryPop();
      if (!next) return;
      group_.push_back(std::move(*next));
    }
  }

  bool commitGroup() {
    const bool wasFinished = rows_->finished();
    const auto done = store().writer->transact([this](SQLite::Database& database) { return writeGroup(database); });
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

  Result<void> writeGroup(SQLite::Database& database) {
    for (const StampedEvent& stamped : group_) rows_->write(database, stamped);
    if (rows_->finished()) {
      writerLock_.reset();  // before the commit: the next writer finds neither claim nor lock
    } else {
      updateClaim(database, run_, segment_, clock().wallMs());
    }
    return rows_->finishTransaction(database);
  }

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

DatabaseRunWriter::~DatabaseRunWriter() {
  if (!rows_) return;                // open() failed
  if (!writeError()) (void)flush();  // after an error the caller has stopped waiting
  store().writer->remove(this);
}

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::open(std::shared_ptr<Workspace> workspace, const std::string& run,
                                                   const SegmentStart& start) {
  auto writer = std::make_unique<DatabaseRunWriter>(std::move(workspace), run);
  RETURN_IF_ERROR(writer->openSegmentAt(start));
  return std::unique_ptr<RunWriter>(std::move(writer));
}

}  // namespace batchwise
