// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/trackers/records.h"
#include "core/trackers/run_source.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

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

constexpr std::size_t kHeaderBytes = 12;  // length and its checksum
constexpr std::size_t kTrailerBytes = 4;  // checksum of the content

std::uint32_t maskedCrc(Bytes bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return std::rotr(crc, 15) + 0xA282EAD8U;
}

std::optional<std::uint64_t> recordLength(Bytes header) {
  if (maskedCrc(header.first(8)) != loadLittleEndian<std::uint32_t>(header.subspan(8))) return std::nullopt;
  return loadLittleEndian<std::uint64_t>(header);
}

/// TFRecord frames.
class EventRecords final : public RecordFile {
 public:
  using RecordFile::RecordFile;

 private:
  Frame frame(Bytes rest) override {
    if (rest.size() < kHeaderBytes) return {Frame::Cut};
    const auto length = recordLength(rest);
    if (!length) return {Frame::DamagedToTheEnd};
    const std::uint64_t whole = kHeaderBytes + *length + kTrailerBytes;
    if (*length > kMostRecordBytes) {
      const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(0, fileState(path()).bytes));
      if (*length > now || offset() + whole > now) return {Frame::Cut};
      return {Frame::Skipped, whole};
    }
    if (rest.size() < whole) return {Frame::Cut};
    const Bytes record = rest.subspan(kHeaderBytes, *length);
    const bool isWhole = maskedCrc(record) == loadLittleEndian<std::uint32_t>(rest.subspan(kHeaderBytes + *length));
    return {isWhole ? Frame::Record : Frame::Damaged, whole, record};
  }
};

class TensorBoardRun final : public RunSource {
 public:
  explicit TensorBoardRun(fs::path path) : path_(std::move(path)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    const auto isOther = [](const EventFile& file) {
      return fileState(file.records.path()).bytes < static_cast<std::int64_t>(file.records.offset());
    };
    if (std::ranges::any_of(files_, isOther)) *this = TensorBoardRun(path_);  // the folder may hold another run now
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
    points_.tellLosses(path_, /*saysAgain=*/false, news.problems);
    news.run.series = points_.take();
    news.run.startedMs = points_.startedMs();
    for (const EventFile& file : files_) news.run.writtenMs = std::max(news.run.writtenMs, file.state.changedMs);
    return news;
  }

 private:
  struct EventFile {
    EventRecords records;
    bool settingsOnly = false;  ///< in a folder of add_hparams(): its points are at steps of their own
    FileState state = {};       ///< when all of it had been read
  };

  void addFile(const fs::path& path, bool settingsOnly) {
    if (std::ranges::none_of(files_, [&](const EventFile& file) { return file.records.path() == path; }))
      files_.push_back({EventRecords(path), settingsOnly});
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
  const auto head = readFrom(file, 0, kHeaderBytes);
  return head.ok() && head->size() == kHeaderBytes && recordLength(*head).has_value();
}

bool isHparamsFolder(const fs::path& folder) {
  const auto time = numberFrom<double>(folder.filename().native());
  return time && *time > 1e9 && folder.filename().native().find('.') != std::string::npos;
}

std::unique_ptr<RunSource> tensorBoardRun(const fs::path& folderOrFile) {
  return std::make_unique<TensorBoardRun>(folderOrFile);
}

}  // namespace batchwise
