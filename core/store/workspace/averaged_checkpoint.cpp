// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/base/format.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr const char* kWeights = "model/";
constexpr const char* kAverageOf = "average_of";

using Bytes = std::vector<std::byte>;

Result<Bytes> readEntry(const CheckpointReader& reader, const CheckpointEntry& entry) {
  const auto found = std::ranges::find(reader.entries(), entry.name, &CheckpointEntry::name);
  if (found == reader.entries().end() || found->type != entry.type || found->shape != entry.shape)
    return Error::config(formatText(
        "the checkpoints do not have the same weights: '{}' is missing in one or has another shape", entry.name));
  Bytes bytes(static_cast<std::size_t>(entry.bytes));
  RETURN_IF_ERROR(reader.read(entry.name, bytes));
  return bytes;
}

Result<Bytes> meanOf(const std::vector<CheckpointReader>& readers, const CheckpointEntry& entry) {
  if (static_cast<std::size_t>(entry.bytes) % sizeof(float) != 0)  // from an imported file
    return Error::corrupt(formatText("the description of entry '{}' is invalid", entry.name));
  const std::size_t count = static_cast<std::size_t>(entry.bytes) / sizeof(float);
  std::vector<double> sum(count);
  std::vector<float> values(count);
  for (const CheckpointReader& reader : readers) {
    ASSIGN_OR_RETURN(const auto bytes, readEntry(reader, entry));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(values)).begin());
    for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(sum[i] / static_cast<double>(readers.size()));
  const auto bytes = std::as_bytes(std::span(values));
  return Bytes(bytes.begin(), bytes.end());
}

/// Writes a checkpoint whose fp32 weights are the means of those of `files`; everything else is as in the first file,
/// with `ids` as a further fact. Sums are exact to fp64. Requires at least one file. Fails with Config if an entry is
/// missing in a file or has another shape. Source: Izmailov et al. 2018 (averaging of weights).
Result<void> writeAverage(const std::vector<std::filesystem::path>& files, const nlohmann::json& ids,
                          const std::filesystem::path& target) {
  std::vector<CheckpointReader> readers;
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(auto reader, CheckpointReader::open(file));
    readers.push_back(std::move(reader));
  }
  const CheckpointReader& first = readers.front();
  std::int64_t size = 0;
  for (const CheckpointEntry& entry : first.entries()) size += entry.bytes;
  ASSIGN_OR_RETURN(auto writer, CheckpointWriter::create(target, size));
  for (const CheckpointEntry& entry : first.entries()) {
    const bool mean = entry.type == "fp32" && entry.name.starts_with(kWeights);
    ASSIGN_OR_RETURN(const auto bytes, mean ? meanOf(readers, entry) : readEntry(first, entry));
    RETURN_IF_ERROR(writer.add(entry, bytes));
  }
  auto facts = first.facts();
  facts[kAverageOf] = ids.dump();
  return writer.finish(facts);
}

/// Verifies the staged file of a new checkpoint, inserts its record, whose size and verification it sets, and places
/// the file.
Result<void> insertVerified(Workspace& workspace, CheckpointRecord& record, const std::filesystem::path& staged) {
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(staged));
  RETURN_IF_ERROR(reader.verify());
  record.verified = true;
  std::error_code failure;
  record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(staged, failure));
  if (failure) return Error::fromErrno(failure.value(), "cannot read '{}'", staged.native());
  return workspace.state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, record.run));
    insertCheckpoint(database, number, record);
    return placeStagedCheckpoint(staged, workspace.folder(), record.file);
  });
}

}  // namespace

Result<CheckpointRecord> addAveragedCheckpoint(Workspace& workspace, const std::string& run, std::int64_t count) {
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(const auto all, workspace.checkpoints(detail.summary.id));
  const std::vector<CheckpointRecord> newest = resumeOrder(detail.segments, all);
  if (count < 2)
    return Error::config(formatText("an average takes 2 or more checkpoints, and {} {} requested", formatInteger(count),
                                    pluralText(count, "was", "were")));
  if (count > std::ssize(newest))
    return Error::config(
        formatText("run '{}' has {} {} to average, and {} were requested; keep more of them with checkpoint.keep_last, "
                   "or average fewer, at least 2",
                   detail.summary.name, formatInteger(newest.size()),
                   pluralText(newest.size(), "checkpoint", "checkpoints"), formatInteger(count)));
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
  ASSIGN_OR_RETURN(const auto staging, stageCheckpoints(workspace));
  const std::filesystem::path staged = staging.path() / (record.id + ".sqlite");
  RETURN_IF_ERROR(writeAverage(files, ids, staged));
  if (auto inserted = insertVerified(workspace, record, staged); !inserted.ok()) {
    (void)removeFiles(workspace.folder(), {record.file});
    return inserted.error();
  }
  return record;
}

}  // namespace batchwise
