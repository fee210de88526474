// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/memory_forecast.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/run/launch/launch_check.h"

namespace batchwise {
namespace {

using From = MemoryForecast::SizeSource;

MemoryForecast forecast(const std::string& yaml, const Lengths* lengths = nullptr) {
  const LoadedConfig config = parseConfig("model: {preset: mini}\n" + yaml, "test", {});
  EXPECT_TRUE(config.ok()) << config.errorText();
  const auto found = forecastMemory(config, plannedDevices(config.config).devices, lengths);
  EXPECT_TRUE(found.ok());
  return found.ok() ? *found : MemoryForecast();
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

}  // namespace
}  // namespace batchwise
