// SPDX-License-Identifier: GPL-3.0-or-later
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/trackers/other_runs.h"
#include "core/trackers/records.h"
#include "core/trackers/table_runs.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMagic("\x3AW&B\xE1\xBE\0", 7);
constexpr std::uint64_t kBlockBytes = 32 << 10;
constexpr std::uint64_t kHeaderBytes = 7;  // checksum, length, and which part of a record follows

class WandbRecords final : public RecordFile {
 public:
  explicit WandbRecords(fs::path path) : RecordFile(std::move(path), kMagic.size()) {}

 private:
  enum Part : std::uint8_t { Full = 1, First = 2, Middle = 3, Last = 4 };

  Frame frame(Bytes rest) override {
    record_.clear();
    bool begun = false;
    for (std::size_t at = 0;;) {
      const std::uint64_t left = kBlockBytes - (offset() + at) % kBlockBytes;  // of the block
      if (left >= kHeaderBytes) {
        if (at + kHeaderBytes > rest.size()) return {Frame::Cut};
        const Bytes header = rest.subspan(at, kHeaderBytes);
        const std::size_t bytes = kHeaderBytes + loadLittleEndian<std::uint16_t>(header.subspan(4));
        const auto part = std::to_integer<std::uint8_t>(header[6]);
        if (bytes <= left && at + bytes > rest.size()) return {Frame::Cut};
        if (bytes > left || part < Full || part > Last || !isRight(rest.subspan(at, bytes)))
          return {Frame::Damaged, at + left};  // a block begins with a new part
        const bool begins = part == Full || part == First;
        if (begins && begun) return {Frame::Damaged, at};
        at += bytes;
        if (!begins && !begun) return {Frame::Skipped, at};  // of a damaged record
        if (record_.size() + bytes > kMostRecordBytes) return {Frame::Damaged, at};
        begun = true;
        record_.insert(record_.end(), rest.begin() + (at - bytes + kHeaderBytes), rest.begin() + at);
        if (part == Full || part == Last) return {Frame::Record, at, record_};
      } else {
        at += left;
      }
    }
  }

  /// Returns whether a part, which begins with its checksum and its length, is as it was written.
  static bool isRight(Bytes part) {
    const Bytes summed = part.subspan(6);
    return ::crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size())) ==
           loadLittleEndian<std::uint32_t>(part);
  }

  std::vector<std::byte> record_;
};

/// One entry of a history or of settings.
struct Item {
  std::string name;  // nested ones joined by "."
  std::string_view json;
};

/// `number`: of the field with the entries; 2 in a summary: those that were removed.
std::vector<Item> itemsOf(Bytes message, std::uint64_t number = 1) {
  constexpr std::size_t kMost = 20'000;
  std::vector<Item> items;
  for (Fields field(message); field.next() && items.size() < kMost;) {
    if (field.number() != number) continue;
    Item& item = items.emplace_back();
    for (Fields inner(field.bytes()); inner.next();) {
      if (inner.number() == 1 || inner.number() == 2)
        item.name.append(item.name.empty() ? "" : ".").append(textOf(inner.bytes()));
      if (inner.number() == 16) item.json = textOf(inner.bytes());
    }
  }
  return items;
}

// Fields of a Record.
constexpr std::uint64_t kHistory = 2, kSummary = 3, kConfig = 5, kRun = 17, kExit = 18;

class WandbRun final : public RunSource {
 public:
  explicit WandbRun(fs::path path) : records_(std::move(path)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    const FileState now = fileState(records_.path());
    const bool isSettled = SystemClock().wallMs() - now.changedMs > kSettledMs;
    if (now == state_ && (summary_.empty() || !isSettled)) return news;
    ASSIGN_OR_RETURN(news.more, records_.read(news.problems, [&](Bytes record) {
      const Bytes run = bytesOf(record, kRun), group = bytesOf(run, 6), exit = bytesOf(record, kExit);
      takeHistory(bytesOf(record, kHistory));
      for (const Bytes summary : {bytesOf(record, kSummary), bytesOf(run, 5)}) takeSummary(summary);
      for (const Bytes config : {bytesOf(record, kConfig), bytesOf(run, 4)})
        for (const Item& item : itemsOf(config))
          if (!item.name.starts_with("_wandb")) addJsonSetting(news.run.config, item.name, item.json);
      if (!group.empty()) addSetting(news.run.config, "group", textOf(group));
      if (!exit.empty()) takeExit(exit);
      return points_.size() < kPointsPerRead ? RecordFile::Taken::Yes : RecordFile::Taken::Enough;
    }));
    if (!news.more) state_ = now;
    if (!news.more && (isSettled || status_ != RunStatus::Running)) addSummary();
    news.hasNews = true;
    news.run.series = points_.take();
    news.run.startedMs = points_.startedMs();
    news.run.writtenMs = now.changedMs;
    news.run.status = status_;
    news.run.reason = reason_;
    return news;
  }

 private:
  void takeHistory(Bytes history) {
    const std::vector<Item> items = itemsOf(history);
    std::optional<std::int64_t> step;
    double wall = std::nan("");
    std::set<std::string, std::less<>> media;  // pictures, tables and histograms are objects that say their kind
    for (const Item& item : items) {
      if (item.name == "_step") step = numberFrom<std::int64_t>(item.json);
      if (item.name == "_timestamp") wall = numberFrom<double>(item.json).value_or(wall);
      if (item.name.ends_with("._type")) media.insert(item.name.substr(0, item.name.rfind('.') + 1));
    }
    for (const Item& item : items) {
      const auto isMedia = [&media, name = std::string_view(item.name)] {
        for (std::size_t dot = name.find('.'); !media.empty() && dot != name.npos; dot = name.find('.', dot + 1))
          if (media.contains(name.substr(0, dot + 1))) return true;
        return false;
      };
      if (!step || item.name.starts_with('_') || isMedia()) continue;
      const auto number = numberFrom<double>(item.json);
      if (!number) continue;
      points_.add(item.name, *step, *number, wall);
      logged_.insert(item.name);
    }
    last_ = std::max(last_, step.value_or(0));
  }

  /// W&B writes the last value of each series into the summary before it writes the history that has it.
  void takeSummary(Bytes summary) {
    const std::vector<Item> items = itemsOf(summary);
    const bool isOfHistory = std::ranges::find(items, "_step", &Item::name) != items.end();
    for (const Item& item : items) {
      if (item.name.starts_with('_')) continue;
      if (const auto number = numberFrom<double>(item.json); number && !isOfHistory) summary_[item.name] = *number;
      if (!item.json.starts_with('{')) continue;
      for (const auto& [name, number] : jsonRow("{\"\":" + std::string(item.json) + "}", "."))
        if (number) summary_[item.name + name] = *number;
    }
    for (const Item& removed : itemsOf(summary, 2))
      std::erase_if(summary_, [&removed](const auto& entry) {
        return entry.first == removed.name || entry.first.starts_with(removed.name + ".");
      });
  }

  /// What only the summary has is a value at the end.
  void addSummary() {
    for (const auto& [name, value] : std::exchange(summary_, {}))
      if (!logged_.contains(name)) points_.add(name, last_, value);
  }

  void takeExit(Bytes exit) {
    std::int64_t code = 0;
    for (Fields field(exit); field.next();)
      if (field.number() == 1) code = static_cast<std::int32_t>(field.integer());
    status_ = code == 0 ? RunStatus::Finished : RunStatus::Failed;
    reason_ = code == 0 ? "" : formatText("exit code {}", code);
  }

  WandbRecords records_;
  FileState state_;
  PointCollector points_;
  std::set<std::string> logged_;
  std::map<std::string, double> summary_;  // not added yet
  std::int64_t last_ = 0;                  // step of the history
  RunStatus status_ = RunStatus::Running;
  std::string reason_;
};

}  // namespace

RunTitle wandbTitle(const fs::path& file, std::size_t mostBytes) {
  constexpr std::size_t kMostTags = 100;
  RunTitle title;
  const auto head = readFrom(file, 0, kMagic.size());
  if (!head.ok() || textOf(*head) != kMagic) return title;
  std::vector<std::string> ignored;
  int left = 20;
  const auto take = [&](Bytes record) {
    const Bytes run = bytesOf(record, kRun);
    const auto text = [run](std::uint64_t field) { return std::string(textOf(bytesOf(run, field))); };
    const std::string id = text(1), project = text(3), name = text(8);
    if (!id.empty()) title.name = (project.empty() ? "" : project + "/") + (name.empty() ? id : name);
    for (Fields field(run); field.next() && title.tags.size() < kMostTags;)
      if (field.number() == 10 && plainLineProblem(textOf(field.bytes()), kMaxRunTagBytes).empty())
        title.tags.emplace_back(textOf(field.bytes()));
    return title.name.empty() && --left > 0 ? RecordFile::Taken::Yes : RecordFile::Taken::Enough;
  };
  (void)WandbRecords(file).read(ignored, take, mostBytes);
  return title;
}

std::unique_ptr<RunSource> wandbRun(const fs::path& file) {
  return std::make_unique<WandbRun>(file);
}

}  // namespace batchwise
