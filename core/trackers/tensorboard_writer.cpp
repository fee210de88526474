// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/tensorboard_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <map>
#include <span>
#include <vector>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/events/metric.h"
#include "core/store/metrics/metrics_csv.h"
#include "core/text/table_library.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// A message of Protocol Buffers that is being written.
struct WrittenMessage {
  std::string bytes;

  WrittenMessage& varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
  template <typename T>
  WrittenMessage& raw(T value) {
    static_assert(std::endian::native == std::endian::little);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  WrittenMessage& integer(std::uint64_t field, std::int64_t value) {
    return varint(field << 3).varint(static_cast<std::uint64_t>(value));
  }
  WrittenMessage& real(std::uint64_t field, double value) { return varint(field << 3 | 1).raw(value); }
  WrittenMessage& text(std::uint64_t field, std::string_view value) {
    varint(field << 3 | 2).varint(value.size()).bytes += value;
    return *this;
  }
  WrittenMessage& message(std::uint64_t field, const WrittenMessage& value) { return text(field, value.bytes); }
};

/// Returns an Event as a record; `content` stands in its field `field`.
std::string record(double wallSec, std::int64_t step, std::uint64_t field, const WrittenMessage& content) {
  const auto withCrc = [](const WrittenMessage& part) {
    const std::uint32_t crc = std::rotr(crc32c(std::as_bytes(std::span(part.bytes))), 15) + 0xA282EAD8U;
    return WrittenMessage(part).raw(crc).bytes;
  };
  const WrittenMessage event = WrittenMessage().real(1, wallSec).integer(2, step).message(field, content);
  return withCrc(WrittenMessage().raw(std::uint64_t{event.bytes.size()})) + withCrc(event);
}

/// Adds a scalar to a Summary. TensorBoard's data server reads no scalars of 64 bits.
void addScalar(WrittenMessage& summary, std::string_view tag, double value) {
  constexpr std::uint64_t kSimpleValue = 2 << 3 | 5;
  summary.message(1, WrittenMessage().text(1, tag).varint(kSimpleValue).raw(static_cast<float>(value)));
}

/// Returns a value of a Summary that a plugin shows.
WrittenMessage pluginValue(std::string_view tag, std::string_view plugin, const WrittenMessage& content) {
  return WrittenMessage().text(1, tag).message(
      9, WrittenMessage().message(1, WrittenMessage().text(1, plugin).message(2, content)));
}

/// Returns the records that begin a file. `from`: the step from which on other files of the run no longer count.
std::string startRecords(double wallSec, std::int64_t from, const RunSettings& settings) {
  constexpr std::int64_t kString = 7;
  WrittenMessage hparams;
  std::string text;
  for (const auto& [name, value] : settings) {
    WrittenMessage setting;
    if (value == "true" || value == "false")
      setting.integer(4, value == "true");
    else if (const auto number = numberFrom<double>(value))
      setting.real(2, *number);
    else
      setting.text(3, value);
    hparams.message(1, WrittenMessage().text(1, name).message(2, setting));
    text += formatText("    {}: {}\n", name, value);  // Markdown keeps lines that are indented
  }
  const WrittenMessage shape = WrittenMessage().message(2, WrittenMessage().integer(1, 1));
  const WrittenMessage tensor = WrittenMessage().integer(1, kString).message(2, shape).text(8, text);
  const WrittenMessage session = WrittenMessage().message(3, hparams.real(5, wallSec));
  const WrittenMessage summary = WrittenMessage()
                                     .message(1, pluginValue("_hparams_/session_start_info", "hparams", session))
                                     .message(1, pluginValue("config/text_summary", "text", {}).message(8, tensor));
  std::string records = record(wallSec, 0, 3, {"brain.Event:2"});
  if (from > 0) records += record(wallSec, from, 7, WrittenMessage().integer(1, 1));  // SessionLog: START
  return records + record(wallSec, from, 5, summary);
}

std::string tagOf(const std::string& series) {
  const std::size_t point = series.find('.');
  return point == std::string::npos ? "train/" + series : series.substr(0, point) + "/" + series.substr(point + 1);
}

/// Returns the value of a clock at a position: the last one up to there.
double clockAt(const std::vector<SeriesPoint>& clock, std::int64_t position, double before) {
  const auto after = std::ranges::upper_bound(clock, position, {}, &SeriesPoint::batch);
  return after == clock.begin() ? before : std::prev(after)->value;
}

/// Calls `take` with all points, series by series.
void forEachPoint(const std::vector<NamedSeries>& all, double startedSec, const TakePoint& take) {
  std::vector<SeriesPoint> wall, steps, wallOfSteps;  // the last by optimizer steps
  for (const NamedSeries& series : all)
    if (series.name == "wall" || series.name == "steps") (series.name == "wall" ? wall : steps) = series.points;
  const auto stepAt = [&](std::int64_t batch) {
    return static_cast<std::int64_t>(clockAt(steps, batch, static_cast<double>(batch)));
  };
  for (const SeriesPoint& point : wall) wallOfSteps.push_back({stepAt(point.batch), point.value});
  for (const auto& [name, points] : all) {
    const bool isOfSteps = name.starts_with(kStepPrefix);
    for (const auto& [position, value] : points)
      take(name, isOfSteps ? position : stepAt(position), clockAt(isOfSteps ? wallOfSteps : wall, position, startedSec),
           value);
  }
}

double startedSec(const RunDetail& run) {
  return static_cast<double>(run.summary.createdMs) / 1000;
}

}  // namespace

Result<void> exportTensorBoard(const Workspace& workspace, const RunDetail& run, const RunSettings& settings,
                               const fs::path& folder, Replaces replaces) {
  ASSIGN_OR_RETURN(const auto all, readSeries(workspace, run.summary.id, {}, Workspace::Rows::Current));
  ASSIGN_OR_RETURN(const auto logged, workspace.loggedNames(run.summary.id));
  std::map<std::int64_t, std::pair<double, WrittenMessage>> steps;  // times and summaries
  forEachPoint(all, startedSec(run), [&](const std::string& name, std::int64_t step, double wallSec, double value) {
    // Clocks that an importer makes of the steps and times of all others are left out.
    if (name == "wall" || (!logged.empty() && (name == "steps" || name == "sec"))) return;
    const auto theirs = logged.find(name);
    steps[step].first = wallSec;
    addScalar(steps[step].second, theirs == logged.end() ? tagOf(name) : theirs->second, value);
  });
  std::string records = startRecords(startedSec(run), 0, settings);
  for (const auto& [step, of] : steps) records += record(of.first, step, 5, of.second);
  const fs::path file = folder / formatText("events.out.tfevents.{}.{}", run.summary.createdMs / 1000, run.summary.id);
  RETURN_IF_ERROR(checkOutputFile(file, replaces));
  RETURN_IF_ERROR(makeFolders(folder));
  return writeOutput(file, replaces, records);
}

Result<void> exportParquet(const Workspace& workspace, const RunDetail& run, const fs::path& file, Replaces replaces) {
  ASSIGN_OR_RETURN(const auto all, readSeries(workspace, run.summary.id, {}, Workspace::Rows::Current));
  ASSIGN_OR_RETURN(auto output, OutputFile::open(file, replaces));
  RETURN_IF_ERROR(writeTable(output.unfinishedFile().value_or(file), run.summary.name,
                             [&](const TakePoint& take) { forEachPoint(all, startedSec(run), take); }));
  return output.commit();
}

Result<void> TensorBoardLog::take(const RunEvent& event) {
  if (folder_.empty()) return {};
  Result<void> written = write(event);
  if (!written.ok()) folder_.clear();
  return written;
}

Result<void> TensorBoardLog::write(const RunEvent& event) {
  const double wallSec = static_cast<double>(clock_.wallMs()) / 1000;
  std::string records;
  const auto add = [&](const Timestamp& at, const std::vector<NamedValue>& values) {
    WrittenMessage summary;
    for (const NamedValue& named : values) addScalar(summary, tagOf(named.series), named.value);
    records = record(wallSec, at.step, 5, summary);
  };
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    std::string name = started->name;
    std::ranges::replace(name, '/', '-');
    const fs::path folder = folder_ / formatText("{}-{}", name, started->run.substr(0, 8));
    RETURN_IF_ERROR(makeFolders(folder));
    file_ = folder / formatText("events.out.tfevents.{}.{}.{}", clock_.wallMs() / 1000, started->run, started->segment);
    opened_ = FileDescriptor{::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
    if (!opened_.valid()) return Error::fromErrno(errno, "cannot write '{}'", file_.native());
    records = startRecords(wallSec, started->segment > 0 ? started->from.step + 1 : 0, settings_);
  } else if (const auto* row = std::get_if<MetricsRow>(&event)) {
    add(row->at, valuesOf(*row));
  } else if (const auto* result = std::get_if<EvalResult>(&event)) {
    add(result->at, valuesOf(*result));
  }
  return opened_.valid() ? writeAll(opened_, std::as_bytes(std::span(records)), file_) : Result<void>();
}

}  // namespace batchwise
