// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/return_if_error.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_group.h"
#include "core/store/journal/journal_record.h"
#include "core/store/journal/journal_run.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr std::chrono::milliseconds kJournalTick{200};

/// Opens a journal and locks it for writing until the file is closed.
Result<FileDescriptor> openLocked(const fs::path& path, int flags) {
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666)};
  if (!file.valid()) return Error::fromErrno(errno, messages::cannotOpen, path.native());
  RETURN_IF_ERROR(checkLocksWork(file, path));
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, {}));
  if (locked) return file;
  return Error{ErrorCode::Busy, messages::journalBeingWritten(path.native()), {}};
}

/// Size of the readable part of a journal on disk.
struct JournalExtent {
  std::int64_t records = 0;
  std::int64_t bytes = 0;
};

/// Measures a journal that has no segment yet: empty, or only the run if its writer was killed while starting.
Result<JournalExtent> readUnstartedJournal(const fs::path& path) {
  auto reader = JournalReader::open(path, JournalReader::OpenedBy::Writer);
  if (!reader.ok()) return reader.error();
  Json record;
  for (;;) {
    ASSIGN_OR_RETURN(const auto more, reader->next(record));
    if (!more) return JournalExtent{reader->number(), reader->byte()};
    if (reader->number() > 1 || !reader->gaps().empty())
      return Error{ErrorCode::Busy, messages::journalAlreadyExists(path.native()), {}};
  }
}

constexpr const char* kTornMark = ".torn-";

/// Returns the parts of the journal `path` that were set aside.
std::vector<fs::path> tornParts(const fs::path& path) {
  std::vector<fs::path> parts;
  for (const fs::path& entry : entriesOf(path.parent_path()))
    if (entry.native().starts_with(path.native() + kTornMark)) parts.push_back(entry);
  return parts;
}

Result<void> copyTail(const FileDescriptor& from, std::int64_t at, const FileDescriptor& to, const fs::path& target) {
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t got = ::pread(from.get(), buffer.data(), buffer.size(), at);
    if (got == 0) break;
    const ssize_t put = got < 0 ? got : ::write(to.get(), buffer.data(), static_cast<std::size_t>(got));
    if (put < 0 && errno != EINTR) return Error::fromErrno(errno, messages::cannotWrite, target.native());
    if (put > 0) at += put;
  }
  if (::fsync(to.get()) != 0) return Error::fromErrno(errno, messages::cannotSync, target.native());
  return syncFolder(target.parent_path());
}

/// Moves everything after byte `end` of an open journal into a new file. Returns its name, or "" if there was nothing.
Result<std::string> moveTornTail(const FileDescriptor& file, const fs::path& path, std::int64_t end) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, messages::cannotRead, path.native());
  if (info.st_size <= end) return std::string();
  fs::path target;
  Result<FileDescriptor> made = Error::internal(messages::journalFileCreationNotTried());
  for (int number = 1; number == 1 || (!made.ok() && errno == EEXIST); ++number) {
    target = path.native() + kTornMark + std::to_string(number);
    made = createFile(target);
  }
  if (!made.ok()) return made.error();
  if (auto copied = copyTail(file, end, *made, target); !copied.ok()) {
    ::unlink(target.c_str());
    return copied.error();
  }
  if (::ftruncate(file.get(), end) != 0) return Error::fromErrno(errno, messages::cannotCut, path.native());
  return target.filename().native();
}

Message tornNotice(const fs::path& path, const std::string& aside) {
  return messages::journalEndMovedAside(path.native(), aside);
}

}  // namespace

struct JournalWriter::State {
  const fs::path folder, path;
  const FileDescriptor file;
  const std::string run;
  const std::int64_t segment;
  const Clock& clock;

  Mutex writing;                                 // held while the file is written
  std::int64_t bytes GUARDED_BY(writing) = 0;    // written and synced
  std::int64_t records GUARDED_BY(writing) = 0;  // number of records in them

  mutable Mutex mutex;  // never held during disk I/O
  std::condition_variable_any wake;
  std::vector<JournalGroup> pending GUARDED_BY(mutex);  // not on disk yet
  std::vector<CheckpointRecord> checkpoints GUARDED_BY(mutex);
  std::vector<Message> notices GUARDED_BY(mutex);
  std::optional<Error> writeError GUARDED_BY(mutex);
  std::jthread thread;  // last

  State(fs::path workspace, FileDescriptor opened, std::string id, std::int64_t number, const Clock& time,
        JournalExtent length)
      : folder(std::move(workspace)),
        path(journalFile(folder, id)),
        file(std::move(opened)),
        run(std::move(id)),
        segment(number),
        clock(time),
        bytes(length.bytes),
        records(length.records) {}

  void restore(std::vector<CheckpointRecord> knownCheckpoints, std::vector<Message> knownNotices) {
    const MutexLock lock(mutex);
    checkpoints = std::move(knownCheckpoints);
    notices = std::move(knownNotices);
  }
  void addNotice(Message notice) {
    const MutexLock lock(mutex);
    notices.push_back(std::move(notice));
  }
  /// Returns false if the record is too large for a journal.
  bool add(const Json& record) {
    const MutexLock lock(mutex);
    if (pending.empty() || pending.back().full()) pending.emplace_back();
    return pending.back().add(record);
  }
  Result<void> writePending() {
    const MutexLock one(writing);
    std::vector<JournalGroup> part;
    {
      const MutexLock lock(mutex);
      part.swap(pending);
    }
    const Result<void> written = part.empty() ? Result<void>() : write(part);
    const MutexLock lock(mutex);
    writeError = written.ok() ? std::nullopt : std::optional(written.error());
    if (!written.ok()) pending.insert(pending.begin(), part.begin(), part.end());
    return written;
  }
  Result<void> begin() {
    RETURN_IF_ERROR(writePending());
    thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
    return {};
  }

 private:
  void loop(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        MutexLock lock(mutex);
        wake.wait_for(lock, stop, kJournalTick, [] { return false; });
      }
      (void)writePending();
    }
  }
  /// Writes after the last synced byte, so it overwrites what a failed call left there.
  Result<void> write(const std::vector<JournalGroup>& groups) REQUIRES(writing) {
    std::string part;
    std::int64_t after = records;
    for (const JournalGroup& group : groups) {
      if (group.count() == 0) continue;
      part += group.encoded(after, run, segment);
      after += group.count();
    }
    std::size_t done = 0;
    while (done < part.size()) {
      const ssize_t got =
          ::pwrite(file.get(), part.data() + done, part.size() - done, bytes + static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error::fromErrno(errno, messages::cannotWrite, path.native());
      done += static_cast<std::size_t>(got);
    }
    if (::fdatasync(file.get()) != 0) return Error::fromErrno(errno, messages::cannotSync, path.native());
    bytes += static_cast<std::int64_t>(done);
    records = after;
    return {};
  }
};

Result<void> removeJournal(const fs::path& folder, const std::string& id) {
  if (!isPlainId(id)) return {};  // no journal has such a name
  const fs::path path = journalFile(folder, id);
  const auto file = openLocked(path, 0);
  if (!file.ok()) return file.error().code == ErrorCode::NotFound ? Result<void>() : file.error();
  std::vector<fs::path> files = tornParts(path);
  files.push_back(path);
  for (const fs::path& one : files)
    if (::unlink(one.c_str()) != 0) return Error::fromErrno(errno, messages::cannotDelete, one.native());
  return syncFolder(path.parent_path());
}

JournalWriter::JournalWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& folder, const std::string& id,
                                                             const NewRun& run, const SegmentStart& start,
                                                             const Clock& clock) {
  if (!isPlainId(id)) return Error::internal(messages::journalRunIdInvalid(id));
  NewRun named = run;
  if (named.name.empty()) named.name = runNameFromDate(clock.wallMs());
  RETURN_IF_ERROR(checkRunName(named.name));
  const fs::path path = journalFile(fs::absolute(folder), id);
  RETURN_IF_ERROR(makeFolders(path.parent_path()));
  ASSIGN_OR_RETURN(auto file, openLocked(path, O_CREAT));
  ASSIGN_OR_RETURN(const auto left, readUnstartedJournal(path));
  const auto aside = moveTornTail(file, path, left.bytes);
  if (!aside.ok()) return aside.error();
  auto state = std::make_unique<State>(fs::absolute(folder), std::move(file), id, 0, clock, left);
  if (!aside->empty()) state->addNotice(tornNotice(path, *aside));
  if (left.records == 0 && !state->add(runRecord(id, named, clock.wallMs())))
    return Error::config(messages::journalConfigTooLarge(named.name));
  state->add(segmentRecord(0, start, clock.wallMs()));
  RETURN_IF_ERROR(state->begin());
  RETURN_IF_ERROR(syncFolder(path.parent_path()));
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::rescue(const fs::path& folder, const RunDetail& run,
                                                             const Clock& clock) {
  if (run.segments.empty()) return Error::internal(messages::journalRescueNeedsSegment());
  const RunSummary& summary = run.summary;
  const fs::path path = journalFile(fs::absolute(folder), summary.id);
  RETURN_IF_ERROR(makeFolders(path.parent_path()));
  ASSIGN_OR_RETURN(auto file, openLocked(path, O_CREAT | O_EXCL));
  auto state = std::make_unique<State>(fs::absolute(folder), std::move(file), summary.id, run.segments.back().number,
                                       clock, JournalExtent{});
  const NewRun known{summary.name,       run.configYaml, run.resolvedYaml,
                     run.resolvedValues, run.references, summary.plannedBatches,
                     summary.parent,     summary.tags,   run.why};
  state->add(runRecord(summary.id, known, summary.createdMs));
  for (const RunSegment& each : run.segments)
    state->add(segmentRecord(each.number, {each.from, each.checkpoint, each.environment, {}}, each.startedMs));
  RETURN_IF_ERROR(state->begin());
  RETURN_IF_ERROR(syncFolder(path.parent_path()));
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::resume(const fs::path& folder, const std::string& id,
                                                             const SegmentStart& start, const Clock& clock) {
  if (!isPlainId(id)) return Error::internal(messages::journalRunIdInvalid(id));
  const fs::path path = journalFile(fs::absolute(folder), id);
  ASSIGN_OR_RETURN(auto file, openLocked(path, 0));
  ASSIGN_OR_RETURN(auto known, readJournalRun(path, /*isWriter=*/true));
  const auto aside = moveTornTail(file, path, known.bytes);
  if (!aside.ok()) return aside.error();
  const auto number = static_cast<std::int64_t>(known.run.segments.size());
  auto state = std::make_unique<State>(fs::absolute(folder), std::move(file), id, number, clock,
                                       JournalExtent{known.records, known.bytes});
  state->restore(std::move(known.checkpoints), std::move(known.notes));
  if (!aside->empty()) state->addNotice(tornNotice(path, *aside));
  state->add(segmentRecord(number, start, clock.wallMs()));
  RETURN_IF_ERROR(state->begin());
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

JournalWriter::~JournalWriter() {
  state_->thread.request_stop();
  state_->thread.join();
  (void)state_->writePending();
}

std::int64_t JournalWriter::segment() const {
  return state_->segment;
}

void JournalWriter::publish(const RunEvent& event) {
  if (std::holds_alternative<PhaseProgress>(event)) return;
  const std::int64_t nowMs = state_->clock.wallMs();
  if (state_->add({{"event", eventToJson(event)}, {"wall_ms", nowMs}})) return;
  const RunNote tooLarge{NoteLevel::Warning, messages::journalEventTooLarge(), {}};
  state_->add({{"event", eventToJson(tooLarge)}, {"wall_ms", nowMs}});
}

Result<void> JournalWriter::addCheckpoint(const CheckpointRecord& record) {
  RETURN_IF_ERROR(checkCheckpointPath(record.file));
  std::error_code failure;
  CheckpointRecord complete = record;
  complete.bytes = static_cast<std::int64_t>(fs::file_size(state_->folder / record.file, failure));
  if (failure) return Error::fromErrno(failure.value(), messages::cannotFindCheckpointFile, record.file);
  if (complete.createdMs == 0) complete.createdMs = state_->clock.wallMs();
  complete.run = state_->run;
  complete.segment = state_->segment;
  state_->add(checkpointRecord(complete));
  RETURN_IF_ERROR(flush());
  const MutexLock lock(state_->mutex);
  state_->checkpoints.push_back(std::move(complete));
  return {};
}

Result<std::vector<CheckpointRecord>> JournalWriter::checkpoints() const {
  std::vector<CheckpointRecord> records;
  {
    const MutexLock lock(state_->mutex);
    records = state_->checkpoints;
  }
  for (CheckpointRecord& record : records) record.pinned = record.pinned || hasPinMarker(state_->folder, record.file);
  return records;
}

Result<void> JournalWriter::removeCheckpoint(const CheckpointRecord& record) {
  state_->add({{"removed", record.id}});
  // Record the removal first: an unlisted file only wastes space, a listed one that is missing would fail.
  RETURN_IF_ERROR(flush());
  {
    const MutexLock lock(state_->mutex);
    std::erase_if(state_->checkpoints, [&](const CheckpointRecord& known) { return known.id == record.id; });
  }
  return removeFiles(state_->folder, {record.file, record.file + ".pin"});
}

Result<void> JournalWriter::flush() {
  return state_->writePending();
}

std::optional<Error> JournalWriter::writeError() const {
  const MutexLock lock(state_->mutex);
  return state_->writeError;
}

std::vector<Message> JournalWriter::notices() const {
  const MutexLock lock(state_->mutex);
  return state_->notices;
}

}  // namespace batchwise
