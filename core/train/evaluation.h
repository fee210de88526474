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

/// Loss, perplexity and accuracy of the predicted tokens of `data`, with the masks of epoch 0 and without dropout. Each
/// rank takes its share, the sums are added up: every rank gets the same answer. `microbatchSamples`: sequences per
/// pass; empty: as many as hold about 8,192 tokens, 65,536 on a GPU. `at` and `seconds` of the result are left to the
/// caller. Fails with OutOfMemory, Device, or what a rank failed with.
Result<EvalResult> evaluate(BertModel& model, Communicator& ranks, const TrainingData& data,
                            std::optional<std::int64_t> microbatchSamples, const EvaluationProgress& progress);

/// "eval.loss", "eval.perplexity", "eval.accuracy" of a result. Nothing for another name.
std::optional<double> evaluationMetric(const EvalResult& result, const std::string& name);

}  // namespace batchwise
