// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/dist/communicator.h"
#include "core/events/run_event.h"
#include "core/model/bert_model.h"
#include "core/train/step_stream.h"

namespace batchwise {

/// Told how many of this rank's samples are done, of how many.
using EvaluationProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Asked where a pass does not fit: whether something was given back, so that it may fit now.
using MakeRoom = std::function<bool()>;

/// How much one pass takes: a number of samples, or as many as hold so many tokens.
struct PassLimit {
  std::optional<std::int64_t> samples;
  std::int64_t tokens = 0;

  /// The end of the pass that begins at `begin`: at least one sample.
  std::int64_t endFrom(const TokenDataset& data, std::int64_t begin, std::int64_t end) const;
  void halve();
};

/// Evaluates on one data set, each time as the model is then, with the masks of epoch 0 and without dropout. Batches
/// are made ahead on a thread. A pass that does not fit into the memory of the device is halved, and stays so.
class Evaluation {
 public:
  /// `microbatchSamples`: sequences per pass; empty: as many as hold about 8,192 tokens, 65,536 on a GPU.
  Evaluation(TrainingData data, std::optional<std::int64_t> microbatchSamples);

  /// Loss, perplexity and accuracy of the predicted tokens. Each rank takes its share, the sums are added up: every
  /// rank gets the same answer. `at` and `seconds` of the result are left to the caller. Fails with OutOfMemory, or
  /// what a rank failed with. Throws c10::Error.
  Result<EvalResult> run(BertModel& model, Communicator& ranks, const EvaluationProgress& progress,
                         const MakeRoom& makeRoom = {});

 private:
  const TrainingData data_;
  const std::optional<std::int64_t> microbatchSamples_;
  std::optional<PassLimit> size_;  // once the device is known
};

/// "eval.loss", "eval.perplexity", "eval.accuracy" of a result. Nothing for another name.
std::optional<double> evaluationMetric(const EvalResult& result, const std::string& name);

}  // namespace batchwise
