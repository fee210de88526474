// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/evaluation.h"

#include <torch/torch.h>

#include <array>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/model/device_error.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

constexpr double kSecondsBetweenReports = 0.25;

// Large enough to keep the device busy.
std::int64_t tokensPerPass(c10::Device device) {
  return device.is_cuda() ? 65536 : 8192;
}

struct Share {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Share shareOf(std::int64_t samples, const Communicator& ranks) {
  const std::int64_t size = ranks.size();
  const std::int64_t each = samples / size;
  const std::int64_t more = samples % size;
  const std::int64_t begin = each * ranks.rank() + std::min(ranks.rank(), more);
  return {begin, begin + each + (ranks.rank() < more ? 1 : 0)};
}

// Sums over the passes done, on the device
struct Sums {
  explicit Sums(c10::Device device)
      : loss(torch::zeros({}, torch::TensorOptions(device).dtype(torch::kDouble))),
        correct(torch::zeros({}, torch::TensorOptions(device).dtype(torch::kLong))) {}
  at::Tensor loss;
  at::Tensor correct;
  std::int64_t predicted = 0;
  std::int64_t tokens = 0;
};

struct PreparedPass {
  std::int64_t end = 0;  // of the samples of the pass
  MicroBatch batch;
};

// Makes the passes of `rest`, in order.
Prefetcher<PreparedPass>::Make passesOf(const TrainingData& data, const PassLimit& size, const Share& rest) {
  return [data, size, next = rest.begin, end = rest.end](const std::stop_token&) mutable {
    if (next == end) return Result(std::optional<PreparedPass>());
    const std::int64_t begin = std::exchange(next, size.endFrom(data.samples, next, end));
    std::vector<std::int64_t> ids(static_cast<std::size_t>(next - begin));
    std::iota(ids.begin(), ids.end(), begin);
    PreparedPass pass{next, buildMicroBatch(data.samples, ids, begin, MaskingKey{data.seed, 0}, data.masks)};
    if (Result<void> intact = data.samples.intact(); !intact.ok())
      return Result<std::optional<PreparedPass>>(intact.error());
    return Result(std::optional(std::move(pass)));
  };
}

// Adds a pass to the sums. Returns OutOfMemory if it does not fit into device memory; then nothing was added.
std::optional<Error> addPass(EncoderModel& model, std::uint64_t seed, const MicroBatch& batch, Sums& sums) try {
  const LossSums pass = model.forward(toDevice(batch, model.device()), {seed, 0, /*training=*/false});
  sums.loss.add_(pass.loss);
  sums.correct.add_(pass.correct);
  sums.predicted += pass.predicted;
  sums.tokens += batch.tokens();
  return std::nullopt;
} catch (const std::exception& e) {
  if (!isOutOfMemory(e)) throw;
  return caughtError("evaluation, one sample at a time");
}

}  // namespace

std::int64_t PassLimit::endFrom(const TokenDataset& data, std::int64_t begin, std::int64_t end) const {
  if (samples) return std::min(end, begin + *samples);
  std::int64_t taken = data.length(begin);
  std::int64_t next = begin + 1;
  while (next < end && taken + data.length(next) <= tokens) taken += data.length(next++);
  return next;
}

void PassLimit::halve() {
  if (samples) samples = std::max<std::int64_t>(1, *samples / 2);
  tokens /= 2;
}

Evaluation::Evaluation(TrainingData data, std::optional<std::int64_t> microbatchSamples)
    : data_(std::move(data)), microbatchSamples_(microbatchSamples) {}

Result<EvalResult> Evaluation::run(EncoderModel& model, Communicator& ranks, const EvaluationProgress& progress,
                                   const FreeMemory& freeMemory) {
  constexpr std::size_t kAhead = 2;  // passes
  const torch::NoGradGuard noGrad;
  if (!size_) size_ = PassLimit{microbatchSamples_, tokensPerPass(model.device())};
  const Share share = shareOf(data_.samples.size(), ranks);
  Sums own(model.device());
  std::optional<Prefetcher<PreparedPass>> passes;
  for (std::int64_t begin = share.begin; begin < share.end;) {
    if (!passes) passes.emplace(passesOf(data_, *size_, {begin, share.end}), kAhead);
    ASSIGN_OR_RETURN(const auto pass, passes->next());
    const PreparedPass& prepared = pass.value();
    if (const std::optional<Error> tooLarge = addPass(model, data_.seed, prepared.batch, own)) {
      if (!(freeMemory && freeMemory())) {
        if (prepared.batch.sequences() == 1) return *tooLarge;
        size_->halve();
      }
      passes.reset();
      continue;
    }
    begin = prepared.end;
    progress(begin - share.begin, share.end - share.begin);
  }
  std::array<double, 4> sums = {own.loss.item<double>(), static_cast<double>(own.correct.item<std::int64_t>()),
                                static_cast<double>(own.predicted), static_cast<double>(own.tokens)};
  RETURN_IF_ERROR(ranks.allReduceValues(sums));
  if (sums[2] == 0) return Error::config("the evaluation text has no token to predict; use more text");
  EvalResult result;
  result.loss = sums[0] / sums[2];
  result.perplexity = std::exp(result.loss);
  result.accuracy = sums[1] / sums[2];
  result.samples = data_.samples.size();
  result.tokens = static_cast<std::int64_t>(sums[3]);
  return result;
}

double evaluationMetric(const EvalResult& result, EvalMetric metric) {
  switch (metric) {
    case EvalMetric::Loss: break;
    case EvalMetric::Perplexity: return result.perplexity;
    case EvalMetric::Accuracy: return result.accuracy;
  }
  return result.loss;
}

EvalResult combinedResult(const std::vector<EvaluationSet>& sets, const std::vector<EvalResult>& results) {
  if (sets.size() == 1 && sets.front().name.empty()) return results.front();
  EvalResult all;
  double weights = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const EvalResult& one = results[i];
    weights += sets[i].weight;
    all.loss += sets[i].weight * one.loss;
    all.accuracy += sets[i].weight * one.accuracy;
    all.samples += one.samples;
    all.tokens += one.tokens;
    all.sets.push_back({sets[i].name, one.loss, one.perplexity, one.accuracy, one.samples, one.tokens});
  }
  all.loss /= weights;
  all.accuracy /= weights;
  all.perplexity = std::exp(all.loss);
  return all;
}

EvaluateEvery::EvaluateEvery(IntervalSet interval, std::vector<EvaluationSet> sets, const TrainConfig& config)
    : interval_(std::move(interval)),
      sets_(std::move(sets)),
      bestMetric_(config.checkpoint.bestMetric),
      startsFromFolder_(!config.model.initFrom.empty() || !config.model.tileFrom.empty()) {
  for (const EvaluationSet& set : sets_) evaluations_.emplace_back(set.data, config.eval.microbatchSize);
}

Result<void> EvaluateEvery::atStart(TrainLoop& loop) {
  if (!startsFromFolder_ || loop.state().now.step > 0) return {};
  ASSIGN_OR_RETURN(const auto result, evaluate(loop));
  loop.publish(result);
  return {};
}

Result<void> EvaluateEvery::afterBatch(TrainLoop& loop, const Timestamp& before) {
  const bool atEnd = loop.planFinished();
  if (!atEnd && !interval_.anyDue(before, loop.state().now, atEnd)) return {};
  RETURN_IF_ERROR(loop.flushReadback());
  if (loop.isRollingBack()) return {};
  ASSIGN_OR_RETURN(const auto result, evaluate(loop));
  loop.state().metric = evaluationMetric(result, bestMetric_);
  loop.publish(result);
  return loop.notifyEvaluation(result);
}

Result<EvalResult> EvaluateEvery::evaluate(TrainLoop& loop) {
  loop.enter(RunSection::Evaluation);
  const double began = loop.clock().monotonicSec();
  double lastReport = began - kSecondsBetweenReports;
  const auto freeMemory = [&] {
    const bool cleared = loop.freeDeviceMemory();
    loop.enter(RunSection::Evaluation);
    return cleared;
  };
  std::vector<EvalResult> results;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const std::string& name = sets_[i].name;
    const auto progress = [&](std::int64_t done, std::int64_t total) {
      if (loop.clock().monotonicSec() - lastReport < kSecondsBetweenReports && done < total) return;
      lastReport = loop.clock().monotonicSec();
      const std::string phase = name.empty() ? "evaluating" : formatText("evaluating on {}", name);
      loop.publish(PhaseProgress{phase, static_cast<double>(done), static_cast<double>(total), "samples"});
    };
    ASSIGN_OR_RETURN(auto result, evaluations_[i].run(loop.replica().model, loop.ranks(), progress, freeMemory));
    results.push_back(std::move(result));
  }
  EvalResult all = combinedResult(sets_, results);
  all.at = loop.state().now;
  all.seconds = loop.clock().monotonicSec() - began;
  return all;
}

}  // namespace batchwise
