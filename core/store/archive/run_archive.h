// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

// A run as a single file for transfer (SCHEMA.md, "Archives").

/// Progress in bytes. Called after each chunk from the calling thread.
using ArchiveProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Checkpoints of a run to include in its archive.
struct CheckpointSelection {
  enum class Kind { Latest, All, None, Listed };
  Kind kind = Kind::Latest;      ///< Latest: the one that a resume starts from
  std::vector<std::string> ids;  ///< for Listed
};
/// Parses "latest", "all", "none", or comma-separated ids. Fails with Config.
Result<CheckpointSelection> parseCheckpointSelection(const std::string& text);

struct ArchiveSummary {
  std::string run;  ///< run id
  std::string name;
  std::int64_t checkpoints = 0;
  std::int64_t bytes = 0;  ///< size of the archive
};

/// Writes a run with its metrics and events to `target`, replacing it once the archive is complete, if permitted
/// (see checkOutputFile). Fails with NotFound for an unknown run or checkpoint, Corrupt if a checkpoint fails its
/// checks, DiskFull, Io, Config if `target` is refused, or Stopped on `stop`. Leaves no partial file.
Result<ArchiveSummary> exportArchive(const Workspace& workspace, const std::string& run,
                                     const CheckpointSelection& choice, const std::filesystem::path& target,
                                     Replaces replaces = Replaces::Nothing, const ArchiveProgress& progress = {},
                                     std::stop_token stop = {});

/// Checks a whole untrusted archive, then imports its run. It keeps its id unless the workspace has a run of that id:
/// then it gets a new one, and its note mentions the old one. A taken name gets "-2" and so on; `name` replaces the
/// run's name unless empty. A failure leaves the workspace unchanged. Fails with Corrupt, Unsupported (newer format, or
/// other tables), NotFound, Config (invalid name), DiskFull, Io, or Stopped on `stop`.
Result<ArchiveSummary> importArchive(Workspace& workspace, const std::filesystem::path& archive,
                                     const std::string& name, const ArchiveProgress& progress = {},
                                     std::stop_token stop = {});

}  // namespace batchwise
