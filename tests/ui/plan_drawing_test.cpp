// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/plan_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/config/config_file.h"
#include "core/plan/plan_report.h"
#include "tests/ui/short_names.h"

namespace batchwise {
namespace {

using Snap = PlanDrawing::Snap;
using Of = PlanHandle::Of;

constexpr QPointF kFine(0.1, 0.1);  // a pixel is a tenth of a global batch, and of a sample
constexpr std::int64_t kEpoch = 6400;

/// 200 global batches of 64 x 128 tokens.
TrainConfig drawnRun() {
  TrainConfig config = loadConfig("demo").config;
  config.data.maxSeqLen = 128;
  config.batch = {};
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 16;
  config.scheduler = {};
  config.scheduler.tWarmup = Time::duration(0.1);
  config.optimizer.lr = 5e-4;
  config.lrScaling = {};
  config.maxDuration = Time::of(2, TimeUnit::Epoch);
  return config;
}

TrainConfig rampedRun() {
  TrainConfig config = drawnRun();
  config.batch.rampup.duration = Time::of(100, TimeUnit::Batch);
  config.batch.rampup.initialGlobalTrainBatchSize = 16;
  return config;
}

std::shared_ptr<const PlanPreview> planOf(const TrainConfig& config, std::int64_t samples = kEpoch) {
  const auto plan = previewPlan(config, {samples, 1});
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().text());
  return std::make_shared<const PlanPreview>(plan.ok() ? *plan : PlanPreview());
}

PlanDrawing drawingOf(const TrainConfig& config, std::int64_t samples = kEpoch) {
  return PlanDrawing(config, planOf(config, samples));
}

/// Null: there is none.
const PlanHandle* findHandle(const std::vector<PlanHandle>& handles, Of of, std::size_t stage = 0,
                             const char* path = nullptr) {
  const auto found = std::ranges::find_if(handles, [&](const PlanHandle& each) {
    return each.of == of && each.stage == stage && (path == nullptr || each.time->path == std::string(path));
  });
  return found == handles.end() ? nullptr : &*found;
}

const PlanHandle& sizeHandle(const PlanDrawing& drawing, Of of, std::size_t stage) {
  const PlanHandle* found = findHandle(drawing.sizes(), of, stage);
  if (found == nullptr) throw std::out_of_range("no handle of stage " + std::to_string(stage));
  return *found;
}

const PlanHandle& timeHandle(const PlanDrawing& drawing, const char* path) {
  const PlanHandle* found = findHandle(drawing.rates(), Of::ScheduleTime, 0, path);
  if (found == nullptr) throw std::out_of_range(path);
  return *found;
}

std::vector<std::pair<std::string, std::int64_t>> tableOf(const TrainConfig& config) {
  std::vector<std::pair<std::string, std::int64_t>> table;
  for (const RampLevelConfig& stage : config.batch.rampup.stages)
    table.emplace_back(stage.at.text(), stage.globalTrainBatchSize);
  return table;
}

using Table = std::vector<std::pair<std::string, std::int64_t>>;

TrainConfig tableRun(const std::vector<RampLevelConfig>& stages) {
  TrainConfig config = drawnRun();
  config.batch.rampup.stages = stages;
  config.batch.globalTrainBatchSize = stages.back().globalTrainBatchSize;
  return config;
}

TEST(PlanDrawingTest, WhatIsDrawnEqualsWhatPreviewPrints) {
  TrainConfig linear = rampedRun();
  linear.batch.rampup.growth = RampGrowth::Linear;
  linear.batch.rampup.increment = 8;
  TrainConfig inTokens = tableRun({{Time::of(0, TimeUnit::Token), 16},
                                   {Time::of(300'001, TimeUnit::Token), 48},
                                   {Time::of(900'000, TimeUnit::Token), 64}});
  const TrainConfig asShare =
      tableRun({{Time::duration(0), 24}, {Time::duration(0.333), 40}, {Time::duration(0.5), 96}});
  for (const TrainConfig& config : {drawnRun(), rampedRun(), linear, inTokens, asShare}) {
    const PlanAssumptions assumptions{kEpoch, 1};
    const auto plan = planOf(config);
    const auto run = resolvePlan(config, assumptions);
    ASSERT_TRUE(run.ok());
    std::vector<Time> times;
    for (const QPointF& point : plan->rate) times.push_back(Time::of(std::llround(point.x()) - 1, TimeUnit::Batch));
    const auto printed = previewJson(*run, times);
    ASSERT_TRUE(printed.ok());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(plan->rate[i].y(), printed->at("points")[i].at("lr").get<double>());
      EXPECT_EQ(plan->stepSize[i].y(), printed->at("points")[i].at("step_samples").get<double>());
    }
    const PlanDrawing drawing(config, plan);
    std::size_t stage = 0;
    for (const auto& range : printed->at("stages")) {
      const PlanHandle& size = sizeHandle(drawing, Of::StageSize, stage);
      EXPECT_EQ(size.shown.from, QPointF(range.at("from_ba").get<double>() + 1, range.at("step_samples").get<double>()))
          << stage;
      if (stage > 0) {
        EXPECT_EQ(sizeHandle(drawing, Of::StageStart, stage).shown.at.x(), size.shown.from.x());
      }
      ++stage;
    }
    EXPECT_EQ(drawing.sizeCourse().size(), 2 * stage);
  }
}

TEST(PlanDrawingTest, ADoublingRampBecomesATableWhenAStageIsDragged) {
  const PlanDrawing drawing = drawingOf(rampedRun());
  const TrainConfig dragged = drawing.moved(sizeHandle(drawing, Of::StageStart, 1), {31, 0}, kFine, Snap::Round);
  EXPECT_EQ(tableOf(dragged), (Table{{"0sp", 16}, {"1920sp", 32}, {"6400sp", 64}})) << "at whole global batches";
  EXPECT_FALSE(dragged.batch.rampup.duration || dragged.batch.rampup.initialGlobalTrainBatchSize);
  EXPECT_TRUE(checkRules(dragged).empty());
  const PlanDrawing ahead = drawing.of(dragged), computed = drawingOf(dragged);
  EXPECT_EQ(ahead.sizeCourse(), computed.sizeCourse()) << "drawn before the plan is computed";
  EXPECT_EQ(planOf(dragged)->stages[1].fromBatch, 30);
}

TEST(PlanDrawingTest, AStageStaysBetweenItsNeighbors) {
  const PlanDrawing drawing = drawingOf(rampedRun());
  const PlanHandle& start = sizeHandle(drawing, Of::StageStart, 1);
  EXPECT_EQ(tableOf(drawing.moved(start, {900, 0}, kFine, Snap::Round))[1].first, "6336sp");
  EXPECT_EQ(tableOf(drawing.moved(start, {-900, 0}, kFine, Snap::Round))[1].first, "64sp");
  EXPECT_EQ(tableOf(drawing.moved(start, {97, 0}, {20, 1}, Snap::Round))[1].first, "6144sp")
      << "10,000 is the round number, behind the next stage";
  const PlanHandle& last = sizeHandle(drawing, Of::StageStart, 2);
  EXPECT_EQ(tableOf(drawing.stepped(last, kToLimit, kFine))[2].first, "12736sp");
  EXPECT_EQ(tableOf(drawing.stepped(last, -kToLimit, kFine))[2].first, "3264sp");
  EXPECT_EQ(tableOf(drawing.stepped(last, 1, kFine))[2].first, "6464sp");
  EXPECT_EQ(tableOf(drawing.stepped(last, -10, kFine))[2].first, "5760sp");
}

TEST(PlanDrawingTest, SizesSnapToWhatDevicesTake) {
  const PlanDrawing drawing = drawingOf(rampedRun());
  const PlanHandle& size = sizeHandle(drawing, Of::StageSize, 1);
  const auto sizeAt = [&](double y, Snap snap) {
    return tableOf(drawing.moved(size, {0, y}, {1, 0.5}, snap))[1].second;
  };
  EXPECT_EQ(sizeAt(76, Snap::Round), 80) << "a multiple of the micro-batch";
  EXPECT_EQ(sizeAt(34, Snap::Round), 32) << "a power of two";
  EXPECT_EQ(sizeAt(3, Snap::Round), 4);
  EXPECT_EQ(tableOf(drawing.moved(size, {0, 11}, {1, 0.1}, Snap::Round))[1].second, 8) << "below the micro-batch";
  EXPECT_EQ(sizeAt(76.3, Snap::Exact), 76);
  EXPECT_EQ(sizeAt(-5, Snap::Exact), 1);
  EXPECT_EQ(tableOf(drawing.stepped(size, 1, kFine))[1].second, 48);
  EXPECT_EQ(tableOf(drawing.stepped(size, -1, kFine))[1].second, 16);
  EXPECT_EQ(tableOf(drawing.stepped(size, 10, kFine))[1].second, 64);
  EXPECT_EQ(tableOf(drawing.stepped(size, -10, kFine))[1].second, 16);
  EXPECT_EQ(tableOf(drawing.stepped(size, kToLimit, kFine))[1].second, 64);
  const TrainConfig largest = drawing.moved(sizeHandle(drawing, Of::StageSize, 2), {0, 128}, kFine, Snap::Round);
  EXPECT_EQ(largest.batch.globalTrainBatchSize, 128) << "the last size is the global batch";
}

TEST(PlanDrawingTest, EdgesInTokensSnapToRoundNumbersOfThem) {
  TrainConfig config = drawnRun();
  config.maxDuration = Time::of(100'000'000, TimeUnit::Token);  // 12,208 global batches
  const QPointF pixel(12'208 / 400.0, 0.2);
  const PlanDrawing drawing = drawingOf(config, 10'000'000);
  const TrainConfig added = drawing.added({20.3e6 / 8192 + 1, 128}, pixel, Snap::Round);
  EXPECT_EQ(tableOf(added), (Table{{"0tok", 64}, {"20000000tok", 128}}));
  EXPECT_EQ(sizeHandle(drawing.of(added), Of::StageStart, 1).shown.value, q("128 at 20,000,000 tokens"));
  const TrainConfig exact = drawing.added({2479, 127}, pixel, Snap::Exact);
  EXPECT_EQ(tableOf(exact), (Table{{"0tok", 64}, {"20299776tok", 127}})) << "at the begin of a global batch";
}

TEST(PlanDrawingTest, StagesAreAddedAndRemoved) {
  const PlanDrawing constant = drawingOf(drawnRun());
  ASSERT_EQ(constant.sizes().size(), 1u);
  const TrainConfig added = constant.added({101, 128}, kFine, Snap::Round);
  EXPECT_EQ(tableOf(added), (Table{{"0sp", 64}, {"6400sp", 128}}));
  EXPECT_EQ(planOf(added)->stages[1].fromBatch, 50) << "at the same place in the data, in larger global batches";
  EXPECT_EQ(added.batch.globalTrainBatchSize, 128);
  const PlanDrawing two = drawingOf(added);
  EXPECT_EQ(tableOf(two.removed(1)), Table());
  EXPECT_EQ(two.removed(1).batch, drawnRun().batch);
  EXPECT_EQ(two.removed(0).batch.globalTrainBatchSize, 128);
  const PlanDrawing ramp = drawingOf(rampedRun());
  EXPECT_EQ(tableOf(ramp.removed(0)), (Table{{"0sp", 32}, {"6400sp", 64}}));
  EXPECT_EQ(tableOf(ramp.added({76, 48}, kFine, Snap::Round)),
            (Table{{"0sp", 16}, {"3200sp", 32}, {"4800sp", 48}, {"6400sp", 64}}));
  EXPECT_EQ(constant.removed(0), constant.config());
  const TrainConfig level = constant.moved(sizeHandle(constant, Of::StageSize, 0), {0, 96}, kFine, Snap::Round);
  EXPECT_EQ(level.batch.globalTrainBatchSize, 96);
  EXPECT_FALSE(level.batch.rampup.enabled()) << "a constant size stays one";
}

TEST(PlanDrawingTest, EdgesInGlobalBatchesKeepTheirPlacesWhenTheseGetLarger) {
  const TrainConfig config = tableRun({{Time::of(0, TimeUnit::Batch), 16}, {Time::of(100, TimeUnit::Batch), 64}});
  const PlanDrawing drawing = drawingOf(config);
  const auto larger = drawing.moved(sizeHandle(drawing, Of::StageSize, 1), {0, 128}, kFine, Snap::Round);
  EXPECT_EQ(tableOf(larger), (Table{{"0ba", 16}, {"50ba", 128}}));
}

TEST(PlanDrawingTest, TimesOfTheScheduleKeepTheirUnits) {
  TrainConfig config = drawnRun();
  config.scheduler.name = "warmup_stable_decay";
  const PlanDrawing drawing = drawingOf(config);
  const PlanHandle& warmup = timeHandle(drawing, "scheduler.t_warmup");
  EXPECT_EQ(warmup.shown.at, QPointF(21, config.optimizer.lr)) << "the peak";
  EXPECT_EQ(drawing.moved(warmup, {41, 0}, kFine, Snap::Round).scheduler.tWarmup, Time::duration(0.2));
  const PlanHandle& decay = timeHandle(drawing, "scheduler.t_decay");
  EXPECT_EQ(decay.shown.at.x(), 181);
  const TrainConfig longer = drawing.moved(decay, {161, 0}, kFine, Snap::Round);
  EXPECT_EQ(longer.scheduler.tDecay, Time::of(40, TimeUnit::Batch)) << "none was given: on the clock of the plan";
  EXPECT_EQ(timeHandle(drawingOf(longer), "scheduler.t_decay").shown.at.x(), 161);
  EXPECT_EQ(drawing.moved(decay, {0, 0}, kFine, Snap::Round).scheduler.tDecay, Time::of(180, TimeUnit::Batch))
      << "not before the end of the warm-up";
  const PlanHandle& end = timeHandle(drawing, "scheduler.t_max");
  const TrainConfig shorter = drawing.moved(end, {150, 0}, kFine, Snap::Round);
  EXPECT_EQ(shorter.scheduler.tMax, Time::of(150, TimeUnit::Batch));
  const PlanDrawing early = drawingOf(shorter);
  EXPECT_FALSE(early.stepped(timeHandle(early, "scheduler.t_max"), kToLimit, kFine).scheduler.tMax)
      << "at the end of the run, wherever that is";
}

TEST(PlanDrawingTest, ThePeakIsTheRateOfTheConfiguration) {
  const PlanDrawing drawing = drawingOf(drawnRun());
  const PlanHandle* peak = findHandle(drawing.rates(), Of::PeakRate);
  ASSERT_NE(peak, nullptr);
  EXPECT_EQ(drawing.moved(*peak, {0, 7.26e-4}, kFine, Snap::Round).optimizer.lr, 7.3e-4);
  EXPECT_EQ(drawing.moved(*peak, {0, 7.2612e-4}, kFine, Snap::Exact).optimizer.lr, 7.261e-4);
  EXPECT_EQ(drawing.stepped(*peak, 1, kFine).optimizer.lr, 5.1e-4);
  EXPECT_EQ(drawing.stepped(*peak, -10, kFine).optimizer.lr, 4e-4);
  EXPECT_GT(drawing.moved(*peak, {0, -1}, kFine, Snap::Round).optimizer.lr, 0);
}

TEST(PlanDrawingTest, WhatIsNoFieldCannotBeDraggedAndSaysWhy) {
  TrainConfig config = drawnRun();
  config.scheduler = {};
  config.scheduler.name = "expression";
  config.scheduler.expression = "1 - frac";
  const PlanDrawing expression = drawingOf(config);
  EXPECT_TRUE(expression.timesLock().contains(q("expression")));
  EXPECT_EQ(expression.rates().size(), 1u) << "the peak alone";
  config = drawnRun();
  config.batch.growth.increaseFunction = "current_batch_size * 2";
  const PlanDrawing growth = drawingOf(config);
  EXPECT_TRUE(growth.sizes().empty());
  EXPECT_FALSE(growth.sizesLock().isEmpty());
  EXPECT_EQ(growth.added({50, 128}, kFine, Snap::Round), config);
  const PlanDrawing sweep(drawnRun(), planOf(drawnRun()), {"optimizer.lr", "scheduler.t_warmup"});
  EXPECT_TRUE(sweep.rates().empty());
  EXPECT_FALSE(sweep.timesLock().isEmpty());
}

TEST(PlanDrawingTest, NumbersAreTypedAsInTheForm) {
  const PlanDrawing drawing = drawingOf(rampedRun());
  const PlanHandle& start = sizeHandle(drawing, Of::StageStart, 1);
  const auto typed = drawing.typed(start, q(" 2112sp "));
  ASSERT_TRUE(typed.ok());
  EXPECT_EQ(tableOf(*typed)[1].first, "2112sp");
  for (const char* bad : {"33ba", "0sp", "6400sp", "soon"}) EXPECT_FALSE(drawing.typed(start, q(bad)).ok()) << bad;
  EXPECT_EQ(tableOf(*drawing.typed(sizeHandle(drawing, Of::StageSize, 0), q("12")))[0].second, 12);
  EXPECT_FALSE(drawing.typed(sizeHandle(drawing, Of::StageSize, 0), q("0")).ok());
  EXPECT_EQ(drawing.typed(timeHandle(drawing, "scheduler.t_warmup"), q("30ba"))->scheduler.tWarmup,
            Time::of(30, TimeUnit::Batch));
}

TEST(HandleNearTest, TakesTheNearestLineAndAtACornerTheNearestDot) {
  const ChartScale scale{QRectF(0, 0, 200, 100), 200, 100};  // y upwards: pixel 100 is 0
  const std::vector<ChartHandle> handles = {{{}, {}, {}, Qt::Vertical, {50, 20}, {0, 20}, {100, 20}},
                                            {{}, {}, {}, Qt::Horizontal, {100, 40}, {100, 20}, {100, 60}},
                                            {{}, {}, {}, Qt::Vertical, {150, 60}, {100, 60}, {200, 60}}};
  EXPECT_EQ(handleNear(handles, scale, {20, 78}), 0u);
  EXPECT_EQ(handleNear(handles, scale, {103, 50}), 1u);
  EXPECT_EQ(handleNear(handles, scale, {190, 45}), 2u);
  EXPECT_EQ(handleNear(handles, scale, {100, 80}), 1u) << "where the first level ends";
  EXPECT_EQ(handleNear(handles, scale, {150, 90}), std::nullopt);
}

}  // namespace
}  // namespace batchwise
