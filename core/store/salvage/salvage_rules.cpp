// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage_rules.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"
#include "core/events/run_event.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/records.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

/// Returns a cell of a row by column name; null if it has another type.
template <typename T>
T* find(const TableShape& shape, Row& row, std::string_view column) {
  const auto found = std::find(shape.columns.begin(), shape.columns.end(), column);
  return std::get_if<T>(&row[static_cast<std::size_t>(found - shape.columns.begin())]);
}

void clearUnlessNumber(const TableShape& shape, Row& row, std::string_view column) {
  const auto found = std::find(shape.columns.begin(), shape.columns.end(), column);
  Cell& cell = row[static_cast<std::size_t>(found - shape.columns.begin())];
  const auto* bytes = std::get_if<Bytes>(&cell);  // a NaN is stored as its 8 bytes
  const bool number = std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell) ||
                      (bytes != nullptr && bytes->size() == sizeof(double));
  if (!number) cell = std::monostate{};
}

/// Replaces unreadable clocks with those of the start.
void resetInvalidClocks(const TableShape& shape, Row& row, std::string_view column) {
  if (auto* text = find<std::string>(shape, row, column); text != nullptr && !timestampFromText(*text).ok())
    *text = "{}";
}

std::optional<std::string> validateMetricRow(const TableShape& shape, Row& row) {
  const auto* position = find<std::int64_t>(shape, row, "position");
  const auto* data = find<Bytes>(shape, row, "data");
  if (position == nullptr || data == nullptr || !decodeRow(*position, *data).ok())
    return messages::salvageMetricRowFailsChecksum();
  return std::nullopt;
}

std::optional<std::string> validateSeries(const TableShape& shape, Row& row) {
  const auto* id = find<std::int64_t>(shape, row, "id");
  const auto* name = find<std::string>(shape, row, "name");
  const bool fine = id != nullptr && *id >= 1 && *id <= std::numeric_limits<std::uint32_t>::max() && name != nullptr &&
                    checkRunName(*name).ok();
  return fine ? std::nullopt : std::optional<std::string>(messages::salvageSeriesInvalid());
}

std::optional<std::string> validateEvent(const TableShape& shape, Row& row) {
  const auto* json = find<std::string>(shape, row, "json");
  if (json == nullptr || !eventFromJson(parseJsonOrDiscarded(*json)).ok()) return messages::salvageEventInvalid();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> SalvageRules::validate(const TableShape& shape, Row& row) {
  if (shape.name == "run") return validateRun(shape, row);
  if (shape.name == "series") return validateSeries(shape, row);
  if (shape.name == "metric_row") return validateMetricRow(shape, row);
  if (shape.name == "event") return validateEvent(shape, row);
  if (shape.name == "segment") resetInvalidClocks(shape, row, "from_at");
  if (shape.name == "run_reference") clearUnlessNumber(shape, row, "value");
  if (shape.name != "checkpoint") return std::nullopt;
  const auto* id = find<std::string>(shape, row, "id");
  const auto* file = find<std::string>(shape, row, "file");
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

std::optional<std::string> SalvageRules::validateRun(const TableShape& shape, Row& row) {
  auto* id = find<std::string>(shape, row, "id");
  auto* name = find<std::string>(shape, row, "name");
  auto* status = find<std::string>(shape, row, "status");
  auto* reason = find<std::string>(shape, row, "reason");
  const auto* number = find<std::int64_t>(shape, row, "number");
  if (id == nullptr || name == nullptr || status == nullptr || reason == nullptr || number == nullptr || *number < 1)
    return messages::salvageRunIncomplete();
  if (!isPlainId(*id) || runIds_.contains(*id)) *id = newRecordId();
  if (!checkRunName(*name).ok() || runNames_.contains(*name)) *name = "salvaged-" + std::to_string(*number);
  if (!runNames_.insert(*name).second) return messages::salvageRunNameTaken(*name);
  runIds_.insert(*id);
  const auto known = runStatusFromName(*status);
  if (!known || *known == RunStatus::Running) {
    *status = runStatusName(RunStatus::Interrupted);
    *reason = messages::salvagedRunWasRunning();
  }
  resetInvalidClocks(shape, row, "at");
  for (const char* value : {"loss", "eval_loss", "learning_rate", "samples_per_sec", "tokens_per_sec"})
    clearUnlessNumber(shape, row, value);
  return std::nullopt;
}

}  // namespace batchwise
