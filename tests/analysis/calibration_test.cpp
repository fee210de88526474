// SPDX-License-Identifier: GPL-3.0-or-later
// Groups that differ by seed only are called different in at most 5 % of comparisons: 200 of each kind, and so many
// under --full that more than 5 % would be seen.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "core/analysis/run_comparison.h"
#include "core/analysis/score_comparison.h"
#include "core/analysis/setting_effects.h"
#include "core/analysis/statistics.h"
#include "core/base/random.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

constexpr std::uint64_t kKey = 2026;

/// Independent numbers, always the same.
class Draws {
 public:
  explicit Draws(std::uint64_t purpose) : key_(subKey(kKey, purpose)) {}
  double uniform() { return unitRandom(randomBits(key_, next_++)); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t key_, next_ = 0;
};

struct Noise {
  const char* name;
  std::function<double(Draws&)> draw;
  const char* series = "loss";
};
const std::vector<Noise>& noises() {
  static const std::vector<Noise> kNoises = {
      {"normal", [](Draws& draws) { return draws.normal(); }},
      {"Student's t of three degrees",
       [](Draws& draws) {
         const double numerator = draws.normal();
         double squares = 0;
         for (int i = 0; i < 3; ++i) squares += std::pow(draws.normal(), 2);
         return numerator / std::sqrt(squares / 3);
       }},
      {"one of ten far away", [](Draws& draws) { return draws.normal() * (draws.uniform() < 0.1 ? 10 : 1); }},
      {"log-normal", [](Draws& draws) { return std::exp(draws.normal()); }},
      {"steps of 1/2", [](Draws& draws) { return std::round(draws.normal()) / 2; }, "eval.task.films.accuracy"},
      {"steps of 1/30", [](Draws& draws) { return std::round(draws.normal() / 2) / 30; }, "eval.accuracy"}};
  return kNoises;
}

int comparisons() {
  return repeats(200, 2'000);
}

bool isDifferent(Assessment verdict) {
  return verdict == Assessment::Better || verdict == Assessment::Worse;
}

/// Expects at most 5 % of `comparisons` to be different.
void expectCalibrated(int different, int all, const std::string& what) {
  EXPECT_LE(different, all / 20) << what << ": " << different << " of " << all << " are called different";
}

struct Sizes {
  std::size_t own, baseline;
};
constexpr Sizes kSizes[] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {2, 5}, {3, 5}};

/// Draws two groups whose runs of equal seeds have `shared` of their variance in common, and compares their centers.
Assessment verdictOn(Draws& draws, const Noise& noise, Sizes sizes, double shared, Center center, double ownScale = 1) {
  SeededValues own, baseline;
  std::vector<double> common;
  for (std::size_t i = 0; i < std::max(sizes.own, sizes.baseline); ++i) common.push_back(noise.draw(draws));
  const auto fill = [&](SeededValues& values, std::size_t count, double scale) {
    for (std::size_t i = 0; i < count; ++i)
      values.emplace_back(std::to_string(i),
                          3 + scale * (std::sqrt(shared) * common[i] + std::sqrt(1 - shared) * noise.draw(draws)));
  };
  fill(own, sizes.own, ownScale);
  fill(baseline, sizes.baseline, 1);
  const auto centerOf = [center](const SeededValues& values) {
    return center == Center::Median ? medianOf(numbersOf(values)) : meanOf(numbersOf(values));
  };
  return deltaOf(centerOf(own), centerOf(baseline), Direction::LowerIsBetter,
                 knownBand(differenceNoise(own, baseline, center).variance.band(), noise.series))
      .verdict;
}

TEST(CalibrationTest, MeansAndMediansOfGroups) {
  std::uint64_t purpose = 0;
  for (const Noise& noise : noises())
    for (const Sizes sizes : kSizes)
      for (const Center center : {Center::Mean, Center::Median})
        for (const double shared : {0.0, 0.6}) {
          Draws draws(++purpose);
          int different = 0;
          for (int i = 0; i < comparisons(); ++i)
            different += isDifferent(verdictOn(draws, noise, sizes, shared, center)) ? 1 : 0;
          expectCalibrated(different, comparisons(),
                           std::string(noise.name) + ", " + std::to_string(sizes.own) + " against " +
                               std::to_string(sizes.baseline) + ", shared " + std::to_string(shared) +
                               (center == Center::Median ? ", medians" : ""));
        }
}

TEST(CalibrationTest, GroupsOfUnequalVariance) {
  for (const Sizes sizes : {Sizes{2, 2}, Sizes{3, 3}, Sizes{5, 5}})
    for (const double scale : {1.0 / 3, 3.0}) {
      Draws draws(1'000 + sizes.own + (scale > 1 ? 10 : 0));
      int different = 0;
      for (int i = 0; i < comparisons(); ++i)
        different += isDifferent(verdictOn(draws, noises()[0], sizes, 0, Center::Mean, scale)) ? 1 : 0;
      expectCalibrated(different, comparisons(), std::to_string(sizes.own) + " runs");
    }
}

TEST(CalibrationTest, SingleRunsByTheNoiseOfOthers) {
  for (const std::size_t groups : {1U, 2U, 5U})
    for (const std::size_t runs : {2U, 3U, 5U}) {
      Draws draws(2'000 + 10 * groups + runs);
      int different = 0;
      for (int i = 0; i < comparisons(); ++i) {
        std::vector<std::vector<double>> others(groups);
        for (auto& values : others)
          for (std::size_t run = 0; run < runs; ++run) values.push_back(draws.normal());
        const double own = draws.normal(), baseline = draws.normal();
        different +=
            isDifferent(deltaOf(own, baseline, Direction::LowerIsBetter, seedNoise(others)->band()).verdict) ? 1 : 0;
      }
      expectCalibrated(different, comparisons(), std::to_string(groups) + " groups of " + std::to_string(runs));
    }
}

TEST(CalibrationTest, PairedSeedsFindWhatTheSpreadHides) {
  Draws draws(3'000);
  int paired = 0, unpaired = 0;
  for (int i = 0; i < 200; ++i) {
    SeededValues own, baseline, others;
    for (int seed = 0; seed < 5; ++seed) {
      const double common = draws.normal();
      own.emplace_back(std::to_string(seed), common + 0.2 * draws.normal() - 1);
      baseline.emplace_back(std::to_string(seed), common + 0.2 * draws.normal());
      others.emplace_back(std::to_string(seed + 5), baseline.back().second);
    }
    paired += differenceNoise(own, baseline, Center::Mean).variance.band() < 1 ? 1 : 0;
    unpaired += differenceNoise(own, others, Center::Mean).variance.band() < 1 ? 1 : 0;
  }
  EXPECT_GE(paired, 190);
  EXPECT_LE(unpaired, 40);
}

/// Scores of seeds on the same examples: each is right with a probability that depends on example and seed.
std::vector<SeedScores> drawScores(Draws& draws, std::size_t seeds, const std::vector<double>& difficulty,
                                   double seedSpread, double shift, std::int64_t firstSeed) {
  std::vector<SeedScores> all;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    Score score;
    score.metric = "accuracy";
    score.seed = firstSeed + static_cast<std::int64_t>(seed);
    const double effect = shift + seedSpread * draws.normal();
    for (std::size_t i = 0; i < difficulty.size(); ++i) {
      const bool right = draws.uniform() < 1 / (1 + std::exp(-difficulty[i] - effect));
      score.predictions.push_back({static_cast<std::int64_t>(i), "1", right ? "1" : "0", right ? 1.0 : 0.0});
      score.value += score.predictions.back().score / static_cast<double>(difficulty.size());
    }
    all.push_back({std::to_string(score.seed), {score}});
  }
  return all;
}

std::vector<double> difficulties(Draws& draws, std::size_t examples) {
  std::vector<double> all;
  for (std::size_t i = 0; i < examples; ++i) all.push_back(1 + 2 * draws.normal());
  return all;
}

TEST(CalibrationTest, ScoresOfSeeds) {
  const int all = repeats(200, 2'000);
  for (const std::size_t size : {3U, 10U, 40U})
    for (const std::size_t seeds : {2U, 3U, 5U})
      for (const std::int64_t other : {0, 100}) {  // shared seeds, and others
        Draws draws(4'000 + 10 * size + seeds + static_cast<std::uint64_t>(other));
        int different = 0;
        for (int i = 0; i < all; ++i) {
          const auto examples = difficulties(draws, size);
          const auto own = drawScores(draws, seeds, examples, 0.3, 0, 0);
          const auto baseline = drawScores(draws, seeds, examples, 0.3, 0, other);
          different += isDifferent(checked(compareScores(own, baseline))->verdict) ? 1 : 0;
        }
        expectCalibrated(different, all, std::to_string(seeds) + " seeds, " + std::to_string(size) + " examples");
      }
}

TEST(CalibrationTest, ScoresOfTwoCheckpointsThatAreEquallyGood) {
  const int all = repeats(200, 2'000);
  for (const std::size_t size : {3U, 10U, 200U}) {
    Draws draws(5'000 + size);
    int different = 0;
    for (int i = 0; i < all; ++i) {
      const auto examples = difficulties(draws, size);
      const auto found =
          checked(compareScores(drawScores(draws, 1, examples, 0, 0, 0), drawScores(draws, 1, examples, 0, 0, 0)));
      EXPECT_TRUE(found->isOfCheckpoints);
      different += isDifferent(found->verdict) ? 1 : 0;
    }
    expectCalibrated(different, all, "one seed a side, " + std::to_string(size) + " examples");
  }
}

TEST(CalibrationTest, APlantedEffectIsFound) {
  Draws draws(6'000);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    const auto examples = difficulties(draws, 400);
    const auto worse = drawScores(draws, 3, examples, 0.1, -1, 0), good = drawScores(draws, 3, examples, 0.1, 0, 0);
    found += checked(compareScores(worse, good))->verdict == Assessment::Worse ? 1 : 0;
  }
  EXPECT_GE(found, 19);
}

/// How many comparisons called something different, by what was compared.
struct DifferentCounts {
  std::map<std::string, int> different;
  int compared = 0;
};

/// Groups of `runs` runs that differ by seed only; their learning rate has no effect. Each two are compared: what
/// happens to one group counts in all of its comparisons.
void compareGroups(std::size_t runs, Center center, bool sharedSeeds, DifferentCounts& counts) {
  const TempFolder folder;
  const auto workspace = checked(Workspace::open(folder / "w")).value();
  const int all = repeats(15, 21);
  Draws draws(7'000 + runs + 10 * static_cast<std::size_t>(counts.compared));
  std::vector<std::vector<std::string>> groups(static_cast<std::size_t>(all));
  for (int group = 0; group < all; ++group)
    for (std::size_t run = 0; run < runs; ++run) {
      MadeRun made;
      made.name = "g" + std::to_string(group) + "-" + std::to_string(run);
      const std::size_t seed = run + (sharedSeeds ? 0 : runs * static_cast<std::size_t>(group));
      made.yaml = "seed: " + std::to_string(seed) + "\noptimizer: {lr: " + std::to_string(group + 1) + "e-4}\n";
      made.batches = 12;
      made.evaluateEvery = 6;
      made.floor = 2 + 0.02 * draws.normal();
      made.secondsPerBatch = 0.5 + 0.01 * draws.normal();
      groups[static_cast<std::size_t>(group)].push_back(storeMadeRun(workspace, made));
    }
  ComparisonOptions options;
  options.groupBy = kGroupByExperiment;
  options.center = center;
  RunComparer comparer(*workspace);
  const int before = counts.compared;
  for (std::size_t baseline = 0; baseline + 1 < groups.size(); ++baseline) {
    std::vector<std::string> names;
    for (std::size_t i = baseline; i < groups.size(); ++i)
      names.insert(names.end(), groups[i].begin(), groups[i].end());
    const auto found = checked(comparer.compare(names, options));
    ASSERT_EQ(found->lines.size(), groups.size() - baseline);
    ASSERT_EQ(found->equalLosses.size(), 3 * (found->lines.size() - 1));
    counts.compared += static_cast<int>(found->lines.size()) - 1;
    for (std::size_t column = 0; column < found->columns.size(); ++column)
      for (std::size_t line = 1; line < found->lines.size(); ++line)
        counts.different[found->columns[column].title] += isDifferent(found->cells[line][column].delta.verdict) ? 1 : 0;
    for (const EqualLoss& at : found->equalLosses)
      counts.different["equal loss over " + axisText(at.axis)] += *at.low > 0 || *at.high < 0 ? 1 : 0;
  }
  EXPECT_EQ(counts.compared - before, all * (all - 1) / 2);
}

TEST(CalibrationTest, RunsThroughTheComparison) {
  DifferentCounts counts;
  compareGroups(3, Center::Mean, true, counts);
  if (isFullTier())
    for (const std::size_t runs : {2U, 3U, 4U, 5U})
      for (const Center center : {Center::Mean, Center::Median})
        for (const bool shared : {false, true}) compareGroups(runs, center, shared, counts);
  const auto& different = counts.different;
  EXPECT_TRUE(different.contains("eval.loss") && different.contains("loss") && different.contains("mean speed"));
  for (const auto& [column, count] : different) expectCalibrated(count, counts.compared, column);
}

/// Draws two arms of three seeds with the same true loss, one with a single update in a global batch and one with
/// `parts`, whose training loss is the mean after 0 to parts - 1 of them.
struct RampedArms {
  SeededValues training, evaluation, baselineTraining, baselineEvaluation;
};
RampedArms drawRampedArms(Draws& draws, int parts, double slope) {
  constexpr double kLoss = 3, kSeedNoise = 0.01;
  RampedArms arms;
  for (const char* seed : {"1", "2", "3"}) {
    const double inside = slope * (parts - 1) / (2.0 * parts), own = kLoss + kSeedNoise * draws.normal(),
                 baseline = kLoss + kSeedNoise * draws.normal();
    arms.training.emplace_back(seed, own - inside);
    arms.evaluation.emplace_back(seed, own);
    arms.baselineTraining.emplace_back(seed, baseline);
    arms.baselineEvaluation.emplace_back(seed, baseline);
  }
  return arms;
}

Assessment verdictOn(const SeededValues& own, const SeededValues& baseline) {
  return deltaOf(meanOf(numbersOf(own)), meanOf(numbersOf(baseline)), Direction::LowerIsBetter,
                 differenceNoise(own, baseline, Center::Mean).variance.band())
      .verdict;
}

TEST(CalibrationTest, TrainingLossNamesAFalseWinnerAmongRampedRunsAndEvaluationDoesNot) {
  constexpr int kParts = 8;
  constexpr double kSlope = 0.2;  // nats per global batch: 0.0875 in favor of the ramp
  Draws draws(9'000);
  int byTraining = 0, byEvaluation = 0;
  const int all = repeats(400, 4'000);
  for (int i = 0; i < all; ++i) {
    const RampedArms arms = drawRampedArms(draws, kParts, kSlope);
    byTraining += isDifferent(verdictOn(arms.training, arms.baselineTraining)) ? 1 : 0;
    byEvaluation += isDifferent(verdictOn(arms.evaluation, arms.baselineEvaluation)) ? 1 : 0;
  }
  EXPECT_GE(byTraining, all * 9 / 10) << "the slope is such that training loss misleads";
  expectCalibrated(byEvaluation, all, "evaluation");
}

/// Not worse by more than the margin is said in 5 % of draws in which it is worse by just that.
TEST(CalibrationTest, NonInferiorityErrsInFivePercent) {
  constexpr double kMargin = 0.5;
  const int all = repeats(4'000, 100'000);
  const double off = isFullTier() ? 0.005 : 0.014;  // 4 standard errors of 4,000
  for (const bool isPaired : {true, false}) {
    Draws draws(isPaired ? 9'100 : 9'200);
    int passed = 0;
    for (int i = 0; i < all; ++i) {
      SeededValues own, baseline;
      for (int seed = 0; seed < 4; ++seed) {
        own.emplace_back(std::to_string(isPaired ? seed : seed + 9), kMargin + draws.normal());
        baseline.emplace_back(std::to_string(seed), draws.normal());
      }
      const DifferenceNoise noise = oneSidedNoise(own, baseline, Center::Mean);
      EXPECT_EQ(noise.source, isPaired ? NoiseSource::PairedSeeds : NoiseSource::Seeds);
      passed += noise.variance.upperBound(meanOf(numbersOf(own)) - meanOf(numbersOf(baseline))) < kMargin ? 1 : 0;
    }
    EXPECT_NEAR(passed / static_cast<double>(all), 0.05, off);
  }
}

TEST(CalibrationTest, EffectsOfSettings) {
  // The interval without 0 is what a reader takes for an effect: an exact 5 %, so that 200 cannot show it.
  const int all = repeats(4'000, 20'000);
  for (const std::size_t runs : {2U, 3U, 5U}) {
    Draws draws(8'000 + runs);
    int different = 0;
    for (int i = 0; i < all; ++i) {
      RunComparison comparison;
      FieldRow row{"optimizer.lr", {}};
      for (std::size_t run = 0; run < 2 * runs; ++run) {
        row.values.emplace_back(run < runs ? "1e-4" : "1e-3");
        comparison.runs.emplace_back().value = draws.normal();
      }
      comparison.differences.rows = {row};
      const SettingEffect effect = settingEffects(comparison).front();
      different += effect.low > 0 || effect.high < 0 ? 1 : 0;
    }
    EXPECT_LE(different, all * 56 / 1000) << runs << " runs";
  }
}

}  // namespace
}  // namespace batchwise::test
