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

// A run on its way from one workspace to another: all its rows and events, superseded ones included, as plain values.

struct TransferValue {
  std::uint32_t series = 0;  ///< index into the names of the run's series
  double value = 0;
  bool operator==(const TransferValue&) const = default;
};

/// A row of metrics. Rows travel by ascending segment, kind (SCHEMA.md) and position.
struct TransferRow {
  std::int64_t segment = 0;
  std::int32_t kind = 0;
  std::int64_t position = 0;
  std::vector<TransferValue> values;
  bool operator==(const TransferRow&) const = default;
};

/// The kind of row that holds a series of this name.
std::int32_t rowKindOf(std::string_view series);

/// Names of the series, then each row of the segments 0 to `segments` - 1, as one snapshot. Fails with NotFound,
/// Corrupt, or as `begin` and `take` do.
Result<void> readRunRows(const Workspace& workspace, const std::string& run, std::int64_t segments,
                         const std::function<Result<void>(const std::vector<std::string>&)>& begin,
                         const std::function<Result<void>(const TransferRow&)>& take);

/// A run that comes from elsewhere, already checked: every text valid, rows in order, indices within bounds.
struct IncomingRun {
  RunDetail detail;                           ///< its name is the one that is wanted
  std::vector<CheckpointRecord> checkpoints;  ///< whose files lie in the workspace; ids are unused there
  std::vector<std::string> series;
  std::function<Result<std::optional<TransferRow>>()> nextRow;
  std::function<Result<std::optional<StoredEvent>>()> nextEvent;  ///< asked after the last row
};
struct TakenRun {
  std::string id;
  std::string name;
};
/// Enters the run in one transaction, all or nothing. It keeps its id unless the workspace has one of that id: then it
/// gets a new one, and its note tells the old. A name that is taken gets "-2" and so on. Fails as Workspace's writing
/// functions, or as the functions of `run` do.
Result<TakenRun> takeRun(Workspace& workspace, const IncomingRun& run);

}  // namespace batchwise
