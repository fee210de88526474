// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Bytes = std::span<const std::byte>;

std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
T loadLittleEndian(Bytes bytes) {
  static_assert(std::endian::native == std::endian::little);
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Walks through the fields of a message.
class Fields {
 public:
  explicit Fields(Bytes message) : rest_(message) {}

  /// Goes to the next field; false at the end, or where the message is malformed.
  bool next() {
    std::uint64_t key = 0;
    if (rest_.empty() || !varint(key)) return false;
    number_ = key >> 3;
    bytes_ = {};
    switch (key & 7) {
      case 0: return varint(value_);
      case 1: return fixed(8);
      case 2: return varint(value_) && take(value_);
      case 5: return fixed(4);
      default: return fail();
    }
  }
  bool isMalformed() const { return malformed_; }
  std::uint64_t number() const { return number_; }
  Bytes bytes() const { return bytes_; }  ///< of a text, a message, or a number of fixed size
  std::int64_t integer() const { return static_cast<std::int64_t>(value_); }
  double real() const {
    if (bytes_.size() == sizeof(double)) return loadLittleEndian<double>(bytes_);
    return bytes_.size() == sizeof(float) ? loadLittleEndian<float>(bytes_) : 0;
  }

 private:
  bool fail() {
    malformed_ = true;
    return false;
  }
  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return fail();
  }
  bool take(std::uint64_t size) {
    if (size > rest_.size()) return fail();
    bytes_ = rest_.first(size);
    rest_ = rest_.subspan(size);
    return true;
  }
  bool fixed(std::uint64_t size) {
    value_ = 0;
    return take(size);
  }

  Bytes rest_, bytes_;
  std::uint64_t number_ = 0, value_ = 0;
  bool malformed_ = false;
};

/// Returns the last field of that number that holds bytes; empty if there is none.
Bytes bytesOf(Bytes message, std::uint64_t number) {
  Bytes found;
  for (Fields field(message); field.next();)
    if (field.number() == number) found = field.bytes();
  return found;
}

/// Returns the number of a TensorProto that holds one, float as TensorBoard's scalars are, or double.
std::optional<double> scalarOf(Bytes tensor) {
  constexpr std::int64_t kFloat = 1, kDouble = 2;
  std::int64_t type = 0;
  std::optional<Fields> content;
  for (Fields field(tensor); field.next();) {
    if (field.number() == 1) type = field.integer();
    if (field.number() == 4 || field.number() == 5 || field.number() == 6) content = field;  // of whatever form
  }
  const std::size_t size = type == kFloat ? sizeof(float) : type == kDouble ? sizeof(double) : 0;
  return content && size > 0 && content->bytes().size() == size ? std::optional(content->real()) : std::nullopt;
}

/// Returns a google.protobuf.Value as text; nothing for structures and lists.
std::optional<std::string> settingText(Bytes value) {
  std::optional<std::string> text;
  for (Fields field(value); field.next();) {
    if (field.number() == 1) text = "null";
    if (field.number() == 2) text = formatExact(field.real());
    if (field.number() == 3) text = textOf(field.bytes());
    if (field.number() == 4) text = field.integer() != 0 ? "true" : "false";
  }
  return text;
}

/// One Event, as far as we need it.
struct Event {
  double wallSec = 0;
  std::int64_t step = 0;
  std::vector<Bytes> values;  // of its summary
};

std::optional<Event> parseEvent(Bytes record) {
  Event event;
  Fields field(record);
  while (field.next()) {
    if (field.number() == 1) event.wallSec = field.real();
    if (field.number() == 2) event.step = field.integer();
    if (field.number() != 5) continue;
    Fields summary(field.bytes());
    while (summary.next())
      if (summary.number() == 1) event.values.push_back(summary.bytes());
    if (summary.isMalformed()) return std::nullopt;
  }
  return field.isMalformed() ? std::nullopt : std::optional(std::move(event));
}

constexpr std::size_t kHeaderBytes = 12;            // length and its checksum
constexpr std::size_t kTrailerBytes = 4;            // checksum of the content
constexpr std::size_t kMostRecordBytes = 16 << 20;  // a larger one is a picture or a graph: it is passed over
constexpr std::size_t kWindowBytes = 1 << 20;

std::uint32_t maskedCrc(Bytes bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return std::rotr(crc, 15) + 0xA282EAD8U;
}

std::optional<std::uint64_t> recordLength(Bytes header) {
  if (maskedCrc(header.first(8)) != loadLittleEndian<std::uint32_t>(header.subspan(8))) return std::nullopt;
  return loadLittleEndian<std::uint64_t>(header);
}

/// A file of records, read in pieces from where the last read has ended.
class RecordFile {
 public:
  explicit RecordFile(fs::path path) : path_(std::move(path)) {}

  const fs::path& path() const { return path_; }

  enum class Taken { Yes, Malformed, Enough };
  /// Calls `take(content)` with the records that are complete, until it returns Enough; then returns true. A file whose
  /// frames are damaged is not read on. Fails with Io or NotFound.
  template <typename Take>
  Result<bool> read(std::vector<std::string>& problems, const Take& take) {
    const FileDescriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file.valid()) return Error::fromErrno(errno, "cannot read '{}'", path_.native());
    Window window;
    std::optional<std::uint64_t> firstDamaged;
    std::int64_t damaged = 0;
    const auto report = [&] {
      if (firstDamaged)
        problems.push_back(
            formatText("'{}' is damaged at byte {}; records left out: {}", path_.native(), *firstDamaged, damaged));
    };
    while (!dead_) {
      ASSIGN_OR_RETURN(const Bytes header, bytesAt(file, kHeaderBytes, window));
      if (header.empty()) break;
      const auto length = recordLength(header);
      if (!length) {
        dead_ = true;
        problems.push_back(
            formatText("'{}' is damaged at byte {}: what follows there cannot be read, the points before it count",
                       path_.native(), offset_));
        break;
      }
      const std::uint64_t whole = kHeaderBytes + *length + kTrailerBytes;
      if (*length > kMostRecordBytes) {
        const FileState now = fileState(path_);
        if (*length > static_cast<std::uint64_t>(now.bytes) || offset_ + whole > static_cast<std::uint64_t>(now.bytes))
          break;  // not complete yet
        offset_ += whole;
        continue;
      }
      ASSIGN_OR_RETURN(const Bytes record, bytesAt(file, whole, window));
      if (record.empty()) break;
      const Bytes content = record.subspan(kHeaderBytes, *length);
      const std::uint64_t place = offset_;
      offset_ += whole;
      const bool isWhole =
          maskedCrc(content) == loadLittleEndian<std::uint32_t>(record.subspan(kHeaderBytes + *length));
      const Taken taken = isWhole ? take(content) : Taken::Malformed;
      if (taken == Taken::Malformed && damaged++ == 0) firstDamaged = place;
      if (taken == Taken::Enough) {
        report();
        return true;
      }
    }
    report();
    return false;
  }

 private:
  /// Bytes of the file, from `at` on.
  struct Window {
    std::vector<std::byte> bytes;
    std::uint64_t at = 0;
  };

  /// Returns `size` bytes from the offset on; nothing if the file has fewer.
  Result<Bytes> bytesAt(const FileDescriptor& file, std::size_t size, Window& window) const {
    if (offset_ + size > window.at + window.bytes.size()) {
      window.bytes.resize(std::max(kWindowBytes, size));
      window.at = offset_;
      std::size_t filled = 0;
      while (filled < window.bytes.size()) {
        const ssize_t got = ::pread(file.get(), window.bytes.data() + filled, window.bytes.size() - filled,
                                    static_cast<off_t>(window.at + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path_.native());
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
      }
      window.bytes.resize(filled);
      if (filled < size) return Bytes{};
    }
    return Bytes(window.bytes).subspan(offset_ - window.at, size);
  }

  fs::path path_;
  std::uint64_t offset_ = 0;  // of the next record
  bool dead_ = false;
};

class TensorBoardRun final : public RunSource {
 public:
  explicit TensorBoardRun(fs::path path) : path_(std::move(path)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    findFiles();
    if (isFirst_) {
      std::error_code ignored;
      addHparamsFile(news.run.config, fs::is_directory(path_, ignored) ? path_ : path_.parent_path());
    }
    for (EventFile& file : files_) {
      const FileState now = fileState(file.records.path());
      if (now == file.state || news.more) continue;
      const auto more = file.records.read(news.problems, [&](Bytes record) {
        using enum RecordFile::Taken;
        const auto event = parseEvent(record);
        if (!event) return Malformed;
        takeEvent(*event, file.settingsOnly, news.run.config);
        return points_.size() < kPointsPerRead ? Yes : Enough;
      });
      if (!more.ok() && more.error().code != ErrorCode::NotFound) return more.error();
      news.more = more.ok() && *more;
      if (!news.more) file.state = now;
      news.hasNews = true;
    }
    news.hasNews = news.hasNews || isFirst_;
    isFirst_ = false;
    news.run.series = points_.take();
    news.run.startedMs = points_.startedMs();
    for (const EventFile& file : files_) news.run.writtenMs = std::max(news.run.writtenMs, file.state.changedMs);
    return news;
  }

 private:
  struct EventFile {
    RecordFile records;
    bool settingsOnly = false;  ///< in a folder of add_hparams(): its points are at steps of their own
    FileState state = {};       ///< when all of it had been read
  };

  void addFile(const fs::path& path, bool settingsOnly) {
    if (std::ranges::none_of(files_, [&](const EventFile& file) { return file.records.path() == path; }))
      files_.push_back({RecordFile(path), settingsOnly});
  }

  /// The names of event files begin with their time.
  void findFiles() {
    std::error_code ignored;
    if (!fs::is_directory(path_, ignored)) return addFile(path_, false);
    std::vector<fs::path> found = entriesOf(path_);
    std::ranges::sort(found);
    for (const fs::path& entry : found) {
      if (isEventFileName(entry) && fs::is_regular_file(entry, ignored)) addFile(entry, false);
      if (!isHparamsFolder(entry)) continue;
      for (const fs::path& inner : entriesOf(entry))
        if (isEventFileName(inner) && fs::is_regular_file(inner, ignored)) addFile(inner, true);
    }
  }

  void takeEvent(const Event& event, bool settingsOnly, std::map<std::string, std::string>& config) {
    for (const Bytes value : event.values) {
      std::string_view tag;
      std::optional<double> number;
      for (Fields field(value); field.next();) {
        if (field.number() == 1) tag = textOf(field.bytes());
        if (field.number() == 2 && field.bytes().size() == sizeof(float)) number = field.real();
        if (field.number() == 8) number = scalarOf(field.bytes());
        if (field.number() == 9) takeSettings(bytesOf(field.bytes(), 1), config);
      }
      if (number && !tag.empty() && !settingsOnly) points_.add(tag, event.step, *number, event.wallSec);
    }
  }

  /// Takes the entries of the map in a SessionStartInfo of the plugin hparams.
  static void takeSettings(Bytes pluginData, std::map<std::string, std::string>& config) {
    if (textOf(bytesOf(pluginData, 1)) != "hparams") return;
    for (Fields field(bytesOf(bytesOf(pluginData, 2), 3)); field.next();)
      if (field.number() == 1)
        if (const auto text = settingText(bytesOf(field.bytes(), 2)))
          addSetting(config, textOf(bytesOf(field.bytes(), 1)), *text);
  }

  fs::path path_;
  std::vector<EventFile> files_;
  PointCollector points_;
  bool isFirst_ = true;
};

}  // namespace

bool isEventFileName(const fs::path& file) {
  return file.filename().native().find("tfevents") != std::string::npos;
}

bool isEventFile(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;  // to open a pipe would wait for its writer
  const FileDescriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<std::byte, kHeaderBytes> header{};
  return opened.valid() && ::pread(opened.get(), header.data(), header.size(), 0) == std::ssize(header) &&
         recordLength(header).has_value();
}

bool isHparamsFolder(const fs::path& folder) {
  const auto time = numberFrom<double>(folder.filename().native());
  return time && *time > 1e9 && folder.filename().native().find('.') != std::string::npos;
}

std::unique_ptr<RunSource> tensorBoardRun(const fs::path& folderOrFile) {
  return std::make_unique<TensorBoardRun>(folderOrFile);
}

}  // namespace batchwise
