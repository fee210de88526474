// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/judge_result.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/model/encoder_model.h"
#include "core/text/task_data.h"
#include "core/train/probe.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Returns the shape with the head of a task, and without what only pretraining has (LayerDrop, a penalty of logits).
ModelShape withTaskHead(ModelShape shape, const TaskData& data);

/// Returns AdamW for fine-tuning.
AdamWOptions fineTuneOptimizer(const FineTuneOptions& options);

/// Fine-tunes models on a task. A loop of its own beside TrainLoop: the data are a few labelled texts in memory, an
/// epoch is short, and a training is one of many that end in a score, not a run with metrics and segments. Not
/// thread-safe.
class FineTuning {
 public:
  /// Texts are cut to `maxTokens`. Requires a task with labels.
  FineTuning(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, const ModelShape& shape,
             std::int64_t maxTokens, const FineTuneOptions& options);

  /// What is to be said of the texts and the steps.
  const std::vector<std::string>& notes() const { return notes_; }

  using Progress = std::function<void(std::int64_t done, std::int64_t steps)>;
  /// Trains `replica` from its present weights, with withTaskHead(); afterwards it has the weights of the best epoch.
  /// Training stops after two epochs in a row that are no better on the validation part. Fails with NonFinite if the
  /// model gives no numbers, with OutOfMemory, or Stopped. Throws c10::Error.
  Result<JudgeResult> run(Replica& replica, const Progress& progress, const std::stop_token& stop, const Clock& clock);

 private:
  bool isPairs() const { return data_->task.kind == TaskKind::Pair; }
  TaskSample sampleOf(const TaskExample& example, std::span<const EncodedText> texts, const ModelShape& shape,
                      std::int64_t maxTokens) const;
  std::int64_t steps() const;
  using TakeOutputs = std::function<void(const at::Tensor&, std::span<const std::int64_t>)>;
  Result<void> inPassesOf(EncoderModel& model, std::size_t part, std::span<const std::int64_t> samples,
                          const ForwardOptions& options, const std::function<void()>& begin, const TakeOutputs& take);
  Result<void> trainEpoch(Replica& replica, std::int64_t epoch, const Progress& progress, const std::stop_token& stop);
  Result<PartScore> score(EncoderModel& model, std::size_t part);

  const std::shared_ptr<const TaskData> data_;
  const FineTuneOptions options_;
  const bool hasTypes_;                         // of the texts of a pair
  const std::vector<std::int32_t> between_;     // the texts of a pair
  std::vector<std::vector<TaskSample>> parts_;  // without samples that have no label
  std::vector<std::string> notes_;
  std::int64_t step_ = 0;           // steps done
  std::int64_t tokensPerPass_ = 0;  // set once the device is known, halved where memory is short
};

}  // namespace batchwise
