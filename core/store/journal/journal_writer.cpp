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
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_group.h"
#include "core/store/journal/journal_record.h"
#include "core/store/journal/journal_run.h"
#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr std::chrono::milliseconds kJournalTick{200};

/// Opens a journal for writing; as long as the file is open, nobody else writes it.
Result<FileDescriptor> openLocked(const fs::path& path, int flags) {
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open", path.native());
  if (auto works = checkLocksWork(file, path); !works.ok()) return works.error();
  const auto locked = tryLock(file, path, {});
  if (!locked.ok()) return locked.error();
  if (*locked) return file;
  return Error{ErrorCode::Busy, "somebody writes the journal '" + path.native() + "'; stop that run first", {}};
}

/// How much of a journal is on disk and can be read.
struct Length {
  std::int64_t records = 0;
  std::int64_t bytes = 0;
};

/// Of a journal that has no segment yet: nothing, or the run, if its writer was killed while it began.
Result<Length> readUnbegun(const fs::path& path) {
  auto reader = JournalReader::open(path, JournalReader::Asker::ItsWriter);
  if (!reader.ok()) return reader.error();
  Json record;
  for (;;) {
    const Result<bool> more = reader->next(record);
    if (!more.ok()) return more.error();
    if (!*more) return Length{reader->number(), reader->byte()};
    if (reader->number() > 1 || !reader->gaps().empty())
      return Error{ErrorCode::Busy, "the journal '" + path.native() + "' is there already", {}};
  }
}

constexpr const char* kTornMark = ".torn-";

/// What was set aside of the journal `path`.
std::vector<fs::path> tornParts(const fs::path& path) {
  std::vector<fs::path> parts;
  for (const fs::path& entry : entriesOf(path.parent_path()))
    if (entry.native().starts_with(path.native() + kTornMark)) parts.push_back(entry);
  return parts;
}

Result<void> copyRest(const FileDescriptor& from, std::int64_t at, const FileDescriptor& to, const fs::path& target) {
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t got = ::pread(from.get(), buffer.data(), buffer.size(), at);
    if (got == 0) break;
    const ssize_t put = got < 0 ? got : ::write(to.get(), buffer.data(), static_cast<std::size_t>(got));
    if (put < 0 && errno != EINTR) return Error::fromErrno(errno, "cannot write", target.native());
    if (put > 0) at += put;
  }
  if (::fsync(to.get()) != 0) return Error::fromErrno(errno, "cannot sync", target.native());
  return syncFolder(target.parent_path());
}

/// Moves what lies behind byte `end` of an open journal into a file of its own; its name, or nothing if there was none.
Result<std::string> setAside(const FileDescriptor& file, const fs::path& path, std::int64_t end) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read", path.native());
  if (info.st_size <= end) return std::string();
  fs::path target;
  Result<FileDescriptor> made = Error::internal("not tried");
  for (int number = 1; number == 1 || (!made.ok() && errno == EEXIST); ++number) {
    target = path.native() + kTornMark + std::to_string(number);
    made = createFile(target);
  }
  if (!made.ok()) return made.error();
  if (auto copied = copyRest(file, end, *made, target); !copied.ok()) {
    ::unlink(target.c_str());
    return copied.error();
  }
  if (::ftruncate(file.get(), end) != 0) return Error::fromErrno(errno, "cannot cut", path.native());
  return target.filename().native();
}

std::string tornNotice(const fs::path& path, const std::string& aside) {
  return "the end of the journal '" + path.native() + "' could not be read and was moved to '" + aside +
         "'; the run goes on from what is before it";
}

}  // namespace

struct JournalWriter::State {
  const fs::path folder, path;
  const FileDescriptor file;
  const std::string run;
  const std::int64_t segment;
  const Clock& clock;

  Mutex writing;                                 // held while the file is written; guards the two below
  std::int64_t bytes GUARDED_BY(writing) = 0;    // on disk and synced
  std::int64_t records GUARDED_BY(writing) = 0;  // in them

  mutable Mutex mutex;  // guards everything below; never held while the disk works
  std::condition_variable_any wake;
  std::vector<JournalGroup> waiting GUARDED_BY(mutex);  // not on disk yet
  std::vector<CheckpointRecord> checkpoints GUARDED_BY(mutex);
  std::vector<std::string> notices GUARDED_BY(mutex);
  std::optional<Error> trouble GUARDED_BY(mutex);
  std::jthread thread;  // last

  State(fs::path workspace, FileDescriptor opened, std::string id, std::int64_t number, const Clock& time,
        Length length)
      : folder(std::move(workspace)),
        path(journalFile(folder, id)),
        file(std::move(opened)),
        run(std::move(id)),
        segment(number),
        clock(time),
        bytes(length.bytes),
        records(length.records) {}

  void restore(std::vector<CheckpointRecord> knownCheckpoints, std::vector<std::string> knownNotices) {
    const MutexLock lock(mutex);
    checkpoints = std::move(knownCheckpoints);
    notices = std::move(knownNotices);
  }
  void addNotice(std::string notice) {
    const MutexLock lock(mutex);
    notices.push_back(std::move(notice));
  }
  /// False if the record is too large for a journal.
  bool add(const Json& record) {
    const MutexLock lock(mutex);
    if (waiting.empty() || waiting.back().full()) waiting.emplace_back();
    return waiting.back().add(record);
  }
  Result<void> writeWaiting() {
    const MutexLock one(writing);
    std::vector<JournalGroup> part;
    {
      const MutexLock lock(mutex);
      part.swap(waiting);
    }
    const Result<void> written = part.empty() ? Result<void>() : write(part);
    const MutexLock lock(mutex);
    trouble = written.ok() ? std::nullopt : std::optional(written.error());
    if (!written.ok()) waiting.insert(waiting.begin(), part.begin(), part.end());
    return written;
  }
  Result<void> begin() {
    if (auto written = writeWaiting(); !written.ok()) return written;
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
      (void)writeWaiting();
    }
  }
  /// At the place after what is safe: what a failed call left there is overwritten.
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
      if (got < 0) return Error::fromErrno(errno, "cannot write", path.native());
      done += static_cast<std::size_t>(got);
    }
    if (::fdatasync(file.get()) != 0) return Error::fromErrno(errno, "cannot sync", path.native());
    bytes += static_cast<std::int64_t>(done);
    records = after;
    return {};
  }
};

Result<void> removeJournal(const fs::path& folder, const std::string& id) {
  if (!isPlainId(id)) return {};  // none has such a name
  const fs::path path = journalFile(folder, id);
  const auto file = openLocked(path, 0);
  if (!file.ok()) return file.error().code == ErrorCode::NotFound ? Result<void>() : file.error();
  std::vector<fs::path> files = tornParts(path);
  files.push_back(path);
  for (const fs::path& one : files)
    if (::unlink(one.c_str()) != 0) return Error::fromErrno(errno, "cannot delete", one.native());
  return syncFolder(path.parent_path());
}

JournalWriter::JournalWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& folder, const std::string& id,
                                                             const NewRun& run, const SegmentStart& start,
                                                             const Clock& clock) {
  if (!isPlainId(id)) return Error::internal("'" + id + "' is no id of a run");
  NewRun named = run;
  if (named.name.empty()) named.name = runNameFromDate(clock.wallMs());
  if (auto fine = checkRunName(named.name); !fine.ok()) return fine.error();
  const fs::path path = journalFile(fs::absolute(folder), id);
  if (auto made = makeFolders(path.parent_path()); !made.ok()) return made.error();
  auto file = openLocked(path, O_CREAT);
  if (!file.ok()) return file.error();
  const auto left = readUnbegun(path);
  if (!left.ok()) return left.error();
  const auto aside = setAside(*file, path, left->bytes);
  if (!aside.ok()) return aside.error();
  auto state = std::make_unique<State>(fs::absolute(folder), std::move(*file), id, 0, clock, *left);
  if (!aside->empty()) state->addNotice(tornNotice(path, *aside));
  if (left->records == 0 && !state->add(runRecord(id, named, clock.wallMs())))
    return Error::config("the configuration of run '" + named.name + "' is too large for a journal");
  state->add(segmentRecord(0, start, clock.wallMs()));
  if (auto begun = state->begin(); !begun.ok()) return begun.error();
  if (auto synced = syncFolder(path.parent_path()); !synced.ok()) return synced.error();
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::rescue(const fs::path& folder, const RunDetail& run,
                                                             const Clock& clock) {
  if (run.segments.empty()) return Error::internal("a run without a segment has nothing to be rescued");
  const RunSummary& summary = run.summary;
  const fs::path path = journalFile(fs::absolute(folder), summary.id);
  if (auto made = makeFolders(path.parent_path()); !made.ok()) return made.error();
  auto file = openLocked(path, O_CREAT | O_EXCL);
  if (!file.ok()) return file.error();
  auto state = std::make_unique<State>(fs::absolute(folder), std::move(*file), summary.id, run.segments.back().number,
                                       clock, Length{});
  const NewRun known{summary.name,       run.configYaml, run.resolvedYaml,
                     run.resolvedValues, run.references, summary.plannedBatches,
                     summary.parent,     summary.tags,   run.why};
  state->add(runRecord(summary.id, known, summary.createdMs));
  for (const RunSegment& each : run.segments)
    state->add(segmentRecord(each.number, {each.from, each.checkpoint, each.environment, {}}, each.startedMs));
  if (auto begun = state->begin(); !begun.ok()) return begun.error();
  if (auto synced = syncFolder(path.parent_path()); !synced.ok()) return synced.error();
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::resume(const fs::path& folder, const std::string& id,
                                                             const SegmentStart& start, const Clock& clock) {
  if (!isPlainId(id)) return Error::internal("'" + id + "' is no id of a run");
  const fs::path path = journalFile(fs::absolute(folder), id);
  auto file = openLocked(path, 0);
  if (!file.ok()) return file.error();
  auto known = readJournalRun(path, /*isWriter=*/true);
  if (!known.ok()) return known.error();
  const auto aside = setAside(*file, path, known->bytes);
  if (!aside.ok()) return aside.error();
  const auto number = static_cast<std::int64_t>(known->run.segments.size());
  auto state = std::make_unique<State>(fs::absolute(folder), std::move(*file), id, number, clock,
                                       Length{known->records, known->bytes});
  state->restore(std::move(known->checkpoints), std::move(known->notes));
  if (!aside->empty()) state->addNotice(tornNotice(path, *aside));
  state->add(segmentRecord(number, start, clock.wallMs()));
  if (auto begun = state->begin(); !begun.ok()) return begun.error();
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

JournalWriter::~JournalWriter() {
  state_->thread.request_stop();
  state_->thread.join();
  (void)state_->writeWaiting();
}

std::int64_t JournalWriter::segment() const {
  return state_->segment;
}

void JournalWriter::publish(const RunEvent& event) {
  if (std::holds_alternative<PhaseProgress>(event)) return;
  const std::int64_t nowMs = state_->clock.wallMs();
  if (state_->add({{"event", eventToJson(event)}, {"wall_ms", nowMs}})) return;
  const RunNote tooLarge{NoteLevel::Warning, "an event was too large for the journal and is left out", {}};
  state_->add({{"event", eventToJson(tooLarge)}, {"wall_ms", nowMs}});
}

Result<void> JournalWriter::addCheckpoint(const CheckpointRecord& record) {
  if (auto inside = checkCheckpointPath(record.file); !inside.ok()) return inside;
  std::error_code failure;
  CheckpointRecord complete = record;
  complete.bytes = static_cast<std::int64_t>(fs::file_size(state_->folder / record.file, failure));
  if (failure) return Error::fromErrno(failure.value(), "cannot find the checkpoint file", record.file);
  if (complete.createdMs == 0) complete.createdMs = state_->clock.wallMs();
  complete.run = state_->run;
  complete.segment = state_->segment;
  state_->add(checkpointRecord(complete));
  if (auto safe = flush(); !safe.ok()) return safe;
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
  for (CheckpointRecord& record : records) record.pinned = record.pinned || hasPinMark(state_->folder, record.file);
  return records;
}

Result<void> JournalWriter::removeCheckpoint(const CheckpointRecord& record) {
  state_->add({{"removed", record.id}});
  // The word first: a file that nobody knows is only lost space, a promise without a file would fail.
  if (auto safe = flush(); !safe.ok()) return safe;
  {
    const MutexLock lock(state_->mutex);
    std::erase_if(state_->checkpoints, [&](const CheckpointRecord& known) { return known.id == record.id; });
  }
  return removeFiles(state_->folder, {record.file, record.file + ".pin"});
}

Result<void> JournalWriter::flush() {
  return state_->writeWaiting();
}

std::optional<Error> JournalWriter::trouble() const {
  const MutexLock lock(state_->mutex);
  return state_->trouble;
}

std::vector<std::string> JournalWriter::notices() const {
  const MutexLock lock(state_->mutex);
  return state_->notices;
}

}  // namespace batchwise
