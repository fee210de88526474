// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/archive_text.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "core/base/json_number.h"
#include "core/base/plain_text.h"
#include "core/base/return_if_error.h"
#include "core/base/strict_json.h"
#include "core/exchange/messages.h"
#include "core/exchange/untrusted_fields.h"
#include "core/store/record_text.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr JsonLimits kLimits{.depth = 8};
constexpr std::size_t kMostSegments = 100'000;
constexpr std::size_t kMostTags = 1'000;
constexpr std::size_t kMostSeries = 10'000;
constexpr std::size_t kLongestName = 200;      // bytes: tags, series, hosts, value names
constexpr std::size_t kLongestText = 4 << 20;  // configurations, notes

json numberJson(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : json(nullptr);
}

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json segmentJson(const RunSegment& segment) {
  return {{"number", segment.number},
          {"from", json::parse(timestampText(segment.from))},
          {"checkpoint", segment.checkpoint},
          {"started_ms", segment.startedMs},
          {"host", segment.host},
          {"process_id", segment.processId},
          {"environment", segment.environment}};
}

Result<RunSegment> segmentFromJson(const json& object, std::int64_t expected) {
  UntrustedFields fields(object, messages::archiveSegmentName(expected));
  RunSegment segment;
  segment.number = fields.integer("number");
  segment.from = fields.timestamp("from");
  segment.checkpoint = fields.checkpointId("checkpoint", true);
  segment.startedMs = fields.integer("started_ms");
  segment.host = fields.text("host", kLongestName);
  segment.processId = fields.integer("process_id");
  segment.environment = fields.text("environment", kLongestText);
  if (segment.number != expected) fields.fail(messages::archiveSegmentNumberUnexpected(segment.number));
  if (fields.problem()) return *fields.problem();
  return segment;
}

/// Accepts only names such as "memory.cpu:0.peak", which are safe in any table.
bool isSeriesName(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == ':' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), plain);
}

/// Sets the status; a run archived while active becomes Interrupted.
void resolveStatus(const std::string& name, UntrustedFields& fields, RunSummary& run) {
  const auto status = runStatusFromName(name);
  if (!status) {
    fields.fail(messages::archiveStatusUnknown(name));
  } else if (*status == RunStatus::Running || *status == RunStatus::Created) {
    run.status = RunStatus::Interrupted;
    run.reason = messages::statusWhenArchived(name);
  } else {
    run.status = *status;
  }
}

RunSummary summaryFrom(UntrustedFields& fields) {
  RunSummary run;
  run.id = fields.id("id");
  run.name = fields.text("name", kLongestName);
  if (const auto fine = checkRunName(run.name); !fine.ok()) fields.fail(fine.error().message);
  run.reason = fields.text("reason", kLongestText);
  run.createdMs = fields.integer("created_ms");
  run.endedMs = fields.integer("ended_ms");
  run.plannedBatches = fields.integer("planned_batches");
  run.at = fields.timestamp("at");
  run.loss = fields.number("loss");
  run.evalLoss = fields.number("eval_loss");
  run.learningRate = fields.number("learning_rate");
  run.samplesPerSec = fields.number("samples_per_sec");
  run.tokensPerSec = fields.number("tokens_per_sec");
  run.parent = fields.id("parent", true);
  run.archived = fields.truth("archived");
  run.note = fields.text("note", kLongestText);
  std::set<std::string> seen;
  for (const json& tag : fields.list("tags", kMostTags)) {
    const bool fine = tag.is_string() && !tag.get_ref<const std::string&>().empty() &&
                      plainLineProblem(tag.get_ref<const std::string&>(), kLongestName).empty();
    if (!fine || !seen.insert(tag.get<std::string>()).second) return fields.fail(messages::archiveTagInvalid()), run;
    run.tags.push_back(tag.get<std::string>());
  }
  resolveStatus(fields.text("status", kLongestName), fields, run);
  return run;
}

template <typename Number>
void appendNumber(std::vector<std::byte>& bytes, Number number) {
  const auto raw = std::as_bytes(std::span{&number, 1});
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <typename Number>
bool takeNumber(std::span<const std::byte>& bytes, Number& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes = bytes.subspan(sizeof number);
  return true;
}

}  // namespace

std::string archivedRun(const RunDetail& run) {
  const RunSummary& summary = run.summary;
  json object = {{"id", summary.id},
                 {"name", summary.name},
                 {"status", runStatusName(summary.status)},
                 {"reason", summary.reason.text()},
                 {"created_ms", summary.createdMs},
                 {"ended_ms", summary.endedMs},
                 {"planned_batches", summary.plannedBatches},
                 {"at", json::parse(timestampText(summary.at))},
                 {"loss", numberJson(summary.loss)},
                 {"eval_loss", numberJson(summary.evalLoss)},
                 {"learning_rate", numberJson(summary.learningRate)},
                 {"samples_per_sec", numberJson(summary.samplesPerSec)},
                 {"tokens_per_sec", numberJson(summary.tokensPerSec)},
                 {"parent", summary.parent},
                 {"archived", summary.archived},
                 {"tags", summary.tags},
                 {"note", summary.note},
                 {"why", run.why},
                 {"config", run.configYaml},
                 {"resolved_config", run.resolvedYaml},
                 {"resolved_values", run.resolvedValues}};
  object["references"] = json::object();
  for (const auto& [name, value] : run.references) object["references"][name] = numberJson(value);
  object["segments"] = json::array();
  for (const RunSegment& segment : run.segments) object["segments"].push_back(segmentJson(segment));
  return dumped(object);
}

Result<RunDetail> parseArchivedRun(std::string_view text) {
  ASSIGN_OR_RETURN(const auto object, parseStrictJson(text, kLimits));
  UntrustedFields fields(object, "run");
  RunDetail run;
  run.summary = summaryFrom(fields);
  run.why = fields.text("why", kLongestText);
  run.configYaml = fields.text("config", kLongestText);
  run.resolvedYaml = fields.text("resolved_config", kLongestText);
  for (const auto& [name, value] : fields.object("resolved_values").items()) {
    if (name.size() > kLongestName || !value.is_string())
      return Error::corrupt(messages::archiveResolvedValueInvalid());
    run.resolvedValues[name] = value.get<std::string>();
  }
  for (const auto& [name, value] : fields.object("references").items()) {
    if (name.size() > kLongestName) return Error::corrupt(messages::archiveReferenceNameTooLong());
    run.references[name] = fields.numberOf(value, messages::archiveReferenceNoun()).value_or(0.0);
  }
  for (const json& segment : fields.list("segments", kMostSegments)) {
    ASSIGN_OR_RETURN(auto read, segmentFromJson(segment, static_cast<std::int64_t>(run.segments.size())));
    run.segments.push_back(std::move(read));
  }
  if (fields.problem()) return *fields.problem();
  return run;
}

std::string archivedCheckpoint(const CheckpointRecord& record) {
  return dumped({{"id", record.id},
                 {"segment", record.segment},
                 {"at", json::parse(timestampText(record.at))},
                 {"bytes", record.bytes},
                 {"created_ms", record.createdMs},
                 {"reason", record.reason},
                 {"metric", numberJson(record.metric)},
                 {"pinned", record.pinned},
                 {"finite", record.finite}});
}

Result<CheckpointRecord> parseArchivedCheckpoint(std::string_view text) {
  ASSIGN_OR_RETURN(const auto object, parseStrictJson(text, kLimits));
  UntrustedFields fields(object, "checkpoint");
  CheckpointRecord record;
  record.id = fields.checkpointId("id");
  record.segment = fields.integer("segment");
  record.at = fields.timestamp("at");
  record.bytes = fields.integer("bytes");
  record.createdMs = fields.integer("created_ms");
  record.reason = fields.text("reason", kLongestText);
  record.metric = fields.number("metric");
  record.pinned = fields.truth("pinned");
  record.finite = fields.truth("finite");
  if (fields.problem()) return *fields.problem();
  return record;
}

std::string archivedSeries(const std::vector<std::string>& names) {
  return dumped(names);
}

Result<std::vector<std::string>> parseArchivedSeries(std::string_view text) {
  const auto list = parseStrictJson(text, kLimits);
  if (!list.ok()) return list.error();
  if (!list->is_array() || list->size() > kMostSeries) return Error::corrupt(messages::archiveSeriesListInvalid());
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const json& name : *list) {
    if (!name.is_string() || !isSeriesName(name.get_ref<const std::string&>()) ||
        !seen.insert(name.get<std::string>()).second)
      return Error::corrupt(messages::archiveSeriesNameInvalid(names.size()));
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::string archivedEvent(const StoredEvent& event) {
  return dumped({{"segment", event.segment}, {"wall_ms", event.wallMs}, {"event", eventToJson(event.event)}});
}

Result<std::vector<StoredEvent>> parseArchivedEvents(std::string_view text) {
  const auto list = parseStrictJson(text, kLimits);
  if (!list.ok()) return list.error();
  if (!list->is_array()) return Error::corrupt(messages::archiveEventsNotList());
  std::vector<StoredEvent> events;
  for (const json& entry : *list) {
    UntrustedFields fields(entry, "event");
    StoredEvent event;
    event.segment = fields.integer("segment");
    event.wallMs = fields.integer("wall_ms");
    auto read = eventFromJson(fields.object("event"));
    if (fields.problem()) return *fields.problem();
    if (!read.ok()) return read.error();
    if (std::holds_alternative<MetricsRow>(*read) || std::holds_alternative<PhaseProgress>(*read))
      return Error::corrupt(messages::archiveEventNotStorable());
    if (const auto at = timestampOf(*read))
      if (auto fine = checkClocks(*at); !fine.ok()) return fine.error().within("event");
    event.event = std::move(*read);
    events.push_back(std::move(event));
  }
  return events;
}

void appendArchivedRow(const TransferRow& row, std::vector<std::byte>& bytes) {
  appendNumber(bytes, row.segment);
  appendNumber(bytes, row.kind);
  appendNumber(bytes, row.position);
  appendNumber(bytes, static_cast<std::uint32_t>(row.values.size()));
  for (const TransferValue& value : row.values) {
    appendNumber(bytes, value.series);
    appendNumber(bytes, value.value);
  }
}

Result<TransferRow> popArchivedRow(std::span<const std::byte>& bytes) {
  constexpr std::size_t kValueBytes = sizeof(std::uint32_t) + sizeof(double);
  TransferRow row;
  std::uint32_t count = 0;
  const bool whole = takeNumber(bytes, row.segment) && takeNumber(bytes, row.kind) && takeNumber(bytes, row.position) &&
                     takeNumber(bytes, count) && count <= bytes.size() / kValueBytes;
  if (!whole) return Error::corrupt(messages::archiveMetricsRowCutShort());
  row.values.resize(count);
  for (TransferValue& value : row.values) {
    (void)takeNumber(bytes, value.series);  // size checked above
    (void)takeNumber(bytes, value.value);
  }
  return row;
}

}  // namespace batchwise
