// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/store/process_identity.h"
#include "core/store/record_text.h"
#include "core/store/salvage_rules.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr std::chrono::milliseconds kTick{200};
constexpr std::size_t kHeadBytes = 8;  // length and checksum

/// Bound to the number of the record, so that none can be left out or doubled.
std::uint32_t checksum(std::int64_t number, std::string_view text) {
  return crc32c(std::as_bytes(std::span{text}), crc32c(std::as_bytes(std::span{&number, 1})));
}

std::string recordBytes(std::int64_t number, const Json& record) {
  const std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(text.size());
  const std::uint32_t crc = checksum(number, text);
  std::string bytes(kHeadBytes, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + sizeof length, &crc, sizeof crc);
  return bytes + text;
}

Json runRecord(const std::string& id, const NewRun& run, std::int64_t nowMs) {
  return {{"journal", 1},
          {"run", id},
          {"name", run.name},
          {"config_yaml", run.configYaml},
          {"resolved_yaml", run.resolvedYaml},
          {"resolved_values", run.resolvedValues},
          {"references", run.references},
          {"planned_batches", run.plannedBatches},
          {"parent", run.parent},
          {"tags", run.tags},
          {"why", run.why},
          {"created_ms", nowMs}};
}

Json segmentRecord(const RunWriter::SegmentStart& start, std::int64_t nowMs) {
  const ProcessIdentity self = currentProcess();
  return {{"segment", 0},        {"from", timestampText(start.from)}, {"checkpoint", start.checkpoint},
          {"environment", start.environment}, {"started_ms", nowMs},  {"host", self.host},
          {"process_id", self.processId}};
}

Json checkpointRecord(const CheckpointRecord& record) {
  return {{"checkpoint", record.id},   {"at", timestampText(record.at)},
          {"file", record.file},       {"bytes", record.bytes},
          {"created_ms", record.createdMs}, {"reason", record.reason},
          {"metric", record.metric ? Json(*record.metric) : Json(nullptr)},
          {"pinned", record.pinned},   {"verified", record.verified},
          {"finite", record.finite}};
}

}  // namespace

struct JournalWriter::State {
  fs::path folder, path;
  FileDescriptor file;
  const Clock& clock;

  mutable std::mutex mutex;  // guards everything below
  std::condition_variable_any wake;
  std::string waiting;       // encoded, not on disk yet
  std::int64_t records = 0;
  std::int64_t bytes = 0;    // on disk and synced
  std::optional<Error> trouble;
  std::jthread thread;  // last

  State(fs::path workspace, fs::path journal, FileDescriptor opened, const Clock& time)
      : folder(std::move(workspace)), path(std::move(journal)), file(std::move(opened)), clock(time) {}

  void add(const Json& record) {
    const std::scoped_lock lock(mutex);
    waiting += recordBytes(records++, record);
  }
  /// Writes at the place after what is safe: what a failed call left there is overwritten.
  Result<void> writeWaiting() {
    const std::scoped_lock lock(mutex);
    std::size_t done = 0;
    while (done < waiting.size()) {
      const ssize_t got = ::pwrite(file.get(), waiting.data() + done, waiting.size() - done, bytes + static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail("cannot write");
      done += static_cast<std::size_t>(got);
    }
    if (done > 0 && ::fdatasync(file.get()) != 0) return fail("cannot sync");
    bytes += static_cast<std::int64_t>(done);
    waiting.clear();
    trouble.reset();
    return {};
  }
  void loop(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mutex);
        wake.wait_for(lock, stop, kTick, [] { return false; });
      }
      (void)writeWaiting();
    }
  }

 private:
  Result<void> fail(const char* what) {
    trouble = Error::fromErrno(errno, what, path.native());
    return *trouble;
  }
};

JournalWriter::JournalWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& folder, const std::string& id, const NewRun& run,
                                                             const RunWriter::SegmentStart& start, const Clock& clock) {
  if (!isPlainId(id)) return Error::internal("'" + id + "' is no id of a run");
  NewRun named = run;
  if (named.name.empty()) named.name = runNameFromDate(clock.wallMs());
  if (auto fine = checkRunName(named.name); !fine.ok()) return fine.error();
  const fs::path path = fs::absolute(folder) / "runs" / (id + ".journal");
  if (auto made = makeFolders(path.parent_path()); !made.ok()) return made.error();
  FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  if (!file.valid() && errno == EEXIST)
    return Error{ErrorCode::Busy, "the journal '" + path.native() + "' is there already", {}};
  if (!file.valid()) return Error::fromErrno(errno, "cannot make", path.native());
  auto state = std::make_unique<State>(fs::absolute(folder), path, std::move(file), clock);
  state->add(runRecord(id, named, clock.wallMs()));
  state->add(segmentRecord(start, clock.wallMs()));
  if (auto written = state->writeWaiting(); !written.ok()) return written.error();
  if (auto synced = syncFolder(path.parent_path()); !synced.ok()) return synced.error();
  state->thread = std::jthread([raw = state.get()](const std::stop_token& stop) { raw->loop(stop); });
  return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

JournalWriter::~JournalWriter() {
  state_->thread.request_stop();
  state_->thread.join();
  (void)state_->writeWaiting();
}

void JournalWriter::publish(const RunEvent& event) {
  if (std::holds_alternative<PhaseProgress>(event)) return;
  state_->add({{"event", eventToJson(event)}, {"wall_ms", state_->clock.wallMs()}});
}

Result<void> JournalWriter::addCheckpoint(const CheckpointRecord& record) {
  if (auto inside = checkRelativePath(record.file); !inside.ok()) return inside;
  std::error_code failure;
  CheckpointRecord complete = record;
  complete.bytes = static_cast<std::int64_t>(fs::file_size(state_->folder / record.file, failure));
  if (failure) return Error::fromErrno(failure.value(), "cannot find the checkpoint file", record.file);
  if (complete.createdMs == 0) complete.createdMs = state_->clock.wallMs();
  state_->add(checkpointRecord(complete));
  return flush();
}

Result<void> JournalWriter::flush() { return state_->writeWaiting(); }

std::string JournalWriter::trouble() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->trouble ? state_->trouble->text() : "";
}

struct JournalReader::State {
  fs::path path;
  FileDescriptor file;
  std::int64_t number = 0;
  std::int64_t byte = 0;
  std::string text;

  /// Bytes read, fewer only at the end of the file; -1 for an error.
  ssize_t readAt(char* target, std::size_t count, std::int64_t at) const {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got = ::pread(file.get(), target + done, count - done, at + static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -1;
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return static_cast<ssize_t>(done);
  }
};

JournalReader::JournalReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

Result<JournalReader> JournalReader::open(const fs::path& file) {
  auto state = std::make_unique<State>();
  state->path = file;
  state->file = FileDescriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (!state->file.valid()) return Error::fromErrno(errno, "cannot open", file.native());
  struct stat info {};
  if (::fstat(state->file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read", file.native());
  if (!S_ISREG(info.st_mode)) return Error::corrupt("'" + file.native() + "' is not a plain file");
  return JournalReader(std::move(state));
}

void JournalReader::seek(std::int64_t number, std::int64_t byte) {
  state_->number = number;
  state_->byte = byte;
}
std::int64_t JournalReader::number() const { return state_->number; }
std::int64_t JournalReader::byte() const { return state_->byte; }

Result<bool> JournalReader::next(Json& record) {
  State& s = *state_;
  std::array<char, kHeadBytes> head{};
  const ssize_t got = s.readAt(head.data(), head.size(), s.byte);
  if (got < 0) return Error::fromErrno(errno, "cannot read", s.path.native());
  if (got < static_cast<ssize_t>(kHeadBytes)) return false;
  std::uint32_t length = 0, stored = 0;
  std::memcpy(&length, head.data(), sizeof length);
  std::memcpy(&stored, head.data() + sizeof length, sizeof stored);
  const auto damaged = [&] {
    return Error::corrupt("'" + s.path.native() + "' is damaged from byte " + std::to_string(s.byte) +
                          " on; what follows is not taken in");
  };
  if (length > kJournalRecordBytes) return damaged();
  s.text.resize(length);
  const ssize_t body = s.readAt(s.text.data(), length, s.byte + static_cast<std::int64_t>(kHeadBytes));
  if (body < 0) return Error::fromErrno(errno, "cannot read", s.path.native());
  if (body < static_cast<ssize_t>(length)) return false;  // the writer was stopped here, or is writing
  const std::int64_t after = s.byte + static_cast<std::int64_t>(kHeadBytes) + length;
  record = stored == checksum(s.number, s.text) ? Json::parse(s.text, nullptr, false) : Json(Json::value_t::discarded);
  if (!record.is_object()) {
    char more = 0;
    if (s.readAt(&more, 1, after) == 0) return false;  // the last one: only half of it may have reached the disk
    return damaged();
  }
  s.byte = after;
  ++s.number;
  return true;
}

}  // namespace batchwise
