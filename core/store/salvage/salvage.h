// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Called on the working thread, with the phases "searching for rows", "copying rows", "copying checkpoints".
using SalvageProgress = std::function<void(const PhaseProgress&)>;

/// What salvageWorkspace() copied and what was lost.
struct SalvageReport {
  std::map<std::string, std::int64_t> copied;  ///< rows by table (SCHEMA.md), plus "checkpoint files" and "journals"
  std::vector<Message> lost;                   ///< one message each, at most 200, then the number of further ones
  std::vector<Message> notes;                  ///< other messages for the user
};

/// Copies all runs, configurations, rows, events and checkpoints of `source` (a workspace folder or a
/// `workspace.sqlite`) that SQLite's recovery can find (sqlite_recovery.h) into the new workspace `target`. The source
/// may be damaged or hostile: each row must have a correct checksum and is validated; the source is not written.
/// Running runs become Interrupted. If the row of a run is lost, its metrics are kept under the id and name found in
/// the table's indexes, otherwise under "salvaged-N". Valid checkpoint files are linked or copied, and so are journals.
/// If rows that journals hold are lost, the runs of whole journals are prepared for the next `runs sync`, which imports
/// all of them again. Everything is synced on return.
/// `target` must not exist, or be empty. It is created in a hidden folder beside it (inside it if it exists) and
/// renamed when complete, so a failure leaves it unchanged; leftovers of killed attempts are removed. Fails with
/// NotFound, Config (target), Corrupt or Unsupported (nothing readable; another program's file; no `sqlite3`),
/// DiskFull, Io, or Stopped.
Result<SalvageReport> salvageWorkspace(const std::filesystem::path& source, const std::filesystem::path& target,
                                       const SalvageProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace batchwise
