// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/texts.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal_format.h"

namespace batchwise {
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t kSearchBytes = 1 << 20;
/// Bounds the search in a hostile file, where every byte may look like the start of a record.
constexpr std::int64_t kProbeCost = 512;  // minimum cost of examining one position
constexpr std::int64_t kMaxSearchCost = std::int64_t{64} << 20;

Result<FileDescriptor> openPlain(const fs::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (!S_ISREG(info.st_mode)) return Error::corrupt(notPlainFileText(path.native()));
  return file;
}

}  // namespace

std::string JournalGap::text() const {
  return formatText("damaged at byte {}: {} {} with {} {} are lost", byte, formatInteger(bytes),
                    pluralText(bytes, "byte", "bytes"), formatInteger(records),
                    pluralText(records, "record", "records"));
}

struct JournalReader::State {
  fs::path path;
  FileDescriptor file;
  bool mayBeWritten = false;
  std::int64_t number = 0;
  std::int64_t byte = 0;  // offset of the current group, or of the next one if `records` is empty
  bool afterSeek = false;
  std::int64_t segment = -1;
  std::optional<std::uint32_t> run;  // of the groups read so far
  std::vector<JournalGap> gaps;

  std::string body;                       // of the current group
  std::vector<std::string_view> records;  // of the current group not yet returned, in reverse order
  std::int64_t groupBytes = 0;
  bool failed = false;  // a read failed

  /// Reads up to `count` bytes, fewer at the end of the file.
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

  std::optional<JournalGroupHeader> headAt(std::int64_t at) {
    const std::string bytes = readAt(at, sizeof(JournalGroupHeader));
    JournalGroupHeader head;
    if (bytes.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (!isPlausible(head, size() - at) || (run && *run != head.run)) return std::nullopt;
    return head;
  }
  /// Loads the group at `at` if it is intact and `fits(head)`. Subtracts the number of bytes read from `work`.
  template <typename Fits>
  bool loadGroup(std::int64_t at, const Fits& fits, std::int64_t& work) {
    work -= kProbeCost;
    const auto head = headAt(at);
    if (!head || !fits(*head)) return false;
    work -= head->bytes;
    body = readAt(at + static_cast<std::int64_t>(sizeof *head), head->bytes);
    const auto texts = recordsOf(*head, body);
    if (!texts) return false;
    const std::int64_t known = std::max<std::int64_t>(number - head->first, 0);  // skip after a seek
    for (auto text = texts->rbegin(); text != texts->rend() - known; ++text) records.push_back(*text);
    number = head->first + known;
    byte = at;
    groupBytes = static_cast<std::int64_t>(sizeof *head) + head->bytes;
    run = head->run;
    segment = head->segment;
    return true;
  }
  bool loadNextGroup() {
    std::int64_t work = 0;
    const bool anywhere = std::exchange(afterSeek, false);
    return loadGroup(
        byte,
        [&](const JournalGroupHeader& head) {
          return head.first == number || (anywhere && head.first < number && number < head.first + head.count);
        },
        work);
  }

  /// Skips an unreadable part. Returns true if an intact group follows, which is then loaded.
  bool skipDamage() {
    if (mayBeWritten) return false;
    constexpr std::string_view kMark = "BGrp";
    const std::int64_t before = byte, expected = number, end = size();
    std::int64_t work = kMaxSearchCost;
    for (std::int64_t from = byte + 1; from < end && work > 0 && !failed; from += kSearchBytes) {
      const std::string part = readAt(from, kSearchBytes + std::ssize(kMark));
      for (std::size_t i = part.find(kMark); i != std::string::npos && work > 0; i = part.find(kMark, i + 1)) {
        const auto later = [&](const JournalGroupHeader& head) { return head.first >= number; };
        if (!loadGroup(from + static_cast<std::int64_t>(i), later, work)) continue;
        gaps.push_back({before, byte - before, number - expected});
        return true;
      }
    }
    return false;
  }
};

JournalReader::JournalReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

Result<JournalReader> JournalReader::open(const fs::path& file, OpenedBy openedBy) {
  auto state = std::make_unique<State>();
  state->path = file;
  auto opened = openPlain(file);
  if (opened.ok() && openedBy == OpenedBy::Anyone) {
    state->mayBeWritten = mayBeLocked(*opened, {});
    // NFS shows everything the writer wrote only to files opened after the writer closed them.
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
}
std::int64_t JournalReader::number() const {
  return state_->number;
}
std::int64_t JournalReader::byte() const {
  return state_->byte;
}
std::int64_t JournalReader::segment() const {
  return state_->segment;
}
const std::vector<JournalGap>& JournalReader::gaps() const {
  return state_->gaps;
}

Result<bool> JournalReader::next(Json& record) {
  State& s = *state_;
  if (s.records.empty() && !s.loadNextGroup()) {
    const bool passed = !s.failed && s.skipDamage();
    if (s.failed) return Error::fromErrno(errno, "cannot read '{}'", s.path.native());
    if (!passed) return false;
  }
  record = parseJsonOrDiscarded(s.records.back());
  if (!record.is_object())
    return Error::corrupt(formatText("record {} of '{}' is not an object", s.number, s.path.native()));
  s.records.pop_back();
  ++s.number;
  if (s.records.empty()) s.byte += s.groupBytes;
  return true;
}

}  // namespace batchwise
