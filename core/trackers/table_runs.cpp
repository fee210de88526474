// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/table_runs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/config/import/config_import.h"
#include "core/store/external_run.h"
#include "core/text/csv_row.h"
#include "core/text/table_library.h"
#include "core/trackers/records.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostBytes = 64 << 20;     // of a file
constexpr std::int64_t kBytesPerRead = 16 << 20;  // of a log of Python
constexpr std::size_t kLongestReason = 1'000;
constexpr std::size_t kMostPoints = 8'000'000;
constexpr JsonLimits kStateLimits{.depth = 16, .bytes = 2 * kMostBytes, .values = 2'000'000};
constexpr JsonLimits kLineLimits{.depth = 6, .bytes = kHeadBytes, .values = 10'000};

/// Returns a number as logs write it, "NaN" and "inf" too; nothing for other text.
std::optional<double> numberOf(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '+')) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return numberFrom<double>(text);
}

std::optional<double> memberOf(const nlohmann::json& value) {
  if (value.is_string()) return numberOf(value.get_ref<const std::string&>());
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string textIn(const nlohmann::json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns the number of the column that has the first of these names, in lower case; nothing if none has one.
std::optional<std::size_t> columnOf(const Row& row, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (std::ranges::equal(row[i].first, name, {}, [](unsigned char c) { return std::tolower(c); })) return i;
  return std::nullopt;
}

std::optional<std::size_t> stepColumn(const Row& row) {
  constexpr std::array<std::string_view, 13> kNames = {
      "step",   "global_step",   "_step",       "trainer/global_step", "train/global_step",
      "steps",  "current_steps", "num_updates", "iteration",           "iter",
      "n_iter", "update",        "epoch"};
  return columnOf(row, kNames);
}

std::optional<std::size_t> wallColumn(const Row& row) {
  constexpr std::array<std::string_view, 6> kNames = {"wall_time", "wall time",  "_timestamp",
                                                      "timestamp", "created_at", "time"};
  return columnOf(row, kNames);
}

/// Returns seconds since 1970 UTC; NaN for what is no time of day.
double secondsOfDay(const std::optional<double>& wall) {
  constexpr double kEarliest = 1e9, kMilliseconds = 1e11;  // 2001
  if (!wall || !(*wall > kEarliest)) return std::nan("");
  return *wall > kMilliseconds ? *wall / 1000 : *wall;
}

/// Calls `take` with each row of a table until it returns false; with no columns for a row that cannot be read.
using TakeRow = std::function<bool(const Row&)>;

std::string_view withoutSpaces(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(from, text.find_last_not_of(' ') + 1 - from);
}

/// Returns what parts the names in the first line: what is usual for the name of the file, or most frequent.
char separatorIn(std::string_view text, char usual) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto count = [line](char c) { return std::ranges::count(line, c); };
  for (const char other : {';', '\t', '|', ','})
    if (count(other) > count(usual)) usual = other;
  return usual;
}

void forEachCsvRow(std::string_view text, char usual, const TakeRow& take) {
  while (text.starts_with('#') && text.substr(0, text.find('\n')).find_first_of(",;\t|") == text.npos)
    takePart(text, '\n');  // a comment
  if (text.starts_with('#')) text.remove_prefix(1);
  const char separator = separatorIn(text, usual);
  std::vector<std::string> columns;
  while (!text.empty()) {
    CsvRow cells(separator, CsvRow::kAll);
    text.remove_prefix(cells.take(text));
    if (columns.empty()) {
      for (const std::string& name : cells.kept()) columns.emplace_back(withoutSpaces(name));
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < std::min(columns.size(), cells.kept().size()); ++i) {
      std::string cell = cells.kept()[i];
      if (separator != ',') std::ranges::replace(cell, ',', '.');  // decimal commas
      row.emplace_back(columns[i], numberOf(cell));
    }
    if (!take(row)) return;
  }
}

/// Returns JSON as Python writes it with NaN and infinities, which JSON does not have, as texts.
std::string withQuotedNumbers(std::string_view json) {
  std::string quoted;
  bool inText = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const auto replace = [&](std::string_view token, std::string_view by) {
      if (inText || !json.substr(at).starts_with(token)) return false;
      quoted += by;
      at += token.size() - 1;
      return true;
    };
    if (replace("NaN", "\"nan\"") || replace("-Infinity", "\"-inf\"") || replace("Infinity", "\"inf\"")) continue;
    quoted += json[at];
    if (inText && json[at] == '\\' && at + 1 < json.size())
      quoted += json[++at];
    else if (json[at] == '"')
      inText = !inText;
  }
  return quoted;
}

void flatten(const nlohmann::json& object, const std::string& prefix, std::string_view separator, Row& row) {
  constexpr std::size_t kLongestPrefix = 1'000;
  if ((!prefix.empty() && object.contains("_type")) || prefix.size() > kLongestPrefix)
    return;  // a picture, a table, …, as W&B and Trackio write them
  for (const auto& [name, value] : object.items()) {
    if (value.is_object())
      flatten(value, (prefix + name).append(separator), separator, row);
    else
      row.emplace_back(prefix + name, memberOf(value));
  }
}

/// Calls `take` with each line until it returns false; with a discarded value for one that cannot be read.
void forEachJsonLine(std::string_view text, const std::function<bool(const nlohmann::json&)>& take) {
  while (!text.empty()) {
    const std::string_view line = takePart(text, '\n');
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!take(parseJsonOrDiscarded(withQuotedNumbers(line), kLineLimits))) return;
  }
}

void forEachRow(RunSourceKind kind, const fs::path& file, std::string_view content, const TakeRow& take) {
  const std::string lines = withLineFeeds(std::string(content));
  std::string_view text = lines;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (kind != RunSourceKind::JsonLines) return forEachCsvRow(text, csvSeparator(file), take);
  forEachJsonLine(text, [&take](const nlohmann::json& line) {
    Row row;
    if (line.is_object()) flatten(line, "", "/", row);
    return take(row);
  });
}

std::string headOf(const fs::path& file, std::size_t bytes = kHeadBytes) {
  const auto head = readFrom(file, 0, bytes);
  return head.ok() ? std::string(textOf(*head)) : std::string();
}

/// A run in one file, which is read as a whole whenever it has changed.
class OneFileRun : public RunSource {
 public:
  explicit OneFileRun(fs::path file) : file_(std::move(file)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    const FileState now = fileState(file_);
    if (now == state_) return news;
    if (now.bytes > kMostBytes)
      return Error::unsupported(
          formatText("'{}' is larger than {}, so what is new in it is not read: begin another file", file_.native(),
                     formatBytes(kMostBytes)));
    ASSIGN_OR_RETURN(auto text, readFile(file_, kMostBytes));
    // The last line may be half written, until nothing more comes for a while.
    const bool isSettled = SystemClock().wallMs() - now.changedMs > kSettledMs;
    if (isMadeOfLines() && !isSettled) text.resize(text.find_last_of("\r\n") + 1);
    PointCollector points;
    addHparamsFile(news.run.config, file_.parent_path());
    if (auto read = readText(text, points, news); !read.ok()) return read.error().within(file_.native());
    if (isSettled || std::ssize(text) == now.bytes) state_ = now;
    news.hasNews = true;
    news.run.series = points.take();
    news.run.isWhole = true;
    news.run.startedMs = points.startedMs();
    news.run.writtenMs = now.changedMs;
    if (leftOut_ > 0)
      news.problems.push_back(
          formatText("'{}': entries left out because they cannot be read or have no step: {}, the "
                     "first is number {}",
                     file_.native(), leftOut_, firstLeftOut_));
    leftOut_ = 0;
    points.tellLosses(file_, /*saysAgain=*/true, news.problems);
    return news;
  }

 protected:
  /// Whether what stands before the end of a line is of no use.
  virtual bool isMadeOfLines() const { return true; }
  virtual Result<void> readText(const std::string& text, PointCollector& points, ReadNews& news) = 0;
  void leaveOut(std::int64_t number) {
    if (leftOut_++ == 0) firstLeftOut_ = number;
  }
  const fs::path file_;

 private:
  FileState state_;
  std::int64_t leftOut_ = 0, firstLeftOut_ = 0;
};

class TableRun final : public OneFileRun {
 public:
  TableRun(RunSourceKind kind, fs::path file, std::string step)
      : OneFileRun(std::move(file)), kind_(kind), step_(std::move(step)) {}

 private:
  Result<void> readText(const std::string& text, PointCollector& points, ReadNews& /*news*/) override {
    std::int64_t number = 0;
    std::string several;  // the name of two columns
    forEachRow(kind_, file_, text, [&](const Row& row) {
      if (++number == 1 && kind_ != RunSourceKind::JsonLines) several = repeatedName(row);
      if (!several.empty()) return false;
      const auto counted = std::ranges::find(row, step_, &Row::value_type::first);
      const auto step = counted == row.end() ? std::nullopt : stepOf(counted->second);
      if (!step) leaveOut(number);
      const auto times = wallColumn(row);
      const double seconds = times ? secondsOfDay(row[*times].second) : std::nan("");
      // Others are times that something took.
      const std::size_t wall = times && std::isfinite(seconds) ? *times : row.size();
      for (std::size_t i = 0; step && i < row.size(); ++i)
        if (const auto& [name, value] = row[i]; value && i != wall && !name.empty() && name != step_)
          points.add(name, *step, *value, seconds);
      return points.size() < kMostPoints;
    });
    return several.empty() ? Result<void>() : severalColumns(several);
  }

  static std::string repeatedName(const Row& row) {
    for (auto cell = row.begin(); cell != row.end(); ++cell)
      if (!cell->first.empty() && std::ranges::count(cell, row.end(), cell->first, &Row::value_type::first) > 1)
        return cell->first;
    return {};
  }

  const RunSourceKind kind_;
  const std::string step_;
};

/// Returns the name that transformers gives TensorBoard (rewrite_logs() in its integrations).
std::string trainerName(const std::string& name) {
  for (const char* prefix : {"eval", "test"})
    if (name.starts_with(std::string(prefix) + "_")) return std::string(prefix) + "/" + name.substr(5);
  return "train/" + name;
}

class TrainerStateRun final : public OneFileRun {
 public:
  using OneFileRun::OneFileRun;

 private:
  bool isMadeOfLines() const override { return false; }
  Result<void> readText(const std::string& text, PointCollector& points, ReadNews& news) override {
    ASSIGN_OR_RETURN(const auto state, parseJson(withQuotedNumbers(text), kStateLimits));
    if (!state.is_object() || !state.contains("log_history") || !state["log_history"].is_array())
      return Error::corrupt("it has no log_history");
    for (const char* name : {"max_steps", "num_train_epochs", "train_batch_size", "logging_steps", "eval_steps"})
      if (const auto value = state.find(name); value != state.end() && value->is_number())
        addSetting(news.run.config, name, jsonText(*value));
    std::int64_t number = 0;
    for (const nlohmann::json& entry : state["log_history"]) {
      ++number;
      const auto step = entry.is_object() ? stepOf(memberOf(entry.value("step", nlohmann::json()))) : std::nullopt;
      if (!step) {
        leaveOut(number);
        continue;
      }
      for (const auto& [name, value] : entry.items())
        if (const auto figure = memberOf(value); figure && name != "step")
          points.add(trainerName(name), *step, *figure);
    }
    const auto done = wholeNumberFromJson(state.value("global_step", nlohmann::json()));
    const auto planned = wholeNumberFromJson(state.value("max_steps", nlohmann::json()));
    if (done && planned && *planned > 0 && *done >= *planned) news.run.status = RunStatus::Finished;
    return {};
  }
};

/// A run that the Python package logs. Its file only ever grows.
class PythonRun final : public RunSource {
 public:
  PythonRun(fs::path file, std::int64_t storedMs) : file_(std::move(file)), storedMs_(storedMs) {}

  Result<ReadNews> read() override {
    ReadNews news;
    const FileState now = fileState(file_);
    if (now == state_ || now.changedMs == storedMs_) return news;
    if (now.bytes < offset_) *this = PythonRun(file_, 0);  // it was begun again
    ASSIGN_OR_RETURN(const auto bytes, readFrom(file_, static_cast<std::uint64_t>(offset_), kBytesPerRead));
    std::string text(textOf(bytes));
    news.more = std::ssize(text) == kBytesPerRead;
    const std::size_t ended = text.rfind('\n') + 1;   // a line may be half written
    if (ended > 0 || !news.more) text.resize(ended);  // one that is longer than that is left out
    std::int64_t leftOut = 0;
    forEachJsonLine(text, [&](const nlohmann::json& line) {
      line.is_object() ? take(line, news.run.config) : void(++leftOut);
      return true;
    });
    if (leftOut > 0)
      news.problems.push_back(formatText("'{}': lines left out because they cannot be read: {}, from byte {} on",
                                         file_.native(), leftOut, offset_));
    offset_ += std::ssize(text);
    news.more = news.more && !text.empty();
    if (!news.more) state_ = now;
    news.hasNews = true;
    news.run.series = points_.take();
    news.run.startedMs = points_.startedMs();
    news.run.writtenMs = news.more ? 0 : now.changedMs;
    news.run.status = status_;
    news.run.reason = reason_;
    return news;
  }

 private:
  void take(const nlohmann::json& line, std::map<std::string, std::string>& config) {
    if (const auto settings = line.find("_config"); settings != line.end())
      for (const auto& [name, value] : flatSettings(jsonText(*settings))) addSetting(config, name, value);
    if (line.contains("_state")) {
      status_ = choiceFromName<RunStatus>(textIn(line, "_state")).value_or(RunStatus::Running);
      reason_ = withoutControlCharacters(textIn(line, "_reason"), kLongestReason);
    }
    Row row;
    flatten(line, "", "/", row);
    const auto step = stepOf(line.contains("_step") ? memberOf(line["_step"]) : std::nullopt);
    const double seconds = line.contains("_timestamp") ? secondsOfDay(memberOf(line["_timestamp"])) : std::nan("");
    for (const auto& [name, value] : row)
      if (step && value && !name.starts_with('_')) points_.add(name, *step, *value, seconds);
  }

  fs::path file_;
  std::int64_t storedMs_;
  std::int64_t offset_ = 0;
  FileState state_;
  PointCollector points_;
  RunStatus status_ = RunStatus::Running;
  std::string reason_;
};

}  // namespace

std::optional<std::string> pythonRunName(const fs::path& file) {
  if (!isPythonLog(file)) return std::nullopt;
  const std::string head = headOf(file);
  const auto line = parseJsonOrDiscarded(withQuotedNumbers(head.substr(0, head.find('\n'))), kLineLimits);
  return textIn(line, "_name");
}

std::optional<std::int64_t> stepOf(const std::optional<double>& number) {
  constexpr double kMost = 9e15;
  if (!number || !(*number >= 0 && *number < kMost)) return std::nullopt;
  const double whole = std::round(*number);
  return whole == *number ? std::optional(std::llround(whole)) : std::nullopt;
}

Row jsonRow(std::string_view json, std::string_view separator) {
  Row row;
  if (const auto object = parseJsonOrDiscarded(withQuotedNumbers(json), kLineLimits); object.is_object())
    flatten(object, "", separator, row);
  return row;
}

LogColumns logColumns(RunSourceKind kind, const fs::path& file, std::size_t headBytes) {
  LogColumns columns;
  const std::string head = headOf(file, headBytes);
  if (head.find('\0') != std::string::npos) return columns;
  int rows = 0;
  forEachRow(kind, file, head, [&](const Row& row) {
    constexpr int kMostRows = 20;  // the first may be the settings
    const bool hasNumbers = std::ranges::any_of(row, [](const auto& cell) { return cell.second.has_value(); });
    if (!hasNumbers || row.size() < 2) return ++rows < kMostRows;
    for (const auto& [name, value] : row) columns.names.push_back(name);
    if (const auto step = stepColumn(row)) columns.step = row[*step].first;
    return false;
  });
  return columns;
}

bool isTrainerState(const fs::path& file) {
  const std::string head = file.extension() == ".json" ? headOf(file) : std::string();
  return head.find("\"log_history\"") != std::string::npos ||
         (file.filename() == "trainer_state.json" && !head.empty());
}

std::unique_ptr<RunSource> tableRun(RunSourceKind kind, const fs::path& file, const std::string& step) {
  return std::make_unique<TableRun>(kind, file, step);
}

std::unique_ptr<RunSource> trainerStateRun(const fs::path& file) {
  return std::make_unique<TrainerStateRun>(file);
}

std::unique_ptr<RunSource> pythonRun(const fs::path& file, std::int64_t storedMs) {
  return std::make_unique<PythonRun>(file, storedMs);
}

}  // namespace batchwise
