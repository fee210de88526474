// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage_rules.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"
#include "core/events/run_event.h"
#include "core/store/record_text.h"
#include "core/store/records.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

/// A cell of a row by the name of its column.
template <typename T>
T* find(const TableShape& shape, Row& row, std::string_view column) {
  const auto found = std::find(shape.columns.begin(), shape.columns.end(), column);
  return std::get_if<T>(&row[static_cast<std::size_t>(found - shape.columns.begin())]);
}

void keepNumber(const TableShape& shape, Row& row, std::string_view column) {
  const auto found = std::find(shape.columns.begin(), shape.columns.end(), column);
  Cell& cell = row[static_cast<std::size_t>(found - shape.columns.begin())];
  const auto* bytes = std::get_if<Bytes>(&cell);  // a NaN is stored as its 8 bytes
  const bool number = std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell) ||
                      (bytes != nullptr && bytes->size() == sizeof(double));
  if (!number) cell = std::monostate{};
}

/// Clocks that cannot be read become those of the start.
void keepClocks(const TableShape& shape, Row& row, std::string_view column) {
  if (auto* text = find<std::string>(shape, row, column); text != nullptr && !timestampFromText(*text).ok())
    *text = "{}";
}

std::optional<std::string> judgeMetricRow(const TableShape& shape, Row& row) {
  const auto* position = find<std::int64_t>(shape, row, "position");
  const auto* data = find<Bytes>(shape, row, "data");
  if (position == nullptr || data == nullptr || !decodeRow(*position, *data).ok())
    return "a row of metrics that fails its checksum";
  return std::nullopt;
}

std::optional<std::string> judgeSeries(const TableShape& shape, Row& row) {
  const auto* id = find<std::int64_t>(shape, row, "id");
  const auto* name = find<std::string>(shape, row, "name");
  const bool fine = id != nullptr && *id >= 1 && *id <= std::numeric_limits<std::uint32_t>::max() && name != nullptr &&
                    checkRunName(*name).ok();
  return fine ? std::nullopt : std::optional<std::string>("a series with an impossible name or number");
}

std::optional<std::string> judgeEvent(const TableShape& shape, Row& row) {
  const auto* json = find<std::string>(shape, row, "json");
  if (json == nullptr || !eventFromJson(storedJson(*json)).ok()) return "an event that is none";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> SalvageRules::judge(const TableShape& shape, Row& row) {
  if (shape.name == "run") return judgeRun(shape, row);
  if (shape.name == "series") return judgeSeries(shape, row);
  if (shape.name == "metric_row") return judgeMetricRow(shape, row);
  if (shape.name == "event") return judgeEvent(shape, row);
  if (shape.name == "segment") keepClocks(shape, row, "from_at");
  if (shape.name == "run_reference") keepNumber(shape, row, "value");
  if (shape.name != "checkpoint") return std::nullopt;
  const auto* id = find<std::string>(shape, row, "id");
  const auto* file = find<std::string>(shape, row, "file");
  if (id == nullptr || file == nullptr || !isPlainId(*id) || !checkpointIds_.insert(*id).second)
    return "a checkpoint with an impossible id";
  if (!checkCheckpointPath(*file).ok()) return "checkpoint " + *id + ", whose file is said to be elsewhere";
  keepClocks(shape, row, "at");
  keepNumber(shape, row, "metric");
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

std::optional<std::string> SalvageRules::judgeRun(const TableShape& shape, Row& row) {
  auto* id = find<std::string>(shape, row, "id");
  auto* name = find<std::string>(shape, row, "name");
  auto* status = find<std::string>(shape, row, "status");
  auto* reason = find<std::string>(shape, row, "reason");
  const auto* number = find<std::int64_t>(shape, row, "number");
  if (id == nullptr || name == nullptr || status == nullptr || reason == nullptr || number == nullptr || *number < 1)
    return "a run without id, name or status";
  if (!isPlainId(*id) || runIds_.contains(*id)) *id = newRecordId();
  if (!checkRunName(*name).ok() || runNames_.contains(*name)) *name = "salvaged-" + std::to_string(*number);
  if (!runNames_.insert(*name).second) return "run '" + *name + "', whose name is there already";
  runIds_.insert(*id);
  const auto known = runStatusFromName(*status);
  if (!known || *known == RunStatus::Running) {
    *status = runStatusName(RunStatus::Interrupted);
    *reason = "it was running when its workspace was left";
  }
  keepClocks(shape, row, "at");
  for (const char* value : {"loss", "eval_loss", "learning_rate", "samples_per_sec", "tokens_per_sec"})
    keepNumber(shape, row, value);
  return std::nullopt;
}

}  // namespace batchwise
