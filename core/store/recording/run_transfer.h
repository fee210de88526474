// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

// A run being transferred between workspaces: all its rows and events, superseded ones included, as plain values.

struct TransferValue {
  std::uint32_t series = 0;  ///< index into the names of the run's series
  double value = 0;
  bool operator==(const TransferValue&) const = default;
};

/// A metrics row. Rows are transferred in ascending order of segment, kind (SCHEMA.md) and position.
struct TransferRow {
  std::int64_t segment = 0;
  std::int32_t kind = 0;
  std::int64_t position = 0;
  std::vector<TransferValue> values;
  bool operator==(const TransferRow&) const = default;
};

std::int32_t rowKindOf(std::string_view series);

/// Calls `begin` with the names of the series, then `take` with each row of segments 0 to `segments` - 1, from one
/// snapshot. Fails with NotFound or Corrupt, or as `begin` and `take` do.
Result<void> readRunRows(const Workspace& workspace, const std::string& run, std::int64_t segments,
                         const std::function<Result<void>(const std::vector<std::string>&)>& begin,
                         const std::function<Result<void>(const TransferRow&)>& take);

/// A run to import, already validated: valid texts, rows in order, indices within bounds.
struct IncomingRun {
  RunDetail detail;                           ///< with the desired name
  std::vector<CheckpointRecord> checkpoints;  ///< with unused ids
  std::vector<std::string> series;
  std::function<Result<std::optional<TransferRow>>()> nextRow;
  std::function<Result<std::optional<StoredEvent>>()> nextEvent;  ///< called after the last row
  /// Puts the checkpoint files in place; called last, before the commit. Empty: they are there already.
  std::function<Result<void>()> placeFiles = {};
};
struct ImportedRun {
  std::string id;
  std::string name;
};
/// Inserts the run in one transaction. It keeps its id unless the workspace has a run with that id: then it gets a new
/// one, and its note mentions the old one. A taken name gets "-2" and so on. Fails as Workspace's writing functions or
/// the functions of `run` do.
Result<ImportedRun> storeImportedRun(Workspace& workspace, const IncomingRun& run);

}  // namespace batchwise
