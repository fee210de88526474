// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/events/run_event.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/format.h"
#include "core/config/events/json_fields.h"
#include "core/config/events/metric.h"

namespace batchwise {
namespace {

template <class Archive, Describes<Timestamp> T>
void describeClock(Archive& archive, T& at) {
  archive.field("ba", at.batch);
  archive.field("steps", at.step);
  archive.field("sp", at.sample);
  archive.field("tok", at.token);
  archive.field("ep", at.epoch);
  archive.field("sec", at.seconds);
  archive.field("ba_in_ep", at.batchInEpoch);
  archive.field("units_in_ep", at.unitInEpoch);
  archive.field("sp_in_ep", at.sampleInEpoch);
  archive.field("tok_in_ep", at.tokenInEpoch);
  archive.field("parts_in_ba", at.stepInBatch);
}

using nlohmann::json;

/// In the order of RunEvent's alternatives.
constexpr std::array<const char*, std::variant_size_v<RunEvent>> kEventNames = {
    "run_started", "progress", "metrics", "eval", "checkpoint_saved", "note", "run_finished"};

template <std::size_t Index>
Result<RunEvent> readEvent(const json& object) {
  std::variant_alternative_t<Index, RunEvent> event;
  JsonReader reader(object);
  describe(reader, event);
  if (!reader.problem().empty())
    return Error::corrupt(formatText("event '{}': {}", kEventNames[Index], reader.problem()));
  return RunEvent(std::move(event));
}

template <std::size_t... Index>
Result<RunEvent> readNamed(const std::string& name, const json& object, std::index_sequence<Index...>) {
  Result<RunEvent> result = Error::corrupt(formatText("unknown event '{}'", name));
  ((name == kEventNames[Index] ? void(result = readEvent<Index>(object)) : void()), ...);
  return result;
}

/// A row's weight decays by e in this time, or in this many rows if those are slower.
constexpr double kMemorySec = 20.0;
constexpr double kMemoryRows = 10.0;

}  // namespace

template <class Archive, Describes<DeviceMemory> T>
void describe(Archive& archive, T& device) {
  archive.field("name", device.name);
  for (const MemoryMetric& metric : memoryMetrics()) {
    auto& figure = device.*std::get<0>(metric.member);
    metric.traits.zeroIsUnknown ? archive.fieldUnlessZero(metric.name, figure) : archive.field(metric.name, figure);
  }
}

template <class Archive, Describes<RunStarted> T>
void describe(Archive& archive, T& event) {
  archive.field("run", event.run);
  archive.field("name", event.name);
  archive.field("segment", event.segment);
  archive.field("planned_ba", event.plannedBatches);
  describeClock(archive, event.from);
}

template <class Archive, Describes<PhaseProgress> T>
void describe(Archive& archive, T& event) {
  archive.field("phase", event.phase);
  archive.field("done", event.done);
  archive.field("total", event.total);
  archive.field("unit", event.unit);
}

template <class Archive, Describes<MetricsRow> T>
void describe(Archive& archive, T& row) {
  describeClock(archive, row.at);
  for (const RowMetric& metric : rowMetrics())
    std::visit([&](auto member) { archive.field(metric.name, figureOf(row, member)); }, metric.member);
  archive.list("devices", row.devices);
  archive.listUnlessEmpty("sources", row.sources);
}

/// `member` of `metric`, of an evaluation or a set. Counts have the prefix "eval_".
template <class Archive, class T, class Member>
void describeFigure(Archive& archive, const EvalFigure& metric, T& result, const Member& member) {
  const std::string key = (metric.format == MetricFormat::Count ? "eval_" : "") + std::string(metric.name);
  std::visit([&](auto of) { archive.field(key.c_str(), result.*of); }, member);
}

template <class Archive, Describes<EvalSetResult> T>
void describe(Archive& archive, T& set) {
  archive.field("name", set.name);
  for (const EvalFigure& metric : evalFigures())
    if (metric.ofSet) describeFigure(archive, metric, set, *metric.ofSet);
}

template <class Archive, Describes<TaskResult> T>
void describe(Archive& archive, T& task) {
  archive.field("name", task.name);
  archive.field("value", task.value);
}

template <class Archive, Describes<EvalResult> T>
void describe(Archive& archive, T& event) {
  describeClock(archive, event.at);
  for (const EvalFigure& metric : evalFigures()) describeFigure(archive, metric, event, metric.member);
  archive.fieldUnlessZero("eval_predicted", event.predicted);
  archive.fieldUnlessZero("eval_bytes", event.bytes);
  archive.listUnlessEmpty("sets", event.sets);
  archive.listUnlessEmpty("tasks", event.tasks);
}

template <class Archive, Describes<CheckpointSaved> T>
void describe(Archive& archive, T& event) {
  archive.field("id", event.id);
  archive.field("bytes", event.bytes);
  archive.field("seconds", event.seconds);
  archive.field("pause_sec", event.pauseSec);
  archive.field("reason", event.reason);
  describeClock(archive, event.at);
}

template <class Archive, Describes<RunNote> T>
void describe(Archive& archive, T& event) {
  archive.field("level", event.level);
  archive.field("text", event.text);
  archive.field("paused", event.paused);
  archive.fieldUnlessFirst("code", event.kind);
  archive.field("value", event.value);
  archive.field("reference", event.reference);
  describeClock(archive, event.at);
}

template <class Archive, Describes<RunFinished> T>
void describe(Archive& archive, T& event) {
  archive.field("status", event.status);
  archive.field("reason", event.reason);
  archive.field("last_checkpoint", event.lastCheckpoint);
  archive.fieldUnlessFirst("cause", event.cause);
  describeClock(archive, event.at);
}

json eventToJson(const RunEvent& event) {
  JsonWriter writer;
  writer.field("event", std::string{kEventNames[event.index()]});
  std::visit([&writer](const auto& value) { describe(writer, value); }, event);
  return writer.take();
}

std::string eventToLine(const RunEvent& event) {
  return jsonText(eventToJson(event));
}

Result<RunEvent> eventFromLine(std::string_view line) {
  ASSIGN_OR_RETURN(const auto object, parseJson(line));
  return eventFromJson(object);
}

Result<RunEvent> eventFromJson(const json& object) {
  if (!object.is_object())
    return Error::corrupt(formatText("an event must be a JSON object, but this is {}", object.type_name()));
  const auto name = object.find("event");
  if (name == object.end() || !name->is_string()) return Error::corrupt("an event needs the text field 'event'");
  return readNamed(name->get<std::string>(), object, std::make_index_sequence<std::variant_size_v<RunEvent>>());
}

FailureCause failureCause(ErrorCode code) {
  switch (code) {
    case ErrorCode::OutOfMemory: return FailureCause::OutOfMemory;
    case ErrorCode::DiskFull: return FailureCause::DiskFull;
    case ErrorCode::NonFinite: return FailureCause::NonFinite;
    case ErrorCode::NotFound: return FailureCause::MissingFile;
    case ErrorCode::Corrupt: return FailureCause::DamagedFile;
    case ErrorCode::DamagedCheckpoint: return FailureCause::DamagedCheckpoint;
    case ErrorCode::Device: return FailureCause::Device;
    case ErrorCode::LostRank: return FailureCause::LostRank;
    default: return FailureCause::Unknown;
  }
}

RunFinished failedRun(const Error& error) {
  return {RunStatus::Failed, error.text(), {}, {}, failureCause(error.code)};
}

void RunProgress::update(const RunEvent& event, double nowSec) {
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    *this = RunProgress();
    plannedBatches_ = started->plannedBatches;
    doneBatches_ = started->from.batch;
  } else if (const auto* row = std::get_if<MetricsRow>(&event)) {
    updateFromRow(*row, nowSec);
  } else if (const auto* note = std::get_if<RunNote>(&event)) {
    if (note->paused == false || note->kind == NoteKind::Resumed) lastRowSec_.reset();  // a wait is no pace
  }
}

void RunProgress::updateFromRow(const MetricsRow& row, double nowSec) {
  const std::int64_t batches = row.at.batch - doneBatches_;
  if (batches <= 0) return;  // a row of a single step
  if (lastRowSec_) {
    const double passed = std::max(0.0, nowSec - *lastRowSec_);
    const double keep = std::exp(-std::min(passed / kMemorySec, 1.0 / kMemoryRows));
    weightedSec_ = keep * weightedSec_ + passed;
    weightedBatches_ = keep * weightedBatches_ + static_cast<double>(batches);
  }
  lastRowSec_ = nowSec;
  doneBatches_ = row.at.batch;
}

std::optional<double> RunProgress::fraction() const {
  if (plannedBatches_ <= 0) return std::nullopt;
  return std::clamp(static_cast<double>(doneBatches_) / static_cast<double>(plannedBatches_), 0.0, 1.0);
}

std::optional<double> RunProgress::etaSec() const {
  if (plannedBatches_ <= 0 || weightedBatches_ <= 0.0) return std::nullopt;
  const auto left = static_cast<double>(std::max<std::int64_t>(0, plannedBatches_ - doneBatches_));
  return left * weightedSec_ / weightedBatches_;
}

}  // namespace batchwise
