// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal_format.h"

#include <cstring>
#include <span>

#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/store/process_identity.h"
#include "core/store/record_text.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

using Json = nlohmann::json;
constexpr std::uint32_t kLengthBytes = sizeof(std::uint32_t);
constexpr std::int64_t kMaxRecords = std::int64_t{1} << 50;

template <typename Value>
std::uint32_t crcOf(const Value& value, std::uint32_t crc) {
  return crc32c(std::as_bytes(std::span{&value, 1}), crc);
}

std::uint32_t checksumOf(const JournalGroupHeader& head, std::string_view body) {
  std::uint32_t crc = crcOf(head.count, 0);
  crc = crcOf(head.bytes, crc);
  crc = crcOf(head.first, crc);
  crc = crcOf(head.run, crc);
  crc = crcOf(head.segment, crc);
  return crc32c(std::as_bytes(std::span{body}), crc);
}

/// Members that a restarted run replaces.
Json restartFields(const NewRun& run) {
  return {{"config_yaml", run.configYaml},
          {"resolved_yaml", run.resolvedYaml},
          {"resolved_values", run.resolvedValues},
          {"references", run.references},
          {"planned_batches", run.plannedBatches}};
}

}  // namespace

bool JournalGroup::add(const Json& record) {
  const std::string text = jsonText(record);
  if (text.size() > kJournalRecordBytes) return false;
  const auto length = static_cast<std::uint32_t>(text.size());
  body_.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  body_ += text;
  ++count_;
  return true;
}

std::string JournalGroup::encoded(std::int64_t first, std::string_view run, std::int64_t segment) const {
  JournalGroupHeader head;
  head.count = count_;
  head.bytes = static_cast<std::uint32_t>(body_.size());
  head.first = first;
  head.run = crc32c(std::as_bytes(std::span{run}));
  head.segment = static_cast<std::int32_t>(segment);
  head.crc = checksumOf(head, body_);
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  return bytes += body_;
}

bool isPlausible(const JournalGroupHeader& head, std::int64_t room) {
  return head.mark == JournalGroupHeader::kMark && head.count > 0 && head.bytes <= kJournalGroupBytes &&
         head.bytes >= std::uint64_t{head.count} * kLengthBytes && head.first >= 0 && head.first < kMaxRecords &&
         head.segment >= 0 && static_cast<std::int64_t>(sizeof head) + head.bytes <= room;
}

std::optional<std::vector<std::string_view>> recordsOf(const JournalGroupHeader& head, std::string_view body) {
  if (body.size() != head.bytes || checksumOf(head, body) != head.crc) return std::nullopt;
  std::vector<std::string_view> records;
  while (!body.empty()) {
    std::uint32_t length = 0;
    if (body.size() < kLengthBytes) return std::nullopt;
    std::memcpy(&length, body.data(), kLengthBytes);
    body.remove_prefix(kLengthBytes);
    if (length > body.size() || length > kJournalRecordBytes) return std::nullopt;
    const std::string_view text = body.substr(0, length);
    if (!text.starts_with('{') || !Json::accept(text)) return std::nullopt;
    records.push_back(text);
    body.remove_prefix(length);
  }
  if (records.size() != head.count) return std::nullopt;
  return records;
}

Json runRecord(const std::string& id, const NewRun& run, std::int64_t nowMs) {
  Json record = restartFields(run);
  record.update({{"journal", kJournalFormat},
                 {"run", id},
                 {"name", run.name},
                 {"parent", run.parent},
                 {"tags", run.tags},
                 {"why", run.why},
                 {"created_ms", nowMs}});
  return record;
}

Json segmentRecord(std::int64_t number, const RunRecorder::SegmentStart& start, std::int64_t nowMs) {
  const ProcessIdentity self = currentProcess();
  Json record = {{"segment", number},
                 {"from", timestampText(start.from)},
                 {"checkpoint", start.checkpoint},
                 {"environment", start.environment},
                 {"resolved_yaml", start.restart ? start.restart->resolvedYaml : start.resolvedYaml},
                 {"started_ms", nowMs},
                 {"host", self.host},
                 {"process_id", self.processId}};
  if (start.restart) record["restart"] = restartFields(*start.restart);
  return record;
}

std::optional<NewRun> restartIn(const Json& segment) {
  const auto found = segment.find("restart");
  if (found == segment.end() || !found->is_object()) return std::nullopt;
  return newRunFrom(*found);
}

Json checkpointRecord(const CheckpointRecord& record) {
  return {{"checkpoint", record.id},
          {"at", timestampText(record.at)},
          {"file", record.file},
          {"bytes", record.bytes},
          {"created_ms", record.createdMs},
          {"reason", record.reason},
          {"metric", record.metric ? Json(*record.metric) : Json(nullptr)},
          {"pinned", record.pinned},
          {"verified", record.verified},
          {"finite", record.finite}};
}

NewRun newRunFrom(const Json& record) {
  NewRun run;
  run.name = textIn(record, "name");
  run.configYaml = textIn(record, "config_yaml");
  run.resolvedYaml = textIn(record, "resolved_yaml");
  run.plannedBatches = numberIn(record, "planned_batches");
  run.parent = textIn(record, "parent");
  run.why = textIn(record, "why");
  if (const auto values = record.find("resolved_values"); values != record.end() && values->is_object())
    for (const auto& [name, value] : values->items())
      if (value.is_string()) run.resolvedValues[name] = value.get<std::string>();
  if (const auto values = record.find("references"); values != record.end() && values->is_object())
    for (const auto& [name, value] : values->items())
      if (value.is_number()) run.references[name] = value.get<double>();
  if (const auto tags = record.find("tags"); tags != record.end() && tags->is_array())
    for (const Json& tag : *tags)
      if (tag.is_string()) run.tags.push_back(tag.get<std::string>());
  return run;
}

Result<CheckpointRecord> checkpointFrom(const Json& json) {
  CheckpointRecord record;
  record.id = textIn(json, "checkpoint");
  record.file = textIn(json, "file");
  ASSIGN_OR_RETURN(const auto at, timestampFromText(textIn(json, "at")));
  if (!isPlainId(record.id)) return Error::corrupt("a checkpoint has an invalid id");
  RETURN_IF_ERROR(checkCheckpointPath(record.file));
  record.at = at;
  record.bytes = numberIn(json, "bytes");
  record.createdMs = numberIn(json, "created_ms");
  record.reason = textIn(json, "reason");
  if (const auto metric = json.find("metric"); metric != json.end() && metric->is_number())
    record.metric = metric->get<double>();
  record.pinned = flagIn(json, "pinned");
  record.verified = flagIn(json, "verified");
  record.finite = flagIn(json, "finite");
  return record;
}

}  // namespace batchwise
