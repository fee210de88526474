// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/backend_check.h"

#include <ATen/core/CachingHostAllocator.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>

#include "core/model/device_batch.h"
#include "core/model/device_error.h"
#include "core/model/ops.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using ::testing::ElementsAre;

// The check that a GPU's kernels get at their first use, on the processor: the kernels of the CPU backend pass it, and
// one that is wrong is found. What takes the place of a kernel is thereby checked too.

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
  at::Tensor sequenceNorms(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& starts,
                           bool hasBeta) const override {
    return cpuBackend().sequenceNorms(outer, saved, what == "starts" ? (starts - 1).clamp_min(0) : starts, hasBeta);
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
  EXPECT_THAT(found("starts"), ElementsAre("norm fp32", "norm bf16", "norm fp16"));
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
  const Backend& instead = backendFor(OperationGroup::Activation, at::kCUDA, at::kHalf);
  const auto [output, saved] = instead.biasActivation(input, bias, Activation::Relu, true);
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

const CheckedGpu kGpu{"NVIDIA H200", "00ff", "580.65.06", "0.1.0"};

std::vector<OperationCheck> allGood() {
  std::vector<OperationCheck> checks;
  for (const OperationGroup group : kOperationGroups)
    for (const std::string& type : checkedTypes()) checks.push_back({group, type, 0.1 + 0.2, {}});
  return checks;
}

class RememberedChecksTest : public testing::Test {
 protected:
  std::vector<OperationCheck> checked(const CheckedGpu& gpu = kGpu) {
    return rememberedChecks(folder_ / "cache", gpu, [this] {
      ++times_;
      return outcome_;
    });
  }
  std::filesystem::path file() const { return rememberedChecksFile(folder_ / "cache", kGpu); }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(file()).rdbuf();
    return all.str();
  }

  test::TempFolder folder_;
  std::vector<OperationCheck> outcome_ = allGood();
  int times_ = 0;
};

TEST_F(RememberedChecksTest, TheOutcomeOfAFirstUseIsThatOfTheNext) {
  outcome_[4].error = 7.5;
  outcome_[5].error = std::numeric_limits<double>::quiet_NaN();
  outcome_[6].error = std::numeric_limits<double>::infinity();
  checked();
  const auto again = checked();
  EXPECT_EQ(times_, 1);
  ASSERT_EQ(again.size(), outcome_.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].group, outcome_[i].group);
    EXPECT_EQ(again[i].type, outcome_[i].type);
    EXPECT_EQ(again[i].good(), i < 4 || i > 6) << i;
  }
  EXPECT_EQ(again[0].error, outcome_[0].error);
  EXPECT_EQ(again[4].error, 7.5);
}

TEST_F(RememberedChecksTest, AnotherCardDriverOrBuildIsCheckedToo) {
  checked();
  CheckedGpu other = kGpu;
  other.uuid = "00fe";
  checked(other);
  other = kGpu;
  other.driver = "590.1";
  checked(other);
  other = kGpu;
  other.build = "0.1.1";
  checked(other);
  other = kGpu;
  other.name = "NVIDIA H100";
  checked(other);
  EXPECT_EQ(times_, 5);
  checked(other);
  EXPECT_EQ(times_, 5);
}

TEST_F(RememberedChecksTest, WithoutAFolderNothingIsRemembered) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const auto check = [this] {
    ++times_;
    return outcome_;
  };
  for (int times = 0; times < 2; ++times) EXPECT_EQ(rememberedChecks({}, kGpu, check).size(), outcome_.size());
  std::filesystem::current_path(here);
  EXPECT_EQ(times_, 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RememberedChecksTest, AFileOfAnotherCardIsNotBelieved) {
  CheckedGpu other = kGpu;
  other.uuid = "00fe";
  checked(other);
  std::filesystem::rename(rememberedChecksFile(folder_ / "cache", other), file());
  checked();
  EXPECT_EQ(times_, 2);
}

TEST_F(RememberedChecksTest, ADamagedFileIsReplaced) {
  checked();
  const std::string whole = text();
  ASSERT_GT(whole.size(), 500U);
  std::vector<std::string> damaged = {"", "{}", "null", "[]", whole + whole, std::string(2 << 20, ' ')};
  for (std::size_t length = 0; length + 2 < whole.size(); length += 97) damaged.push_back(whole.substr(0, length));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"fp16\"", "\"fp32\""},
                                                                                 {"\"norm\"", "\"form\""},
                                                                                 {"\"norm\"", "7"},
                                                                                 {"true", "false"},
                                                                                 {"\"good\"", "\"food\""},
                                                                                 {"gpu-check/1", "gpu-check/2"}}) {
    damaged.push_back(whole);
    damaged.back().replace(whole.find(from), from.size(), to);
  }
  for (const std::string& content : damaged) {
    times_ = 0;
    std::ofstream(file(), std::ios::trunc) << content;
    EXPECT_EQ(checked().size(), outcome_.size());
    EXPECT_EQ(times_, 1) << content.substr(0, 200);
    checked();
    EXPECT_EQ(times_, 1);
    EXPECT_EQ(text(), whole);
  }
}

TEST_F(RememberedChecksTest, WhatThrewIsTriedAgain) {
  outcome_[2].problem = "CUDA out of memory";
  EXPECT_FALSE(checked()[2].good());
  EXPECT_FALSE(checked()[2].good());
  EXPECT_EQ(times_, 2);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(RememberedChecksTest, AFolderThatCannotBeMadeIsNoError) {
  std::ofstream(folder_ / "cache") << "a file";
  EXPECT_EQ(checked().size(), outcome_.size());
  EXPECT_EQ(checked().size(), outcome_.size());
  EXPECT_EQ(times_, 2);
}

TEST(BuildIdentityTest, IsTheSameWithinOneBuildAndNamesLibTorch) {
  EXPECT_EQ(buildIdentity(), buildIdentity());
  EXPECT_THAT(buildIdentity(), testing::AllOf(testing::HasSubstr("LibTorch 2."), testing::HasSubstr("bytes of")));
}

c10::Error torchError(const char* text) {
  return c10::Error(text, /*backtrace=*/nullptr);
}

KernelError kernelError(ErrorCode code) {
  return KernelError(Error{code, "the LayerNorm kernel cannot start", {}});
}

TEST(DeviceErrorTest, KnowsALackOfMemoryWhoeverFindsIt) {
  EXPECT_TRUE(isOutOfMemory(c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "CUDA out of memory.")));
  EXPECT_TRUE(isOutOfMemory(std::bad_alloc()));
  EXPECT_TRUE(isOutOfMemory(kernelError(ErrorCode::OutOfMemory)));
  EXPECT_TRUE(isOutOfMemory(c10::AcceleratorError({__func__, __FILE__, __LINE__}, 2,
                                                  "CUDA error: out of memory\nCUDA kernel errors might be ...")));
  EXPECT_TRUE(isOutOfMemory(torchError("CUDA driver error: out of memory")));
  EXPECT_TRUE(isOutOfMemory(torchError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasGemmEx(...)`")));
  EXPECT_TRUE(
      isOutOfMemory(torchError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`")));
}

TEST(DeviceErrorTest, OtherErrorsAreNone) {
  EXPECT_FALSE(isOutOfMemory(kernelError(ErrorCode::Device)));
  EXPECT_FALSE(isOutOfMemory(c10::AcceleratorError({__func__, __FILE__, __LINE__}, 700,
                                                   "CUDA error: an illegal memory access was encountered")));
  EXPECT_FALSE(isOutOfMemory(torchError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx()`")));
  EXPECT_FALSE(isOutOfMemory(torchError("index 7 is out of bounds")));
  EXPECT_FALSE(isOutOfMemory(std::runtime_error("CUDA error: out of memory")));
}

TEST(DeviceErrorTest, AGpuThatIsNotUsedHasNotFailed) {
  EXPECT_FALSE(hasFailedGpu());
}

int released = 0;

// As that of LibTorch after an error of the GPU.
void releaseOnAFailedGpu(void* memory) {
  std::free(memory);
  ++released;
  TORCH_CHECK(false, "CUDA error: device-side assert triggered");
}

/// Page-locked memory of a GPU that has failed.
class FailedGpuAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = std::malloc(bytes);
    return {memory, memory, &releaseOnAFailedGpu, at::kCPU};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

TEST(StagingTensorTest, IsReleasedWhenTheGpuHasFailed) {
  at::HostAllocator* const before = at::getHostAllocator(at::kCUDA);
  FailedGpuAllocator failed;
  at::setHostAllocator(at::kCUDA, &failed);
  released = 0;
  {
    at::Tensor numbers = stagingTensor({2, 3}, at::kDouble, at::Device(at::kCUDA, 0));
    EXPECT_EQ(numbers.sizes(), (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(numbers.scalar_type(), at::kDouble);
    EXPECT_TRUE(numbers.is_cpu());
    numbers.fill_(7);
    EXPECT_EQ(numbers.sum().item<double>(), 42);
    EXPECT_EQ(stagingTensor({0}, at::kLong, at::Device(at::kCUDA, 0)).numel(), 0);
  }
  EXPECT_EQ(released, 2);
  at::setHostAllocator(at::kCUDA, before);
}

TEST(StagingTensorTest, IsAnOrdinaryOneForAProcessor) {
  released = 0;
  const at::Tensor numbers = stagingTensor({5}, at::kInt, at::kCPU);
  EXPECT_EQ(numbers.nbytes(), 20);
  EXPECT_EQ(released, 0);
}

}  // namespace
}  // namespace batchwise
