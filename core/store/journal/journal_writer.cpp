// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/base/signal_block.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_format.h"
#include "core/store/journal/journal_run.h"
#include "core/store/record_text.h"
#include "core/store/texts.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr std::chrono::milliseconds kJournalTick{200};

/// Opens a journal and locks it for writing until the file is closed.
Result<FileDescriptor> openLocked(const fs::path& path, int flags) {
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  RETURN_IF_ERROR(checkLocksWork(file, path));
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, {}));
  if (locked) return file;
  return Error{ErrorCode::Busy,
               formatText("another process is writing the journal '{}'; stop that run first", path.native()),
               {}};
}

/// Size of the readable part of a journal on disk.
struct JournalExtent {
  std::int64_t records = 0;
  std::int64_t bytes = 0;
};

/// Measures a journal that has no segment yet: empty, or only the run if its writer was killed while starting.
Result<JournalExtent> readUnstartedJournal(const fs::path& path) {
  ASSIGN_OR_RETURN(auto reader, JournalReader::open(path, JournalReader::OpenedBy::Writer));
  Json record;
  for (;;) {
    ASSIGN_OR_RETURN(const auto more, reader.next(record));
    if (!more) return JournalExtent{reader.number(), reader.byte()};
    if (reader.number() > 1 || !reader.gaps().empty())
      return Error{ErrorCode::Busy, formatText("the journal '{}' already exists", path.native()), {}};
  }
}

constexpr const char* kTornMark = ".torn-";

fs::path hiddenJournalFile(const fs::path& folder, const std::string& id) {
  return folder / "runs" / (id + kHiddenJournal);
}

Result<void> copyTail(const FileDescriptor& from, std::int64_t at, const FileDescriptor& to, const fs::path& target) {
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t got = ::pread(from.get(), buffer.data(), buffer.size(), at);
    if (got == 0) break;
    const ssize_t put = got < 0 ? got : ::write(to.get(), buffer.data(), static_cast<std::size_t>(got));
    if (put < 0 && errno != EINTR) return Error::fromErrno(errno, "cannot write '{}'", target.native());
    if (put > 0) at += put;
  }
  if (::fsync(to.get()) != 0) return Error::fromErrno(errno, "cannot sync '{}'", target.native());
  return syncFolder(target.parent_path());
}

/// Moves everything after byte `end` of an open journal into a new file. Returns its name, or "" if there was nothing.
Result<std::string> moveTornTail(const FileDescriptor& file, const fs::path& path, std::int64_t end) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (info.st_size <= end) return std::string();
  fs::path target;
  Result<FileDescriptor> made = Error::internal("not tried");
  for (int number = 1; number == 1 || (!made.ok() && errno == EEXIST); ++number) {
    target = path.native() + kTornMark + std::to_string(number);
    made = createFile(target);
  }
  if (!made.ok()) return made.error();
  if (auto copied = copyTail(file, end, *made, target); !copied.ok()) {
    ::unlink(target.c_str());
    return copied.error();
  }
  if (::ftruncate(file.get(), end) != 0) return Error::fromErrno(errno, "cannot truncate '{}'", path.native());
  return target.filename().native();
}

class FileJournalWriter final : public JournalWriter {
 public:
  FileJournalWriter(fs::path folder, FileDescriptor file, std::string run, std::int64_t segment,
                    std::int64_t storedBatch, const Clock& clock, JournalExtent extent)
      : folder_(std::move(folder)),
        path_(journalFile(folder_, run)),
        file_(std::move(file)),
        run_(std::move(run)),
        segment_(segment),
        clock_(clock),
        id_(fileIdOf(path_)),
        storedBatch_(storedBatch),
        bytes_(extent.bytes),
        records_(extent.records) {}
  ~FileJournalWriter() override {
    if (!thread_.joinable()) return;  // create() or resume() failed
    thread_.request_stop();
    thread_.join();
    (void)flush();
  }

  std::int64_t segment() const override { return segment_; }
  void publish(const RunEvent& event) override;
  Result<void> addCheckpoint(const CheckpointRecord& record) override;
  Result<std::vector<CheckpointRecord>> checkpoints() const override;
  Result<void> removeCheckpoint(const CheckpointRecord& record) override;
  Result<void> flush() override;
  std::int64_t storedBatch() const override { return storedBatch_; }
  std::optional<Error> writeError() const override {
    const MutexLock lock(mutex_);
    return writeError_;
  }
  std::vector<std::string> notices() const override {
    const MutexLock lock(mutex_);
    return notices_;
  }

  void restore(std::vector<CheckpointRecord> checkpoints, std::vector<std::string> notices) {
    const MutexLock lock(mutex_);
    checkpoints_ = std::move(checkpoints);
    notices_ = std::move(notices);
  }
  /// Reports that the journal's torn end was moved to the file `aside`, if it is not empty.
  void noteTornEnd(const std::string& aside) {
    const MutexLock lock(mutex_);
    if (!aside.empty())
      notices_.push_back(formatText(
          "the end of the journal '{}' could not be read and was moved to '{}'; the run resumes from what is before it",
          path_.native(), aside));
  }
  /// Returns false if the record is too large for a journal.
  bool add(const Json& record) {
    const MutexLock lock(mutex_);
    if (pending_.empty() || pending_.back().full()) pending_.emplace_back();
    return pending_.back().add(record);
  }
  /// Writes what was added, and starts the background thread.
  Result<void> begin() {
    RETURN_IF_ERROR(flush());
    const ScopedSignalBlock inherited;
    thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
    return {};
  }

 private:
  void loop(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        MutexLock lock(mutex_);
        wake_.wait_for(lock, stop, kJournalTick, [] { return false; });
      }
      (void)flush();
    }
  }
  Result<void> write(const std::vector<JournalGroup>& groups) REQUIRES(writing_);

  const fs::path folder_, path_;
  const FileDescriptor file_;
  const std::string run_;
  const std::int64_t segment_;
  const Clock& clock_;
  const std::optional<FileId> id_;  // of the file
  std::atomic<std::int64_t> storedBatch_;

  Mutex writing_;                                  // held while the file is written
  std::int64_t bytes_ GUARDED_BY(writing_) = 0;    // written and synced
  std::int64_t records_ GUARDED_BY(writing_) = 0;  // number of records in them

  mutable Mutex mutex_;  // never held during disk I/O
  std::condition_variable_any wake_;
  std::vector<JournalGroup> pending_ GUARDED_BY(mutex_);  // not on disk yet
  std::int64_t publishedBatch_ GUARDED_BY(mutex_) = 0;
  std::vector<CheckpointRecord> checkpoints_ GUARDED_BY(mutex_);
  std::vector<std::string> notices_ GUARDED_BY(mutex_);
  std::optional<Error> writeError_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last
};

/// Writes after the last synced byte, so it overwrites what a failed call left there.
Result<void> FileJournalWriter::write(const std::vector<JournalGroup>& groups) {
  if (fileIdOf(path_) != id_) return Error::notFound(storeFileLostText(path_.native()));
  std::string part;
  std::int64_t after = records_;
  for (const JournalGroup& group : groups) {
    if (group.count() == 0) continue;
    part += group.encoded(after, run_, segment_);
    after += group.count();
  }
  std::size_t done = 0;
  while (done < part.size()) {
    const ssize_t got =
        ::pwrite(file_.get(), part.data() + done, part.size() - done, bytes_ + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::fromErrno(errno, "cannot write '{}'", path_.native());
    done += static_cast<std::size_t>(got);
  }
  if (::fdatasync(file_.get()) != 0) return Error::fromErrno(errno, "cannot sync '{}'", path_.native());
  bytes_ += static_cast<std::int64_t>(done);
  records_ = after;
  return {};
}

Result<void> FileJournalWriter::flush() {
  const MutexLock one(writing_);
  std::vector<JournalGroup> part;
  std::int64_t published = 0;
  {
    const MutexLock lock(mutex_);
    part.swap(pending_);
    published = publishedBatch_;
  }
  const Result<void> written = part.empty() ? Result<void>() : write(part);
  const MutexLock lock(mutex_);
  writeError_ = written.ok() ? std::nullopt : std::optional(written.error());
  if (written.ok()) storedBatch_ = std::max<std::int64_t>(storedBatch_, published);
  if (written.ok()) return written;
  const bool nothingNew = pending_.empty();
  pending_.insert(pending_.begin(), part.begin(), part.end());
  // The groups may be in the file although syncing it failed, and a reader may have imported them: none grows any more.
  if (nothingNew && pending_.back().count() > 0) pending_.emplace_back();
  return written;
}

void FileJournalWriter::publish(const RunEvent& event) {
  if (std::holds_alternative<PhaseProgress>(event)) return;
  const std::int64_t nowMs = clock_.wallMs();
  if (add({{"event", eventToJson(event)}, {"wall_ms", nowMs}})) {
    const MutexLock lock(mutex_);
    if (const auto* row = std::get_if<MetricsRow>(&event)) publishedBatch_ = row->at.batch;
    return;
  }
  const RunNote tooLarge{NoteLevel::Warning, "an event was too large for the journal and is left out", {}};
  add({{"event", eventToJson(tooLarge)}, {"wall_ms", nowMs}});
}

Result<void> FileJournalWriter::addCheckpoint(const CheckpointRecord& record) {
  CheckpointRecord complete = record;
  ASSIGN_OR_RETURN(complete.bytes, checkpointFileBytes(folder_, record.file));
  if (complete.createdMs == 0) complete.createdMs = clock_.wallMs();
  complete.run = run_;
  complete.segment = segment_;
  add(checkpointRecord(complete));
  RETURN_IF_ERROR(flush());
  const MutexLock lock(mutex_);
  checkpoints_.push_back(std::move(complete));
  return {};
}

Result<std::vector<CheckpointRecord>> FileJournalWriter::checkpoints() const {
  std::vector<CheckpointRecord> records;
  {
    const MutexLock lock(mutex_);
    records = checkpoints_;
  }
  for (CheckpointRecord& record : records) record.pinned = record.pinned || hasPinMarker(folder_, record.file);
  return records;
}

Result<void> FileJournalWriter::removeCheckpoint(const CheckpointRecord& record) {
  add({{"removed", record.id}});
  // Record the removal first: an unlisted file only wastes space, a listed one that is missing would fail.
  RETURN_IF_ERROR(flush());
  {
    const MutexLock lock(mutex_);
    std::erase_if(checkpoints_, [&](const CheckpointRecord& known) { return known.id == record.id; });
  }
  return removeFiles(folder_, {record.file, record.file + ".pin"});
}

}  // namespace

Result<bool> hideJournal(const fs::path& folder, const std::string& id) {
  if (!isPlainId(id)) return false;  // no journal has such a name
  const fs::path path = journalFile(folder, id);
  const auto file = openLocked(path, 0);
  if (!file.ok() && file.error().code == ErrorCode::NotFound) return false;
  if (!file.ok()) return file.error();
  const fs::path hidden = hiddenJournalFile(folder, id);
  if (::rename(path.c_str(), hidden.c_str()) != 0) return Error::fromErrno(errno, "cannot delete '{}'", path.native());
  if (auto synced = syncFolder(path.parent_path()); !synced.ok()) {
    ::rename(hidden.c_str(), path.c_str());
    return synced.error();
  }
  return true;
}

Result<void> restoreJournal(const fs::path& folder, const std::string& id) {
  const fs::path path = journalFile(folder, id);
  const fs::path hidden = hiddenJournalFile(folder, id);
  if (::rename(hidden.c_str(), path.c_str()) != 0) return Error::fromErrno(errno, "cannot write '{}'", path.native());
  return syncFolder(path.parent_path());
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& folder, const std::string& id,
                                                             const NewRun& run, const SegmentStart& start,
                                                             const Clock& clock) {
  if (!isPlainId(id)) return Error::internal(formatText("'{}' is not a run id", id));
  NewRun named = run;
  if (named.name.empty()) named.name = runNameFromDate(clock.wallMs());
  RETURN_IF_ERROR(checkRunName(named.name));
  const fs::path path = journalFile(fs::absolute(folder), id);
  RETURN_IF_ERROR(makeFolders(path.parent_path()));
  ASSIGN_OR_RETURN(auto file, openLocked(path, O_CREAT));
  ASSIGN_OR_RETURN(const auto left, readUnstartedJournal(path));
  ASSIGN_OR_RETURN(const auto aside, moveTornTail(file, path, left.bytes));
  auto writer = std::make_unique<FileJournalWriter>(fs::absolute(folder), std::move(file), id, 0, 0, clock, left);
  writer->noteTornEnd(aside);
  if (left.records == 0 && !writer->add(runRecord(id, named, clock.wallMs())))
    return Error::config(formatText("the configuration of run '{}' is too large for a journal", named.name));
  writer->add(segmentRecord(0, start, clock.wallMs()));
  RETURN_IF_ERROR(writer->begin());
  RETURN_IF_ERROR(syncFolder(path.parent_path()));
  return std::unique_ptr<JournalWriter>(std::move(writer));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::resume(const fs::path& folder, const std::string& id,
                                                             const SegmentStart& start, const Clock& clock) {
  if (!isPlainId(id)) return Error::internal(formatText("'{}' is not a run id", id));
  const fs::path path = journalFile(fs::absolute(folder), id);
  ASSIGN_OR_RETURN(auto file, openLocked(path, 0));
  ASSIGN_OR_RETURN(auto known, readJournalRun(path, /*isWriter=*/true));
  ASSIGN_OR_RETURN(const auto aside, moveTornTail(file, path, known.bytes));
  const auto number = static_cast<std::int64_t>(known.run.segments.size());
  auto writer = std::make_unique<FileJournalWriter>(fs::absolute(folder), std::move(file), id, number, start.from.batch,
                                                    clock, JournalExtent{known.records, known.bytes});
  writer->restore(std::move(known.checkpoints), std::move(known.notes));
  writer->noteTornEnd(aside);
  writer->add(segmentRecord(number, start, clock.wallMs()));
  RETURN_IF_ERROR(writer->begin());
  return std::unique_ptr<JournalWriter>(std::move(writer));
}

}  // namespace batchwise
