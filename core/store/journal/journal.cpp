// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/strict_json.h"
#include "core/store/journal/journal_record.h"

namespace batchwise {
namespace fs = std::filesystem;
using Json = nlohmann::json;

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
std::int64_t JournalReader::number() const {
  return state_->number;
}
std::int64_t JournalReader::byte() const {
  return state_->byte;
}

Result<bool> JournalReader::next(Json& record) {
  State& s = *state_;
  std::array<char, kJournalHeadBytes> head{};
  const ssize_t got = s.readAt(head.data(), head.size(), s.byte);
  if (got < 0) return Error::fromErrno(errno, "cannot read", s.path.native());
  if (got < static_cast<ssize_t>(kJournalHeadBytes)) return false;
  std::uint32_t length = 0, stored = 0;
  std::memcpy(&length, head.data(), sizeof length);
  std::memcpy(&stored, head.data() + sizeof length, sizeof stored);
  const auto damaged = [&] {
    return Error::corrupt("'" + s.path.native() + "' is damaged from byte " + std::to_string(s.byte) +
                          " on; what follows is not taken in");
  };
  if (length > kJournalRecordBytes) return damaged();
  s.text.resize(length);
  const ssize_t body = s.readAt(s.text.data(), length, s.byte + static_cast<std::int64_t>(kJournalHeadBytes));
  if (body < 0) return Error::fromErrno(errno, "cannot read", s.path.native());
  if (body < static_cast<ssize_t>(length)) return false;  // the writer was stopped here, or is writing
  const std::int64_t after = s.byte + static_cast<std::int64_t>(kJournalHeadBytes) + length;
  record = stored == journalChecksum(s.number, s.text) ? storedJson(s.text)
                                                       : Json(Json::value_t::discarded);
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
