// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/evaluation.h"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <torch/torch.h>

namespace batchwise {
namespace {

constexpr std::int64_t kTokensPerPass = 8192;

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

// The end of the pass that begins at `begin`: at least one sample.
std::int64_t passEnd(const TokenDataset& samples, std::int64_t begin, std::int64_t end,
                     std::optional<std::int64_t> microbatchSamples) {
  if (microbatchSamples) return std::min(end, begin + *microbatchSamples);
  std::int64_t tokens = samples.length(begin);
  std::int64_t next = begin + 1;
  while (next < end && tokens + samples.length(next) <= kTokensPerPass) tokens += samples.length(next++);
  return next;
}

}  // namespace

Result<EvalResult> evaluate(BertModel& model, Communicator& ranks, const TrainingData& data,
                            std::optional<std::int64_t> microbatchSamples, const EvaluationProgress& progress) {
  const torch::NoGradGuard noGrad;
  const Share share = shareOf(data.samples.size(), ranks);
  const MaskingKey firstEpoch{data.seed, 0};
  const auto onDevice = torch::TensorOptions(model.device());
  const at::Tensor loss = torch::zeros({}, onDevice.dtype(torch::kDouble));
  const at::Tensor correct = torch::zeros({}, onDevice.dtype(torch::kLong));
  std::int64_t predicted = 0;
  std::int64_t tokens = 0;
  std::vector<std::int64_t> ids;
  for (std::int64_t begin = share.begin; begin < share.end;) {
    const std::int64_t end = passEnd(data.samples, begin, share.end, microbatchSamples);
    ids.resize(static_cast<std::size_t>(end - begin));
    std::iota(ids.begin(), ids.end(), begin);
    const MicroBatch batch = buildMicroBatch(data.samples, ids, begin, firstEpoch, data.masks);
    const LossSums sums = model.forward(toDevice(batch, model.device()), {data.seed, 0, /*training=*/false});
    loss.add_(sums.loss);
    correct.add_(sums.correct);
    predicted += sums.predicted;
    tokens += batch.tokens();
    begin = end;
    progress(begin - share.begin, share.end - share.begin);
  }
  std::array<double, 4> sums = {loss.item<double>(), static_cast<double>(correct.item<std::int64_t>()),
                                static_cast<double>(predicted), static_cast<double>(tokens)};
  if (Result<void> summed = ranks.sumValues(sums); !summed.ok()) return summed.error();
  EvalResult result;
  result.loss = sums[0] / sums[2];
  result.perplexity = std::exp(result.loss);
  result.accuracy = sums[1] / sums[2];
  result.samples = data.samples.size();
  result.tokens = static_cast<std::int64_t>(sums[3]);
  return result;
}

std::optional<double> evaluationMetric(const EvalResult& result, const std::string& name) {
  if (name == "eval.loss") return result.loss;
  if (name == "eval.perplexity") return result.perplexity;
  if (name == "eval.accuracy") return result.accuracy;
  return std::nullopt;
}

}  // namespace batchwise
