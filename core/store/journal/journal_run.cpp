// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/journal/journal_run.h"

#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_format.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/record_text.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

void applyRestart(RunDetail& detail, const NewRun& run) {
  detail.summary.plannedBatches = run.plannedBatches;
  detail.configYaml = run.configYaml;
  detail.resolvedYaml = run.resolvedYaml;
  detail.resolvedValues = run.resolvedValues;
  detail.references = run.references;
}

void applyRun(JournalRun& journal, const Json& record) {
  const NewRun run = newRunFrom(record);
  RunDetail& detail = journal.run;
  detail.summary.id = textIn(record, "run");
  detail.summary.name = run.name;
  detail.summary.createdMs = numberIn(record, "created_ms");
  detail.summary.parent = run.parent;
  detail.summary.tags = run.tags;
  detail.summary.status = RunStatus::Running;
  detail.why = run.why;
  applyRestart(detail, run);
}

Result<void> applySegment(JournalRun& journal, const Json& record) {
  ASSIGN_OR_RETURN(const auto from, timestampFromText(textIn(record, "from")));
  const auto number = static_cast<std::int64_t>(journal.run.segments.size());
  if (numberIn(record, "segment") != number) return Error::corrupt("a segment is left out");
  journal.run.segments.push_back({number, from, textIn(record, "checkpoint"), numberIn(record, "started_ms"),
                                  textIn(record, "host"), numberIn(record, "process_id"),
                                  textIn(record, "environment")});
  if (std::string changed = textIn(record, "resolved_yaml"); !changed.empty())
    journal.run.resolvedYaml = std::move(changed);
  if (const auto restart = restartIn(record)) applyRestart(journal.run, *restart);
  journal.run.summary.status = RunStatus::Running;
  std::erase_if(journal.losses, [&](const SeriesPoint& point) { return point.batch > from.batch; });
  return {};
}

Result<void> applyCheckpoint(JournalRun& journal, const Json& json) {
  ASSIGN_OR_RETURN(auto record, checkpointFrom(json));
  record.run = journal.run.summary.id;
  record.segment = static_cast<std::int64_t>(journal.run.segments.size()) - 1;
  for (const CheckpointRecord& known : journal.checkpoints)
    if (known.id == record.id) return {};  // recorded again after a failure
  journal.checkpoints.push_back(std::move(record));
  return {};
}

Result<void> applyEvent(JournalRun& journal, const Json& json) {
  ASSIGN_OR_RETURN(const auto event, eventFromJson(json));
  if (const auto* row = std::get_if<MetricsRow>(&event)) {
    journal.run.summary.at = row->at;
    if (kindOf(*row) == RowKind::Batch) journal.losses.push_back({row->at.batch, row->loss});
  }
  if (const auto* end = std::get_if<RunFinished>(&event)) {
    journal.run.summary.status = end->status;
    journal.run.summary.reason = end->reason;
  }
  return {};
}

Result<void> applyRecord(JournalRun& journal, const Json& record, const JournalReader& reader) {
  if (record.contains("journal")) {
    applyRun(journal, record);
    return {};
  }
  if (record.contains("segment")) return applySegment(journal, record);
  const std::int64_t newest = std::ssize(journal.run.segments) - 1;
  if (newest < 0) return Error::corrupt("there is no segment");
  if (reader.segment() != newest) return Error::corrupt("the beginning of its segment is lost");
  if (record.contains("checkpoint")) return applyCheckpoint(journal, record);
  if (record.contains("removed"))
    std::erase_if(journal.checkpoints,
                  [id = textIn(record, "removed")](const CheckpointRecord& known) { return known.id == id; });
  if (const auto event = record.find("event"); event != record.end()) return applyEvent(journal, *event);
  return {};
}

bool matchesRun(const fs::path& file, const Json& run, std::string_view idOrName) {
  return file.stem().native() == idOrName || textIn(run, "name") == idOrName || idOrName == "latest";
}

}  // namespace

Result<JournalRun> readJournalRun(const fs::path& file, bool isWriter) {
  ASSIGN_OR_RETURN(auto reader, JournalReader::open(file, isWriter ? JournalReader::OpenedBy::Writer
                                                                   : JournalReader::OpenedBy::Anyone));
  JournalRun journal;
  Json record;
  for (;;) {
    const auto more = reader.next(record);
    if (!more.ok() && more.error().code != ErrorCode::Corrupt) return more.error();
    if (!more.ok()) journal.notes.push_back(more.error().message);
    if (!more.ok() || !*more) break;
    if (auto taken = applyRecord(journal, record, reader); !taken.ok())
      return taken.error().within(formatText("record {} of '{}'", reader.number() - 1, file.native()));
  }
  for (const JournalGap& gap : reader.gaps())
    journal.notes.push_back(formatText("the journal '{}' is {}", file.native(), gap.text()));
  journal.records = reader.number();
  journal.bytes = reader.byte();
  if (journal.run.segments.empty() || journal.run.summary.id != file.stem().native())
    return Error::corrupt(formatText("the journal '{}' does not begin with the run that its name says", file.native()));
  return journal;
}

Result<fs::path> findJournal(const fs::path& folder, std::string_view idOrName) {
  fs::path found;
  std::int64_t newestMs = -1;
  for (const fs::path& file : journalFiles(folder)) {
    auto reader = JournalReader::open(file);
    Json run;
    if (!reader.ok()) continue;
    if (const auto first = reader->next(run); !first.ok() || !*first || !matchesRun(file, run, idOrName)) continue;
    if (numberIn(run, "created_ms") <= newestMs) continue;
    newestMs = numberIn(run, "created_ms");
    found = file;
  }
  if (!found.empty()) return found;
  return Error::notFound(formatText("there is no journal of a run '{}' in '{}'", idOrName, (folder / "runs").native()));
}

}  // namespace batchwise
