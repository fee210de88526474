// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/tensorboard_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/events/metric.h"
#include "core/store/external_run.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// A message of Protocol Buffers that is being written.
class WrittenMessage {
 public:
  WrittenMessage& integer(std::uint64_t field, std::int64_t value) {
    varint(field << 3);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  WrittenMessage& real(std::uint64_t field, double value) {
    varint(field << 3 | 1);
    return raw(value);
  }
  WrittenMessage& real32(std::uint64_t field, float value) {
    varint(field << 3 | 5);
    return raw(value);
  }
  WrittenMessage& text(std::uint64_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  WrittenMessage& message(std::uint64_t field, const WrittenMessage& value) { return text(field, value.bytes_); }
  template <typename T>
  WrittenMessage& raw(T value) {
    static_assert(std::endian::native == std::endian::little);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

WrittenMessage eventAt(double wallSec, std::int64_t step) {
  return WrittenMessage().real(1, wallSec).integer(2, step);
}

/// Returns an event as a record of a file.
std::string recordOf(const WrittenMessage& event) {
  const auto withCrc = [](std::string bytes) {
    const std::uint32_t crc = std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xA282EAD8U;
    return bytes + WrittenMessage().raw(crc).bytes();
  };
  return withCrc(WrittenMessage().raw(static_cast<std::uint64_t>(event.bytes().size())).bytes()) +
         withCrc(event.bytes());
}

enum class TensorType : std::int64_t { Double = 2, Text = 7 };
enum class DataClass : std::int64_t { Scalar = 1, Tensor = 2 };

/// Returns the metadata of a value that a plugin of TensorBoard shows.
WrittenMessage metadata(const char* plugin, const WrittenMessage& content, DataClass dataClass) {
  return WrittenMessage()
      .message(1, WrittenMessage().text(1, plugin).message(2, content))
      .integer(4, static_cast<std::int64_t>(dataClass));
}

WrittenMessage scalar(const std::string& tag, double value, bool isPrecise) {
  WrittenMessage written;
  written.text(1, tag);
  if (!isPrecise) return written.real32(2, static_cast<float>(value));
  return written.message(9, metadata("scalars", {}, DataClass::Scalar))
      .message(8, WrittenMessage()
                      .integer(1, static_cast<std::int64_t>(TensorType::Double))
                      .message(2, {})
                      .text(6, WrittenMessage().raw(value).bytes()));
}

/// Returns the value of an hparam: a number, a truth value or a text.
WrittenMessage settingValue(const std::string& value) {
  if (value == "true" || value == "false") return WrittenMessage().integer(4, value == "true");
  if (const auto number = numberFrom<double>(value)) return WrittenMessage().real(2, *number);
  return WrittenMessage().text(3, value);
}

/// Returns the records that begin a file. `from`: the first step of what follows; what other files of the run have from
/// there on no longer counts.
std::string startRecords(double wallSec, std::int64_t from, const TensorBoardSettings& settings) {
  WrittenMessage hparams;
  std::string text;
  for (const auto& [name, value] : settings) {
    hparams.message(1, WrittenMessage().text(1, name).message(2, settingValue(value)));
    text += formatText("    {}: {}\n", name, value);  // as Markdown has what is kept as it is
  }
  hparams.real(5, wallSec);
  const WrittenMessage shape = WrittenMessage().message(2, WrittenMessage().integer(1, 1));
  const WrittenMessage texts =
      WrittenMessage().integer(1, static_cast<std::int64_t>(TensorType::Text)).message(2, shape).text(8, text);
  const WrittenMessage summary =
      WrittenMessage()
          .message(1, WrittenMessage()
                          .text(1, "_hparams_/session_start_info")
                          .message(9, metadata("hparams", WrittenMessage().message(3, hparams), DataClass::Tensor)))
          .message(1, WrittenMessage()
                          .text(1, "config/text_summary")
                          .message(9, metadata("text", {}, DataClass::Tensor))
                          .message(8, texts));
  std::string records = recordOf(eventAt(wallSec, 0).text(3, "brain.Event:2"));
  if (from > 0) records += recordOf(eventAt(wallSec, from).message(7, WrittenMessage().integer(1, 1)));
  return records + recordOf(eventAt(wallSec, from).message(5, summary));
}

/// Returns whether 32 bits do not hold the values of a series of ours.
bool isPreciseSeries(std::string_view series) {
  const Metric* metric = findMetric(series);
  return isClockSeries(series.starts_with(kStepPrefix) ? series.substr(kStepPrefix.size()) : series) ||
         (metric != nullptr && (metric->format == MetricFormat::Count || metric->format == MetricFormat::Bytes));
}

bool fitsFloat(double value) {
  return std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value;
}

/// Returns the tag of a series of ours: "train/loss", "eval/loss".
std::string tensorBoardTag(const std::string& series) {
  const std::size_t point = series.find('.');
  return point == std::string::npos ? "train/" + series : series.substr(0, point) + "/" + series.substr(point + 1);
}

}  // namespace

Result<void> writeEventFile(const FileSink& sink, double startedSec, const TensorBoardSettings& settings,
                            std::span<const SeriesRows> all, const std::map<std::string, std::string>& logged) {
  constexpr std::size_t kBytesPerWrite = 1 << 20;
  std::string records = startRecords(startedSec, 0, settings);
  std::vector<std::size_t> next(all.size());
  std::vector<std::pair<std::string, bool>> tags;  // and whether it is precise
  for (const auto& [name, steps, wallSecs, values] : all) {
    const auto theirs = logged.find(name);
    tags.push_back(theirs == logged.end() ? std::pair(tensorBoardTag(name), isPreciseSeries(name))
                                          : std::pair(theirs->second, !std::ranges::all_of(values, fitsFloat)));
  }
  for (;;) {  // all values of a step in one record, step by step, as TensorBoard samples them while it reads
    std::optional<std::int64_t> step;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (next[i] < all[i].steps.size()) step = std::min(step.value_or(all[i].steps[next[i]]), all[i].steps[next[i]]);
    if (!step) break;
    WrittenMessage summary;
    double wallSec = startedSec;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (; next[i] < all[i].steps.size() && all[i].steps[next[i]] == *step; ++next[i]) {
        summary.message(1, scalar(tags[i].first, all[i].values[next[i]], tags[i].second));
        wallSec = all[i].wallSecs[next[i]];
      }
    records += recordOf(eventAt(wallSec, *step).message(5, summary));
    if (records.size() < kBytesPerWrite) continue;
    RETURN_IF_ERROR(sink(std::as_bytes(std::span(records))));
    records.clear();
  }
  return sink(std::as_bytes(std::span(records)));
}

void TensorBoardLog::begin(fs::path folder, TensorBoardSettings settings) {
  folder_ = std::move(folder);
  settings_ = std::move(settings);
}

void TensorBoardLog::publish(const RunEvent& event) {
  listener_.publish(event);
  if (folder_.empty()) return;
  const Result<void> written = write(event);
  if (written.ok()) return;
  folder_.clear();
  listener_.publish(
      RunNote{NoteLevel::Warning, formatText("no more is logged for TensorBoard: {}", written.error().text()), {}});
}

Result<void> TensorBoardLog::write(const RunEvent& event) {
  if (const auto* started = std::get_if<RunStarted>(&event)) return open(*started);
  const auto* row = std::get_if<MetricsRow>(&event);
  const auto* evaluated = std::get_if<EvalResult>(&event);
  if (!file_.valid() || (row == nullptr && evaluated == nullptr)) return {};
  WrittenMessage summary;
  for (const NamedValue& named : row != nullptr ? valuesOf(*row) : valuesOf(*evaluated))
    summary.message(1, scalar(tensorBoardTag(named.series), named.value, isPreciseSeries(named.series)));
  const double wallSec = static_cast<double>(clock_.wallMs()) / 1000;
  const std::int64_t step = row != nullptr ? row->at.step : evaluated->at.step;
  const std::string record = recordOf(eventAt(wallSec, step).message(5, summary));
  return writeAll(file_, std::as_bytes(std::span(record)), path_);
}

Result<void> TensorBoardLog::open(const RunStarted& started) {
  std::string name = started.name;
  std::ranges::replace(name, '/', '-');
  const fs::path folder = folder_ / formatText("{}-{}", name, started.run.substr(0, 8));
  RETURN_IF_ERROR(makeFolders(folder));
  const double wallSec = static_cast<double>(clock_.wallMs()) / 1000;
  path_ = folder / formatText("events.out.tfevents.{}.{}.{}", clock_.wallMs() / 1000, started.run, started.segment);
  file_ = FileDescriptor{::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
  if (!file_.valid()) return Error::fromErrno(errno, "cannot write '{}'", path_.native());
  const std::string records = startRecords(wallSec, started.segment > 0 ? started.from.step + 1 : 0, settings_);
  return writeAll(file_, std::as_bytes(std::span(records)), path_);
}

}  // namespace batchwise
