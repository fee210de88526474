// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage_rules.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/events/run_event.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

void clearUnlessNumber(const TableShape& shape, Row& row, std::string_view column) {
  const auto found = std::find(shape.columns.begin(), shape.columns.end(), column);
  Cell& cell = row[static_cast<std::size_t>(found - shape.columns.begin())];
  const auto* bytes = std::get_if<ByteVector>(&cell);  // a NaN is stored as its 8 bytes
  const bool number = std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell) ||
                      (bytes != nullptr && bytes->size() == sizeof(double));
  if (!number) cell = std::monostate{};
}

/// Replaces unreadable clocks with those of the start.
void resetInvalidClocks(const TableShape& shape, Row& row, std::string_view column) {
  if (auto* text = findCell<std::string>(shape, row, column); text != nullptr && !timestampFromText(*text).ok())
    *text = "{}";
}

std::optional<Message> validateMetricRow(const TableShape& shape, Row& row) {
  const auto* position = findCell<std::int64_t>(shape, row, "position");
  const auto* data = findCell<ByteVector>(shape, row, "data");
  if (position == nullptr || data == nullptr || !decodeRow(*position, *data).ok())
    return messages::salvageMetricRowFailsChecksum();
  return std::nullopt;
}

std::optional<Message> validateSeries(const TableShape& shape, Row& row) {
  const auto* id = findCell<std::int64_t>(shape, row, "id");
  const auto* name = findCell<std::string>(shape, row, "name");
  const bool fine = id != nullptr && *id >= 1 && *id <= std::numeric_limits<std::uint32_t>::max() && name != nullptr &&
                    checkRunName(*name).ok();
  return fine ? std::nullopt : std::optional<Message>(messages::salvageSeriesInvalid());
}

std::optional<Message> validateEvent(const TableShape& shape, Row& row) {
  const auto* json = findCell<std::string>(shape, row, "json");
  if (json == nullptr || !eventFromJson(parseJsonOrDiscarded(*json)).ok()) return messages::salvageEventInvalid();
  return std::nullopt;
}

bool isRunId(const std::string& text) {
  static const std::size_t length = newRecordId().size();
  return text.size() == length &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

/// Returns whether the index is on checkpoint ids or on paths of checkpoint files.
bool isOfCheckpoints(const std::vector<const IndexedText*>& index, const std::set<std::string>& checkpointIds) {
  return std::any_of(index.begin(), index.end(), [&](const IndexedText* entry) {
    const auto named = parseCheckpointName(entry->text);
    return entry->text.starts_with("checkpoints/") || checkpointIds.contains(entry->text) ||
           (named && isRunId(named->run));
  });
}

}  // namespace

std::map<std::int64_t, RunNames> indexedRunNames(const std::vector<IndexedText>& entries,
                                                 const std::set<std::string>& checkpointIds) {
  std::map<std::int64_t, std::vector<const IndexedText*>> indexes;
  for (const IndexedText& entry : entries) indexes[entry.index].push_back(&entry);
  std::map<std::int64_t, RunNames> runs;
  std::set<std::int64_t> contradicted;
  for (const auto& [root, index] : indexes) {
    if (isOfCheckpoints(index, checkpointIds)) continue;
    const bool ids = std::all_of(index.begin(), index.end(), [](const auto* one) { return isRunId(one->text); });
    for (const IndexedText* entry : index) {
      RunNames& names = runs[entry->row];
      // Names may look like ids; the index of ids was created first.
      std::string& text = ids && names.id.empty() ? names.id : names.name;
      if (!text.empty() && text != entry->text) contradicted.insert(entry->row);
      text = entry->text;
    }
  }
  for (const std::int64_t row : contradicted) runs[row].name.clear();
  return runs;
}

std::optional<Message> SalvageRules::validate(const TableShape& shape, Row& row) {
  if (shape.name == "run") return validateRun(shape, row);
  if (shape.name == "series") return validateSeries(shape, row);
  if (shape.name == "metric_row") return validateMetricRow(shape, row);
  if (shape.name == "event") return validateEvent(shape, row);
  if (shape.name == "segment") resetInvalidClocks(shape, row, "from_at");
  if (shape.name == "run_reference") clearUnlessNumber(shape, row, "value");
  if (shape.name != "checkpoint") return std::nullopt;
  const auto* id = findCell<std::string>(shape, row, "id");
  const auto* file = findCell<std::string>(shape, row, "file");
  if (id == nullptr || file == nullptr || !isPlainId(*id) || !checkpointIds_.insert(*id).second)
    return messages::salvageCheckpointIdInvalid();
  if (!checkCheckpointPath(*file).ok()) return messages::salvageCheckpointFileElsewhere(*id);
  resetInvalidClocks(shape, row, "at");
  clearUnlessNumber(shape, row, "metric");
  return std::nullopt;
}

RunNames SalvageRules::namesOfLostRun(std::int64_t number, const std::map<std::int64_t, RunNames>& indexed) {
  const auto found = indexed.find(number);
  RunNames names = found == indexed.end() ? RunNames{} : found->second;
  if (!isPlainId(names.id) || !runIds_.insert(names.id).second) runIds_.insert(names.id = newRecordId());
  if (!checkRunName(names.name).ok() || !runNames_.insert(names.name).second)
    runNames_.insert(names.name = "salvaged-" + std::to_string(number));
  return names;
}

std::optional<Message> SalvageRules::validateRun(const TableShape& shape, Row& row) {
  auto* id = findCell<std::string>(shape, row, "id");
  auto* name = findCell<std::string>(shape, row, "name");
  auto* status = findCell<std::string>(shape, row, "status");
  auto* reason = findCell<std::string>(shape, row, "reason");
  const auto* number = findCell<std::int64_t>(shape, row, "number");
  if (id == nullptr || name == nullptr || status == nullptr || reason == nullptr || number == nullptr || *number < 1)
    return messages::salvageRunIncomplete();
  if (!isPlainId(*id) || runIds_.contains(*id)) *id = newRecordId();
  if (!checkRunName(*name).ok() || runNames_.contains(*name)) *name = "salvaged-" + std::to_string(*number);
  if (!runNames_.insert(*name).second) return messages::salvageRunNameTaken(*name);
  runIds_.insert(*id);
  const auto known = choiceFromName<RunStatus>(*status);
  if (!known || *known == RunStatus::Running) {
    *status = choiceName(RunStatus::Interrupted);
    *reason = messages::salvagedRunWasRunning().text();
  }
  resetInvalidClocks(shape, row, "at");
  for (const char* value : {"loss", "eval_loss", "learning_rate", "samples_per_sec", "tokens_per_sec"})
    clearUnlessNumber(shape, row, value);
  return std::nullopt;
}

}  // namespace batchwise
