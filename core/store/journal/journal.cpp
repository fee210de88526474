// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/config/events/json_fields.h"
#include "core/store/file_lock.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

// Values of "event" besides those of RunEvent.
constexpr const char* kSegmentName = "segment";
constexpr const char* kCheckpointName = "checkpoint";
constexpr const char* kRemovedName = "checkpoint_removed";
constexpr const char* kSegmentKey = "in_segment";
constexpr std::string_view kSegmentMark = "\"event\":\"segment\"";  // in the text of such a line
constexpr std::string_view kChecksumMark = ",\"crc\":";

constexpr std::int64_t kLongestDamage = 256 << 20;  // bytes

Json jsonOf(const Timestamp& at) {
  return Json::parse(timestampText(at));
}

Json jsonOf(const NewRun& run) {
  Json object = {{"name", run.name},
                 {"config_yaml", run.configYaml},
                 {"resolved_yaml", run.resolvedYaml},
                 {"resolved_values", run.resolvedValues},
                 {"references", Json::object()},
                 {"planned_batches", run.plannedBatches},
                 {"parent", run.parent},
                 {"tags", run.tags},
                 {"why", run.why}};
  for (const auto& [name, level] : run.references) object["references"][name] = jsonNumber(level);
  return object;
}

Json jsonOf(const RunEvent& event) {
  return eventToJson(event);
}

Json jsonOf(const JournalSegment& segment) {
  Json object = {{"event", kSegmentName},
                 {"run", segment.run},
                 {"segment", segment.number},
                 {"from", jsonOf(segment.start.from)},
                 {"checkpoint", segment.start.checkpoint},
                 {"environment", segment.start.environment},
                 {"resolved_yaml", segment.start.resolvedYaml},
                 {"host", segment.host},
                 {"process_id", segment.processId}};
  if (segment.start.restart) object["new_run"] = jsonOf(*segment.start.restart);
  return object;
}

Json jsonOf(const CheckpointRecord& record) {
  return {{"event", kCheckpointName},
          {"id", record.id},
          {"at", jsonOf(record.at)},
          {"file", record.file},
          {"bytes", record.bytes},
          {"created_ms", record.createdMs},
          {"reason", choiceName(record.reason)},
          {"metric", record.metric ? jsonNumber(*record.metric) : Json(nullptr)},
          {"pinned", record.pinned},
          {"verified", record.verified},
          {"finite", record.finite}};
}

Json jsonOf(const RemovedCheckpoint& removed) {
  return {{"event", kRemovedName}, {"id", removed.id}};
}

// The functions below read untrusted objects: members that are missing or of another type get defaults.

NewRun newRunFrom(const Json& object) {
  NewRun run;
  run.name = textIn(object, "name");
  run.configYaml = textIn(object, "config_yaml");
  run.resolvedYaml = textIn(object, "resolved_yaml");
  run.plannedBatches = numberIn(object, "planned_batches");
  run.parent = textIn(object, "parent");
  run.why = textIn(object, "why");
  if (const auto values = object.find("resolved_values"); values != object.end() && values->is_object())
    for (const auto& [name, value] : values->items())
      if (value.is_string()) run.resolvedValues[name] = value.get<std::string>();
  if (const auto values = object.find("references"); values != object.end() && values->is_object())
    for (const auto& [name, value] : values->items())
      if (const auto level = numberFromJson(value)) run.references[name] = *level;
  if (const auto tags = object.find("tags"); tags != object.end() && tags->is_array())
    for (const Json& tag : *tags)
      if (tag.is_string()) run.tags.push_back(tag.get<std::string>());
  return run;
}

Result<Timestamp> clocksIn(const Json& object, const char* key) {
  const auto found = object.find(key);
  return timestampFromText(found == object.end() ? "" : jsonText(*found));
}

Result<JournalSegment> segmentFrom(const Json& object) {
  JournalSegment segment;
  segment.run = textIn(object, "run");
  segment.number = numberIn(object, "segment");
  ASSIGN_OR_RETURN(segment.start.from, clocksIn(object, "from"));
  segment.start.checkpoint = textIn(object, "checkpoint");
  segment.start.environment = textIn(object, "environment");
  segment.start.resolvedYaml = textIn(object, "resolved_yaml");
  if (const auto run = object.find("new_run"); run != object.end() && run->is_object())
    segment.start.restart = newRunFrom(*run);
  segment.host = textIn(object, "host");
  segment.processId = numberIn(object, "process_id");
  return segment;
}

Result<CheckpointRecord> checkpointFrom(const Json& object) {
  CheckpointRecord record;
  record.id = textIn(object, "id");
  record.file = textIn(object, "file");
  ASSIGN_OR_RETURN(record.at, clocksIn(object, "at"));
  if (!isPlainId(record.id)) return Error::corrupt("a checkpoint has an invalid id");
  RETURN_IF_ERROR(checkCheckpointPath(record.file));
  record.bytes = numberIn(object, "bytes");
  record.createdMs = numberIn(object, "created_ms");
  const auto reason = choiceFromName<CheckpointReason>(textIn(object, "reason"));
  if (!reason) return Error::corrupt("a checkpoint has an unknown reason");
  record.reason = *reason;
  if (const auto metric = object.find("metric"); metric != object.end()) record.metric = numberFromJson(*metric);
  record.pinned = flagIn(object, "pinned");
  record.verified = flagIn(object, "verified");
  record.finite = flagIn(object, "finite");
  return record;
}

std::uint32_t checksumOf(std::string_view text) {
  return crc32c(std::as_bytes(std::span{text}));
}

/// Returns the checksum of a line; nullopt unless it is the one that the line ends with.
std::optional<std::uint32_t> checkedSum(std::string_view line) {
  const std::size_t mark = line.rfind(kChecksumMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::uint32_t sum = checksumOf(line.substr(0, mark));
  const std::string end = std::string(kChecksumMark) + std::to_string(sum) + "}";
  return line.substr(mark) == end ? std::optional(sum) : std::nullopt;
}

Result<JournalLine> lineFrom(std::string_view text) {
  ASSIGN_OR_RETURN(const auto object, parseJson(text));
  if (!object.is_object()) return Error::corrupt("it is no JSON object");
  JournalLine line;
  line.wallMs = numberIn(object, "wall_ms");
  if (object.contains(kSegmentKey)) line.segment = numberIn(object, kSegmentKey);
  const std::string name = textIn(object, "event");
  if (name == kSegmentName) {
    ASSIGN_OR_RETURN(line.entry, segmentFrom(object));
  } else if (name == kCheckpointName) {
    ASSIGN_OR_RETURN(line.entry, checkpointFrom(object));
  } else if (name == kRemovedName) {
    line.entry = RemovedCheckpoint{textIn(object, "id")};
  } else {
    ASSIGN_OR_RETURN(line.entry, eventFromJson(object));
  }
  return line;
}

Result<FileDescriptor> openPlain(const fs::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (!S_ISREG(info.st_mode)) return Error::corrupt(notPlainFileText(path.native()));
  return file;
}

}  // namespace

Result<std::string> journalText(const JournalLine& line) {
  Json object = std::visit([](const auto& entry) { return jsonOf(entry); }, line.entry);
  object["wall_ms"] = line.wallMs;
  if (line.segment >= 0) object[kSegmentKey] = line.segment;
  std::string text = jsonText(object);
  text.pop_back();
  text += std::string(kChecksumMark) + std::to_string(checksumOf(text)) + "}";
  if (text.size() > kLongestJournalLine) return Error::config("it is too large for a journal");
  return text;
}

struct JournalReader::State {
  fs::path path;
  FileDescriptor file;
  bool mayBeWritten = false;
  Position at;
  std::string buffer;     // of the file from `at` on
  std::size_t begin = 0;  // of the line at `at` in it
  Position lineStart;
  std::uint32_t checksum = 0;
  std::string gap;

  /// Appends to the buffer. Returns false at the end of the file.
  Result<bool> fill() {
    constexpr std::size_t kPiece = 1 << 18;
    buffer.erase(0, std::exchange(begin, 0));
    const std::size_t had = buffer.size();
    buffer.resize(had + kPiece);
    ssize_t got = -1;
    do {
      got = ::pread(file.get(), buffer.data() + had, kPiece, at.byte + static_cast<off_t>(had));
    } while (got < 0 && errno == EINTR);
    buffer.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
    return got > 0;
  }
  /// Returns the line at `at` without its end; nullopt at the end of the file. Fails with Io, or Corrupt (too long).
  Result<std::optional<std::string_view>> text() {
    for (std::size_t searched = 0;;) {
      const std::size_t end = buffer.find('\n', begin + searched);
      if (end != std::string::npos) return std::optional(std::string_view(buffer).substr(begin, end - begin));
      searched = buffer.size() - begin;
      if (searched > kLongestJournalLine) return Error::corrupt("it is too long");
      ASSIGN_OR_RETURN(const bool more, fill());
      if (!more) return std::optional<std::string_view>{};
    }
  }
  void pass(std::string_view line) {
    begin += line.size() + 1;
    at.byte += static_cast<std::int64_t>(line.size()) + 1;
    ++at.line;
  }
  /// Passes what is read of a line that is too long.
  void passPart() {
    at.byte += std::ssize(buffer) - static_cast<std::int64_t>(begin);
    buffer.clear();
    begin = 0;
  }
  void seek(const Position& position) {
    at = position;
    buffer.clear();
    begin = 0;
  }
  /// Returns whether a segment begins behind `at`, and stays there.
  Result<bool> isSegmentBehind() {
    const Position from = at;
    bool found = false;
    while (!found) {
      const auto line = text();
      if (!line.ok() && line.error().code != ErrorCode::Corrupt) return line.error();
      if (!line.ok() || !*line) break;
      found = (**line).find(kSegmentMark) != std::string_view::npos && checkedSum(**line);
      pass(**line);
    }
    seek(from);
    return found;
  }
  std::string gapText(std::int64_t first, std::int64_t last, const std::string& why) const {
    if (last == first) return formatText("line {} of '{}' is damaged and left out: {}", first, path.native(), why);
    return formatText("lines {} to {} of '{}' are damaged and left out: {}", first, last, path.native(), why);
  }
};

JournalReader::JournalReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

Result<JournalReader> JournalReader::open(const fs::path& file, OpenedBy openedBy) {
  auto state = std::make_unique<State>();
  state->path = file;
  auto opened = openPlain(file);
  if (opened.ok() && openedBy == OpenedBy::Anyone) {
    state->mayBeWritten = mayBeLocked(*opened, {});
    // NFS shows everything the writer wrote only to files opened after the writer closed them.
    opened = openPlain(file);
  }
  if (!opened.ok()) return opened.error();
  state->file = std::move(*opened);
  return JournalReader(std::move(state));
}

void JournalReader::seek(const Position& position) {
  state_->seek(position);
}
JournalReader::Position JournalReader::position() const {
  return state_->at;
}
JournalReader::Position JournalReader::lineStart() const {
  return state_->lineStart;
}
std::uint32_t JournalReader::checksum() const {
  return state_->checksum;
}
const std::string& JournalReader::gap() const {
  return state_->gap;
}

Result<bool> JournalReader::next(JournalLine& line) {
  State& s = *state_;
  const Position from = s.at;
  Position end = from;                             // behind the last line with its checksum
  std::int64_t firstDamaged = 0, lastDamaged = 0;  // numbers of lines
  std::string why;                                 // of the first
  bool waits = s.mayBeWritten, found = false;
  s.gap.clear();
  while (!found) {
    const Position at = s.at;
    const auto text = s.text();
    if (!text.ok() && text.error().code != ErrorCode::Corrupt) {
      s.seek(from);
      return text.error();
    }
    if (text.ok() && !*text) break;
    const auto sum = text.ok() ? checkedSum(**text) : std::nullopt;
    if (!sum && waits) {
      ASSIGN_OR_RETURN(const bool isPast, s.isSegmentBehind());  // then nobody writes here any more
      if (!isPast) break;
      waits = false;
      continue;
    }
    Result<JournalLine> read = Error::corrupt(text.ok() ? "it does not have its checksum" : text.error().message);
    if (sum) read = lineFrom(**text);
    if (text.ok())
      s.pass(**text);
    else
      s.passPart();
    if (sum) end = s.at;
    found = read.ok();
    if (found) {
      line = std::move(*read);
      s.checksum = *sum;
      s.lineStart = at;
      continue;
    }
    lastDamaged = at.line + 1;
    if (why.empty()) {
      firstDamaged = lastDamaged;
      why = read.error().message;
    }
    if (s.at.byte - end.byte > kLongestDamage) {
      s.seek(from);
      return Error::corrupt(formatText("line {} of '{}' is damaged, and no intact one follows within {}", firstDamaged,
                                       s.path.native(), formatBytes(kLongestDamage)));
    }
  }
  if (firstDamaged > 0) s.gap = s.gapText(firstDamaged, lastDamaged, why);
  if (!found) s.seek(end);
  return found;
}

namespace {

void applyNewRun(RunDetail& detail, const NewRun& run) {
  detail.summary.plannedBatches = run.plannedBatches;
  detail.configYaml = run.configYaml;
  detail.resolvedYaml = run.resolvedYaml;
  detail.resolvedValues = run.resolvedValues;
  detail.references = run.references;
}

/// Adds the entries of a journal to a run.
class JournalApplier {
 public:
  explicit JournalApplier(JournalRun& journal) : journal_(journal) {}

  Result<void> apply(const JournalLine& line) {
    if (const auto* segment = std::get_if<JournalSegment>(&line.entry)) return applySegment(*segment, line.wallMs);
    if (journal_.run.segments.empty()) return Error::corrupt("it belongs to no segment");
    if (line.segment >= std::ssize(journal_.run.segments)) return Error::corrupt(kSegmentLineLost);
    if (const auto* event = std::get_if<RunEvent>(&line.entry)) applyEvent(*event);
    if (const auto* record = std::get_if<CheckpointRecord>(&line.entry)) applyCheckpoint(*record);
    if (const auto* removed = std::get_if<RemovedCheckpoint>(&line.entry))
      std::erase_if(journal_.checkpoints, [&](const CheckpointRecord& known) { return known.id == removed->id; });
    return {};
  }

 private:
  Result<void> applySegment(const JournalSegment& segment, std::int64_t wallMs) {
    RunDetail& detail = journal_.run;
    const std::optional<NewRun>& run = segment.start.restart;
    if (segment.number != std::ssize(detail.segments)) return Error::corrupt("a segment is left out");
    if (segment.number == 0) {
      if (!run) return Error::corrupt("it does not say which run begins");
      detail.summary.id = segment.run;
      detail.summary.name = run->name;
      detail.summary.createdMs = wallMs;
      detail.summary.parent = run->parent;
      detail.summary.tags = run->tags;
      detail.why = run->why;
    }
    if (run) applyNewRun(detail, *run);
    const RunRecorder::SegmentStart& start = segment.start;
    if (!start.resolvedYaml.empty()) detail.resolvedYaml = start.resolvedYaml;
    detail.segments.push_back(
        {segment.number, start.from, start.checkpoint, wallMs, segment.host, segment.processId, start.environment});
    detail.summary.status = RunStatus::Running;
    std::erase_if(journal_.losses, [&](const SeriesPoint& point) { return point.batch > start.from.batch; });
    return {};
  }

  void applyCheckpoint(CheckpointRecord record) {
    record.run = journal_.run.summary.id;
    record.segment = std::ssize(journal_.run.segments) - 1;
    for (const CheckpointRecord& known : journal_.checkpoints)
      if (known.id == record.id) return;  // recorded again after a failure
    journal_.checkpoints.push_back(std::move(record));
  }

  void applyEvent(const RunEvent& event) {
    RunSummary& summary = journal_.run.summary;
    if (const auto* row = std::get_if<MetricsRow>(&event)) {
      summary.at = row->at;
      if (kindOf(*row) == RowKind::Batch) journal_.losses.push_back({row->at.batch, row->loss});
    } else if (const auto* end = std::get_if<RunFinished>(&event)) {
      summary.status = end->status;
      summary.reason = end->reason;
      if (end->at.batch > summary.at.batch) summary.at = end->at;  // an origin has no rows
    }
  }

  JournalRun& journal_;
};

}  // namespace

Result<JournalRun> readJournalRun(JournalReader& reader, const fs::path& file) {
  JournalRun journal;
  JournalApplier applier(journal);
  JournalLine line;
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, reader.next(line));
    if (!more) break;
    if (!reader.gap().empty()) journal.gaps.push_back(reader.gap());
    if (auto done = applier.apply(line); !done.ok())
      return done.error().within(formatText("line {} of '{}'", reader.position().line, file.native()));
  }
  if (journal.run.segments.empty() || journal.run.summary.id != file.stem().native())
    return Error::corrupt(formatText("the journal '{}' does not begin with the run that its name says", file.native()));
  return journal;
}

Result<JournalRun> readJournalRun(const fs::path& file) {
  ASSIGN_OR_RETURN(auto reader, JournalReader::open(file));
  return readJournalRun(reader, file);
}

fs::path forkOriginFile(const fs::path& folder, const std::string& id) {
  return folder / "runs" / (id + ".origin");
}

Result<void> writeForkOrigin(const fs::path& folder, const RunDetail& run,
                             const std::vector<CheckpointRecord>& checkpoints) {
  JournalSegment segment;
  segment.run = run.summary.id;
  NewRun& begun = segment.start.restart.emplace();
  begun.name = run.summary.name;
  begun.configYaml = run.configYaml;
  begun.resolvedYaml = run.resolvedYaml;
  begun.resolvedValues = currentResolvedValues(run);
  begun.plannedBatches = run.summary.plannedBatches;
  std::vector<JournalEntry> entries{segment};
  entries.insert(entries.end(), checkpoints.begin(), checkpoints.end());
  entries.emplace_back(RunFinished{run.summary.status, run.summary.reason, run.summary.at, {}});
  std::string text;
  for (const JournalEntry& entry : entries) {
    ASSIGN_OR_RETURN(const auto line, journalText({run.summary.createdMs, entry, 0}));
    text += line + "\n";
  }
  return writeFileAtomically(forkOriginFile(folder, run.summary.id), text);
}

Result<fs::path> findJournal(const fs::path& folder, std::string_view idOrName) {
  fs::path found;
  std::int64_t newestMs = -1;
  for (const fs::path& file : journalFiles(folder)) {
    auto reader = JournalReader::open(file);
    JournalLine line;
    if (!reader.ok()) continue;
    if (const auto first = reader->next(line); !first.ok() || !*first) continue;
    const auto* segment = std::get_if<JournalSegment>(&line.entry);
    const bool hasName = segment != nullptr && segment->start.restart && segment->start.restart->name == idOrName;
    if (file.stem().native() != idOrName && !hasName && idOrName != "latest") continue;
    if (line.wallMs <= newestMs) continue;
    newestMs = line.wallMs;
    found = file;
  }
  if (!found.empty()) return found;
  return Error::notFound(formatText("there is no journal of a run '{}' in '{}'", idOrName, (folder / "runs").native()));
}

}  // namespace batchwise
