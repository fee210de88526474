// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace batchwise::test {

/// What was acknowledged when the power went, from marks such as "row 40", "checkpoint ID", "removing ID".
struct Known {
  std::set<std::string> words;  ///< the first of each mark
  std::int64_t row = 0;
  std::vector<std::string> checkpoints;  ///< oldest first

  void add(const std::vector<std::string>& marks);
  bool has(const std::string& word) const { return words.contains(word); }
};

/// A checkpoint file of `bytes` bytes, and the record for its row.
CheckpointRecord makeCheckpoint(const std::filesystem::path& workspace, const std::string& id, std::int64_t batch,
                                std::int64_t bytes);

/// Rows from the first on without a gap, as written by rowOf(), and no fewer than `atLeast`. A journal may lack some
/// behind those.
enum class RowsBehind { Follow, MayBeMissing };
void expectRows(const Workspace& workspace, const std::string& run, std::int64_t atLeast,
                RowsBehind behind = RowsBehind::Follow);

/// Each row for which `written` is true has its whole file, and each of the checkpoints `known` its row.
void expectCheckpoints(
    const Workspace& workspace, const std::string& run, const std::vector<std::string>& known,
    const std::function<bool(const CheckpointRecord&)>& written = [](const CheckpointRecord&) { return true; });

}  // namespace batchwise::test
