// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/judge_result.h"
#include "core/base/result.h"
#include "core/model/encoder_model.h"
#include "core/text/masking.h"
#include "core/text/task_data.h"
#include "core/train/linear_probe.h"

namespace batchwise {

/// Called with the number of texts that are done, and their total.
using ProbeProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A row of outputs: the example or word that it belongs to, and its label.
struct LabelledRow {
  std::int64_t number = 0;
  double label = 0;
};

/// A sequence of a task, and its tokens whose states or outputs count.
struct TaskSample {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> places;
  std::vector<LabelledRow> rows;  ///< one, or one per place
  std::int32_t firstLength = 0;   ///< tokens before the second text, if the model tells two texts apart

  /// Adds the places and rows of an example of token labels: of the words that have a piece.
  void addWords(const TaskExample& example, const EncodedText& text);
};

/// Calls `take` with the batches of the samples with the numbers `chosen`, each of at most `tokens` tokens or one
/// sample, and with their numbers. Where memory is short, starts again from `begin` with half the tokens. Fails as
/// `take`, or with OutOfMemory, naming `what`; throws what else `take` throws.
Result<void> inPasses(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                      std::int64_t& tokens, const char* what, const std::function<void()>& begin,
                      const std::function<Result<void>(const MicroBatch&, std::span<const std::int64_t>)>& take);

/// Returns the score of outputs on a part, [rows, classes] or [rows, 1], fp64, on the host.
PartScore scoredPart(const TaskData& data, const std::string& part, const std::vector<TaskSample>& samples,
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
  using Report = std::function<Result<void>(std::size_t done)>;  // of the texts of a part
  std::vector<std::int64_t> learnedTexts(std::int64_t width) const;
  Result<at::Tensor> featuresOf(EncoderModel& model, std::size_t part, std::span<const std::int64_t> texts,
                                const Report& report);
  at::Tensor pooled(EncoderModel& model, const MicroBatch& batch) const;
  ProbeResult retrieved(const at::Tensor& queries, const at::Tensor& documents) const;

  const std::shared_ptr<const TaskData> data_;
  const Pooling pooling_;
  std::vector<std::vector<TaskSample>> parts_;  // of a pair two per example, the first with its label
  std::vector<std::string> notes_;
  std::int64_t tokensPerPass_ = 0;  // set once the device is known, halved where memory is short
};

}  // namespace batchwise
