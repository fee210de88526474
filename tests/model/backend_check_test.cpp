// SPDX-License-Identifier: GPL-3.0-or-later
// The check that a GPU's kernels get at their first use, on the processor: the kernels of the CPU backend pass it, and
// one that is wrong is found. What takes the place of a kernel is thereby checked too.
#include "core/model/backend_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/model/ops.h"

namespace batchwise {
namespace {

using ::testing::ElementsAre;

TEST(BackendCheckTest, TheOperationsOfTheProcessorAreThoseOfLibTorch) {
  for (const OperationCheck& check : checkOperations(cpuBackend(), at::kCPU)) {
    EXPECT_TRUE(check.good()) << operationName(check.group) << " in " << check.type << ": " << check.error << " "
                              << check.problem;
    EXPECT_GT(check.error, 0.0) << operationName(check.group) << ": compared with itself";
  }
}

/// The CPU backend with one operation that is wrong.
class WrongBackend : public Backend {
 public:
  NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                     const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                     const NormOptions& options) const override {
    NormResult r = cpuBackend().addNorm(input, bias, residual, rowKeys, gamma, beta, options);
    if (what == "norm") r.output[3][5] += 0.5;
    return r;
  }
  NormGradient addNormGradient(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& rowKeys,
                               const at::Tensor& gamma, const NormOptions& options) const override {
    return cpuBackend().addNormGradient(outer, saved, rowKeys, gamma, options);
  }
  NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                   const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const override {
    return cpuBackend().embed(tokenIds, positions, what == "dropout" ? rowKeys + 1 : rowKeys, weights, options, type);
  }
  EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) const override {
    return cpuBackend().embedGradient(outputGradient, saved, tokenIds, positions, rowKeys, weights, options);
  }
  std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                   Activation activation, bool training) const override {
    TORCH_CHECK(what != "launch", "no kernel image");
    return cpuBackend().biasActivation(input, bias, activation, training);
  }
  std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& bias,
                                                           Activation activation) const override {
    return cpuBackend().biasActivationGradient(outputGradient, saved, bias, activation);
  }
  std::pair<at::Tensor, at::Tensor> gatedActivation(const at::Tensor& input, Activation activation,
                                                    bool training) const override {
    return cpuBackend().gatedActivation(input, activation, training);
  }
  at::Tensor gatedActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                     Activation activation) const override {
    const at::Tensor g = cpuBackend().gatedActivationGradient(outputGradient, saved, activation);
    return what == "gate" ? g * 1.2 : g;
  }
  void rotate(const at::Tensor& rows, const at::Tensor& positions, std::int64_t heads, const AttentionPlan& plan,
              bool inverse) const override {
    cpuBackend().rotate(rows, what == "rotation" ? positions.flip(0) : positions, heads, plan, inverse);
  }
  AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training) const override {
    AttentionPlan changed = plan;
    if (what == "window" && plan.window >= 0) changed.window = plan.window + 1;
    return cpuBackend().attention(input, changed, training);
  }
  AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                      const AttentionInput& input, const AttentionResult& saved,
                                      const AttentionPlan& plan) const override {
    return cpuBackend().attentionGradient(outputGradient, penaltyGradient, input, saved, plan);
  }
  LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels, std::int64_t vocabulary,
                        bool overwrite) const override {
    LossRows rows = cpuBackend().crossEntropy(logits, bias, labels, vocabulary, overwrite);
    if (what == "none") rows.loss[7] = std::nan("");
    return rows;
  }

  std::string what;
};

std::vector<std::string> found(const std::string& wrong) {
  WrongBackend backend;
  backend.what = wrong;
  std::vector<std::string> names;
  for (const OperationCheck& check : checkOperations(backend, at::kCPU))
    if (!check.good()) names.push_back(operationName(check.group) + " " + check.type);
  return names;
}

TEST(BackendCheckTest, OneThatIsWrongIsFoundAndNoOther) {
  EXPECT_THAT(found("norm"), ElementsAre("norm fp32", "norm bf16", "norm fp16"));
  EXPECT_THAT(found("dropout"), ElementsAre("embedding fp32", "embedding bf16", "embedding fp16"));
  EXPECT_THAT(found("launch"), ElementsAre("activation fp32", "activation bf16", "activation fp16"));
  EXPECT_THAT(found("gate"), ElementsAre("gated activation fp32", "gated activation bf16", "gated activation fp16"));
  EXPECT_THAT(found("rotation"), ElementsAre("attention fp32", "attention bf16", "attention fp16"));
  EXPECT_THAT(found("window"), ElementsAre("attention fp32", "attention bf16", "attention fp16"));
  EXPECT_THAT(found("none"), ElementsAre("cross-entropy fp32", "cross-entropy bf16", "cross-entropy fp16"));
}

TEST(BackendCheckTest, WhatIsWrongOnAGpuIsReplacedInItsType) {
  WrongBackend backend;
  backend.what = "launch";
  replaceOperations(checkOperations(backend, at::kCPU));
  // Kernels of a GPU would fail on tensors of the processor; what takes their place does not.
  const at::Tensor input = at::randn({3, 8}).to(at::kHalf), bias = at::randn({8});
  const auto [output, saved] = gpuBackend().biasActivation(input, bias, Activation::Relu, true);
  EXPECT_TRUE(at::equal(output, at::relu(input.to(at::kFloat) + bias).to(at::kHalf)));
  replaceOperations({});
}

TEST(AddNormTest, AddsTheGradientsOfBothUsesOfItsOutput) {
  const at::Tensor input = at::randn({5, 12}), gamma = at::randn({12}), keys = at::arange(5, at::kLong);
  const at::Tensor one = at::randn({5, 12}), other = at::randn({5, 12}), none;
  NormOptions options;
  const auto gradientOf = [&](const at::Tensor& ofOutput, const at::Tensor& ofResidual) {
    const at::Tensor leaf = input.clone().requires_grad_(true);
    const AddNormOutput made = addNorm(leaf, none, none, keys, gamma, none, options);
    torch::autograd::variable_list roots, gradients;
    for (const auto& [root, gradient] : {std::pair(made.output, ofOutput), std::pair(made.residual, ofResidual)}) {
      if (!gradient.defined()) continue;
      roots.push_back(root);
      gradients.push_back(gradient);
    }
    torch::autograd::backward(roots, gradients);
    return leaf.grad();
  };
  const at::Tensor both = gradientOf(one + other, none);
  EXPECT_TRUE(at::equal(gradientOf(one, other), both));
  EXPECT_TRUE(at::equal(gradientOf(none, other), gradientOf(other, none)));
  options.keepSum = true;  // the residual is the sum, which the input is here
  EXPECT_TRUE(at::allclose(gradientOf(one, other), gradientOf(one, none) + other));
  EXPECT_FALSE(at::allclose(gradientOf(one, other), both));
}

// The output is linear in the values, if the same weights are dropped.
TEST(BackendCheckTest, AttentionDropsTheSameWeightsInTheBackwardPass) {
  const std::vector<std::int32_t> starts = {0, 5, 12};
  AttentionPlan plan;
  plan.queryStarts = plan.keyStarts = std::make_shared<const std::vector<std::int32_t>>(starts);
  plan.longestQuery = plan.longestKey = 7;
  plan.heads = plan.keyValueHeads = 2;
  plan.headSize = 4;
  plan.dropout = makeDropout(1, 2, 3, DropoutSite::AttentionWeights, 0.4);
  plan.dropoutProbability = 0.4;
  const AttentionInput input{{}, at::randn({12, 24})};
  const at::Tensor outer = at::randn({12, 8});
  const AttentionResult one = atenBackend().attention(input, plan, true);
  EXPECT_TRUE(at::equal(atenBackend().attention(input, plan, true).output, one.output));
  const at::Tensor gradient = atenBackend().attentionGradient(outer, {}, input, one, plan).packed;
  const auto ofValues = [](const at::Tensor& packed) { return packed.narrow(1, 16, 8); };
  EXPECT_NEAR((ofValues(gradient) * ofValues(input.packed)).sum().item<double>(),
              (outer * one.output).sum().item<double>(), 1e-4);
  plan.dropout = makeDropout(1, 3, 3, DropoutSite::AttentionWeights, 0.4);
  EXPECT_FALSE(at::allclose(atenBackend().attention(input, plan, true).output, one.output)) << "of another step";
}

}  // namespace
}  // namespace batchwise
