// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/choice.h"
#include "core/store/score.h"

namespace batchwise {

/// How the hidden states of a text become its vector.
enum class Pooling {
  Mean,  ///< over all tokens, [CLS] and [SEP] too
  Cls,   ///< that of [CLS]
};
template <>
inline constexpr auto kChoiceNames<Pooling> = namesInFiles("mean", "cls");

/// The score of a model on one part of a task.
struct PartScore {
  std::string split;  ///< "validation", "test"
  double value = 0;   ///< of the task's metric
  std::vector<ExampleScore> predictions;
};

struct ProbeResult {
  std::vector<PartScore> parts;
  std::vector<std::string> notes;  ///< of the fit
};

}  // namespace batchwise
