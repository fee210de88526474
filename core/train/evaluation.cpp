// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/evaluation.h"

#include <torch/torch.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace batchwise {
namespace {

// What keeps a device busy. A GPU is given the next pass while it computes one.
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

// How much one pass takes: a number of samples, or as many as hold so many tokens.
struct PassSize {
  std::optional<std::int64_t> samples;
  std::int64_t tokens = 0;

  // The end of the pass that begins at `begin`: at least one sample.
  std::int64_t endFrom(const TokenDataset& data, std::int64_t begin, std::int64_t end) const {
    if (samples) return std::min(end, begin + *samples);
    std::int64_t taken = data.length(begin);
    std::int64_t next = begin + 1;
    while (next < end && taken + data.length(next) <= tokens) taken += data.length(next++);
    return next;
  }
  void halve() {
    if (samples) samples = std::max<std::int64_t>(1, *samples / 2);
    tokens /= 2;
  }
};

// Sums over the passes done, on the device.
struct Sums {
  explicit Sums(c10::Device device)
      : loss(torch::zeros({}, torch::TensorOptions(device).dtype(torch::kDouble))),
        correct(torch::zeros({}, torch::TensorOptions(device).dtype(torch::kLong))) {}
  at::Tensor loss;
  at::Tensor correct;
  std::int64_t predicted = 0;
  std::int64_t tokens = 0;
};

// False if the pass does not fit into the memory of the device; then nothing has been added.
bool addPass(BertModel& model, const TrainingData& data, std::int64_t begin, std::int64_t end, Sums& sums) try {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(end - begin));
  std::iota(ids.begin(), ids.end(), begin);
  const MicroBatch batch = buildMicroBatch(data.samples, ids, begin, MaskingKey{data.seed, 0}, data.masks);
  const LossSums pass = model.forward(toDevice(batch, model.device()), {data.seed, 0, /*training=*/false});
  sums.loss.add_(pass.loss);
  sums.correct.add_(pass.correct);
  sums.predicted += pass.predicted;
  sums.tokens += batch.tokens();
  return true;
} catch (const c10::OutOfMemoryError&) {
  if (end - begin == 1) throw;
  return false;
}

}  // namespace

Result<EvalResult> evaluate(BertModel& model, Communicator& ranks, const TrainingData& data,
                            std::optional<std::int64_t> microbatchSamples, const EvaluationProgress& progress) try {
  const torch::NoGradGuard noGrad;
  const Share share = shareOf(data.samples.size(), ranks);
  PassSize size{microbatchSamples, tokensPerPass(model.device())};
  Sums own(model.device());
  for (std::int64_t begin = share.begin; begin < share.end;) {
    const std::int64_t end = size.endFrom(data.samples, begin, share.end);
    if (!addPass(model, data, begin, end, own)) {
      size.halve();
      continue;
    }
    begin = end;
    progress(begin - share.begin, share.end - share.begin);
  }
  std::array<double, 4> sums = {own.loss.item<double>(), static_cast<double>(own.correct.item<std::int64_t>()),
                                static_cast<double>(own.predicted), static_cast<double>(own.tokens)};
  if (Result<void> summed = ranks.sumValues(sums); !summed.ok()) return summed.error();
  EvalResult result;
  result.loss = sums[0] / sums[2];
  result.perplexity = std::exp(result.loss);
  result.accuracy = sums[1] / sums[2];
  result.samples = data.samples.size();
  result.tokens = static_cast<std::int64_t>(sums[3]);
  return result;
} catch (const c10::OutOfMemoryError& e) {
  return Error{ErrorCode::OutOfMemory, e.what_without_backtrace(), "evaluation, one sample at a time"};
}

std::optional<double> evaluationMetric(const EvalResult& result, const std::string& name) {
  if (name == "eval.loss") return result.loss;
  if (name == "eval.perplexity") return result.perplexity;
  if (name == "eval.accuracy") return result.accuracy;
  return std::nullopt;
}

}  // namespace batchwise
