// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adamw.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/vectors.h"

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

/// The parameters and gradients of tests/vectors/stable_adamw.json.
std::vector<NamedTensor> startParameters(std::int64_t rows = 5) {
  std::vector<NamedTensor> all;
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes = {
      {"a.weight", {rows, 7}}, {"a.bias", {7}}, {"LayerNorm.weight", {3}}};
  for (const auto& [name, shape] : shapes) {
    const at::Tensor places = at::arange(at::zeros(shape).numel(), at::kDouble);
    const at::Tensor values = places.mul(0.37).add(static_cast<double>(all.size())).sin().mul(0.5);
    at::Tensor tensor = values.to(at::kFloat).reshape(shape).requires_grad_(true);
    tensor.mutable_grad() = at::zeros_like(tensor).detach();
    all.push_back({name, tensor});
  }
  return all;
}

double gradientAt(std::size_t parameter, std::int64_t place, int step) {
  const double size = step == 4 || step == 11 ? 3.0 : step % 3 == 0 ? 0.02 : 0.3;
  const auto i = static_cast<double>(place);
  return size * std::cos(0.73 * i + 1.3 * static_cast<double>(parameter) + 0.9 * step) * (1.0 + 0.1 * i);
}

void setStepGradients(std::vector<NamedTensor>& all, int step) {
  for (std::size_t p = 0; p < all.size(); ++p) {
    at::Tensor gradient = all[p].tensor.mutable_grad().view(-1);
    for (std::int64_t i = 0; i < gradient.numel(); ++i) gradient[i] = gradientAt(p, i, step);
  }
}

OptimizerConfig stableConfig(double decay, bool decoupled, double clip) {
  OptimizerConfig config;
  config.name = OptimizerName::StableAdamW;
  config.lr = 0.02;
  config.betas = {0.9, 0.98};
  config.eps = 1e-6;
  config.weightDecay = decay;
  config.decoupleLr = decoupled;
  config.gradClipNorm = clip;
  return config;
}

double rateOf(int step) {
  return 0.02 * (1.0 - step / 25.0);
}

/// Wortsman et al. 2023, algorithm 2, in double, with the moments without bias as published.
struct PublishedStableAdamW {
  std::vector<double> values, m, v;

  void step(const std::vector<double>& gradient, const OptimizerConfig& config, double rate, double decay, int t) {
    const auto unbiased = [t](double beta) { return (std::pow(beta, t) - beta) / (std::pow(beta, t) - 1.0); };
    const double beta1 = unbiased(config.betas[0]), beta2 = unbiased(config.betas[1]);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * gradient[i];
      v[i] = beta2 * v[i] + (1 - beta2) * gradient[i] * gradient[i];
      sum += gradient[i] * gradient[i] / std::max(v[i], config.eps * config.eps);
    }
    const double eta = rate / std::max(1.0, std::sqrt(sum / static_cast<double>(values.size())));
    const double shrink = config.decoupleLr ? eta / config.lr * decay : eta * decay;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = values[i] * (1 - shrink) - eta * m[i] / (std::sqrt(v[i]) + config.eps);
  }
};

std::vector<PublishedStableAdamW> published(const std::vector<NamedTensor>& all) {
  std::vector<PublishedStableAdamW> references;
  for (const auto& [name, tensor] : all) {
    PublishedStableAdamW one;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) one.values.push_back(tensor.view(-1)[i].item<double>());
    one.m = one.v = std::vector<double>(one.values.size(), 0.0);
    references.push_back(std::move(one));
  }
  return references;
}

double largestDifference(const std::vector<NamedTensor>& all, const std::vector<PublishedStableAdamW>& expected) {
  double largest = 0;
  for (std::size_t p = 0; p < all.size(); ++p)
    for (std::size_t i = 0; i < expected[p].values.size(); ++i)
      largest = std::max(largest, std::abs(all[p].tensor.view(-1)[static_cast<std::int64_t>(i)].item<double>() -
                                           expected[p].values[i]));
  return largest;
}

TEST(StableAdamWTest, FollowsThePublishedFormula) {
  for (const bool decoupled : {false, true})
    for (const double clip : {0.0, 0.5}) {
      auto all = startParameters();
      const OptimizerConfig config = stableConfig(decoupled ? 1e-3 : 0.1, decoupled, clip);
      AdamW optimizer(all, AdamWOptions::of(config));
      auto expected = published(all);
      for (int t = 0; t < 20; ++t) {
        setStepGradients(all, t);
        double squares = 0;
        for (const auto& [name, tensor] : all) squares += tensor.grad().square().sum().item<double>();
        const double factor = clip > 0 ? std::min(1.0, clip / (std::sqrt(squares) + 1e-6)) : 1.0;
        for (std::size_t p = 0; p < all.size(); ++p) {
          std::vector<double> gradient;
          for (std::int64_t i = 0; i < all[p].tensor.numel(); ++i) gradient.push_back(gradientAt(p, i, t) * factor);
          expected[p].step(gradient, config, rateOf(t), p == 0 ? config.weightDecay : 0.0, t + 1);
        }
        optimizer.step(rateOf(t));
      }
      EXPECT_LT(largestDifference(all, expected), 2e-6) << decoupled << " " << clip;
    }
}

TEST(StableAdamWTest, TakesTheStepsOfTorchOptimi) {
  const auto cases = test::vectorCases("stable_adamw.json", {"stable_adamw"});
  ASSERT_EQ(cases.size(), 2U);
  for (const test::VectorCase& one : cases) {
    auto all = startParameters();
    AdamW optimizer(all, AdamWOptions::of(stableConfig(one.input.at("weight_decay"), one.input.at("decouple_lr"), 0)));
    for (int t = 0; t < one.input.at("steps"); ++t) {
      setStepGradients(all, t);
      optimizer.step(rateOf(t));
    }
    for (const auto& [name, tensor] : all) {
      const auto expected = one.answer.at(name).get<std::vector<double>>();
      ASSERT_EQ(std::ssize(expected), tensor.numel());
      for (std::int64_t i = 0; i < tensor.numel(); ++i)
        EXPECT_NEAR(tensor.view(-1)[i].item<double>(), expected[static_cast<std::size_t>(i)], 1e-6)
            << one.name << " " << name << " " << i;
    }
  }
}

// 600,001 x 7 elements are more than one piece.
TEST(StableAdamWTest, ATensorOfSeveralPiecesIsClippedAsAWhole) {
  auto all = startParameters(600'001);
  all.resize(1);
  AdamWOptions options = AdamWOptions::of(stableConfig(0, false, 0));
  AdamW optimizer(all, options);
  at::Tensor second = at::zeros_like(all[0].tensor, at::kDouble).detach();
  const at::Tensor pattern = at::arange(all[0].tensor.numel(), at::kDouble).mul(0.01).cos().reshape({600'001, 7});
  for (int t = 1; t <= 2; ++t) {
    const at::Tensor gradient = pattern * (t == 1 ? 0.01 : 1.0);
    all[0].tensor.mutable_grad().copy_(gradient);
    const at::Tensor before = all[0].tensor.detach().to(at::kDouble);
    optimizer.step(0.02);
    second = second * 0.98 + gradient.square() * 0.02;
    if (t == 1) continue;
    const at::Tensor unbiased = second / (1.0 - std::pow(0.98, t));
    const double r = (gradient.square() / unbiased.clamp_min(1e-12)).mean().sqrt().item<double>();
    ASSERT_GT(r, 1.3);
    const at::Tensor first = (pattern * 0.01 * 0.1 * 0.9 + gradient * 0.1) / (1.0 - std::pow(0.9, t));
    const at::Tensor expected = before - first / (unbiased.sqrt() + 1e-6) * (0.02 / r);
    EXPECT_LT((all[0].tensor.detach() - expected).abs().max().item<double>(), 2e-6);
  }
}

TEST(StableAdamWTest, ASkippedStepChangesNothing) {
  for (const bool byRule : {false, true}) {
    auto all = startParameters();
    AdamW optimizer(all, AdamWOptions::of(stableConfig(0.1, false, 1.0)));
    for (const int first : {0, 1}) {  // also before the first step that counts
      std::vector<at::Tensor> before;
      for (const auto& [name, tensor] : all) before.push_back(tensor.detach().clone());
      for (const auto& [name, tensor] : optimizer.stateTensors()) before.push_back(tensor.clone());
      setStepGradients(all, first);
      SkipRule rule;
      if (byRule) rule.flag = at::scalar_tensor(true, at::kBool);
      if (!byRule) all[0].tensor.mutable_grad()[1][2] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(optimizer.step(0.02, rule).foundInf.item<float>(), 1.0F);
      std::size_t place = 0;
      for (const auto& [name, tensor] : all) EXPECT_TRUE(at::equal(tensor.detach(), before[place++])) << name;
      for (const auto& [name, tensor] : optimizer.stateTensors())
        EXPECT_TRUE(at::equal(tensor, before[place++])) << name;
      setStepGradients(all, first);
      EXPECT_EQ(optimizer.step(0.02).foundInf.item<float>(), 0.0F);
    }
  }
}

TEST(StableAdamWTest, ContinuesFromItsStateBitForBit) {
  auto whole = startParameters();
  const AdamWOptions options = AdamWOptions::of(stableConfig(0.1, true, 1.0));
  AdamW one(whole, options);
  auto again = startParameters();
  AdamW first(again, options);
  for (int t = 0; t < 6; ++t) {
    setStepGradients(whole, t);
    one.step(rateOf(t));
    if (t >= 3) continue;
    setStepGradients(again, t);
    first.step(rateOf(t));
  }
  AdamW second(again, options);
  for (const auto& [name, tensor] : first.stateTensors()) ASSERT_TRUE(second.setState(name, tensor).ok()) << name;
  for (int t = 3; t < 6; ++t) {
    setStepGradients(again, t);
    second.step(rateOf(t));
  }
  for (std::size_t p = 0; p < whole.size(); ++p)
    EXPECT_TRUE(at::equal(whole[p].tensor.detach(), again[p].tensor.detach()));
}

TEST(StableAdamWTest, TheUpdateRatioKnowsTheClipping) {
  auto all = startParameters();
  AdamW optimizer(all, AdamWOptions::of(stableConfig(0, false, 0)));
  for (int t = 0; t < 6; ++t) {
    setStepGradients(all, t);  // the fifth is ten times as large and clipped
    const at::Tensor before = all[0].tensor.detach().clone();
    optimizer.step(1e-3);
    const double changed = (all[0].tensor.detach() - before).norm().item<double>() / before.norm().item<double>();
    EXPECT_NEAR(optimizer.largestUpdateRatio(1e-3).item<double>(), changed, 4e-3 * changed) << t;
  }
}

TEST(AdamWTest, DecayDecoupledFromTheRateShrinksByTheShareOfThePeak) {
  auto all = startParameters();
  OptimizerConfig config = stableConfig(0.1, true, 0);
  config.name = OptimizerName::AdamW;
  AdamW optimizer(all, AdamWOptions::of(config));
  const at::Tensor before = all[0].tensor.detach().clone();
  optimizer.zeroGradients();
  optimizer.step(0.005);  // a quarter of the peak rate
  EXPECT_TRUE(at::allclose(all[0].tensor.detach(), before * (1.0 - 0.1 * 0.25), 1e-6, 1e-8));
}

/// A number under steps of different betas: the weights of the squared gradients sum to 1 - the product of the betas.
struct VaryingReference {
  double value;
  std::vector<std::pair<double, double>> steps = {};  // gradient, beta2
  void step(double gradient, double beta2, double rate, double decay, const AdamWOptions& o) {
    steps.emplace_back(gradient, beta2);
    double first = 0, second = 0, firstWeight = 1, secondWeight = 1;
    for (auto entry = steps.rbegin(); entry != steps.rend(); ++entry) {
      first += firstWeight * (1 - o.beta1) * entry->first;
      second += secondWeight * (1 - entry->second) * entry->first * entry->first;
      firstWeight *= o.beta1;
      secondWeight *= entry->second;
    }
    value -= rate * decay * value;
    value -= rate * (first / (1 - firstWeight)) / (std::sqrt(second / (1 - secondWeight)) + o.eps);
  }
};

constexpr double kVaryingBetas[] = {0.999, 0.98, 0.998, 0.9, 0.95, 0.999, 0.99, 0.6};

TEST(AdamWTest, AVaryingBeta2IsCorrectedByItsProduct) {
  auto all = parameters();
  AdamWOptions options;
  options.weightDecay = 0.1;
  options.gradClipNorm = 0;
  options.beta2Varies = true;
  std::vector<AdamW> optimizers;
  optimizers.emplace_back(all, options);
  std::vector<std::vector<VaryingReference>> expected;
  for (const auto& [name, tensor] : all) {
    expected.emplace_back();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) expected.back().push_back({tensor[i].item<double>()});
  }
  int t = 0;
  for (const double beta2 : kVaryingBetas) {
    ++t;
    const double factor = t % 3 == 0 ? 0.25 : 1.0;
    setGradients(all, t == 3 ? 0.01 : 1.0 + t);
    SkipRule rule;
    if (t == 1 || t == 5) rule.flag = at::scalar_tensor(true, at::kBool);
    if (!rule.flag.defined())
      for (std::size_t p = 0; p < all.size(); ++p)
        for (std::size_t i = 0; i < expected[p].size(); ++i)
          expected[p][i].step(all[p].tensor.grad()[static_cast<std::int64_t>(i)].item<double>(), beta2, 0.02,
                              p == 0 ? 0.1 * factor : 0.0, options);
    const at::Tensor before = all[0].tensor.detach().clone();
    optimizers.back().step(0.02, rule, {beta2, factor});
    const double changed = (all[0].tensor.detach() - before).norm().item<double>() / before.norm().item<double>();
    if (!rule.flag.defined()) {
      EXPECT_NEAR(optimizers.back().largestUpdateRatio(0.02).item<double>(), changed, 0.05 * changed) << t;
    }
    if (t == 5) {  // as a resume does
      AdamW resumed(all, options);
      for (const auto& [name, tensor] : optimizers.back().stateTensors())
        ASSERT_TRUE(resumed.setState(name, tensor).ok()) << name;
      optimizers.push_back(std::move(resumed));
    }
  }
  for (std::size_t p = 0; p < all.size(); ++p)
    for (std::size_t i = 0; i < expected[p].size(); ++i)
      EXPECT_NEAR(all[p].tensor[static_cast<std::int64_t>(i)].item<double>(), expected[p][i].value, 1e-5)
          << p << " " << i;
}

TEST(AdamWTest, AVaryingBeta2ThatIsConstantIsTheConstantOne) {
  for (const OptimizerName name : {OptimizerName::AdamW, OptimizerName::StableAdamW}) {
    auto plain = startParameters(), varying = startParameters();
    OptimizerConfig config = stableConfig(0.1, false, 1.0);
    config.name = name;
    AdamWOptions options = AdamWOptions::of(config);
    AdamW one(plain, options);
    options.beta2Varies = true;
    AdamW other(varying, options);
    for (int t = 0; t < 6; ++t) {
      setStepGradients(plain, t);
      setStepGradients(varying, t);
      if (t == 2) plain[0].tensor.mutable_grad()[1][2] = varying[0].tensor.mutable_grad()[1][2] = std::nan("");
      one.step(rateOf(t));
      other.step(rateOf(t), {}, {options.beta2});
    }
    for (std::size_t p = 0; p < plain.size(); ++p)
      EXPECT_TRUE(at::allclose(plain[p].tensor.detach(), varying[p].tensor.detach(), 1e-5, 1e-6)) << p;
  }
}

TEST(AdamWTest, StepsBeforeAHalfLifeHadTheConfiguredBeta2) {
  auto all = parameters();
  AdamW before(all, {});
  setGradients(all, 1.0);
  before.step(0.01);
  before.step(0.01);
  AdamWOptions options;
  options.beta2Varies = true;
  AdamW after(all, options);
  for (const auto& [name, tensor] : before.stateTensors()) ASSERT_TRUE(after.setState(name, tensor).ok()) << name;
  EXPECT_EQ(after.stateTensors().back().name, "beta2_log");
  EXPECT_NEAR(after.stateTensors().back().tensor.item<double>(), 2 * std::log(options.beta2), 1e-12);
}

}  // namespace
}  // namespace batchwise
