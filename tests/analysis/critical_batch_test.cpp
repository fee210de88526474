// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/critical_batch.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/analysis/statistics.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

using Generator = std::mt19937_64;

StudyOptions optionsOf(std::vector<double> factors, int replicates) {
  StudyOptions options;
  options.factors = std::move(factors);
  options.replicates = replicates;
  options.deltaTokens = 512;
  return options;
}

BranchResult ended(double factor, int replicate, double loss) {
  return {{100, factor, replicate}, std::nullopt, std::nullopt, loss, std::nullopt};
}

const FactorDecision& rowOf(const StudyColumn& column, double factor) {
  for (const FactorDecision& row : column.factors)
    if (isSameBranch({0, row.factor, 0}, {0, factor, 0})) return row;
  ADD_FAILURE() << "no factor " << factor;
  return column.factors.front();
}

/// Trainer of batch-science.md 8.1: gradient theta + noise of covariance noiseBatch |theta|^2 I / (dimension batch),
/// loss |theta|^2 / 2, rate 1 / (1 + noiseBatch / batch), under which the loss falls (1 + batch / noiseBatch) times a
/// step.
struct SimulatedTrainer {
  double noiseBatch = 256;
  double dimension = 20'000;

  double rate(double batch) const { return 1 / (1 + noiseBatch / batch); }
  /// |theta|^2 after a step, from the noise along theta and the squared length of the rest, in units of its deviation.
  double stepped(double square, double batch, double along, double rest) const {
    const double eta = rate(batch), s = std::sqrt(noiseBatch / (dimension * batch));
    const double parallel = 1 - eta - eta * s * along;
    return square * (parallel * parallel + eta * eta * s * s * rest);
  }
  double lossAfter(double tokens, double batch, Generator& draws) const {
    std::normal_distribution<double> normal;
    std::chi_squared_distribution<double> chi(dimension - 1);
    const auto steps = std::lround(tokens / batch);
    double square = 1;
    for (long step = 0; step < steps; ++step)
      square = stepped(square, tokens / static_cast<double>(steps), normal(draws), chi(draws));
    return square / 2;
  }
  double expectedLoss(double tokens, double batch) const {
    return 0.5 * std::pow(1 + batch / noiseBatch, -tokens / batch);
  }
};

TEST(SimulatedTrainerTest, EqualsItsVectorFormAndItsFormula) {
  const SimulatedTrainer trainer;
  Generator draws(1);
  std::normal_distribution<double> normal;
  const double batch = 32, eta = trainer.rate(batch);
  std::vector<double> theta(20'000, 1 / std::sqrt(20'000.0)), noise(theta.size());
  for (int step = 0; step < 16; ++step) {
    double square = 0, product = 0, length = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      noise[i] = normal(draws);
      square += theta[i] * theta[i], product += theta[i] * noise[i], length += noise[i] * noise[i];
    }
    const double along = product / std::sqrt(square);
    const double expected = trainer.stepped(square, batch, along, length - along * along);
    double after = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] -= eta * (theta[i] + noise[i] * std::sqrt(256 * square / (20'000 * batch)));
      after += theta[i] * theta[i];
    }
    EXPECT_NEAR(after / expected, 1, 1e-9);
  }
  for (const double k : {1.0, 4.0, 8.0}) {
    std::vector<double> losses;
    for (int i = 0; i < 400; ++i) losses.push_back(trainer.lossAfter(512, 8 * k, draws));
    EXPECT_NEAR(meanOf(losses), trainer.expectedLoss(512, 8 * k), 4 * deviationOf(losses) / 20);
  }
}

/// Runs the branches that the study asks for until it asks for none.
CheckpointDecision study(const StudyOptions& options, double baseBatch, Generator& draws) {
  const SimulatedTrainer trainer;
  const StudyCheckpoint checkpoint = {100, baseBatch, std::nullopt, false};
  std::vector<BranchResult> results;
  while (true) {
    CheckpointDecision decision = decideCheckpoint(options, checkpoint, results);
    if (decision.next.empty()) return decision;
    const Branch next = decision.next.front();
    results.push_back(
        {next, std::nullopt, std::nullopt, trainer.lossAfter(512, baseBatch * next.factor, draws), std::nullopt});
  }
}

TEST(CriticalBatchTest, FindsThePlantedBatch) {
  const SimulatedTrainer trainer;
  const double limit = trainer.expectedLoss(512, 8) + 0.01;
  ASSERT_LT(trainer.expectedLoss(512, 32), limit);
  ASSERT_GT(trainer.expectedLoss(512, 64), limit);
  Generator draws(2);
  int right = 0, tooHigh = 0;
  for (int i = 0; i < 300; ++i) {
    const StudyColumn column = study(optionsOf({1, 2, 4, 8, 16}, 5), 8, draws).atRate;
    ASSERT_TRUE(column.isDecided);
    right += column.low && *column.low >= 4 && column.high && *column.high <= 8;
    tooHigh += column.low && trainer.expectedLoss(512, 8 * *column.low) >= limit;
  }
  EXPECT_GE(right, 285);
  EXPECT_LE(tooHigh, 15);
}

TEST(CriticalBatchTest, SeesThatTheBatchOfTheRunIsTooLarge) {
  Generator draws(3);
  int right = 0;
  for (int i = 0; i < 100; ++i) {
    const StudyColumn column = study(optionsOf({0.5, 1, 2, 4}, 5), 96, draws).atRate;
    right += column.high && *column.high <= 1;
  }
  EXPECT_GE(right, 95);
}

TEST(CriticalBatchTest, PassesAFactorAtTheToleranceInFivePercent) {
  Generator draws(4);
  std::normal_distribution<double> normal(0.01, 0.02);
  constexpr int kReplicates = 3;
  std::vector<BranchResult> results;
  for (int i = 0; i < kReplicates; ++i) {
    results.push_back(ended(1, i, 0));
    results.push_back(ended(2, i, 0));
  }
  int passed = 0;
  for (int draw = 0; draw < 100'000; ++draw) {
    for (std::size_t i = 1; i < results.size(); i += 2) results[i].atEnd = normal(draws);
    passed +=
        decideCheckpoint(optionsOf({1, 2}, kReplicates), {100, 8, std::nullopt, false}, results).atRate.low == 2.0;
  }
  EXPECT_NEAR(passed / 1e5, 0.05, 0.005);
}

TEST(CriticalBatchTest, TestsInAscendingOrderAndThenOnceInBetween) {
  const StudyOptions options = optionsOf({1, 2, 4, 8}, 2);
  const StudyCheckpoint checkpoint = {100, 16, std::nullopt, false};
  std::vector<BranchResult> results = {ended(1, 0, 3.0)};  // the rows of the run itself
  const auto next = [&] { return nextBranches(options, std::span(&checkpoint, 1), results); };
  EXPECT_EQ(next(), (std::vector<Branch>{{100, 2, 0}, {100, 1, 1}, {100, 2, 1}}));
  results.insert(results.end(), {ended(1, 1, 3.1), ended(2, 0, 3.001), ended(2, 1, 3.1005)});
  EXPECT_EQ(next(), (std::vector<Branch>{{100, 4, 0}, {100, 4, 1}}));
  results.push_back(ended(4, 0, 3.02));  // no other replicate can make it pass
  const double between = 2.828;          // 2 sqrt 2
  EXPECT_EQ(next(), (std::vector<Branch>{{100, between, 0}, {100, between, 1}}));
  results.insert(results.end(), {ended(2.8125, 0, 3.0), ended(2.8125, 1, 3.101)});  // 45 samples of 16
  EXPECT_TRUE(next().empty());
  const CheckpointDecision decision = decideCheckpoint(options, checkpoint, results);
  EXPECT_TRUE(decision.atRate.isDecided);
  EXPECT_EQ(decision.atRate.low, between);
  EXPECT_EQ(decision.atRate.high, 4);
  ASSERT_EQ(decision.atRate.factors.size(), 5U);
  EXPECT_EQ(rowOf(decision.atRate, 2).count, 2);
  EXPECT_NEAR(*rowOf(decision.atRate, 2).meanDifference, 0.00075, 1e-12);
  EXPECT_NEAR(*rowOf(decision.atRate, 2).bound, 0.00075 + 6.313752 * 0.00025, 1e-8);
  EXPECT_EQ(rowOf(decision.atRate, 8).state, FactorState::NotNeeded);
  const auto points = lawPoints(std::span(&decision, 1));
  ASSERT_EQ(points.size(), 1U);
  EXPECT_NEAR(*points[0].low, 16 * between, 1e-9);
  EXPECT_EQ(points[0].high, 64);
}

TEST(CriticalBatchTest, NamesNoLowerEndWhereOnlyTheSmallestIsLeft) {
  const StudyOptions options = optionsOf({1, 1.4}, 2);
  const std::vector<BranchResult> results = {ended(1, 0, 3), ended(1, 1, 3), ended(1.4, 0, 4), ended(1.4, 1, 4)};
  const StudyColumn column = decideCheckpoint(options, {100, 16, std::nullopt, false}, results).atRate;
  EXPECT_TRUE(column.isDecided);
  EXPECT_FALSE(column.low.has_value());
  EXPECT_EQ(column.high, 1.4);
}

TEST(CriticalBatchTest, FailsABranchThatDivergesOrIsFarBehind) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const StudyOptions options = optionsOf({1, 1.5}, 3);
  const StudyCheckpoint checkpoint = {100, 16, std::nullopt, false};
  EXPECT_EQ(rowOf(decideCheckpoint(options, checkpoint, std::vector{ended(1.5, 0, kInfinity)}).atRate, 1.5).state,
            FactorState::Failed);
  std::vector<BranchResult> results = {{{100, 1, 0}, 3.5, 3.2, 3.0, std::nullopt}, {{100, 1.5, 0}, 3.6, 3.29, {}, {}}};
  FactorDecision row = rowOf(decideCheckpoint(options, checkpoint, results).atRate, 1.5);
  EXPECT_TRUE(row.isStoppedEarly);  // 0.10 behind, then 0.09
  EXPECT_EQ(row.state, FactorState::Failed);
  results[1].atThreeQuarters = 3.25;  // 0.05 behind: it may catch up
  EXPECT_EQ(rowOf(decideCheckpoint(options, checkpoint, results).atRate, 1.5).state, FactorState::Undecided);
}

TEST(CriticalBatchTest, StopsNoSoonerThanTheOutcomeIsCertain) {
  Generator draws(5);
  std::normal_distribution<double> normal(0.006, 0.01);
  for (const int replicates : {2, 3, 4, 5}) {
    const StudyOptions options = optionsOf({1, 1.5}, replicates);
    for (int draw = 0; draw < 2'000; ++draw) {
      std::vector<BranchResult> results;
      for (int i = 0; i < replicates; ++i) results.push_back(ended(1, i, 0));
      bool failedEarly = false;
      FactorState state = FactorState::Undecided;
      for (int i = 0; i < replicates; ++i) {
        results.push_back(ended(1.5, i, normal(draws)));
        state = rowOf(decideCheckpoint(options, {100, 8, std::nullopt, false}, results).atRate, 1.5).state;
        EXPECT_TRUE(!failedEarly || state == FactorState::Failed);
        failedEarly |= state == FactorState::Failed;
      }
      EXPECT_NE(state, FactorState::Undecided);
    }
  }
}

TEST(CriticalBatchTest, DecidesAfterTheCooldownWhereThereIsOne) {
  const StudyOptions options = optionsOf({1, 1.5, 2.2}, 2);
  std::vector<BranchResult> results;
  for (int i = 0; i < 2; ++i) {
    results.push_back({{100, 1, i}, {}, {}, 3.0, 2.9});
    results.push_back({{100, 1.5, i}, {}, {}, 2.95, 2.95});  // the rate that has not decayed flatters it
  }
  const CheckpointDecision decision = decideCheckpoint(options, {100, 16, std::nullopt, true}, results);
  EXPECT_TRUE(decision.next.empty());
  EXPECT_EQ(decision.atRate.low, 1.5);
  EXPECT_FALSE(decision.atRate.isDecided);
  EXPECT_TRUE(decision.deciding().isDecided);
  EXPECT_EQ(decision.deciding().high, 1.5);
}

TEST(CriticalBatchTest, KnowsWhatNoiseAllows) {
  EXPECT_NEAR(passProbability(3, 0.25, 1), 0.99, 0.01);
  EXPECT_NEAR(passProbability(3, 0.5, 1), 0.71, 0.01);
  EXPECT_NEAR(passProbability(3, 1, 1), 0.32, 0.01);
  EXPECT_NEAR(passProbability(5, 0.5, 1), 0.97, 0.01);
  EXPECT_NEAR(passProbability(5, 1, 0), 0.05, 1e-4);
  EXPECT_EQ(neededReplicates(1, 1), 8);
  EXPECT_FALSE(neededReplicates(1, 0).has_value());
  EXPECT_FALSE(neededReplicates(1, 0.01).has_value());
  EXPECT_NEAR(passProbability(3, 1, resolvableDifference(3, 1)), 0.8, 1e-6);
  const StudyOptions options = optionsOf({1, 1.5}, 3);
  std::vector<BranchResult> results;
  for (int i = 0; i < 3; ++i) {
    results.push_back(ended(1, i, 3));
    results.push_back(ended(1.5, i, 3 + 0.01 * (i - 1)));
  }
  const CheckpointDecision decision = decideCheckpoint(options, {100, 8, 0.4, false}, results);
  EXPECT_EQ(rowOf(decision.atRate, 1.5).neededReplicates, 8);  // deviation and tolerance are equal
  EXPECT_NEAR(*decision.toleranceAsTokens, 0.025, 1e-12);
  EXPECT_NEAR(*decision.toleranceNatsOfTokens, 0.008, 1e-12);
}

TEST(CriticalBatchTest, RefusesOptionsWithoutSense) {
  const auto refused = [](auto change) {
    StudyOptions options = optionsOf({0.5, 1, 2}, 3);
    change(options);
    return !checkStudyOptions(options).ok();
  };
  EXPECT_FALSE(refused([](StudyOptions&) {}));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.factors = {1, 2, 2}; }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.factors = {2, 4}; }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.factors = {1}; }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.factors = {-1, 1}; }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.replicates = 1; }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.deltaTokens = 0; }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.toleranceNats = std::nan(""); }));
  EXPECT_TRUE(refused([](StudyOptions& o) { o.cooldownShare = 1; }));
}

TEST(CriticalBatchTest, PlansCheckpointsLengthAndCost) {
  EXPECT_EQ(studyPositions(std::vector<std::int64_t>{10, 20, 40, 100, 150, 200, 320, 600, 640}, 640, 10),
            (std::vector<std::int64_t>{10, 20, 40, 100, 150, 320}));
  EXPECT_TRUE(studyPositions(std::vector<std::int64_t>{320}, 640, 400).empty());
  EXPECT_EQ(shortestDelta(8, 512, 0.95), 8 * 512 * 60);
  EXPECT_EQ(shortestDelta(8, 512, 0.9), 8 * 512 * 50);
  EXPECT_TRUE(coolsDownByDefault(0.6, 1));
  EXPECT_FALSE(coolsDownByDefault(0.5, 1));
  std::vector<std::pair<double, double>> evaluations;
  for (double tokens = 10; tokens < 1000; tokens *= 1.3) evaluations.emplace_back(tokens, 9 - 0.4 * std::log(tokens));
  EXPECT_NEAR(*lossSlope(evaluations, 200), 0.4, 1e-9);
  EXPECT_FALSE(lossSlope(std::span(evaluations).first(2), 12).has_value());
  const std::vector<StudyCheckpoint> checkpoints = {{100, 16, {}, false}, {200, 16, {}, true}};
  StudyOptions options = optionsOf({1, 2, 4, 8}, 3);
  options.deltaTokens = 1000;
  const StudyCost cost = studyCost(options, checkpoints, 2, 100.0);
  EXPECT_EQ(cost.branches, 2 * 3 * 5 - 2);
  EXPECT_NEAR(cost.tokens, 28'000 + 15 * 200, 1e-6);
  EXPECT_NEAR(*cost.hours, cost.tokens / 360'000, 1e-9);
  options.factors = {1, 1.25, 2};  // no two have room for one in between
  EXPECT_EQ(studyCost(options, checkpoints, 0, {}).branches, 2 * 3 * 3);
}

TEST(CriticalBatchTest, CountsTheWholeSamplesOfABranch) {
  StudyCheckpoint checkpoint = {100, 8, std::nullopt, false, 8};
  EXPECT_EQ(checkpoint.samplesOf(2.121), 17);
  EXPECT_EQ(checkpoint.samplesOf(1.2345), 10);
  EXPECT_EQ((StudyCheckpoint{100, 30, std::nullopt, false, 2}.samplesOf(1.414)), 45);  // 3 packs of 15 samples
  const auto decided = [&](std::int64_t batch) {
    checkpoint.batchUnits = batch, checkpoint.batchSamples = static_cast<double>(batch);
    std::vector<BranchResult> results;
    for (int i = 0; i < 2; ++i) results.insert(results.end(), {ended(1, i, 0), ended(2, i, 1)});
    return decideCheckpoint(optionsOf({1, 2}, 2), checkpoint, results);
  };
  EXPECT_TRUE(decided(1).next.empty());  // nothing is between 1 and 2 samples
  EXPECT_FALSE(decided(2).next.empty());
  EXPECT_EQ(lawPoints(std::vector{decided(1)}).at(0).high, 2);
}

std::vector<LawPoint> plantedPoints(int count, double phase, double exponent) {
  std::vector<LawPoint> points;
  for (int i = 0; i < count; ++i) {
    const double position = 64 * std::exp2(12.0 * i / (count - 1));
    const double step = std::floor(std::log2(8 * std::pow(position, exponent)) - phase);
    points.push_back({position, std::exp2(step + phase), std::exp2(step + 1 + phase)});
  }
  return points;
}

TEST(CriticalBatchLawTest, FindsThePlantedExponent) {
  for (const int count : {6, 7, 9, 12})
    for (const double phase : {0.1, 0.4, 0.8}) {
      const auto law = checked(fitLaw(plantedPoints(count, phase, 0.5)));
      EXPECT_NEAR(law->curve.exponent, 0.5, 0.1) << count << " " << phase;
      const double last = 64 * 4096;
      EXPECT_NEAR(law->curve.meanUntil(last), law->curve.at(last) / (law->curve.exponent + 1), 1e-6);
      for (const double t : {64.0, 4096.0, last}) {
        EXPECT_LT(law->band(t).first, 8 * std::sqrt(t));
        EXPECT_GT(law->band(t).second, 8 * std::sqrt(t));
      }
      EXPECT_EQ(law->band(2 * last).first, law->band(last).first);
    }
}

TEST(CriticalBatchLawTest, FindsAPlateauAndOpenEnds) {
  std::vector<LawPoint> points;
  for (int i = 0; i < 9; ++i) {
    const double position = 64 * std::exp2(i), batch = std::min(4 * position, 4000.0);
    points.push_back({position, batch / 1.2, batch * 1.2});
  }
  points.back().high.reset();
  const auto law = checked(fitLaw(points));
  ASSERT_TRUE(law->curve.ceiling.has_value());
  EXPECT_NEAR(std::exp(*law->curve.ceiling), 4000, 500);
  EXPECT_NEAR(law->curve.exponent, 1, 0.15);
  EXPECT_LT(law->curve.meanUntil(16384), 4000);
  EXPECT_FALSE(fitLaw(std::span(points).first(1)).ok());
  EXPECT_FALSE(fitLaw(std::vector<LawPoint>{{10, 4, {}}, {20, 8, {}}}).ok());
  EXPECT_FALSE(fitLaw(std::vector<LawPoint>{{10, {}, 4}, {20, {}, 8}}).ok());
  EXPECT_NEAR(fitLaw(std::vector<LawPoint>{{10, 8, 16}, {100, 4, 8}})->curve.exponent, 0, 1e-3);
}

TEST(CriticalBatchLawTest, BandCoversTheTruth) {
  Generator draws(6);
  std::normal_distribution<double> normal(0, 0.2);
  int covered = 0, below = 0;
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<LawPoint> points;
    for (int i = 0; i < 7; ++i) {
      const double position = 64 * std::exp2(i);
      const double step = std::floor(2 * (std::log2(8 * std::sqrt(position)) + normal(draws) / std::numbers::ln2));
      points.push_back({position, std::exp2(step / 2), std::exp2((step + 1) / 2)});
    }
    const auto law = checked(fitLaw(points));
    const auto [low, high] = law->band(1024);
    covered += low <= 256 && 256 <= high;
    below += law->band(4096).first <= 512;
  }
  EXPECT_GE(covered, 90);
  EXPECT_GE(below, 92);
}

TEST(StudyRampTest, StaysBelowTheLowerBand) {
  const auto law = checked(fitLaw(plantedPoints(7, 0.3, 0.5)));
  const StudyRamp ramp = rampOfLaw(*law, 64, 2048, 64 * 4096, 1);
  ASSERT_GE(ramp.stages.size(), 4U);
  EXPECT_EQ(ramp.stages[0], (RampLevelConfig{Time::of(0, TimeUnit::Token), 64}));
  for (std::size_t i = 1; i < ramp.stages.size(); ++i) {
    EXPECT_EQ(ramp.stages[i].globalTrainBatchSize, 2 * ramp.stages[i - 1].globalTrainBatchSize);
    const double start = ramp.stages[i].at.number(), size = static_cast<double>(ramp.stages[i].globalTrainBatchSize);
    EXPECT_GE(law->band(start).first, size);
    EXPECT_LT(law->band(start - 1).first, size);
  }
  EXPECT_GT(ramp.savedShare(), 0);
  EXPECT_EQ(ramp.lrScaling.method, LrScalingMethod::Sqrt);
  EXPECT_EQ(ramp.lrScaling.referenceBatchSize, 64);
  EXPECT_EQ(rampOfLaw(*law, 64, 127, 64 * 4096, 1).stages.size(), 1U);
}

TEST(StudyRampTest, SavesWhatThePublishedRampSaved) {
  const auto tokens = [](std::int64_t billions) { return Time::of(billions * 1'000'000'000, TimeUnit::Token); };
  const std::vector<RampLevelConfig> stages = {{tokens(0), 1024}, {tokens(168), 2048}, {tokens(503), 4096}};
  const double ramp = stepsOfStages(stages, 658e9, 4096),
               constant = stepsOfStages(std::span(stages).first(1), 658e9, 4096);
  EXPECT_NEAR(1 - ramp / constant, 0.431, 0.0005);
}

/// The other definition (Zhang et al. 2024, arXiv 2410.21676): the batch that takes 20 % more steps to one loss than
/// linear scaling from `baseBatch` would, of steps S(B) = fixed (1 + ratio / B), by least squares of log steps. A study
/// has no steps to one loss; this is what its published values are compared with.
double criticalBatchOfSteps(const std::vector<std::pair<double, double>>& points, double baseBatch) {
  const auto spread = [&](double ratio) {
    double sum = 0, squares = 0;
    for (const auto& [batch, steps] : points) {
      const double fixed = std::log(steps) - std::log1p(ratio / batch);
      sum += fixed;
      squares += fixed * fixed;
    }
    return squares - sum * sum / static_cast<double>(points.size());
  };
  double low = std::log(1.0), high = std::log(1e8);
  while (high - low > 1e-6) {
    const double left = (2 * low + high) / 3, right = (low + 2 * high) / 3;
    const bool isLeft = spread(std::exp(left)) < spread(std::exp(right));
    (isLeft ? high : low) = isLeft ? right : left;
  }
  return 1.2 * baseBatch + std::exp(low) / 5;
}

TEST(CriticalBatchOfStepsTest, GivesThePublishedBatches) {
  // Steps to one loss with batches 64, 128, ... 16384: plots/chinchilla.ipynb of hlzhang109/critical-batch-size.
  const std::vector<std::pair<std::vector<double>, double>> models = {
      {{196000, 90000, 46000, 23400, 13300, 7224, 4980, 3400, 2879}, 1394},
      {{311000, 166000, 81000, 37440, 21320, 11400, 7199, 4700, 3800}, 1889},
      {{643000, 331000, 176000, 94000, 46500, 25000, 15360, 8900, 6500}, 2533}};
  for (const auto& [steps, published] : models) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < steps.size(); ++i)
      points.emplace_back(std::exp2(6.0 + static_cast<double>(i)), steps[i]);
    EXPECT_NEAR(criticalBatchOfSteps(points, 256) / published, 1, 0.005);
  }
}

}  // namespace
}  // namespace batchwise::test
