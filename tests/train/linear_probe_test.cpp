// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>
#include <vector>

#include "core/train/probe.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using test::checked;

at::Tensor rows(std::int64_t count, std::int64_t width, std::uint64_t seed) {
  return torch::randn({count, width}, at::make_generator<at::CPUGeneratorImpl>(seed), torch::kFloat);
}

/// Features that depend on each other, as those of a model do.
at::Tensor correlated(std::int64_t count, std::int64_t width) {
  return rows(count, width, 1).mm(rows(width, width, 2)) + 3 * rows(count, 1, 3);
}

at::Tensor eachAlone(const at::Tensor& features) {
  return torch::arange(features.size(0), torch::kLong);
}

bool never() {
  return false;
}

TEST(LinearProbeTest, TheGradientVanishesAtTheSolution) {
  const at::Tensor features = correlated(300, 12);
  const at::Tensor labels = (features.slice(1, 0, 3) + 2 * rows(300, 3, 4)).argmax(1);
  const auto probe = *checked(fitClassifier(features, labels, eachAlone(features), 3, never));
  const at::Tensor x = (features.to(torch::kDouble) - probe.mean) / probe.scale;
  const at::Tensor error = torch::softmax(probe.outputs(features), 1) - torch::one_hot(labels, 3);
  const at::Tensor gradient = x.t().mm(error) + probe.penalty * probe.weights.slice(0, 0, -1);
  EXPECT_LT(gradient.abs().max().item<double>(), 300 * 1e-6);
  EXPECT_LT(error.sum(0).abs().max().item<double>(), 300 * 1e-6);  // of the bias, which has no penalty
}

TEST(LinearProbeTest, NoiseGetsAStrongPenaltyAndASignalAWeakOne) {
  const at::Tensor features = correlated(400, 10);
  const at::Tensor noise = (rows(400, 1, 5).squeeze(1) > 0).to(torch::kLong);
  const at::Tensor signal = (features.select(1, 0) > features.select(1, 1)).to(torch::kLong);
  EXPECT_GT(checked(fitClassifier(features, noise, eachAlone(features), 2, never))->penalty,
            checked(fitClassifier(features, signal, eachAlone(features), 2, never))->penalty);
}

TEST(LinearProbeTest, ConstantColumnsAndFewRowsAreNoObstacle) {
  at::Tensor features = correlated(20, 40);
  features.select(1, 7).fill_(2.5);
  const at::Tensor labels = torch::arange(20, torch::kLong).remainder(2);
  EXPECT_TRUE(torch::isfinite(checked(fitClassifier(features, labels, eachAlone(features), 2, never))->weights)
                  .all()
                  .item<bool>());
  EXPECT_TRUE(
      torch::isfinite(checked(fitRegression(features, labels.to(torch::kDouble), eachAlone(features), never))->weights)
          .all()
          .item<bool>());
}

TEST(LinearProbeTest, AClassMayBeMissingInAFold) {
  const at::Tensor features = correlated(40, 6);
  at::Tensor labels = torch::arange(40, torch::kLong).remainder(2);
  labels[17] = 2;
  const auto probe = *checked(fitClassifier(features, labels, eachAlone(features), 3, never));
  EXPECT_TRUE(torch::isfinite(probe.weights).all().item<bool>());
  EXPECT_THAT(probe.notes, testing::Not(testing::Contains(testing::HasSubstr("not converged"))));
}

TEST(LinearProbeTest, RowsOfAGroupShareAFold) {
  // Copies of noise in other folds would make it look like a signal.
  const at::Tensor once = rows(60, 40, 7), labels = (rows(60, 1, 8).squeeze(1) > 0).to(torch::kLong);
  const at::Tensor features = torch::cat({once, once, once}), all = torch::cat({labels, labels, labels});
  const at::Tensor groups = torch::arange(180, torch::kLong).remainder(60);
  const auto together = *checked(fitClassifier(features, all, groups, 2, never));
  const auto apart = *checked(fitClassifier(features, all, eachAlone(features), 2, never));
  EXPECT_GT(together.penalty, apart.penalty);
}

TEST(LinearProbeTest, APenaltyAtTheEndOfThoseThatAreTriedIsNoted) {
  const at::Tensor labels = torch::arange(100, torch::kLong).remainder(2), features = rows(100, 3, 9);
  features.select(1, 0).copy_(20 * labels - 10);
  const auto probe = *checked(fitClassifier(features, labels, eachAlone(features), 2, never));
  EXPECT_THAT(probe.notes, testing::Contains(testing::HasSubstr("the smallest that is tried")));
}

TEST(LinearProbeTest, ARidgeSolvesItsNormalEquations) {
  const at::Tensor features = correlated(200, 8);
  const at::Tensor numbers = features.select(1, 2).to(torch::kDouble) + rows(200, 1, 6).squeeze(1);
  const auto probe = *checked(fitRegression(features, numbers, eachAlone(features), never));
  const at::Tensor x = (features.to(torch::kDouble) - probe.mean) / probe.scale;
  const at::Tensor error = probe.outputs(features).squeeze(1) - numbers;
  const at::Tensor gradient = x.t().mv(error) + probe.penalty * probe.weights.slice(0, 0, -1).squeeze(1);
  EXPECT_LT(gradient.abs().max().item<double>(), 1e-7);
  EXPECT_LT(std::abs(error.sum().item<double>()), 1e-7);
}

TEST(LinearProbeTest, TheSameFeaturesGiveTheSameBits) {
  const at::Tensor features = correlated(100, 6);
  const at::Tensor labels = torch::arange(100, torch::kLong).remainder(3);
  const auto first = *checked(fitClassifier(features, labels, eachAlone(features), 3, never));
  EXPECT_TRUE(first.weights.equal(checked(fitClassifier(features, labels, eachAlone(features), 3, never))->weights));
}

TEST(LinearProbeTest, AStopEndsIt) {
  const at::Tensor features = correlated(100, 4), labels = torch::arange(100, torch::kLong).remainder(2);
  int asked = 0;
  const auto found = fitClassifier(features, labels, eachAlone(features), 2, [&] { return ++asked > 3; });
  EXPECT_EQ(found.error().code, ErrorCode::Stopped);
  EXPECT_LT(asked, 100);
}

}  // namespace
}  // namespace batchwise
