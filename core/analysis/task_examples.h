// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/score.h"

namespace batchwise {

class Workspace;
struct TaskData;

/// What two models did on an example of a task; of several seeds, the commonest prediction and the mean score.
struct ComparedExample {
  std::int64_t example = 0;
  std::string text;   ///< empty: not known
  std::string label;  ///< what is right
  std::array<std::string, 2> predictions;
  std::array<double, 2> scores{};  ///< as ExampleScore has them
};

struct TaskExamples {
  std::vector<ComparedExample> examples;  ///< the largest difference first
  bool areRightOrWrong = false;           ///< each score of a seed is 1 or 0
  std::string note;                       ///< why there are no texts, or may be others; empty: they are those scored
};

/// Remembers for compareExamples() the file of the task whose scores have `taskHash`.
Result<void> rememberTaskFile(Workspace& workspace, const std::string& taskHash, const TaskData& data,
                              const std::filesystem::path& file);

/// Compares the predictions of two models, each given by its scores of one task and split for one or several seeds. The
/// texts are read from the files of the task, which may be those of `file`; empty: the one that is remembered, or the
/// task of that name in the configuration of the run. Fails with NotFound if predictions are not kept.
Result<TaskExamples> compareExamples(const Workspace& workspace, std::span<const Score> model,
                                     std::span<const Score> other, const std::filesystem::path& file = {});

}  // namespace batchwise
