// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/padded_attention.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "core/base/random.h"
#include "core/model/device_batch.h"

namespace batchwise {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Scatters rows to `positions` among `count` rows, the others zero. Its gradient is index_select(), which is faster
/// than LibTorch's row-by-row one.
struct ScatterRows : torch::autograd::Function<ScatterRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& positions,
                            std::int64_t count) {
    context->save_for_backward({positions});
    return at::zeros({count, rows.size(1)}, rows.options()).index_copy_(0, positions, rows);
  }
  static variable_list backward(AutogradContext* context, variable_list outer) {
    return {outer[0].index_select(0, context->get_saved_variables()[0]), {}, {}};
  }
};

/// Inverse of ScatterRows.
struct GatherRows : torch::autograd::Function<GatherRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& positions) {
    context->save_for_backward({positions});
    context->saved_data["count"] = rows.size(0);
    return rows.index_select(0, positions);
  }
  static variable_list backward(AutogradContext* context, variable_list outer) {
    const std::int64_t count = context->saved_data["count"].toInt();
    return {at::zeros({count, outer[0].size(1)}, outer[0].options())
                .index_copy_(0, context->get_saved_variables()[0], outer[0]),
            {}};
  }
};

/// Sequences computed together. Groups are processed one after the other to bound the memory of logits.
struct Group {
  std::size_t first = 0;  // sequences
  std::size_t end = 0;

  /// Returns the rows of the group in a tensor over all sequences, which begin at `starts`.
  at::Tensor rowsOf(const at::Tensor& all, const std::vector<std::int32_t>& starts) const {
    return all.narrow(0, starts[first], starts[end] - starts[first]);
  }
  AttentionInput rowsOf(const AttentionInput& all, const AttentionPlan& plan) const {
    return {all.query.defined() ? rowsOf(all.query, *plan.queryStarts) : at::Tensor(),
            rowsOf(all.packed, *plan.keyStarts)};
  }
};

std::vector<Group> groupsOf(const AttentionPlan& plan) {
  constexpr std::int64_t kMostLogits = std::int64_t{1} << 26;
  const std::int64_t ofSequence = std::max<std::int64_t>(1, plan.heads * plan.longestQuery * plan.longestKey);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, kMostLogits / ofSequence));
  const std::size_t sequences = plan.queryStarts->size() - 1;
  std::vector<Group> groups;
  for (std::size_t first = 0; first < sequences; first += most)
    groups.push_back({first, std::min(first + most, sequences)});
  return groups;
}

/// The sequences of a group, padded to the longest.
struct PaddedLayout {
  std::int64_t sequences = 0;
  std::int64_t longest = 0;
  at::Tensor positions;  // [rows], int64: index of each row in the padded layout
  at::Tensor isPadding;  // [sequences, longest], bool: true for padding

  /// Returns [sequences, heads, longest, size] from [rows, heads, size].
  at::Tensor pad(const at::Tensor& rows) const {
    return ScatterRows::apply(rows.reshape({rows.size(0), -1}), positions, sequences * longest)
        .view({sequences, longest, rows.size(1), rows.size(2)})
        .transpose(1, 2);
  }
  /// Returns [rows, width] from [sequences, heads, longest, size].
  at::Tensor gather(const at::Tensor& padded) const {
    const at::Tensor all = padded.transpose(1, 2).reshape({sequences * longest, -1});
    return GatherRows::apply(all, positions);
  }
};

PaddedLayout paddedLayout(const std::vector<std::int32_t>& starts, const Group& group, at::Device device) {
  PaddedLayout f;
  f.sequences = static_cast<std::int64_t>(group.end - group.first);
  for (std::size_t s = group.first; s < group.end; ++s)
    f.longest = std::max<std::int64_t>(f.longest, starts[s + 1] - starts[s]);
  f.positions = stagingTensor({starts[group.end] - starts[group.first]}, at::kLong, device);
  f.isPadding = stagingTensor({f.sequences, f.longest}, at::kBool, device).fill_(true);
  auto* positions = f.positions.mutable_data_ptr<std::int64_t>();
  for (std::size_t s = group.first; s < group.end; ++s)
    for (std::int64_t i = 0; i < starts[s + 1] - starts[s]; ++i) {
      const std::int64_t place = static_cast<std::int64_t>(s - group.first) * f.longest + i;
      *positions++ = place;
      f.isPadding.mutable_data_ptr<bool>()[place] = false;
    }
  f.positions = f.positions.to(device, /*non_blocking=*/true);
  f.isPadding = f.isPadding.to(device, /*non_blocking=*/true);
  return f;
}

at::Tensor weightsOf(const AttentionPlan& plan, const Group& group, at::Device device) {
  const at::Tensor host = stagingTensor({static_cast<std::int64_t>(group.end - group.first)}, at::kFloat, device);
  std::copy(plan.logitPenalty.begin() + static_cast<std::ptrdiff_t>(group.first),
            plan.logitPenalty.begin() + static_cast<std::ptrdiff_t>(group.end), host.mutable_data_ptr<float>());
  return host.to(device, /*non_blocking=*/true);
}

/// Returns the place of each query in its sequence, [sequences, longest], int64; of padding any.
at::Tensor placesOf(const PaddedLayout& queries, const AttentionPlan& plan, const Group& group) {
  const auto options = queries.positions.options();
  if (!plan.queryPlaces) return at::arange(queries.longest, options).expand({queries.sequences, queries.longest});
  const at::Tensor host = stagingTensor({queries.positions.size(0)}, at::kLong, options.device());
  std::copy_n(plan.queryPlaces->begin() + (*plan.queryStarts)[group.first], host.numel(),
              host.mutable_data_ptr<std::int64_t>());
  return at::zeros({queries.sequences * queries.longest}, options)
      .index_copy_(0, queries.positions, host.to(options.device(), /*non_blocking=*/true))
      .view({queries.sequences, queries.longest});
}

/// Returns which keys are outside the window of a query, [sequences, 1, longest query, longest key], bool; for padding
/// queries none, so that no query is without keys.
at::Tensor outsideWindow(const PaddedLayout& queries, const PaddedLayout& keys, const AttentionPlan& plan,
                         const Group& group) {
  const at::Tensor distance =
      placesOf(queries, plan, group).unsqueeze(2) - at::arange(keys.longest, queries.positions.options());
  return distance.abs().gt(plan.window).logical_and(queries.isPadding.logical_not().unsqueeze(2)).unsqueeze(1);
}

/// input: rows of the group.
PaddedAttention attendGroup(const AttentionInput& input, const AttentionPlan& plan, const Group& group) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const at::Device device = input.packed.device();
  const Heads heads = headsOf(input, plan);
  const PaddedLayout queries = paddedLayout(*plan.queryStarts, group, device);
  const PaddedLayout keys = input.query.defined() ? paddedLayout(*plan.keyStarts, group, device) : queries;
  // Padded queries and keys are zero, so their logits add nothing to the penalty.
  const at::Tensor paddedKeys = repeatHeads(keys.pad(heads.key), plan);
  at::Tensor logits = at::matmul(queries.pad(heads.query), paddedKeys.transpose(2, 3)) * plan.scale;
  at::Tensor hidden = keys.isPadding.view({keys.sequences, 1, 1, keys.longest});
  if (plan.window >= 0) {
    const at::Tensor outside = outsideWindow(queries, keys, plan, group);
    logits = logits.masked_fill(outside, 0.0);
    hidden = hidden.logical_or(outside);
  }
  PaddedAttention made;
  if (!plan.logitPenalty.empty())
    made.penalty = at::sum(at::sum(logits.to(at::kFloat).square(), {1, 2, 3}) * weightsOf(plan, group, device));
  const at::Tensor masked = logits.masked_fill(hidden, kMinusInfinity);
  if (plan.measureLogits)
    made.logSum = masked.detach()
                      .to(at::kFloat)
                      .logsumexp(-1)
                      .masked_fill(queries.isPadding.view({queries.sequences, 1, queries.longest}), kMinusInfinity)
                      .flatten();
  at::Tensor weights = at::softmax(masked, -1);
  if (plan.dropoutProbability > 0) weights = at::dropout(weights, plan.dropoutProbability, /*train=*/true);
  made.output = queries.gather(at::matmul(weights, repeatHeads(keys.pad(heads.value), plan)));
  return made;
}

}  // namespace

at::Tensor repeatHeads(const at::Tensor& heads, const AttentionPlan& plan) {
  return plan.keyValueHeads == plan.heads ? heads : heads.repeat_interleave(plan.heads / plan.keyValueHeads, 1);
}

Heads headsOf(const AttentionInput& input, const AttentionPlan& plan) {
  const at::Tensor packed = input.packed.view({input.packed.size(0), -1, plan.headSize});
  const std::int64_t queries = input.query.defined() ? 0 : plan.heads, keys = plan.keyValueHeads;
  return {input.query.defined() ? input.query.view({input.query.size(0), plan.heads, plan.headSize})
                                : packed.narrow(1, 0, plan.heads),
          packed.narrow(1, queries, keys), packed.narrow(1, queries + keys, keys)};
}

void seedAttentionDropout(const AttentionPlan& plan, at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::scoped_lock lock(generator.mutex());
  generator.set_current_seed(subKey(plan.dropout.key, static_cast<std::uint64_t>(plan.firstIndexInStep)));
}

PaddedAttention paddedAttention(const AttentionInput& input, const AttentionPlan& plan) {
  const torch::NoGradGuard noGrad;
  if (plan.dropoutProbability > 0) seedAttentionDropout(plan, input.packed.device());
  const auto numbers = input.packed.options().dtype(at::kFloat);
  std::vector<at::Tensor> outputs, logSums = {at::empty({0}, numbers)};
  at::Tensor penalty = at::zeros({}, numbers);
  for (const Group& group : groupsOf(plan)) {
    const PaddedAttention made = attendGroup(group.rowsOf(input, plan), plan, group);
    outputs.push_back(made.output);
    if (made.penalty.defined()) penalty = penalty + made.penalty;
    if (made.logSum.defined()) logSums.push_back(made.logSum);
  }
  return {at::cat(outputs), penalty, at::cat(logSums)};
}

AttentionGradient paddedAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                          const AttentionInput& input, const AttentionPlan& plan) {
  const torch::AutoGradMode graph(true);
  if (plan.dropoutProbability > 0) seedAttentionDropout(plan, input.packed.device());
  AttentionPlan again = plan;
  again.measureLogits = false;
  const at::Tensor ofPenalty =
      penaltyGradient.defined() ? penaltyGradient : at::zeros({}, input.packed.options().dtype(at::kFloat));
  AttentionGradient gradient;
  gradient.packed = at::empty_like(input.packed);
  if (input.query.defined()) gradient.query = at::empty_like(input.query);
  for (const Group& group : groupsOf(plan)) {
    AttentionInput leaves = group.rowsOf(input, plan);
    const AttentionInput targets = group.rowsOf(AttentionInput{gradient.query, gradient.packed}, plan);
    std::vector<at::Tensor> inner, to;
    const auto differentiate = [&](at::Tensor& leaf, const at::Tensor& target) {
      if (!leaf.defined()) return;
      leaf = leaf.detach().requires_grad_();
      inner.push_back(leaf);
      to.push_back(target);
    };
    differentiate(leaves.packed, targets.packed);
    differentiate(leaves.query, targets.query);
    const PaddedAttention made = attendGroup(leaves, again, group);
    std::vector<at::Tensor> results = {made.output}, outer = {group.rowsOf(outputGradient, *plan.queryStarts)};
    if (made.penalty.defined()) {
      results.push_back(made.penalty);
      outer.push_back(ofPenalty);
    }
    const auto found = torch::autograd::grad(results, inner, outer);
    for (std::size_t i = 0; i < to.size(); ++i) to[i].copy_(found[i]);
  }
  return gradient;
}

}  // namespace batchwise
