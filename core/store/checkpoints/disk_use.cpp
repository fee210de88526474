// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/disk_use.h"

#include <algorithm>
#include <functional>

#include "core/base/file.h"
#include "core/config/default_values.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

/// Sum over the regular files below `folder`; links are not followed.
std::int64_t bytesBelow(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  std::error_code failure;
  for (const std::filesystem::path& entry : entriesOf(folder)) {
    const auto kind = std::filesystem::symlink_status(entry, failure).type();
    if (kind == std::filesystem::file_type::directory) bytes += bytesBelow(entry);
    if (kind != std::filesystem::file_type::regular) continue;
    const auto size = std::filesystem::file_size(entry, failure);
    if (!failure) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

std::int64_t databaseBytes(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(folder / (std::string(kDatabaseName) + ending), missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace

Result<DiskUse> diskUse(const Workspace& workspace) {
  DiskUse use;
  ASSIGN_OR_RETURN(auto runs, workspace.listRuns(/*withArchived=*/true));
  for (RunSummary& run : runs) {
    ASSIGN_OR_RETURN(const auto records, workspace.checkpoints(run.id));
    std::int64_t bytes = 0;
    for (const CheckpointRecord& record : records) bytes += record.bytes;
    use.checkpoints += bytes;
    if (run.archived) use.archived += bytes;
    use.runs.push_back({std::move(run), bytes});
  }
  std::ranges::stable_sort(use.runs, std::greater(), &RunDiskUse::bytes);
  use.database = databaseBytes(workspace.folder());
  use.cache = bytesBelow(workspace.cacheFolder());
  const std::int64_t all = bytesBelow(workspace.folder());
  use.other = std::max<std::int64_t>(0, all - use.checkpoints - use.database - use.cache);
  return use;
}

Result<std::vector<CheckpointRecord>> checkpointsBesidesBest(const Workspace& workspace, const std::string& run) {
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run));
  if (detail.summary.status == RunStatus::Running) return std::vector<CheckpointRecord>{};
  ASSIGN_OR_RETURN(auto records, workspace.checkpoints(detail.summary.id));
  const EvalMetric metric = parseConfig(detail.resolvedYaml, detail.summary.name, {}).config.checkpoint.bestMetric;
  const CheckpointRecord* found = bestCheckpoint(records, metric != EvalMetric::Accuracy);
  std::string best = found == nullptr ? std::string() : found->id;
  if (best.empty())
    if (const auto order = resumeOrder(detail.segments, records); !order.empty()) best = order.front().id;
  if (best.empty()) return std::vector<CheckpointRecord>{};  // nothing says which one is worth keeping
  std::erase_if(records, [&best](const CheckpointRecord& record) { return record.pinned || record.id == best; });
  return records;
}

}  // namespace batchwise
