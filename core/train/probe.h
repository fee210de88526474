// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/probe_result.h"
#include "core/base/result.h"
#include "core/model/encoder_model.h"
#include "core/text/masking.h"
#include "core/text/task_data.h"
#include "core/train/linear_probe.h"

namespace batchwise {

/// Called with the number of texts that are done, and their total.
using ProbeProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A sequence of a task, and its tokens whose states or outputs count.
struct TaskSample {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> places;
  std::vector<double> labels;    ///< one, or one per place
  std::int32_t firstLength = 0;  ///< tokens before the second text, if the model tells two texts apart
};

/// Returns those of `samples` with the numbers `chosen` as a batch; `firstIndexInStep`: of its first sequence.
MicroBatch batchOf(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                   std::int64_t firstIndexInStep = 0);
/// Returns the first of `chosen` that have at most `tokens` tokens, or one.
std::span<const std::int64_t> firstPass(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                                        std::int64_t tokens);

/// A row of outputs: the example that it belongs to, and its label.
struct LabelledRow {
  std::int64_t number = 0;
  double label = 0;
};

/// Returns the rows of a part: its examples, or the words that are left of them.
std::vector<LabelledRow> labelledRows(const TaskPart& part, const std::vector<EncodedText>& texts, bool words);

/// Returns the score of outputs, [rows, classes] or [rows, 1], fp64, on the host.
PartScore scoredPart(const TaskData& data, const TaskPart& part, const std::vector<LabelledRow>& rows,
                     const at::Tensor& outputs);

/// Scores the frozen encoder of a model on a task by a linear model of its features, or for retrieval by the cosine of
/// the pooled texts. Changes no weights and draws no random numbers. Not thread-safe.
class TaskProbe {
 public:
  /// Texts are cut to `maxTokens`, at most the positions of the models.
  TaskProbe(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, std::int64_t maxTokens,
            Pooling pooling = Pooling::Mean);

  const TaskData& data() const { return *data_; }
  /// Of the texts: those that are cut, another language.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Returns the scores. Fails with NonFinite if the model gives no numbers, with OutOfMemory, or Stopped. Throws
  /// c10::Error.
  Result<ProbeResult> run(EncoderModel& model, const ProbeProgress& progress, const StopCheck& stop);

 private:
  using Report = std::function<Result<void>(std::size_t more)>;
  std::vector<std::int64_t> learnedTexts(std::int64_t width) const;
  Result<at::Tensor> featuresOf(EncoderModel& model, std::size_t part, std::span<const std::int64_t> texts,
                                const Report& report);
  at::Tensor pooled(EncoderModel& model, const MicroBatch& batch) const;
  ProbeResult retrieved(const at::Tensor& queries, const at::Tensor& documents) const;

  const std::shared_ptr<const TaskData> data_;
  const Pooling pooling_;
  std::vector<std::vector<TaskSample>> parts_;  // of a pair two per example, the first with its label
  std::vector<std::vector<LabelledRow>> rows_;  // of the parts
  std::vector<std::string> notes_;
  std::int64_t tokensPerPass_ = 0;  // set once the device is known, halved where memory is short
};

}  // namespace batchwise
