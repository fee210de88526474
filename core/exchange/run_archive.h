// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/output_file.h"
#include "core/store/workspace.h"

namespace batchwise {

// A run as one file, to hand to somebody else (ARCHIVE.md).

/// Bytes done and to do; called after each piece, from the thread that works.
using ArchiveProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Which checkpoints of a run go into its archive.
struct ArchiveChoice {
  enum class Which { Latest, All, None, Listed };
  Which which = Which::Latest;   ///< Latest: the one that a resume would start from
  std::vector<std::string> ids;  ///< for Listed
};
/// "latest", "all", "none", or ids with commas. Fails with Config.
Result<ArchiveChoice> parseArchiveChoice(const std::string& text);

struct ArchiveSummary {
  std::string run;  ///< id
  std::string name;
  std::int64_t checkpoints = 0;
  std::int64_t bytes = 0;  ///< of the archive
};

/// Writes the run with all its metrics and events to `target`, which is replaced once it is complete, if it may be (see
/// checkOutputFile). Fails with NotFound for an unknown run or checkpoint, Corrupt if a checkpoint fails its checks,
/// DiskFull, Io, Config for a target that is refused, and with Stopped if `stop` was asked for before it was complete:
/// nothing is left behind then.
Result<ArchiveSummary> exportArchive(const Workspace& workspace, const std::string& run, const ArchiveChoice& choice,
                                     const std::filesystem::path& target, Replaces replaces = Replaces::OwnFiles,
                                     const ArchiveProgress& progress = {}, std::stop_token stop = {});

/// Checks the whole archive as a file of unknown origin, then enters its run: see takeRun(). `name`: in place of its
/// own; empty: its own. Nothing is left in the workspace if it fails. Needs memory for a few records. Fails with
/// Corrupt, Unsupported (newer format), NotFound, Config (a name that cannot be), DiskFull, Io, and with Stopped if
/// `stop` was asked for before the run was entered.
Result<ArchiveSummary> importArchive(Workspace& workspace, const std::filesystem::path& archive,
                                     const std::string& name, const ArchiveProgress& progress = {},
                                     std::stop_token stop = {});

}  // namespace batchwise
