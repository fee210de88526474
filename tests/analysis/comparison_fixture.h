// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config/events/run_event.h"
#include "core/store/workspace.h"

namespace batchwise::test {

/// A run whose rows are given by formulas: enough to compare.
struct MadeRun {
  std::string name = {};
  std::string yaml = {};  ///< of the configuration, added to a small complete one
  std::int64_t batches = 100;
  double floor = 2;           ///< loss = floor + 8 / (1 + batch / 10)
  std::int64_t samples = 32;  ///< of a global batch; tokens are 100 times as many
  double secondsPerBatch = 0.5;
  std::int64_t nanAt = -1;                   ///< global batch with the loss NaN
  std::int64_t every = 1;                    ///< global batches from one row to the next
  std::int64_t evaluateEvery = 10;           ///< global batches
  bool evaluateAtEnd = false;                ///< also after the last global batch
  std::int64_t tokens = 0;                   ///< of a global batch; 0: 100 per sample
  std::int64_t nanFrom = 1'000'000'000;      ///< global batch from which the loss is NaN
  std::function<void()> afterBatch = [] {};  ///< called after each global batch
  std::map<std::string, std::string> resolvedValues = {};
  std::vector<EvalSetResult> sets = {};  ///< of each evaluation
  std::vector<TaskResult> tasks = {};    ///< same
  std::int64_t parts = 1;                ///< optimizer steps of a global batch: the loss is the mean of theirs
};
/// Enters it as finished; an evaluation finds loss + 0.1. Returns its id.
std::string storeMadeRun(const std::shared_ptr<Workspace>& workspace, const MadeRun& made);
double madeLoss(const MadeRun& made, std::int64_t batch);

/// Five ablations of the learning rate with two seeds each, 120 batches; the first has the baseline's. Returns the ids.
std::vector<std::string> storeAblations(const std::shared_ptr<Workspace>& workspace);

}  // namespace batchwise::test
