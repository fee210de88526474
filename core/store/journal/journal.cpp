// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/count_text.h"
#include "core/base/file.h"
#include "core/base/strict_json.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal_group.h"
#include "core/store/journal/journal_record.h"

namespace batchwise {
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t kOldHeadBytes = 8;  // of a record of format 1: length and checksum
constexpr std::int64_t kSearchBytes = 1 << 20;
/// What may be read again and again by a search in a hostile file, in which each byte seems to begin something.
constexpr std::int64_t kLookBytes = 512;  // what a look at one place counts at least
constexpr std::int64_t kMostSearched = std::int64_t{64} << 20;

Result<FileDescriptor> openPlain(const fs::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open", path.native());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read", path.native());
  if (!S_ISREG(info.st_mode)) return Error::corrupt("'" + path.native() + "' is not a plain file");
  return file;
}

}  // namespace

std::string JournalGap::text() const {
  return "damaged at byte " + std::to_string(byte) + ": " + countText(bytes, "byte") + " with " +
         countText(records, "record") + " are lost";
}

struct JournalReader::State {
  fs::path path;
  FileDescriptor file;
  bool mayBeWritten = false;
  std::int64_t number = 0;
  std::int64_t byte = 0;  // of what comes behind `records`, or of their group while there are some
  bool afterSeek = false;
  std::optional<std::int64_t> segment;
  std::optional<std::uint32_t> run;  // of the groups so far
  std::vector<JournalGap> gaps;

  std::string body;                       // of the group in hand
  std::vector<std::string_view> records;  // left of it, the next one last
  std::int64_t groupBytes = 0;
  bool failed = false;  // reading

  /// As much as there is, up to `count` bytes.
  std::string readAt(std::int64_t at, std::int64_t count) {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::pread(file.get(), bytes.data() + done, bytes.size() - done, at + static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      failed = failed || got < 0;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
  }
  std::int64_t size() const {
    struct stat info {};
    return ::fstat(file.get(), &info) == 0 ? info.st_size : 0;
  }

  std::optional<JournalGroupHead> headAt(std::int64_t at) {
    const std::string bytes = readAt(at, sizeof(JournalGroupHead));
    JournalGroupHead head;
    if (bytes.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (!isPlausible(head, size() - at) || (run && *run != head.run)) return std::nullopt;
    return head;
  }
  /// Takes the group at `at` in hand if it is whole, and `fits(head)`. `work`: less what was read for it.
  template <typename Fits>
  bool takeGroup(std::int64_t at, const Fits& fits, std::int64_t& work) {
    work -= kLookBytes;
    const auto head = headAt(at);
    if (!head || !fits(*head)) return false;
    work -= head->bytes;
    body = readAt(at + static_cast<std::int64_t>(sizeof *head), head->bytes);
    const auto texts = recordsOf(*head, body);
    if (!texts) return false;
    const std::int64_t known = std::max<std::int64_t>(number - head->first, 0);  // after a seek into the group
    for (auto text = texts->rbegin(); text != texts->rend() - known; ++text) records.push_back(*text);
    number = head->first + known;
    byte = at;
    groupBytes = static_cast<std::int64_t>(sizeof *head) + head->bytes;
    run = head->run;
    segment = head->segment;
    return true;
  }
  bool takeNextGroup() {
    std::int64_t work = 0;
    const bool anywhere = std::exchange(afterSeek, false);
    return takeGroup(
        byte,
        [&](const JournalGroupHead& head) {
          return head.first == number || (anywhere && head.first < number && number < head.first + head.count);
        },
        work);
  }

  /// A record of format 1 at the place in hand.
  bool takeOldRecord(Json& record) {
    const std::string head = readAt(byte, kOldHeadBytes);
    if (std::ssize(head) < kOldHeadBytes) return false;
    std::uint32_t length = 0, stored = 0;
    std::memcpy(&length, head.data(), sizeof length);
    std::memcpy(&stored, head.data() + sizeof length, sizeof stored);
    if (length > kJournalRecordBytes || byte + kOldHeadBytes + length > size()) return false;
    const std::string text = readAt(byte + kOldHeadBytes, length);
    if (text.size() < length || stored != journalChecksum(number, text)) return false;
    record = storedJson(text);
    if (!record.is_object()) return false;
    byte += kOldHeadBytes + length;
    ++number;
    segment.reset();
    return true;
  }
  bool isOldRecord(std::int64_t at, std::int64_t& work) {
    work -= kLookBytes;
    const std::string head = readAt(at, kOldHeadBytes);
    std::uint32_t length = 0;
    if (std::ssize(head) < kOldHeadBytes) return false;
    std::memcpy(&length, head.data(), sizeof length);
    if (length < 2 || length > kJournalRecordBytes || at + kOldHeadBytes + length > size()) return false;
    if (readAt(at + kOldHeadBytes + length - 1, 1) != "}") return false;
    work -= length;
    return Json::accept(readAt(at + kOldHeadBytes, length));
  }

  enum class Behind { Nothing, Group, OldRecord };
  /// Looks behind the place in hand for something whole, and takes it in hand if it is a group.
  Behind searchBehind() {
    constexpr std::string_view kMark = "BGrp";
    constexpr std::string_view kOldText = "{\"";
    const std::int64_t end = size();
    std::int64_t work = kMostSearched;
    for (std::int64_t from = byte + 1; from < end && work > 0 && !failed; from += kSearchBytes) {
      const std::string part = readAt(from, kSearchBytes + std::ssize(kMark));
      for (std::size_t i = 0; i < part.size() && work > 0; ++i) {
        const std::string_view rest = std::string_view(part).substr(i);
        const std::int64_t at = from + static_cast<std::int64_t>(i);
        const auto later = [&](const JournalGroupHead& head) { return head.first >= number; };
        if (rest.starts_with(kMark) && takeGroup(at, later, work)) return Behind::Group;
        if (rest.starts_with(kOldText) && at - kOldHeadBytes > byte && isOldRecord(at - kOldHeadBytes, work))
          return Behind::OldRecord;
      }
    }
    return Behind::Nothing;
  }
  /// What to do at a place where nothing can be read: true if there is a group behind it, now in hand.
  Result<bool> passOver() {
    if (mayBeWritten || byte >= size()) return false;
    const std::int64_t before = byte, expected = number;
    switch (searchBehind()) {
      case Behind::Nothing: return false;
      case Behind::Group: gaps.push_back({before, byte - before, number - expected}); return true;
      case Behind::OldRecord: break;
    }
    return Error::corrupt("'" + path.native() + "' is damaged from byte " + std::to_string(before) +
                          " on; what follows is not taken in");
  }
};

JournalReader::JournalReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

Result<JournalReader> JournalReader::open(const fs::path& file, Asker asker) {
  auto state = std::make_unique<State>();
  state->path = file;
  auto opened = openPlain(file);
  if (opened.ok() && asker == Asker::Anybody) {
    state->mayBeWritten = mayBeLocked(*opened, {});
    // On a network file system only what is opened after the writer has closed shows all that it wrote.
    opened = openPlain(file);
  }
  if (!opened.ok()) return opened.error();
  state->file = std::move(*opened);
  return JournalReader(std::move(state));
}

void JournalReader::seek(std::int64_t number, std::int64_t byte) {
  State& s = *state_;
  s.number = number;
  s.byte = byte;
  s.afterSeek = true;
  s.records.clear();
  s.segment.reset();
}
std::int64_t JournalReader::number() const {
  return state_->number;
}
std::int64_t JournalReader::byte() const {
  return state_->byte;
}
std::optional<std::int64_t> JournalReader::segment() const {
  return state_->segment;
}
const std::vector<JournalGap>& JournalReader::gaps() const {
  return state_->gaps;
}

Result<bool> JournalReader::next(Json& record) {
  State& s = *state_;
  if (s.records.empty() && !s.takeNextGroup()) {
    if (s.takeOldRecord(record)) return true;
    const Result<bool> passed = s.failed ? Result<bool>(false) : s.passOver();
    if (s.failed) return Error::fromErrno(errno, "cannot read", s.path.native());
    if (!passed.ok() || !*passed) return passed;
  }
  record = storedJson(s.records.back());
  if (!record.is_object())
    return Error::corrupt("record " + std::to_string(s.number) + " of '" + s.path.native() + "' is not an object");
  s.records.pop_back();
  ++s.number;
  if (s.records.empty()) s.byte += s.groupBytes;
  return true;
}

}  // namespace batchwise
