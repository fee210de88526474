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

namespace batchwise {

/// Whether to stop; asked often.
using StopCheck = std::function<bool()>;

/// A linear model over standardized features.
struct LinearProbe {
  at::Tensor mean, scale;  ///< [width], of the training features
  at::Tensor weights;      ///< [width + 1, outputs], fp64; the last row is the bias
  double penalty = 0;      ///< chosen by 5-fold cross-validation; that of scikit-learn is 1 / C, or alpha of a ridge
  std::vector<std::string> notes;  ///< that it is not solved, or a penalty beyond those that are tried may be better

  /// Returns logits or numbers, [rows, outputs], fp64.
  at::Tensor outputs(const at::Tensor& features) const;
};

/// Fits a multinomial logistic regression: minimizes the sum of cross-entropies + penalty / 2 |weights|^2 (of two
/// classes, of the difference of their weights), without one on the bias, to convergence by L-BFGS (Nocedal and Wright
/// 2006, algorithm 7.4). Of the powers of ten from 1e-2 to 1e4 the penalty with the smallest cross-entropy on
/// the folds is taken. Deterministic. `features`: [rows, width]; `labels`: [rows], int64, below `classes`; `groups`:
/// [rows], int64: rows of one group are in the same fold. Fails with Stopped.
Result<LinearProbe> fitClassifier(const at::Tensor& features, const at::Tensor& labels, const at::Tensor& groups,
                                  std::int64_t classes, const StopCheck& stop);
/// Fits a ridge regression, likewise: sum of squared errors + penalty |weights|^2, in closed form. `numbers`: [rows].
Result<LinearProbe> fitRegression(const at::Tensor& features, const at::Tensor& numbers, const at::Tensor& groups,
                                  const StopCheck& stop);

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
