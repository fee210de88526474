// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adamw.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

namespace batchwise {
namespace {

std::vector<NamedTensor> parameters() {
  std::vector<NamedTensor> all;
  for (const auto& [name, size] : {std::pair{"a.weight", 5}, {"a.bias", 3}, {"LayerNorm.weight", 2}}) {
    at::Tensor tensor = at::linspace(-1.0, 1.5, size).requires_grad_(true);
    tensor.mutable_grad() = at::zeros_like(tensor).detach();
    all.push_back({name, tensor});
  }
  return all;
}

void setGradients(std::vector<NamedTensor>& all, double factor) {
  for (auto& [name, tensor] : all) tensor.mutable_grad().copy_(tensor.detach().cos() * factor);
}

/// Loshchilov and Hutter 2019, algorithm 2, one number.
struct Reference {
  double value, m = 0, v = 0;
  void step(double gradient, double rate, const AdamWOptions& o, double decay, int t) {
    m = o.beta1 * m + (1 - o.beta1) * gradient;
    v = o.beta2 * v + (1 - o.beta2) * gradient * gradient;
    value -= rate * decay * value;
    value -= rate * (m / (1 - std::pow(o.beta1, t))) / (std::sqrt(v / (1 - std::pow(o.beta2, t))) + o.eps);
  }
};

TEST(AdamWTest, FollowsTheFormulaWithClippingAndTwoGroups) {
  auto all = parameters();
  AdamWOptions options;
  options.weightDecay = 0.1;
  options.gradClipNorm = 0.5;
  AdamW optimizer(all, options);
  std::vector<std::vector<Reference>> expected;
  for (const auto& [name, tensor] : all) {
    expected.emplace_back();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) expected.back().push_back({tensor[i].item<double>()});
  }
  for (int t = 1; t <= 5; ++t) {
    setGradients(all, t == 3 ? 0.01 : 2.0);  // clipped, but for the third
    double squares = 0;
    for (const auto& [name, tensor] : all) squares += tensor.grad().square().sum().item<double>();
    const double factor = std::min(1.0, options.gradClipNorm / (std::sqrt(squares) + 1e-6));
    for (std::size_t p = 0; p < all.size(); ++p)
      for (std::size_t i = 0; i < expected[p].size(); ++i)
        expected[p][i].step(all[p].tensor.grad()[static_cast<std::int64_t>(i)].item<double>() * factor, 0.02, options,
                            p == 0 ? 0.1 : 0.0, t);
    const StepOutcome found = optimizer.step(0.02);
    EXPECT_NEAR(found.gradientNorm.item<double>(), std::sqrt(squares), 1e-5);
    EXPECT_EQ(found.foundInf.item<double>(), 0);
  }
  for (std::size_t p = 0; p < all.size(); ++p)
    for (std::size_t i = 0; i < expected[p].size(); ++i)
      EXPECT_NEAR(all[p].tensor[static_cast<std::int64_t>(i)].item<double>(), expected[p][i].value, 1e-5)
          << p << " " << i;
}

TEST(AdamWTest, AGradientThatIsNotFiniteChangesNothing) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto all = parameters();
    AdamW optimizer(all, {});
    setGradients(all, 1.0);
    optimizer.step(0.1);
    std::vector<at::Tensor> before;
    for (const auto& [name, tensor] : all) before.push_back(tensor.detach().clone());
    for (const auto& [name, tensor] : optimizer.stateTensors()) before.push_back(tensor.clone());
    setGradients(all, 1.0);
    all[1].tensor.mutable_grad()[1] = bad;
    EXPECT_EQ(optimizer.step(0.1).foundInf.item<double>(), 1);
    std::size_t next = 0;
    for (const auto& [name, tensor] : all) EXPECT_TRUE(at::equal(tensor.detach(), before[next++])) << name;
    for (const auto& [name, tensor] : optimizer.stateTensors()) EXPECT_TRUE(at::equal(tensor, before[next++])) << name;
    setGradients(all, 1.0);
    EXPECT_EQ(optimizer.step(0.1).foundInf.item<double>(), 0);
  }
}

TEST(AdamWTest, ContinuesFromItsStateBitForBit) {
  auto whole = parameters();
  AdamW one(whole, {});
  auto again = parameters();
  AdamW first(again, {});
  for (int t = 0; t < 6; ++t) {
    setGradients(whole, 1.0 + t);
    one.step(0.01);
  }
  for (int t = 0; t < 3; ++t) {
    setGradients(again, 1.0 + t);
    first.step(0.01);
  }
  AdamW second(again, {});
  for (const auto& [name, tensor] : first.stateTensors()) ASSERT_TRUE(second.setState(name, tensor).ok()) << name;
  for (int t = 3; t < 6; ++t) {
    setGradients(again, 1.0 + t);
    second.step(0.01);
  }
  for (std::size_t p = 0; p < whole.size(); ++p)
    EXPECT_TRUE(at::equal(whole[p].tensor.detach(), again[p].tensor.detach()));
}

TEST(AdamWTest, StateIsNamedAndChecked) {
  auto all = parameters();
  AdamW optimizer(all, {});
  const auto state = optimizer.stateTensors();
  ASSERT_EQ(state.size(), 7U);
  EXPECT_EQ(state[0].name, "exp_avg/a.weight");
  EXPECT_EQ(state[3].name, "exp_avg_sq/a.weight");
  EXPECT_EQ(state[6].name, "step");
  EXPECT_FALSE(optimizer.setState("exp_avg/b", at::zeros({5})).ok());
  EXPECT_FALSE(optimizer.setState("exp_avg/a.weight", at::zeros({4})).ok());
}

TEST(AdamWTest, ZeroingKeepsTheGradientTensors) {
  auto all = parameters();
  AdamW optimizer(all, {});
  setGradients(all, 1.0);
  const void* const before = all[0].tensor.grad().data_ptr();
  optimizer.zeroGradients();
  EXPECT_EQ(all[0].tensor.grad().data_ptr(), before);
  EXPECT_EQ(optimizer.gradientNorm().item<double>(), 0);
}

TEST(AdamWTest, ARuleThatSkipsLeavesEverythingAsItIs) {
  for (const bool byNorm : {true, false}) {
    auto all = parameters();
    AdamW optimizer(all, {});
    setGradients(all, 1.0);
    optimizer.step(0.01);
    std::vector<at::Tensor> before;
    for (const auto& [name, tensor] : all) before.push_back(tensor.detach().clone());
    for (const auto& [name, tensor] : optimizer.stateTensors()) before.push_back(tensor.clone());
    setGradients(all, 1.0);
    const double norm = optimizer.gradientNorm().item<double>();
    SkipRule rule;
    if (byNorm) rule.gradNormLimit = norm * 0.999;
    if (!byNorm) rule.flag = at::scalar_tensor(true, at::kBool);
    EXPECT_EQ(optimizer.step(0.01, rule).foundInf.item<float>(), 1.0F);
    std::size_t place = 0;
    for (const auto& [name, tensor] : all) EXPECT_TRUE(torch::equal(tensor.detach(), before[place++])) << name;
    for (const auto& [name, tensor] : optimizer.stateTensors())
      EXPECT_TRUE(torch::equal(tensor, before[place++])) << name;
    setGradients(all, 1.0);
    rule.gradNormLimit = norm * 1.001;
    rule.flag = at::scalar_tensor(false, at::kBool);
    EXPECT_EQ(optimizer.step(0.01, rule).foundInf.item<float>(), 0.0F);
    EXPECT_FALSE(torch::equal(all[0].tensor.detach(), before[0]));
  }
}

TEST(AdamWTest, TheUpdateRatioIsWhatTheStepChangedOfAMatrix) {
  for (const double decay : {0.0, 0.1}) {
    auto all = parameters();
    AdamWOptions options;
    options.weightDecay = decay;
    AdamW optimizer(all, options);
    for (int step = 0; step < 3; ++step) {
      setGradients(all, 1.0 + step);
      const at::Tensor before = all[0].tensor.detach().clone();
      optimizer.step(1e-3);
      const double changed = (all[0].tensor.detach() - before).norm().item<double>() / before.norm().item<double>();
      EXPECT_NEAR(optimizer.largestUpdateRatio(1e-3).item<double>(), changed, 2e-3 * changed) << "step " << step;
    }
  }
}

TEST(AdamWTest, AScaledLossGivesTheSameStepsAndItsScaleFollowsTheGradients) {
  auto plain = parameters();
  auto scaled = parameters();
  AdamWOptions options;
  AdamW first(plain, options);
  options.scalesLoss = true;
  AdamW second(scaled, options);
  EXPECT_FALSE(first.lossScale().defined());
  EXPECT_EQ(second.lossScale().item<float>(), 65536.0F);
  for (int step = 0; step < 3; ++step) {
    setGradients(plain, 3.0);
    setGradients(scaled, 3.0 * second.lossScale().item<double>());
    const float norm = first.step(0.01).gradientNorm.item<float>();
    EXPECT_NEAR(second.step(0.01).gradientNorm.item<float>(), norm, 1e-5 * norm);
  }
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(torch::allclose(plain[i].tensor, scaled[i].tensor, 1e-5, 1e-7));
  setGradients(scaled, std::numeric_limits<double>::infinity());
  EXPECT_EQ(second.step(0.01).foundInf.item<float>(), 1.0F);
  EXPECT_EQ(second.lossScale().item<float>(), 32768.0F);
  // A step that a rule skips says nothing about the scale.
  setGradients(scaled, 3.0);
  SkipRule skip;
  skip.flag = torch::tensor(true);
  EXPECT_EQ(second.step(0.01, skip).foundInf.item<float>(), 1.0F);
  EXPECT_EQ(second.lossScale().item<float>(), 32768.0F);
  // It is part of the state, and doubles after 2,000 steps.
  AdamW third(scaled, options);
  for (const NamedTensor& named : second.stateTensors()) ASSERT_TRUE(third.setState(named.name, named.tensor).ok());
  EXPECT_EQ(third.lossScale().item<float>(), 32768.0F);
  for (int step = 0; step < 2000; ++step) {
    setGradients(scaled, 1.0);
    third.step(0.0);
  }
  EXPECT_EQ(third.lossScale().item<float>(), 65536.0F);
}

}  // namespace
}  // namespace batchwise
