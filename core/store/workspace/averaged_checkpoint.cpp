// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/averaged_checkpoint.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/store/checkpoints/checkpoint_average.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/messages.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr const char* kWeights = "model/";
constexpr const char* kAverageOf = "average_of";

}  // namespace

Result<CheckpointRecord> addAveragedCheckpoint(Workspace& workspace, const std::string& run, std::int64_t count) {
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(const auto all, workspace.checkpoints(detail.summary.id));
  const std::vector<CheckpointRecord> newest = resumeOrder(detail.segments, all);
  if (count < 2 || count > std::ssize(newest))
    return Error::config(messages::tooFewCheckpointsToAverage(detail.summary.name, newest.size(), count));
  std::vector<std::filesystem::path> files;
  nlohmann::json ids = nlohmann::json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    const CheckpointRecord& record = newest[static_cast<std::size_t>(i)];
    ASSIGN_OR_RETURN(auto file, findCheckpointFile(workspace.folder(), record.file));
    files.push_back(std::move(file));
    ids.push_back(record.id);
  }
  CheckpointRecord record = newest.front();
  record.id = newRecordId();
  record.file = "checkpoints/" + record.id + ".sqlite";
  record.reason = kAverageCheckpoint;
  record.metric = std::nullopt;
  record.pinned = true;
  record.createdMs = workspace.state().clock.wallMs();
  RETURN_IF_ERROR(
      writeCheckpointAverage(files, kWeights, {{kAverageOf, ids.dump()}}, workspace.folder() / record.file));
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::openIn(workspace.folder(), record.file));
  RETURN_IF_ERROR(reader.verify());
  record.verified = true;
  ASSIGN_OR_RETURN(record.bytes, checkpointFileBytes(workspace.folder(), record.file));
  RETURN_IF_ERROR(workspace.state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, record.run));
    insertCheckpoint(database, number, record);
    return {};
  }));
  return record;
}

}  // namespace batchwise
