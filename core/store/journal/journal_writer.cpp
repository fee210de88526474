// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <thread>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/process_setup.h"
#include "core/base/result.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/process_identity.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kJournalTick{200};

/// Cuts an open journal behind byte `end`. Returns how much that was.
Result<std::int64_t> cutAfter(const FileDescriptor& file, const fs::path& path, std::int64_t end) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (info.st_size <= end) return 0;
  if (::ftruncate(file.get(), end) != 0) return Error::fromErrno(errno, "cannot truncate '{}'", path.native());
  return info.st_size - end;
}

class FileJournalWriter final : public JournalWriter {
 public:
  FileJournalWriter(fs::path folder, FileDescriptor file, const JournalSegment& segment, const Clock& clock)
      : folder_(std::move(folder)),
        path_(journalFile(folder_, segment.run)),
        file_(std::move(file)),
        run_(segment.run),
        segment_(segment.number),
        clock_(clock),
        id_(fileIdOf(path_)),
        storedBatch_(segment.start.from.batch) {}
  ~FileJournalWriter() override {
    if (!thread_.joinable()) return;  // create() or resume() failed
    thread_.request_stop();
    thread_.join();
    (void)flush();
  }

  /// Continues behind byte `end` with the first line of the segment, and starts the background thread.
  Result<void> begin(std::int64_t end, const JournalSegment& segment, JournalRun known) {
    notices_ = std::move(known.gaps);
    ASSIGN_OR_RETURN(const std::int64_t torn, cutAfter(file_, path_, end));
    if (torn > 0)
      notices_.push_back(
          formatText("the last {} of the journal '{}' were written in part or are damaged, and are cut off; the run "
                     "resumes from what is before them",
                     formatBytes(torn), path_.native()));
    {
      const MutexLock writing(writing_);
      const MutexLock lock(mutex_);
      end_ = end;
      checkpoints_ = std::move(known.checkpoints);
    }
    RETURN_IF_ERROR(add(segment));
    RETURN_IF_ERROR(flush());
    const ScopedSignalBlock inherited;
    thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
    return {};
  }

  std::int64_t segment() const override { return segment_; }

  void publish(const RunEvent& event) override {
    if (std::holds_alternative<PhaseProgress>(event)) return;
    if (!add(event).ok()) {
      const RunNote tooLarge{NoteLevel::Warning, "an event was too large for the journal and is left out", {}};
      (void)add(tooLarge);
      return;
    }
    const MutexLock lock(mutex_);
    if (const auto* row = std::get_if<MetricsRow>(&event)) publishedBatch_ = row->at.batch;
  }

  Result<void> addCheckpoint(const CheckpointRecord& record) override {
    CheckpointRecord complete = record;
    ASSIGN_OR_RETURN(complete.bytes, checkpointFileBytes(folder_, record.file));
    if (complete.createdMs == 0) complete.createdMs = clock_.wallMs();
    complete.run = run_;
    complete.segment = segment_;
    RETURN_IF_ERROR(add(complete));
    RETURN_IF_ERROR(flush());
    const MutexLock lock(mutex_);
    checkpoints_.push_back(std::move(complete));
    return {};
  }

  Result<std::vector<CheckpointRecord>> checkpoints() const override {
    std::vector<CheckpointRecord> records;
    {
      const MutexLock lock(mutex_);
      records = checkpoints_;
    }
    for (CheckpointRecord& record : records) record.pinned = record.pinned || hasPinMarker(folder_, record.file);
    return records;
  }

  Result<void> removeCheckpoint(const CheckpointRecord& record) override {
    // Record the removal first: an unlisted file only wastes space, a listed one that is missing would fail. If that
    // has to wait, so does the file.
    ASSIGN_OR_RETURN(const auto text, journalText({clock_.wallMs(), RemovedCheckpoint{record.id}, segment_}));
    {
      const MutexLock lock(mutex_);
      pending_ += text + "\n";
      removed_.push_back(record);
    }
    return flush();
  }

  Result<void> flush() override {
    const MutexLock one(writing_);
    std::string lines;
    std::vector<CheckpointRecord> removed;
    std::int64_t published = 0;
    {
      const MutexLock lock(mutex_);
      lines.swap(pending_);
      removed.swap(removed_);
      published = publishedBatch_;
    }
    const Result<void> written = lines.empty() ? Result<void>() : write(lines);
    std::vector<std::string> files;
    {
      const MutexLock lock(mutex_);
      writeError_ = written.ok() ? std::nullopt : std::optional(written.error());
      if (!written.ok()) {
        pending_.insert(0, lines);
        removed_.insert(removed_.begin(), removed.begin(), removed.end());
        return written;
      }
      storedBatch_ = std::max<std::int64_t>(storedBatch_, published);
      for (const CheckpointRecord& record : removed) {
        std::erase_if(checkpoints_, [&](const CheckpointRecord& known) { return known.id == record.id; });
        files.insert(files.end(), {record.file, record.file + ".pin"});
      }
    }
    return files.empty() ? written : removeFiles(folder_, files);
  }

  std::int64_t storedBatch() const override { return storedBatch_; }
  std::optional<Error> writeError() const override {
    const MutexLock lock(mutex_);
    return writeError_;
  }
  std::vector<std::string> notices() const override { return notices_; }

 private:
  /// Adds a line to the pending ones. Fails with Config if it is too large.
  Result<void> add(JournalEntry entry) {
    ASSIGN_OR_RETURN(const auto text, journalText({clock_.wallMs(), std::move(entry), segment_}));
    const MutexLock lock(mutex_);
    pending_ += text + "\n";
    return {};
  }

  /// Writes after the last synced byte: what a failed call left there is overwritten by the same bytes, so that a
  /// reader who has seen them has seen nothing false.
  Result<void> write(std::string_view lines) REQUIRES(writing_) {
    if (fileIdOf(path_) != id_) return Error::notFound(storeFileLostText(path_.native()));
    std::size_t done = 0;
    while (done < lines.size()) {
      const ssize_t got =
          ::pwrite(file_.get(), lines.data() + done, lines.size() - done, end_ + static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error::fromErrno(errno, "cannot write '{}'", path_.native());
      done += static_cast<std::size_t>(got);
    }
    if (::fdatasync(file_.get()) != 0) return Error::fromErrno(errno, "cannot sync '{}'", path_.native());
    end_ += static_cast<std::int64_t>(done);
    return {};
  }

  void loop(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        MutexLock lock(mutex_);
        wake_.wait_for(lock, stop, kJournalTick, [] { return false; });
      }
      (void)flush();
    }
  }

  const fs::path folder_, path_;
  const FileDescriptor file_;
  const std::string run_;
  const std::int64_t segment_;
  const Clock& clock_;
  const std::optional<FileId> id_;  // of the file
  std::vector<std::string> notices_;
  std::atomic<std::int64_t> storedBatch_;

  Mutex writing_;                              // held while the file is written
  std::int64_t end_ GUARDED_BY(writing_) = 0;  // of what is written and synced

  mutable Mutex mutex_;  // never held during disk I/O
  std::condition_variable_any wake_;
  std::string pending_ GUARDED_BY(mutex_);                    // lines that are not on disk yet
  std::vector<CheckpointRecord> removed_ GUARDED_BY(mutex_);  // deleted once the pending lines say so on disk
  std::int64_t publishedBatch_ GUARDED_BY(mutex_) = 0;
  std::vector<CheckpointRecord> checkpoints_ GUARDED_BY(mutex_);
  std::optional<Error> writeError_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last
};

JournalSegment segmentOf(const std::string& run, std::int64_t number, const RunRecorder::SegmentStart& start) {
  const ProcessIdentity self = currentProcess();
  return {run, number, start, self.host, self.processId};
}

}  // namespace

Result<FileDescriptor> openLockedJournal(const fs::path& path, int flags) {
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  RETURN_IF_ERROR(checkLocksWork(file, path));
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, {}));
  if (locked) return file;
  return Error{ErrorCode::Busy,
               formatText("another process is writing the journal '{}'; stop that run first", path.native()),
               {}};
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& folder, const std::string& id,
                                                             const NewRun& run, const SegmentStart& start,
                                                             const Clock& clock) {
  if (!isPlainId(id)) return Error::internal(formatText("'{}' is not a run id", id));
  JournalSegment segment = segmentOf(id, 0, start);
  segment.start.restart = run;
  std::string& name = segment.start.restart->name;
  if (name.empty()) name = runNameFromDate(clock.wallMs());
  RETURN_IF_ERROR(checkRunName(name));
  const fs::path path = journalFile(fs::absolute(folder), id);
  RETURN_IF_ERROR(makeFolders(path.parent_path()));
  ASSIGN_OR_RETURN(auto file, openLockedJournal(path, O_CREAT));
  ASSIGN_OR_RETURN(auto reader, JournalReader::open(path, JournalReader::OpenedBy::Writer));
  JournalLine first;
  ASSIGN_OR_RETURN(const bool hasLines, reader.next(first));  // without, its writer was killed in its first line
  if (hasLines) return Error{ErrorCode::Busy, formatText("the journal '{}' already exists", path.native()), {}};
  auto writer = std::make_unique<FileJournalWriter>(fs::absolute(folder), std::move(file), segment, clock);
  if (auto begun = writer->begin(0, segment, {}); !begun.ok()) return begun.error().within(runContextText(name));
  RETURN_IF_ERROR(syncFolder(path.parent_path()));
  return std::unique_ptr<JournalWriter>(std::move(writer));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::resume(const fs::path& folder, const std::string& id,
                                                             const SegmentStart& start, const Clock& clock) {
  if (!isPlainId(id)) return Error::internal(formatText("'{}' is not a run id", id));
  const fs::path path = journalFile(fs::absolute(folder), id);
  ASSIGN_OR_RETURN(auto file, openLockedJournal(path));
  ASSIGN_OR_RETURN(auto reader, JournalReader::open(path, JournalReader::OpenedBy::Writer));
  ASSIGN_OR_RETURN(auto known, readJournalRun(reader, path));
  const JournalSegment segment = segmentOf(id, std::ssize(known.run.segments), start);
  auto writer = std::make_unique<FileJournalWriter>(fs::absolute(folder), std::move(file), segment, clock);
  RETURN_IF_ERROR(writer->begin(reader.position().byte, segment, std::move(known)));
  return std::unique_ptr<JournalWriter>(std::move(writer));
}

}  // namespace batchwise
