// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
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

/// How a model is fine-tuned for a task: AdamW with betas 0.9 and 0.999, gradients clipped at 1; the rate rises over
/// the first tenth of the steps and falls linearly to 0.
struct FineTuneOptions {
  double rate = 3e-5;
  std::int64_t seed = 1;    ///< of the head, the order and the dropout
  std::int64_t epochs = 3;  ///< at most; training stops after two in a row that are not better on the validation part
  std::int64_t mostSteps = 1000;
  std::int64_t batch = 32;     ///< samples of a step
  std::int64_t maxSeqLen = 0;  ///< longer texts are cut; 0: at most 512 tokens, and what the model takes
  double weightDecay = 0.01;
};

/// The scores of a model.
struct JudgeResult {
  std::string model, checkpoint;  ///< Score::model, and the id; of a folder empty
  std::vector<PartScore> parts;
  std::string precision;     ///< of the training: "fp32", "bf16"; of a probe empty
  std::int64_t samples = 0;  ///< that were trained on
  double seconds = 0;        ///< of training, without evaluation
};

}  // namespace batchwise
