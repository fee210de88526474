// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/config/events/run_event.h"
#include "core/config/time/run_length.h"
#include "core/config/train_config.h"
#include "core/dist/communicator.h"
#include "core/model/encoder_model.h"
#include "core/train/callback.h"
#include "core/train/probe.h"
#include "core/train/step_stream.h"

namespace batchwise {

/// Called with the number of this rank's samples that are done, and their total.
using EvaluationProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Returns progress of a phase that is published four times a second, and at the end.
EvaluationProgress publishedProgress(std::function<void(const RunEvent&)> publish, const Clock& clock,
                                     std::string phase, std::string unit);

/// Called when a pass runs out of memory. Returns whether memory was freed, so that a retry may succeed.
using FreeMemory = std::function<bool()>;

/// Size limit of one forward pass: a number of samples, or else a number of tokens.
struct PassLimit {
  std::optional<std::int64_t> samples;
  std::int64_t tokens = 0;

  /// Returns the end of the pass that starts at `begin`; it has at least one sample.
  std::int64_t endFrom(const TokenDataset& data, std::int64_t begin, std::int64_t end) const;
  void halve();
};

struct EvaluationSums;

/// Evaluates the current model on one data set without dropout, once per draw of masks: that of number n has the masks
/// of epoch n, which follow from the seed of the data, n and the sample alone. Batches are prefetched by a thread. A
/// pass that does not fit into device memory is halved, and so are those after it in the same evaluation: the next one
/// begins with the whole size again, so that a resumed run adds up as the undivided one.
class Evaluation {
 public:
  /// `microbatchSamples`: sequences per pass; empty: as many as have about 8,192 tokens, 65,536 on a GPU.
  Evaluation(TrainingData data, std::optional<std::int64_t> microbatchSamples, std::int64_t draws = 1);

  /// Returns the figures of the predicted tokens of all draws; the caller sets `at` and `seconds`. Each rank evaluates
  /// its share and the sums are reduced: every rank gets the same result. Fails with OutOfMemory, or with the error of
  /// another rank. Throws c10::Error.
  Result<EvalResult> run(EncoderModel& model, Communicator& ranks, const EvaluationProgress& progress,
                         const FreeMemory& freeMemory = {});

 private:
  /// Adds the share of this rank under the masks of one draw.
  Result<void> addDraw(EncoderModel& model, std::int64_t draw, const Communicator& ranks,
                       const EvaluationProgress& progress, const FreeMemory& freeMemory, PassLimit& size,
                       EvaluationSums& sums);

  const TrainingData data_;
  const std::int64_t draws_;
  const std::optional<std::int64_t> microbatchSamples_;
};

/// Word-level pseudo-perplexity: exp of the mean, over words, of the negative log-likelihood that the model gives a
/// word when it is hidden. A word of several tokens is read from left to right: each token is predicted with itself and
/// the rest of the word masked. Sources: Salazar et al. 2020, arXiv 1910.14659, section 2; Kauf and Ivanova 2023, arXiv
/// 2305.10588 (PLL-word-l2r), with the mean over words in place of tokens.
struct PseudoPerplexity {
  double value = 0;
  std::int64_t words = 0, tokens = 0, samples = 0;
};

/// Computes it over the first `samples` samples of `data`, at most as many as there are; `words` says which tokens
/// continue a word. Takes a pass over the sample for each of its tokens. Fails with Config without a word, or
/// OutOfMemory. Throws c10::Error.
Result<PseudoPerplexity> pseudoPerplexity(EncoderModel& model, const TrainingData& data, const WordTable& words,
                                          std::int64_t samples, const EvaluationProgress& progress);

double evaluationMetric(const EvalResult& result, EvalMetric metric);

/// A set of evaluation data. Without eval.sets there is one without a name.
struct EvaluationSet {
  std::string name;
  double weight = 1.0;  ///< in the means over the sets
  TrainingData data;
};

/// Returns the result over all sets, with the means that EvalResult describes. Requires results of the same sets, each
/// with its figures.
EvalResult combinedResult(const std::vector<EvaluationSet>& sets, const std::vector<EvalResult>& results);

/// Evaluates at the end of a global batch when `eval.interval` is due, and at the end of the run: where launch.stop_at
/// ends it, a result that neither guards nor growth count. A model that comes from a folder is evaluated also before
/// its first step, a result that no guard and no checkpoint counts. Comes before CheckpointEvery, so that a checkpoint
/// of the same global batch contains the result. Rank 0 also probes the tasks, and the others wait for it; a probe that
/// fails is a warning.
class EvaluateEvery final : public Callback {
 public:
  /// Requires at least one set. `probes`: of the tasks of `config`; of rank 0, else empty.
  EvaluateEvery(IntervalSet interval, std::vector<EvaluationSet> sets, const TrainConfig& config,
                std::vector<std::unique_ptr<TaskProbe>> probes = {});
  Result<void> atStart(TrainLoop& loop) override;
  Result<void> afterBatch(TrainLoop& loop, const Timestamp& before) override;

 private:
  Result<EvalResult> evaluate(TrainLoop& loop);
  Result<std::vector<TaskResult>> probeTasks(TrainLoop& loop);

  const IntervalSet interval_;
  const std::vector<EvaluationSet> sets_;
  std::vector<Evaluation> evaluations_;  // of sets_
  const std::vector<std::unique_ptr<TaskProbe>> probes_;
  const bool hasTasks_;
  const EvalMetric bestMetric_;
  const bool startsFromFolder_;
};

}  // namespace batchwise
