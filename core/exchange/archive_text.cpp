// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/archive_text.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/plain_text.h"
#include "core/base/texts.h"
#include "core/store/record_text.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr JsonLimits kLimits{.depth = 8};
constexpr std::size_t kMostSegments = 100'000;
constexpr std::size_t kMostTags = 1'000;
constexpr std::size_t kMostSeries = 10'000;
constexpr std::size_t kLongestName = 200;               // bytes: tags, series, hosts, value names
constexpr std::size_t kLongestText = kMaxRunTextBytes;  // configurations, notes

json numberJson(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : json(nullptr);
}

bool isLowerLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// Reads fields of an untrusted JSON object and records the first error (Corrupt). After an error, values are empty.
/// `object` must outlive the reader. describe…() below name the fields once, for this class and for FieldWriter.
class UntrustedFields {
 public:
  UntrustedFields(const json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object_.is_object()) fail("is not an object");
  }

  void text(const char* name, std::string& target, std::size_t longest) {
    const json* value = find(name);
    if (value == nullptr || !value->is_string()) return fail(formatText("{} is missing or not a string", name));
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() > longest) return fail(formatText("{} is longer than {} bytes", name, longest));
    if (hasControlCharacters(text)) return fail(formatText("{} holds a control character", name));
    target = text;
  }
  /// Reads an id of 12 letters and digits, or none if it `mayBeEmpty`.
  void id(const char* name, std::string& target, bool mayBeEmpty = false) {
    text(name, target, 12);
    const bool fits = target.size() == 12 || (mayBeEmpty && target.empty());
    if (!fits || !std::ranges::all_of(target, isLowerLetterOrDigit))
      fail(formatText("{} is not an id of 12 letters and digits", name));
  }
  /// Reads an id as the trainer makes them: run id, segment and step.
  void checkpointId(const char* name, std::string& target, bool mayBeEmpty = false) {
    constexpr std::size_t kLongest = 64;
    text(name, target, kLongest);
    const bool plain = std::ranges::all_of(target, [](char c) { return isLowerLetterOrDigit(c) || c == '-'; });
    if (!plain || (target.empty() && !mayBeEmpty)) fail(formatText("{} is not a checkpoint id", name));
  }
  void integer(const char* name, std::int64_t& target) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    const json* value = find(name);
    if (value == nullptr || !value->is_number_integer())
      return fail(formatText("{} is missing or not an integer", name));
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > kMost)
      return fail(formatText("{} is out of range", name));
    target = value->get<std::int64_t>();
    if (target < 0) fail(formatText("{} is negative", name));
  }
  void truth(const char* name, bool& target) {
    const json* value = find(name);
    if (value == nullptr || !value->is_boolean()) return fail(formatText("{} is missing or not a boolean", name));
    target = value->get<bool>();
  }
  void number(const char* name, std::optional<double>& target) {
    const json* value = find(name);
    if (value == nullptr) return fail(formatText("{} is missing", name));
    if (!value->is_null()) target = numberOf(*value, name);
  }
  std::optional<double> numberOf(const json& value, const std::string& name) {
    const std::optional<double> number = numberFromJson(value);
    if (!number) fail(formatText("{} is not a number", name));
    return number;
  }
  void timestamp(const char* name, Timestamp& target) {
    const auto at = timestampFromText(jsonText(object(name)));
    if (!at.ok()) return fail(at.error().message);
    target = *at;
  }
  const json& list(const char* name, std::size_t most) {
    static const json kNone = json::array();
    const json* value = find(name);
    if (value != nullptr && value->is_array() && value->size() <= most) return *value;
    fail(formatText("{} is missing, not a list, or too long", name));
    return kNone;
  }
  const json& object(const char* name) {
    static const json kNone = json::object();
    const json* value = find(name);
    if (value != nullptr && value->is_object()) return *value;
    fail(formatText("{} is missing or not an object", name));
    return kNone;
  }
  void fail(const std::string& problem) {
    if (!problem_) problem_ = Error::corrupt(inContextText(what_, problem));
  }
  /// Returns the first error, or nothing.
  Result<void> result() const { return problem_ ? Result<void>(*problem_) : Result<void>(); }

 private:
  const json* find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const json& object_;
  std::string what_;
  std::optional<Error> problem_;
};

/// Writes what UntrustedFields reads, so that every stored run can be imported again: texts that it refuses lose
/// their control characters and what is too long.
class FieldWriter {
 public:
  explicit FieldWriter(json& object) : object_(object) {}
  void text(const char* name, const std::string& value, std::size_t longest) {
    object_[name] = withoutControlCharacters(value, longest);
  }
  void id(const char* name, const std::string& value, bool = false) { object_[name] = value; }
  void checkpointId(const char* name, const std::string& value, bool = false) { object_[name] = value; }
  void integer(const char* name, std::int64_t value) { object_[name] = value; }
  void truth(const char* name, bool value) { object_[name] = value; }
  void number(const char* name, const std::optional<double>& value) { object_[name] = numberJson(value); }
  void timestamp(const char* name, const Timestamp& at) { object_[name] = json::parse(timestampText(at)); }

 private:
  json& object_;
};

template <typename Fields, typename Segment>
void describeSegment(Fields& fields, Segment& segment) {
  fields.integer("number", segment.number);
  fields.timestamp("from", segment.from);
  fields.checkpointId("checkpoint", segment.checkpoint, true);
  fields.integer("started_ms", segment.startedMs);
  fields.text("host", segment.host, kLongestName);
  fields.integer("process_id", segment.processId);
  fields.text("environment", segment.environment, kLongestText);
}

/// Describes the fields of a run that are stored as they are.
template <typename Fields, typename Detail>
void describeRun(Fields& fields, Detail& run) {
  auto& summary = run.summary;
  fields.id("id", summary.id);
  fields.text("name", summary.name, kLongestName);
  fields.integer("created_ms", summary.createdMs);
  fields.integer("ended_ms", summary.endedMs);
  fields.integer("planned_batches", summary.plannedBatches);
  fields.timestamp("at", summary.at);
  fields.number("loss", summary.loss);
  fields.number("eval_loss", summary.evalLoss);
  fields.number("learning_rate", summary.learningRate);
  fields.number("samples_per_sec", summary.samplesPerSec);
  fields.number("tokens_per_sec", summary.tokensPerSec);
  fields.id("parent", summary.parent, true);
  fields.truth("archived", summary.archived);
  fields.text("note", summary.note, kLongestText);
  fields.text("why", run.why, kLongestText);
  fields.text("config", run.configYaml, kLongestText);
  fields.text("resolved_config", run.resolvedYaml, kLongestText);
}

template <typename Fields, typename Record>
void describeCheckpoint(Fields& fields, Record& record) {
  fields.checkpointId("id", record.id);
  fields.integer("segment", record.segment);
  fields.timestamp("at", record.at);
  fields.integer("bytes", record.bytes);
  fields.integer("created_ms", record.createdMs);
  fields.text("reason", record.reason, kLongestText);
  fields.number("metric", record.metric);
  fields.truth("pinned", record.pinned);
  fields.truth("finite", record.finite);
}

Result<RunSegment> segmentFromJson(const json& object, std::int64_t expected) {
  UntrustedFields fields(object, formatText("segment {}", expected));
  RunSegment segment;
  describeSegment(fields, segment);
  if (segment.number != expected) fields.fail(formatText("has the number {}", segment.number));
  RETURN_IF_ERROR(fields.result());
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

/// Reads the status and its reason; a run archived while active becomes Interrupted.
void readStatus(UntrustedFields& fields, RunSummary& run) {
  std::string name, reason;
  fields.text("status", name, kLongestName);
  fields.text("reason", reason, kLongestText);
  run.reason = reason;
  const auto status = choiceFromName<RunStatus>(name);
  if (!status) {
    fields.fail(formatText("status '{}' is not known", name));
  } else if (*status == RunStatus::Running || *status == RunStatus::Created) {
    run.status = RunStatus::Interrupted;
    run.reason = formatText("was {} when it was archived", name);
  } else {
    run.status = *status;
  }
}

void readTags(UntrustedFields& fields, RunSummary& run) {
  std::set<std::string> seen;
  for (const json& tag : fields.list("tags", kMostTags)) {
    const bool fine = tag.is_string() && !tag.get_ref<const std::string&>().empty() &&
                      plainLineProblem(tag.get_ref<const std::string&>(), kLongestName).empty();
    if (!fine || !seen.insert(tag.get<std::string>()).second) return fields.fail("a tag is invalid");
    run.tags.push_back(tag.get<std::string>());
  }
}

/// Returns the tags as readTags() accepts them: what makes one no plain line becomes a space.
std::vector<std::string> readableTags(const std::vector<std::string>& tags) {
  std::vector<std::string> readable;
  for (const std::string& tag : tags) {
    std::string line;
    for (std::string_view rest = tag; !rest.empty();) {
      const Utf8Step step = decodeUtf8(rest);
      std::string character;
      appendUtf8(character, step.codePoint);
      if (!plainLineProblem(character, character.size()).empty()) character = " ";
      if (line.size() + character.size() > kLongestName) break;
      line += character;
      rest.remove_prefix(static_cast<std::size_t>(step.bytes));
    }
    const bool known = std::find(readable.begin(), readable.end(), line) != readable.end();
    if (!line.empty() && !known && readable.size() < kMostTags) readable.push_back(std::move(line));
  }
  return readable;
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
  json object = {{"status", choiceName(run.summary.status)},
                 {"tags", readableTags(run.summary.tags)},
                 {"resolved_values", run.resolvedValues},
                 {"references", json::object()},
                 {"segments", json::array()}};
  FieldWriter fields(object);
  fields.text("reason", run.summary.reason, kLongestText);
  describeRun(fields, run);
  for (const auto& [name, value] : run.references) object["references"][name] = numberJson(value);
  for (const RunSegment& segment : run.segments) {
    FieldWriter ofSegment(object["segments"].emplace_back(json::object()));
    describeSegment(ofSegment, segment);
  }
  return jsonText(object);
}

Result<RunDetail> parseArchivedRun(std::string_view text) {
  ASSIGN_OR_RETURN(const auto object, parseStrictJson(text, kLimits));
  UntrustedFields fields(object, "run");
  RunDetail run;
  describeRun(fields, run);
  if (const auto fine = checkRunName(run.summary.name); !fine.ok()) fields.fail(fine.error().message);
  readTags(fields, run.summary);
  readStatus(fields, run.summary);
  for (const auto& [name, value] : fields.object("resolved_values").items()) {
    if (name.size() > kLongestName || !value.is_string()) return Error::corrupt("run: a resolved value is invalid");
    run.resolvedValues[name] = value.get<std::string>();
  }
  for (const auto& [name, value] : fields.object("references").items()) {
    if (name.size() > kLongestName) return Error::corrupt("run: the name of a reference is too long");
    run.references[name] = fields.numberOf(value, "a reference").value_or(0.0);
  }
  for (const json& segment : fields.list("segments", kMostSegments)) {
    ASSIGN_OR_RETURN(auto read, segmentFromJson(segment, std::ssize(run.segments)));
    run.segments.push_back(std::move(read));
  }
  RETURN_IF_ERROR(fields.result());
  return run;
}

std::string archivedCheckpoint(const CheckpointRecord& record) {
  json object;
  FieldWriter fields(object);
  describeCheckpoint(fields, record);
  return jsonText(object);
}

Result<CheckpointRecord> parseArchivedCheckpoint(std::string_view text) {
  ASSIGN_OR_RETURN(const auto object, parseStrictJson(text, kLimits));
  UntrustedFields fields(object, "checkpoint");
  CheckpointRecord record;
  describeCheckpoint(fields, record);
  RETURN_IF_ERROR(fields.result());
  return record;
}

std::string archivedSeries(const std::vector<std::string>& names) {
  return jsonText(names);
}

Result<std::vector<std::string>> parseArchivedSeries(std::string_view text) {
  ASSIGN_OR_RETURN(const auto list, parseStrictJson(text, kLimits));
  if (!list.is_array() || list.size() > kMostSeries)
    return Error::corrupt("the names of the series are not a list, or there are too many");
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const json& name : list) {
    if (!name.is_string() || !isSeriesName(name.get_ref<const std::string&>()) ||
        !seen.insert(name.get<std::string>()).second)
      return Error::corrupt(formatText("the name of series {} is invalid", names.size()));
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::string archivedEvent(const StoredEvent& event) {
  return jsonText({{"segment", event.segment}, {"wall_ms", event.wallMs}, {"event", eventToJson(event.event)}});
}

Result<std::vector<StoredEvent>> parseArchivedEvents(std::string_view text) {
  ASSIGN_OR_RETURN(const auto list, parseStrictJson(text, kLimits));
  if (!list.is_array()) return Error::corrupt("the events are not a list");
  std::vector<StoredEvent> events;
  for (const json& entry : list) {
    UntrustedFields fields(entry, "event");
    StoredEvent event;
    fields.integer("segment", event.segment);
    fields.integer("wall_ms", event.wallMs);
    auto read = eventFromJson(fields.object("event"));
    RETURN_IF_ERROR(fields.result());
    if (!read.ok()) return read.error();
    if (std::holds_alternative<MetricsRow>(*read) || std::holds_alternative<PhaseProgress>(*read))
      return Error::corrupt("event: metrics and progress are not stored as events");
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
  if (!whole) return Error::corrupt("a row of metrics is truncated");
  row.values.resize(count);
  for (TransferValue& value : row.values) {
    (void)takeNumber(bytes, value.series);  // size checked above
    (void)takeNumber(bytes, value.value);
  }
  return row;
}

}  // namespace batchwise
