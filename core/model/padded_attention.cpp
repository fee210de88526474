// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/padded_attention.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace batchwise {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows to their places among `count`; the others are zero. With index_select() as its gradient, where LibTorch would
/// add row by row.
struct SpreadRows : torch::autograd::Function<SpreadRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& places,
                            std::int64_t count) {
    context->save_for_backward({places});
    return at::zeros({count, rows.size(1)}, rows.options()).index_copy_(0, places, rows);
  }
  static variable_list backward(AutogradContext* context, variable_list outer) {
    return {outer[0].index_select(0, context->get_saved_variables()[0]), {}, {}};
  }
};

/// The other way round.
struct GatherRows : torch::autograd::Function<GatherRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& places) {
    context->save_for_backward({places});
    context->saved_data["count"] = rows.size(0);
    return rows.index_select(0, places);
  }
  static variable_list backward(AutogradContext* context, variable_list outer) {
    const std::int64_t count = context->saved_data["count"].toInt();
    return {at::zeros({count, outer[0].size(1)}, outer[0].options())
                .index_copy_(0, context->get_saved_variables()[0], outer[0]),
            {}};
  }
};

/// Some sequences one after the other, and each filled up to the longest.
struct Filling {
  std::int64_t firstRow = 0;
  std::int64_t rows = 0;
  std::int64_t sequences = 0;
  std::int64_t longest = 0;
  at::Tensor places;  // [rows], int64: of each row among the filled ones
  at::Tensor filled;  // [sequences, longest], bool: where nothing is

  /// [sequences, heads, longest, size] of [all rows, heads, size].
  at::Tensor spread(const at::Tensor& all) const {
    const at::Tensor own = all.narrow(0, firstRow, rows).reshape({rows, -1});
    return SpreadRows::apply(own, places, sequences * longest)
        .view({sequences, longest, all.size(1), all.size(2)})
        .transpose(1, 2);
  }
  /// [rows, width] of [sequences, heads, longest, size].
  at::Tensor gather(const at::Tensor& spreadOut) const {
    const at::Tensor all = spreadOut.transpose(1, 2).reshape({sequences * longest, -1});
    return GatherRows::apply(all, places);
  }
};

Filling fillingOf(const std::vector<std::int32_t>& starts, std::size_t first, std::size_t end, at::Device device) {
  Filling f;
  f.firstRow = starts[first];
  f.rows = starts[end] - starts[first];
  f.sequences = static_cast<std::int64_t>(end - first);
  for (std::size_t s = first; s < end; ++s) f.longest = std::max<std::int64_t>(f.longest, starts[s + 1] - starts[s]);
  const auto host = at::TensorOptions().pinned_memory(device.is_cuda());
  f.places = at::empty({f.rows}, host.dtype(at::kLong));
  f.filled = at::ones({f.sequences, f.longest}, host.dtype(at::kBool));
  auto* places = f.places.mutable_data_ptr<std::int64_t>();
  for (std::size_t s = first; s < end; ++s)
    for (std::int64_t i = 0; i < starts[s + 1] - starts[s]; ++i) {
      const std::int64_t place = static_cast<std::int64_t>(s - first) * f.longest + i;
      *places++ = place;
      f.filled.mutable_data_ptr<bool>()[place] = false;
    }
  f.places = f.places.to(device, /*non_blocking=*/true);
  f.filled = f.filled.to(device, /*non_blocking=*/true);
  return f;
}

/// The end of the sequences that are computed together from `first` on: their logits are bounded, and with them the
/// memory.
std::size_t endOfGroup(const AttentionPlan& plan, std::size_t first) {
  constexpr std::int64_t kMostLogits = std::int64_t{1} << 26;
  const std::int64_t most = std::max<std::int64_t>(1, kMostLogits / (plan.heads * plan.longestQuery * plan.longestKey));
  return std::min(first + static_cast<std::size_t>(most), plan.queryStarts->size() - 1);
}

at::Tensor weightsOf(const AttentionPlan& plan, std::size_t first, std::size_t end, at::Device device) {
  const auto options = at::TensorOptions().dtype(at::kFloat).pinned_memory(device.is_cuda());
  const at::Tensor host = at::empty({static_cast<std::int64_t>(end - first)}, options);
  std::copy(plan.logitPenalty.begin() + static_cast<std::ptrdiff_t>(first),
            plan.logitPenalty.begin() + static_cast<std::ptrdiff_t>(end), host.mutable_data_ptr<float>());
  return host.to(device, /*non_blocking=*/true);
}

PaddedAttention ofGroup(const Heads& heads, const AttentionPlan& plan, std::size_t first, std::size_t end) {
  constexpr double kNowhere = -std::numeric_limits<double>::infinity();
  const at::Device device = heads.query.device();
  const Filling queries = fillingOf(*plan.queryStarts, first, end, device);
  const Filling keys = fillingOf(*plan.keyStarts, first, end, device);
  const at::Tensor noKey = keys.filled.view({keys.sequences, 1, 1, keys.longest});
  const at::Tensor noQuery = queries.filled.view({queries.sequences, 1, queries.longest});
  // Filled-up queries and keys are zero, and so are their logits: they add nothing to the squares.
  const at::Tensor logits =
      at::matmul(queries.spread(heads.query), keys.spread(heads.key).transpose(2, 3)) * plan.scale;
  PaddedAttention made;
  made.penalty = at::sum(at::sum(logits.to(at::kFloat).square(), {1, 2, 3}) * weightsOf(plan, first, end, device));
  const at::Tensor masked = logits.masked_fill(noKey, kNowhere);
  if (plan.measureLogits)
    made.logSum = masked.detach().to(at::kFloat).logsumexp(-1).masked_fill(noQuery, kNowhere).flatten();
  made.output = queries.gather(at::matmul(at::softmax(masked, -1), keys.spread(heads.value)));
  return made;
}

}  // namespace

Heads headsOf(const AttentionInput& input, const AttentionPlan& plan) {
  const auto split = [&](const at::Tensor& packed, std::int64_t parts) {
    return packed.view({packed.size(0), parts, plan.heads, plan.headSize});
  };
  if (input.query.defined()) {
    const at::Tensor packed = split(input.packed, 2);
    return {split(input.query, 1).select(1, 0), packed.select(1, 0), packed.select(1, 1)};
  }
  const at::Tensor packed = split(input.packed, 3);
  return {packed.select(1, 0), packed.select(1, 1), packed.select(1, 2)};
}

PaddedAttention paddedAttention(const AttentionInput& input, const AttentionPlan& plan) {
  TORCH_CHECK(plan.dropoutProbability == 0,
              "attention_logit_l2 with attention_probs_dropout_prob above 0 is not offered on CUDA");
  const Heads heads = headsOf(input, plan);
  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> logSums = {at::empty({0}, input.packed.options().dtype(at::kFloat))};
  at::Tensor penalty = at::zeros({}, input.packed.options().dtype(at::kFloat));
  for (std::size_t first = 0; first + 1 < plan.queryStarts->size();) {
    const std::size_t end = endOfGroup(plan, first);
    const PaddedAttention group = ofGroup(heads, plan, first, end);
    outputs.push_back(group.output);
    penalty = penalty + group.penalty;
    if (group.logSum.defined()) logSums.push_back(group.logSum);
    first = end;
  }
  return {at::cat(outputs), penalty, at::cat(logSums)};
}

AttentionGradient paddedAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                          const AttentionInput& input, const AttentionPlan& plan) {
  const torch::AutoGradMode graph(true);
  AttentionInput copy{input.query.defined() ? input.query.detach().requires_grad_() : at::Tensor(),
                      input.packed.detach().requires_grad_()};
  const PaddedAttention made = paddedAttention(copy, plan);
  const at::Tensor weight = penaltyGradient.defined() ? penaltyGradient : at::zeros_like(made.penalty);
  std::vector<at::Tensor> sources = {copy.packed};
  if (copy.query.defined()) sources.push_back(copy.query);
  const auto found = torch::autograd::grad({made.output, made.penalty}, sources, {outputGradient, weight});
  return {copy.query.defined() ? found[1] : at::Tensor(), found[0]};
}

}  // namespace batchwise
