// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/scaling_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/model/shape/training_cost.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/resolved_values.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using From = MemoryForecast::SizeSource;

LoadedConfig demo(std::vector<std::string> changes = {}) {
  changes.push_back("devices=cpu");
  LoadedConfig config = test::checked(loadConfig("demo", changes));
  return config;
}

/// What a run writes down about two GPUs, or two devices with three threads each.
std::string environment(const std::string& kind) {
  return R"({"device_kind": ")" + kind + R"(", "devices": ["a", "a"], "threads_per_device": 3})";
}

class MeasuredSpeedTest : public ::testing::Test {
 protected:
  /// A run with one row of 1000 tokens in `seconds`, on these kinds of devices one after the other. `from`: of a fork.
  void addRun(const std::string& name, RunStatus status, double seconds,
              const std::vector<std::string>& kinds = {"cpu"}, const Timestamp& from = {}) {
    NewRun run;
    run.name = name;
    run.configYaml = run.resolvedYaml = bundledConfig("demo");
    const LoadedConfig config = demo();
    storeTrainingCost(trainingCost(*plannedShape(config), config.config.data.mlmProbability), run.resolvedValues);
    const std::string id = *workspace_->createRun(run);
    Result<std::unique_ptr<RunWriter>> writer = std::unique_ptr<RunWriter>();
    for (const std::string& kind : kinds) {
      writer = std::unique_ptr<RunWriter>();
      writer = RunWriter::open(workspace_, id,
                               {.from = from, .checkpoint = {}, .environment = environment(kind), .resolvedYaml = {}});
      ASSERT_TRUE(writer.ok());
    }
    MetricsRow row;
    row.at.batch = from.batch + 1;
    row.at.sample = from.sample + 10;
    row.at.token = from.token + 1000;
    row.at.seconds = from.seconds + seconds;
    RunFinished finished;
    finished.status = status;
    finished.at = row.at;
    (*writer)->publish(row);
    (*writer)->publish(finished);
    ASSERT_TRUE((*writer)->flush().ok());
  }

  test::TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "workspace");
};

TEST_F(MeasuredSpeedTest, IsThatOfAFinishedRunWithTheSamePreset) {
  LoadedConfig config = demo();
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
  addRun("whole", RunStatus::Finished, 4);
  addRun("failed", RunStatus::Failed, 1);
  const auto speed = MeasuredSpeeds(*workspace_).of(config);
  ASSERT_TRUE(speed.has_value());
  EXPECT_EQ(speed->run, "whole");
  EXPECT_DOUBLE_EQ(speed->tokensPerSec, 250);
  EXPECT_DOUBLE_EQ(speed->tokensPerSample, 100);
  EXPECT_EQ(speed->devices, 1);
  config.config.model.preset =
      config.config.model.preset == ModelPreset::Large ? ModelPreset::Base : ModelPreset::Large;
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
}

TEST_F(MeasuredSpeedTest, OfAForkIsThatOfWhatItTrainedItself) {
  Timestamp from;
  from.batch = 3;
  from.sample = 60;
  from.token = 3000;
  from.seconds = 100;
  addRun("fork", RunStatus::Finished, 4, {"cpu"}, from);
  const auto speed = MeasuredSpeeds(*workspace_).of(demo());
  ASSERT_TRUE(speed.has_value());
  EXPECT_DOUBLE_EQ(speed->tokensPerSec, 250) << "without the time of the run that it continues";
  EXPECT_DOUBLE_EQ(speed->tokensPerSample, 100);
}

TEST_F(MeasuredSpeedTest, AnotherSizeUnderTheSamePresetIsAnotherModel) {
  addRun("whole", RunStatus::Finished, 4);
  LoadedConfig config = demo();
  ASSERT_TRUE(MeasuredSpeeds(*workspace_).of(config).has_value());
  LoadedConfig wider = demo({"model.intermediate_size=8192"});
  EXPECT_EQ(wider.config.model.preset, config.config.model.preset);
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(wider).has_value());
  config.config.tokenizer.trainVocabSize *= 100;
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
}

TEST_F(MeasuredSpeedTest, OfASimilarModelIsMarkedAndHasNoLengthOfSamples) {
  addRun("whole", RunStatus::Finished, 4);
  LoadedConfig config = demo();
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config)->similar);
  config.config.data.maxSeqLen *= 2;
  EXPECT_EQ(MeasuredSpeeds(*workspace_).of(config)->tokensPerSample, 0);
  config.config.tokenizer.trainVocabSize += 8;
  const auto speed = MeasuredSpeeds(*workspace_).of(config);
  ASSERT_TRUE(speed.has_value());
  EXPECT_TRUE(speed->similar);
  EXPECT_EQ(speed->tokensPerSample, 0);
  EXPECT_LT(speed->tokensPerSec, 250) << "more operations per token";
}

TEST_F(MeasuredSpeedTest, OnlyARunOnThePlannedKindOfDeviceCounts) {
  addRun("processor", RunStatus::Finished, 4);
  addRun("gpus", RunStatus::Finished, 1, {"cuda"});
  addRun("both", RunStatus::Finished, 2, {"cuda", "cpu"});
  LoadedConfig config = demo();
  const auto slow = MeasuredSpeeds(*workspace_).of(config);
  ASSERT_TRUE(slow.has_value());
  EXPECT_EQ(slow->run, "processor");
  EXPECT_EQ(slow->units, (ComputeUnits{false, 6}));
  config.config.devices.use = "cuda:0";
  const auto fast = MeasuredSpeeds(*workspace_).of(config);
  ASSERT_TRUE(fast.has_value());
  EXPECT_EQ(fast->run, "gpus");
  EXPECT_EQ(fast->units, (ComputeUnits{true, 2}));
  const auto newest = MeasuredSpeeds(*workspace_).of(config, MeasuredSpeeds::Units::Any);
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->run, "both");
  EXPECT_FALSE(newest->units.has_value());
}

TEST(RunCostTest, OtherDevicesThanThoseOfTheMeasuredRunCount) {
  LoadedConfig config = demo();
  Plan::Totals totals;
  totals.tokens = 1'000'000;
  totals.samples = 10'000;
  MachineInfo machine;
  machine.cores = 4;
  const auto seconds = [&](double operationsPerSec, const char* use) {
    config.config.devices.use = use;
    const bool gpus = config.config.devices.use.starts_with("cuda");
    const MeasuredSpeed speed{
        .run = "older", .tokensPerSec = 1000, .operationsPerSec = operationsPerSec, .units = ComputeUnits{gpus, 8}};
    const auto cost = runCost(config, {totals}, speed, machine);
    return cost ? cost->seconds : 0;
  };
  EXPECT_DOUBLE_EQ(seconds(0, "cuda:0"), 8 * 1000.0);
  EXPECT_DOUBLE_EQ(seconds(0, "cuda:0,1,2,3"), 2 * 1000.0);
  EXPECT_DOUBLE_EQ(seconds(1e9, "cuda:0"), 4 * seconds(1e9, "cuda:0,1,2,3"));
  for (const char* processor : {"cpu", "cpu:2"}) EXPECT_DOUBLE_EQ(seconds(0, processor), 2 * 1000.0) << "four cores";
}

TEST(RunCostTest, AGuessCountsTheConfiguredDevices) {
  MachineInfo machine;
  machine.cores = 4;
  machine.gpus = 8;
  TrainConfig config;
  const auto units = [&](const char* use) {
    config.devices.use = use;
    return plannedUnits(config, machine);
  };
  for (const char* all : {"auto", "cuda"}) EXPECT_EQ(units(all), (ComputeUnits{true, 8})) << all;
  EXPECT_EQ(units("cuda:3"), (ComputeUnits{true, 1}));
  EXPECT_EQ(units("cuda:0,1"), (ComputeUnits{true, 2}));
  EXPECT_DOUBLE_EQ(roughOperationsPerSec(config, machine), 2 * 40e12);
  for (const char* shared : {"cpu", "cpu:1", "cpu:3"}) EXPECT_EQ(units(shared), (ComputeUnits{false, 4})) << shared;
  config.devices.threads = 1;
  EXPECT_EQ(units("cpu:3"), (ComputeUnits{false, 3}));
}

/// BERT base, half a second a step on one device.
StepCost base() {
  StepCost cost;
  cost.tokensPerStep = 500'000;
  cost.secondsPerToken = 1e-6;
  cost.microbatchTokens = 20'000;
  cost.parameters = 110'000'000;
  cost.embeddingParameters = 23'000'000;
  return cost;
}

TEST(ScalingPlanTest, OneDeviceIsWhatWasMeasured) {
  const std::vector<std::int64_t> one = {1};
  const ScalingPoint point = predictScaling(base(), {}, one).front();
  EXPECT_DOUBLE_EQ(point.stepSec, 0.5);
  EXPECT_DOUBLE_EQ(point.efficiency, 1.0);
  EXPECT_DOUBLE_EQ(point.tokensPerSec, 1e6);
  EXPECT_EQ(point.communicationSec, 0.0);
}

TEST(ScalingPlanTest, SumsHideBehindTheLastBackwardPassButForTheWordEmbeddings) {
  Interconnect between;
  between.devicesPerNode = 8;
  between.nodeBytesPerSec = 100e9;
  between.latencySec = 0;
  const std::vector<std::int64_t> eight = {8};
  StepCost cost = base();
  const double ring = 2.0 * 7 / 8;
  const double overlappable = ring * 87e6 * 4 / 100e9, last = ring * 23e6 * 4 / 100e9;
  const ScalingPoint hidden = predictScaling(cost, between, eight).front();
  EXPECT_DOUBLE_EQ(hidden.tokensPerDevice, 62'500);
  EXPECT_NEAR(hidden.communicationSec, overlappable + last, 1e-12);
  EXPECT_NEAR(hidden.exposedSec, last, 1e-12) << "13 ms of backward pass hide 6 ms";
  EXPECT_NEAR(hidden.stepSec, 0.0625 + last, 1e-12);
  cost.microbatchTokens = 600;  // 0.4 ms of backward pass
  const ScalingPoint shown = predictScaling(cost, between, eight).front();
  EXPECT_NEAR(shown.exposedSec, overlappable - 0.0004 + last, 1e-12);
  EXPECT_NEAR(shown.efficiency, 0.0625 / (0.0625 + shown.exposedSec), 1e-12);
}

TEST(ScalingPlanTest, BeyondANodeTheNetworkCountsAndEfficiencyFalls) {
  const std::vector<std::int64_t> counts = {1, 8, 9, 64, 1024, 1'000'000};
  const auto points = predictScaling(base(), {}, counts);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LT(points[i].efficiency, points[i - 1].efficiency);
    EXPECT_GT(points[i].communicationSec, points[i - 1].communicationSec);
  }
  EXPECT_GT(points[2].communicationSec, 5 * points[1].communicationSec);
  EXPECT_GT(points[1].efficiency, 0.95);
}

TEST(ScalingPlanTest, SamplesAreNotSplit) {
  StepCost cost = base();
  cost.unitsPerStep = 21;
  cost.parameters = cost.embeddingParameters = 0;
  Interconnect between;
  between.latencySec = 0;
  const std::vector<std::int64_t> counts = {1, 7, 8, 64};
  const auto points = predictScaling(cost, between, counts);
  EXPECT_DOUBLE_EQ(points[0].efficiency, 1.0);
  EXPECT_DOUBLE_EQ(points[1].efficiency, 1.0) << "3 each";
  EXPECT_EQ(points[2].unitsPerDevice, 3);
  EXPECT_EQ(points[2].idleDevices, 0);
  EXPECT_DOUBLE_EQ(points[2].efficiency, 21.0 / 8 / 3);
  EXPECT_DOUBLE_EQ(points[2].tokensPerDevice, 500'000 * 3.0 / 21);
  EXPECT_EQ(points[3].unitsPerDevice, 1);
  EXPECT_EQ(points[3].idleDevices, 43);
  EXPECT_DOUBLE_EQ(points[3].efficiency, 21.0 / 64);
  EXPECT_DOUBLE_EQ(points[3].tokensPerSec, 21e6);
}

MemoryForecast forecast(const std::string& yaml, const Lengths* lengths = nullptr) {
  const LoadedConfig config = test::checked(parseConfig("model: {preset: mini}\n" + yaml, "test", {}));
  return *test::checked(forecastMemory(config, plannedDevices(config.config).devices, lengths));
}

TEST(MemoryForecastTest, ANamedMicroBatchCounts) {
  const auto found = forecast(
      "data: {max_seq_len: 128}\ndevices: cpu:2\n"
      "batch: {global_train_batch_size: 256, device_train_microbatch_size: 16}\n");
  EXPECT_EQ(found.sizeSource, From::Config);
  EXPECT_EQ(found.units, 16);
  EXPECT_EQ(found.longest, 128);
  EXPECT_EQ(found.devices, 2);
  EXPECT_EQ(found.perDevice.total(), found.of(16).total());
  EXPECT_GT(found.of(32).activations, found.of(16).activations);
}

TEST(MemoryForecastTest, NoPassIsLargerThanTheShareOfADevice) {
  EXPECT_EQ(forecast("devices: cpu:2\nbatch: {global_train_batch_size: 10, device_train_microbatch_size: 64}\n").units,
            5);
}

TEST(MemoryForecastTest, TheLargestStageOfATableCounts) {
  EXPECT_EQ(forecast("devices: cpu\nbatch: {device_train_microbatch_size: 64, rampup: {stages: [{at: 0ba, "
                     "global_train_batch_size: 8}, {at: 5ba, global_train_batch_size: 24}]}}\n")
                .units,
            24);
}

TEST(MemoryForecastTest, AutoOnAProcessorHasItsRule) {
  const auto found =
      forecast("data: {max_seq_len: 128}\ndevices: cpu\nbatch: {global_train_batch_size: 256}\nprecision: bf16\n");
  EXPECT_EQ(found.sizeSource, From::ProcessorRule);
  EXPECT_EQ(found.units, 32);  // 4,096 tokens
  EXPECT_EQ(found.pass.bytesPerNumber, 2);
  EXPECT_GT(found.perDevice.copies, 0);
}

TEST(MemoryForecastTest, AutoWithinALimitTakesWhatFitsBesideTheReserve) {
  const std::string yaml =
      "data: {max_seq_len: 128}\nbatch: {global_train_batch_size: 4096}\n"
      "devices: {use: cpu, memory_limit: 512MiB}\n";
  const auto found = forecast(yaml);
  EXPECT_EQ(found.sizeSource, From::Limit);
  const double usable = 0.9 * 512 * 1024 * 1024;
  EXPECT_LE(static_cast<double>(found.perDevice.total()), usable);
  EXPECT_GT(static_cast<double>(found.of(found.units + 2).total()), usable);
}

TEST(MemoryForecastTest, OnAGpuTheSearchDecides) {
  const std::string yaml = "devices: cuda:0\nbatch: {global_train_batch_size: 256}\n";
  EXPECT_EQ(forecast(yaml).sizeSource, From::Device);
  EXPECT_EQ(forecast(yaml).units, 256);
}

TEST(MemoryForecastTest, APackCountsWithItsBudget) {
  const auto found = forecast(
      "data: {max_seq_len: 128}\ndevices: cpu\n"
      "batch: {global_train_batch_size: 4, device_train_microbatch_size: 2, tokens: {max_tokens: 1000}}\n");
  EXPECT_TRUE(found.countsPacks);
  EXPECT_EQ(found.units, 2);
  EXPECT_EQ(found.sequencesPerUnit, 8);  // 8 x 128 are the first to hold 1,000
}

TEST(MemoryForecastTest, TheLongestSampleCounts) {
  const ListedLengths lengths({40, 60, 20});
  EXPECT_EQ(forecast("data: {max_seq_len: 128}\ndevices: cpu\n", &lengths).longest, 60);
}

TEST(MemoryForecastTest, TellsTheLargestSizeWithinSomeBytes) {
  const auto found =
      forecast("devices: cpu\nbatch: {global_train_batch_size: 256, device_train_microbatch_size: 64}\n");
  EXPECT_EQ(found.largestWithin(found.perDevice.total()), 64);
  EXPECT_EQ(found.largestWithin(found.of(7).total()), 7);
  EXPECT_EQ(found.largestWithin(found.perDevice.resident()), 0);
}

TEST(MemoryForecastTest, SizesThatNobodyTrainsDoNotOverflow) {
  const std::string yaml =
      "devices: cpu:64\nbatch: {global_train_batch_size: 1099511627776, device_train_microbatch_size: 1099511627776";
  const auto found = forecast(yaml + ", tokens: {max_tokens: 1099511627776}}\n");
  EXPECT_GT(found.perDevice.total(), std::int64_t{1} << 53);
  EXPECT_GT(64 * found.perDevice.total(), found.perDevice.total());
  EXPECT_LT(found.largestWithin(std::int64_t{1} << 40), found.units);
}

TEST(MemoryForecastTest, TheFiguresOfTheJsonAddUp) {
  const nlohmann::json told = memoryJson(forecast("devices: cpu\nprecision: bf16\n"));
  std::int64_t sum = 0;
  for (const char* part : {"weights", "gradients", "moments", "copies", "activations", "head", "work"})
    sum += told.at(part).get<std::int64_t>();
  EXPECT_EQ(told.at("per_device_bytes"), sum);
  EXPECT_EQ(told.at("micro_batch").at("from"), "processor");
  EXPECT_TRUE(told.at("limit_bytes").is_null());
}

// Measured speeds for models and vocabularies that are named by paths.

class MeasuredSpeedPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string tokens = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (int i = 5; i < 512; ++i) tokens += "word" + std::to_string(i) + "\n";
    std::filesystem::create_directory(folder_ / "sub");
    ASSERT_TRUE(writeFileAtomically(folder_ / "sub/vocab.txt", tokens).ok());
  }
  LoadedConfig config(const std::filesystem::path& folder) {
    LoadedConfig config = test::checked(parseConfig(text_, "test", {}));
    config.baseFolder = folder;
    return config;
  }
  /// A finished run of config(`folder`).
  void addRun(const std::filesystem::path& folder) {
    NewRun run;
    run.name = "trained";
    run.configYaml = run.resolvedYaml = text_;
    run.resolvedValues[resolved_names::kBaseFolder] = folder.native();
    storeTrainingCost(trainingCost(*plannedShape(config(folder)), 0.15), run.resolvedValues);
    const std::string id = *workspace_->createRun(run);
    const std::string environment = R"({"device_kind": "cpu", "devices": ["a"], "threads_per_device": 1})";
    auto writer = test::checked(RunWriter::open(
        workspace_, id, {.from = {}, .checkpoint = {}, .environment = environment, .resolvedYaml = {}}));
    MetricsRow row;
    row.at.batch = row.at.sample = 1;
    row.at.token = 1000;
    row.at.seconds = 4;
    RunFinished finished;
    finished.status = RunStatus::Finished;
    finished.at = row.at;
    (*writer)->publish(row);
    (*writer)->publish(finished);
    ASSERT_TRUE((*writer)->flush().ok());
  }
  bool isFound(const LoadedConfig& config) { return MeasuredSpeeds(*workspace_).of(config).has_value(); }

  test::TempFolder folder_;
  std::string text_ = "model: {preset: tiny}\ntokenizer: {path: vocab.txt}\ndata: {train: [a.txt]}\ndevices: cpu\n";
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "workspace");
};

TEST_F(MeasuredSpeedPathsTest, StartAtTheFolderOfTheConfiguration) {
  addRun(folder_ / "sub");
  EXPECT_TRUE(isFound(config(folder_ / "sub")));
  EXPECT_TRUE(isFound(config(folder_ / "elsewhere/../sub")));
  EXPECT_FALSE(isFound(config(folder_ / "elsewhere"))) << "another file of that name";
}

TEST_F(MeasuredSpeedPathsTest, OfASimilarModelAreReadThere) {
  addRun(folder_ / "sub");
  std::filesystem::create_directory(folder_ / "other");
  std::filesystem::copy(folder_ / "sub/vocab.txt", folder_ / "other/vocab.txt");
  EXPECT_TRUE(isFound(config(folder_ / "other")));
}

}  // namespace
}  // namespace batchwise
