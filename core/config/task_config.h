// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

/// A key of a task that names a file: of retrieval, or else of all other kinds.
struct TaskFile {
  std::string_view key;
  std::string TaskConfig::*member;
  bool ofRetrieval = false, needed = false;
};
inline constexpr std::array kTaskFiles = {TaskFile{"path", &TaskConfig::path},
                                          TaskFile{"train", &TaskConfig::train, false, true},
                                          TaskFile{"validation", &TaskConfig::validation},
                                          TaskFile{"test", &TaskConfig::test},
                                          TaskFile{"queries", &TaskConfig::queries, true, true},
                                          TaskFile{"documents", &TaskConfig::documents, true, true},
                                          TaskFile{"pairs", &TaskConfig::pairs, true, true}};

/// Returns the metric of the task; unless it is given: accuracy, pearson of a regression, f1 of labels of words,
/// ndcg_at_10 of retrieval.
TaskMetric metricOf(const TaskConfig& task);
/// Whether its labels are numbers and no classes.
bool isRegression(const TaskConfig& task);

/// Returns what is missing in a task or does not fit its kind, as the end of a sentence about it; empty: nothing.
std::string problemOf(const TaskConfig& task);

/// Reads a task from a file whose relative names start at its folder; without a name it gets that of the file. Fails
/// with NotFound, Io, or Config, naming the line.
Result<TaskConfig> loadTask(const std::filesystem::path& file);
/// Returns the task itself or that of its `path`, with absolute names. Relative ones start at `folder`.
Result<TaskConfig> resolvedTask(TaskConfig task, const std::filesystem::path& folder);

}  // namespace batchwise
