// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/detectors.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/config/choices.h"
#include "core/train/guard/alert_detector.h"
#include "core/train/guard/hang_monitor.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

LossSpikeState spikeState(const SpikeLimit& spike, const std::vector<double>& losses) {
  LossSpikeState state;
  std::int64_t step = 0;
  for (const double loss : losses) spike.add(state, ++step, loss);
  return state;
}

TEST(LossSpikeTest, TheLimitIsMeanPlusSigmaDeviationsOfTheWindow) {
  const SpikeLimit spike(3.0, 4);
  const LossSpikeState state = spikeState(spike, {100.0, 1.0, 2.0, 3.0, 4.0});
  const auto limit = spike.limitFor(state, 8);  // all five are old enough, the window holds the newest four
  ASSERT_TRUE(limit);
  EXPECT_DOUBLE_EQ(limit->mean, 2.5);
  EXPECT_NEAR(limit->deviation, std::sqrt(5.0 / 3.0), 1e-15);
  EXPECT_DOUBLE_EQ(limit->limit, limit->mean + 3.0 * limit->deviation);
}

TEST(LossSpikeTest, LossesThatMayStillBeOnTheirWayDoNotCount) {
  const SpikeLimit spike(3.0, 4);
  const LossSpikeState late = spikeState(spike, {1.0, 2.0, 3.0, 4.0});
  const LossSpikeState early = spikeState(spike, {1.0, 2.0, 3.0, 4.0, 50.0, 60.0});
  EXPECT_EQ(spike.limitFor(late, 7)->limit, spike.limitFor(early, 7)->limit);
  EXPECT_NE(spike.limitFor(late, 8)->limit, spike.limitFor(early, 8)->limit);
}

TEST(LossSpikeTest, NothingIsJudgedBeforeHalfTheWindowAndNothingIsLostFromIt) {
  const SpikeLimit spike(6.0, 10);
  LossSpikeState state;
  for (std::int64_t step = 1; step <= 100; ++step) {
    EXPECT_EQ(spike.limitFor(state, step).has_value(), step >= 8) << step;  // five that are old enough
    spike.add(state, step, 1.0);
  }
  EXPECT_EQ(state.recent.size(), 12u);
  spike.add(state, 101, std::nan(""));
  spike.add(state, 102, std::numeric_limits<double>::infinity());
  EXPECT_EQ(state.recent.back().step, 100);
}

TEST(LossSpikeTest, EqualLossesLeaveRoomForTheNext) {
  const SpikeLimit spike(6.0, 8);
  const auto limit = spike.limitFor(spikeState(spike, std::vector<double>(8, 2.0)), 11);
  ASSERT_TRUE(limit);
  EXPECT_GT(limit->limit, 2.0 + 1e-9);
}

double normalAt(std::uint64_t seed, std::uint64_t place) {
  const double u = std::max(1e-12, static_cast<double>(unitRandom(randomBits(seed, 2 * place))));
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * unitRandom(randomBits(seed, 2 * place + 1)));
}

// A curve as training gives it: 10 falling to 2, with noise of 2 %.
double cleanLoss(std::uint64_t seed, std::int64_t step) {
  const double fall = 2.0 + 8.0 / (1.0 + static_cast<double>(step) / 200.0);
  return fall * (1.0 + 0.02 * normalAt(seed, static_cast<std::uint64_t>(step)));
}

TEST(LossSpikeTest, FindsEverySpikeAndHasNoFalseAlarmsOnCleanCurves) {
  const SpikeLimit spike(6.0, 128);
  const std::int64_t steps = test::isFullTier() ? 100'000 : 20'000;
  LossSpikeState state;
  int falseAlarms = 0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double loss = cleanLoss(3, step);
    if (const auto limit = spike.limitFor(state, step)) falseAlarms += loss > limit->limit ? 1 : 0;
    spike.add(state, step, loss);
  }
  EXPECT_LE(falseAlarms, 1) << "in " << steps << " clean steps";
  const std::uint64_t places = test::isFullTier() ? 100 : 20;
  for (std::uint64_t place = 0; place < places; ++place) {
    const auto at = static_cast<std::int64_t>(200 + randomBits(7, place) % 2000);
    LossSpikeState before;
    for (std::int64_t step = 1; step < at; ++step) spike.add(before, step, cleanLoss(place, step));
    const auto limit = spike.limitFor(before, at);
    ASSERT_TRUE(limit) << "at step " << at;
    EXPECT_GT(cleanLoss(place, at) * 2.0, limit->limit) << "at step " << at;
  }
}

TEST(PlateauTest, ComparesTheHalvesOfTheWindow) {
  struct Case {
    std::vector<double> losses;
    double minDelta;
    bool found;
  };
  const std::vector<Case> cases = {
      {{4, 4, 3, 3}, 0.5, false},    {{4, 4, 3.5, 3.5}, 0.5, true},  // just so much is not more
      {{4, 4, 3.9, 3.9}, 0.5, true}, {{4, 4, 4}, 0.5, false},        // the window is not full
      {{9, 4, 4, 3, 3}, 0.5, false}, {{4, 4, 5, 5}, 0.0, true},     {{4, std::nan(""), 4, 4, 4}, 0.0, true}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Plateau plateau(4, cases[i].minDelta);
    PlateauState state;
    bool found = false;
    for (const double loss : cases[i].losses) found = plateau.add(state, loss).has_value();
    EXPECT_EQ(found, cases[i].found) << "case " << i;
  }
}

TEST(PlateauTest, OnePlateauIsReportedOncePerWindow) {
  const Plateau plateau(6, 0.01);
  PlateauState state;
  int found = 0;
  for (int row = 0; row < 60; ++row) found += plateau.add(state, 2.0) ? 1 : 0;
  EXPECT_EQ(found, 10);
}

TEST(EarlyStopTest, FiresAfterPatienceEvaluationsWithoutABetterOne) {
  struct Case {
    EarlyStop::Better better;
    std::vector<double> values;
    std::int64_t firesAt;  // index of the value, -1: never
  };
  const std::vector<Case> cases = {{EarlyStop::Better::Lower, {5, 4, 3, 2, 1}, -1},
                                   {EarlyStop::Better::Lower, {5, 5, 5}, 2},
                                   {EarlyStop::Better::Lower, {5, 4.95, 4.91, 4}, 2},  // no more than minDelta each
                                   {EarlyStop::Better::Lower, {5, 6, 4, 6, 6}, 4},
                                   {EarlyStop::Better::Higher, {0.1, 0.3, 0.2, 0.35}, 3},
                                   {EarlyStop::Better::Higher, {0.1, 0.9, 0.2, 1.5}, -1},
                                   {EarlyStop::Better::Lower, {std::nan(""), std::nan("")}, 1}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const EarlyStop early(cases[i].better, 2, 0.1);
    EarlyStopState state;
    std::int64_t firesAt = -1;
    for (std::size_t value = 0; value < cases[i].values.size() && firesAt < 0; ++value)
      if (early.add(state, cases[i].values[value])) firesAt = static_cast<std::int64_t>(value);
    EXPECT_EQ(firesAt, cases[i].firesAt) << "case " << i;
  }
}

TEST(EarlyStopTest, ARunThatGoesOnIsGivenAsManyAgain) {
  const EarlyStop early(EarlyStop::Better::Lower, 3, 0.0);
  EarlyStopState state;
  early.add(state, 1.0);
  std::vector<int> fired;
  for (int evaluation = 1; evaluation <= 9; ++evaluation)
    if (early.add(state, 1.0)) fired.push_back(evaluation);
  EXPECT_EQ(fired, (std::vector<int>{3, 6, 9}));
  EXPECT_EQ(state.best, 1.0);
}

TEST(GuardActionTest, KnowsTheNamesOfTheConfiguration) {
  EXPECT_EQ(choiceFromName<GuardAction>("off"), GuardAction::Off);
  EXPECT_EQ(choiceFromName<GuardAction>("note"), GuardAction::Note);
  EXPECT_EQ(choiceFromName<GuardAction>("pause"), GuardAction::Pause);
  EXPECT_EQ(choiceFromName<GuardAction>("stop"), GuardAction::Stop);
  EXPECT_EQ(choiceFromName<GuardAction>("skip"), GuardAction::Skip);
  EXPECT_EQ(choiceFromName<GuardAction>("roll_back"), GuardAction::RollBack);
}

TEST(StepLimitTest, NoLimitIsNeverExceeded) {
  EXPECT_FALSE(StepLimit{}.exceededBy(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE((StepLimit{2.0, false}.exceededBy(2.0)));
  EXPECT_TRUE((StepLimit{2.0, false}.exceededBy(2.5)));
  EXPECT_FALSE((StepLimit{2.0, false}.exceededBy(std::nan(""))));  // the guard of non-finite gradients tells of it
}

LossCourseState courseOf(const std::vector<double>& losses) {
  LossCourseState state;
  for (const double loss : losses) addLoss(state, loss);
  return state;
}

/// Losses that go from `from` to `to` in even steps.
std::vector<double> line(double from, double to, int count) {
  std::vector<double> losses;
  for (int i = 0; i < count; ++i) losses.push_back(from + (to - from) * i / (count - 1));
  return losses;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(LossCourseTest, TheEndOfARunIsCalledDiverged) {
  using Kind = Divergence::Kind;
  const double nan = std::nan("");
  const struct {
    const char* what;
    std::vector<double> losses;
    std::optional<Kind> expected;
  } cases[] = {
      {"falls below the unigram model", line(5.8, 3.0, 40), {}},
      {"too short to get below it", line(5.8, 5.4, 6), {}},
      {"too short, and not yet learning", {5.80, 5.83, 5.79, 5.82, 5.81, 5.84}, {}},
      {"not learning", std::vector<double>(40, 5.8), {}},
      {"one batch", {5.8}, {}},
      {"no batch", {}, {}},
      {"rises and stays above it", joined(line(5.8, 7.5, 10), line(7.5, 6.5, 30)), Kind::AboveUnigram},
      {"learns, then is lost", joined(line(5.8, 3.5, 30), std::vector<double>(10, 5.6)), Kind::AboveUnigram},
      {"a spike from which it recovers", joined(line(5.8, 4.5, 20), joined({9, 8, 7}, line(6, 4, 20))), {}},
      {"ten times the start", line(5.8, 80, 40), Kind::AboveStart},
      {"far above, in two batches", {5.8, 1.1e14}, Kind::AboveStart},
      {"not finite", joined(line(5.8, 5.0, 36), {nan, nan, nan, nan}), Kind::NotFinite},
      {"never finite", {nan, nan}, Kind::NotFinite},
      {"infinite", {5.8, 1e14, 1e18, INFINITY, INFINITY, INFINITY, INFINITY}, Kind::NotFinite},
      {"one loss that a guard skipped", joined(line(5.8, 3.0, 39), {nan}), {}},
  };
  for (const auto& one : cases) {
    const auto found = findDivergence(courseOf(one.losses), 5.2);
    EXPECT_EQ(found ? std::optional(found->kind) : std::nullopt, one.expected) << one.what;
  }
}

TEST(LossCourseTest, NoiseIsNoRise) {
  for (std::uint64_t run = 0; run < 200; ++run) {
    LossCourseState state;
    for (std::uint64_t i = 0; i < 400; ++i) addLoss(state, 5.8 + 0.5 * (unitRandom(randomBits(run, i)) - 0.5));
    EXPECT_FALSE(findDivergence(state, 5.2)) << run;
  }
}

TEST(LossCourseTest, AStageIsAnotherMeasure) {
  LossCourseState state = courseOf(line(5.8, 3.0, 40));
  startStage(state);
  for (const double loss : line(5.7, 5.5, 10)) addLoss(state, loss);  // other text, above its unigram model
  EXPECT_FALSE(findDivergence(state, 5.2));
  startStage(state);
  for (int i = 0; i < 10; ++i) addLoss(state, 60);
  EXPECT_EQ(findDivergence(state, 5.2)->kind, Divergence::Kind::AboveStart);
}

MetricsRow rowAt(std::int64_t batch, double loss, double tokensPerSec = 1000) {
  MetricsRow row;
  row.at.batch = batch;
  row.at.seconds = static_cast<double>(batch);
  row.loss = loss;
  row.gradNorm = 1;
  row.tokensPerSec = tokensPerSec;
  return row;
}

class AlertDetectorTest : public testing::Test {
 protected:
  std::vector<NoteKind> process(const MetricsRow& row) {
    std::vector<NoteKind> kinds;
    for (const RunNote& alert : detector_.process(row)) kinds.push_back(alert.kind);
    return kinds;
  }
  /// A loss that falls a little and shakes.
  void trainUntil(std::int64_t batch) {
    for (; at_ < batch; ++at_) EXPECT_TRUE(process(rowAt(at_ + 1, quiet(at_ + 1))).empty()) << at_;
  }
  static double quiet(std::int64_t batch) {
    return 4.0 - 0.001 * static_cast<double>(batch) + (batch % 2 == 0 ? 0.05 : -0.05);
  }

  std::int64_t at_ = 0;
  AlertDetector detector_;
};

TEST_F(AlertDetectorTest, AQuietRunSaysNothing) {
  trainUntil(1000);
}

TEST_F(AlertDetectorTest, ASpikeStandsOutOfWhatWasBefore) {
  trainUntil(200);
  EXPECT_EQ(process(rowAt(201, 9)), (std::vector{NoteKind::Spike}));
}

TEST_F(AlertDetectorTest, WhatAGuardReportsIsNoAlertToo) {
  detector_ = AlertDetector({.spikes = false, .plateaus = false});
  for (std::int64_t batch = 1; batch <= 2'400; ++batch)
    EXPECT_TRUE(process(rowAt(batch, batch == 201 ? 9 : batch % 2 == 0 ? 3.01 : 2.99)).empty()) << batch;
}

TEST_F(AlertDetectorTest, ALevelLossIsToldOncePerWindow) {
  int told = 0;
  for (std::int64_t batch = 1; batch <= 4'400; ++batch)
    told += static_cast<int>(process(rowAt(batch, batch % 2 == 0 ? 3.01 : 2.99)).size());
  EXPECT_EQ(told, 2);
}

class SpeedAlertTest : public AlertDetectorTest {
 protected:
  /// How often a fall of the speed is told in `rows` more rows at this speed.
  int toldAt(double tokensPerSec, int rows) {
    int told = 0;
    for (int i = 0; i < rows; ++i, ++at_)
      for (const RunNote& alert : detector_.process(rowAt(at_ + 1, quiet(at_ + 1), tokensPerSec))) {
        EXPECT_EQ(alert.kind, NoteKind::SlowDown);
        newest_ = alert;
        ++told;
      }
    return told;
  }
  RunNote newest_;
};

TEST_F(SpeedAlertTest, AFallIsToldOnceUntilItIsOver) {
  trainUntil(50);
  EXPECT_EQ(toldAt(400, 1'000), 1) << "what stays slow does not become usual";
  EXPECT_EQ(newest_.value, 400);
  EXPECT_EQ(newest_.reference, 1'000);
  EXPECT_EQ(toldAt(600, 100), 0) << "not half way back yet";
  EXPECT_EQ(toldAt(400, 100), 0) << "still the same fall";
  EXPECT_EQ(toldAt(900, 400), 0);
  EXPECT_EQ(toldAt(300, 100), 1) << "it had recovered";
  EXPECT_EQ(newest_.reference, 900);
}

TEST_F(SpeedAlertTest, ASlowRowNowAndThenIsNoFall) {
  trainUntil(50);
  int told = 0;
  for (int i = 0; i < 40; ++i) told += toldAt(100, 2) + toldAt(1'000, 3);
  EXPECT_EQ(told, 0);
}

TEST_F(SpeedAlertTest, AFallOfLessThanAMinuteIsNotTold) {
  trainUntil(50);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(toldAt(200, 55), 0);
    EXPECT_EQ(toldAt(1'000, 30), 0);
  }
}

TEST_F(SpeedAlertTest, ARunThatRecoversForAMomentIsStillInTheSameFall) {
  trainUntil(50);
  EXPECT_EQ(toldAt(300, 100), 1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(toldAt(1'000, 50), 0);
    EXPECT_EQ(toldAt(300, 100), 0);
  }
}

TEST_F(SpeedAlertTest, ThePersonSaysHowSlowIsSlow) {
  detector_ = AlertDetector({.slowShare = 0.9});
  trainUntil(50);
  EXPECT_EQ(toldAt(800, 80), 1);
  EXPECT_EQ(newest_.text, "the speed has fallen: 800 tok/s now, usually 1.00k tok/s");
}

TEST_F(SpeedAlertTest, AStageHasASpeedAndALossOfItsOwn) {
  trainUntil(200);
  detector_.startStage();
  EXPECT_EQ(toldAt(300, 200), 0);
  detector_.startStage();
  EXPECT_TRUE(process(rowAt(at_ + 1, 9)).empty());
}

TEST_F(AlertDetectorTest, MemoryAbove95PercentNamesTheDevice) {
  MetricsRow row = rowAt(1, 4);
  row.devices = {{"cuda:0", 50, 60, 95, 100}, {"cuda:1", 50, 60, 96, 100}};
  const auto found = detector_.process(row);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, NoteKind::Memory);
  EXPECT_EQ(found[0].text, "the memory of cuda:1 is nearly full: 96 B of 100 B used");
  EXPECT_TRUE(process(row).empty());
  detector_.startStage();
  EXPECT_TRUE(process(row).empty()) << "it has been full all the time";
}

TEST_F(AlertDetectorTest, StepsAboveTheNoiseScaleAreToldOnceWhereTheyReplaceALowerRate) {
  MetricsRow row = rowAt(1, 4);
  row.stepSamples = 90;
  EXPECT_TRUE(detector_.process(row).empty());
  row.noiseScale = 64, row.noiseScaleLow = 48, row.noiseScaleHigh = 80;
  EXPECT_TRUE(detector_.process(row).empty()) << "with a ramp of another kind it says nothing";
  detector_ = AlertDetector({.growsFrom = 90});
  EXPECT_TRUE(detector_.process(row).empty()) << "the first size is the user's";
  detector_ = AlertDetector({.growsFrom = 64});
  const auto found = detector_.process(row);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].level, NoteLevel::Warning);
  EXPECT_EQ(found[0].text,
            "batch.rampup.from_schedule.cap: steps grow to 90 samples, above the measured noise scale of 80: a larger "
            "batch no longer replaces a lower rate, and the loss ends higher; use a smaller cap");
  EXPECT_TRUE(detector_.process(row).empty());
  row.stepSamples = 80;
  EXPECT_TRUE(detector_.process(row).empty());
  row.stepSamples = 128;
  EXPECT_EQ(detector_.process(row).size(), 1u);
}

MetricsRow rowOf(std::int64_t batch, double loss) {
  MetricsRow row;
  row.at.batch = batch;
  row.loss = loss;
  return row;
}

TEST(FirstLossTest, SaysHowTheRowComparesWithTheEarlierOne) {
  struct Case {
    double loss;
    std::optional<EarlierLoss> earlier;
    NoteLevel level;
    const char* says;
  };
  const Case cases[] = {
      {2.5, EarlierLoss{6, 2.5}, NoteLevel::Info, "(6ba) has the same loss as before, 2.5, equal to the last bit"},
      {std::nan(""), EarlierLoss{6, std::nan("")}, NoteLevel::Info, "equal to the last bit"},
      {std::nextafter(2.5, 3.0), EarlierLoss{6, 2.5}, NoteLevel::Info, "no more than rounding"},
      {2.75, EarlierLoss{6, 2.5}, NoteLevel::Warning, "has a loss of 2.75 and had 2.5 before: it differs by 0.25"},
      {2.25, EarlierLoss{6, 2.5}, NoteLevel::Warning, "differs by -0.25"},
      {std::nan(""), EarlierLoss{6, 2.5}, NoteLevel::Warning, "has a loss of nan and had 2.5"},
      {2.5, EarlierLoss{7, 2.5}, NoteLevel::Info, "no earlier row to compare its loss with"},
      {2.5, std::nullopt, NoteLevel::Info, "no earlier row to compare its loss with"},
  };
  for (const Case& one : cases) {
    const RunNote note = compareFirstLoss(rowOf(6, one.loss), one.earlier);
    EXPECT_EQ(note.level, one.level) << note.text;
    EXPECT_THAT(note.text, testing::HasSubstr(one.says));
    EXPECT_EQ(note.at.batch, 6);
  }
}

TEST(TimeReserveTest, GrowsWithTheLongestStepAndCheckpoint) {
  TimeReserve reserve(3600.0, 100.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 10.0);
  reserve.recordPollGap(4.0);
  reserve.recordPollGap(2.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 16.0);
  reserve.recordCheckpoint(30.0);
  reserve.recordCheckpoint(20.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 76.0);
  EXPECT_FALSE(reserve.mustStop(100.0 + 3600.0 - 76.5));
  EXPECT_TRUE(reserve.mustStop(100.0 + 3600.0 - 76.0));
}

TEST(TimeReserveTest, AShortLimitKeepsATenthFree) {
  const TimeReserve reserve(20.0, 0.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 2.0);
  EXPECT_FALSE(reserve.mustStop(17.0));
  EXPECT_TRUE(reserve.mustStop(18.0));
}

TEST(GradientNormRatioTest, FollowsTheNoiseAndIsAtMostThatOfNoiseAlone) {
  EXPECT_DOUBLE_EQ(gradientNormRatio({}, 10, 8, 128), 4.0) << "not measured yet";
  const std::deque<LossSpikeState::Entry> known = {{6, 64.0}, {7, 32.0}, {8, 1e9}, {9, 1e-9}};
  EXPECT_DOUBLE_EQ(gradientNormRatio(known, 10, 8, 128), std::sqrt((1 + 4.0) / (1 + 0.25)))
      << "the newest that is known on a GPU, too";
  EXPECT_DOUBLE_EQ(gradientNormRatio(known, 10, 128, 128), 1.0);
  EXPECT_DOUBLE_EQ(gradientNormRatio({{8, 1.0}, {9, 1.0}}, 10, 8, 128), 4.0);
  for (const double noise : {1e-9, 1.0, 1e9}) EXPECT_LE(gradientNormRatio({{1, noise}}, 10, 8, 128), 4.0);
}

}  // namespace
}  // namespace batchwise
