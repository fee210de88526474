// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/preflight.h"

#include <gmock/gmock.h>

#include <chrono>

#include "core/base/file.h"
#include "core/run/launch/launch_data.h"
#include "core/store/workspace_folder.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

class PreflightTest : public testing::Test {
 protected:
  std::vector<PreflightFinding> look(const std::string& yaml) {
    const LoadedConfig config = parseConfig(yaml, "test", folder_.path());
    EXPECT_TRUE(config.ok()) << config.errorText();
    return preflight(config, folder_.path());
  }
  test::TempFolder folder_;
};

TEST_F(PreflightTest, TheDemoNeedsNothing) {
  EXPECT_TRUE(look(bundledConfig("demo") + "devices: cpu\n").empty());
}

TEST_F(PreflightTest, TextThatIsNotThereIsNamedWithWhereItIsLookedFor) {
  const auto found = look("data: {train: [nothing/*.txt]}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].fatal);
  EXPECT_EQ(found[0].field, "data.train");
  EXPECT_THAT(found[0].what, HasSubstr("nothing"));
  EXPECT_THAT(found[0].remedy, HasSubstr(folder_.path().string()));
}

TEST_F(PreflightTest, VocabularyAndWeightsThatCannotBeReadAreNamed) {
  ASSERT_TRUE(writeFileAtomically(folder_ / "a.txt", "words\n").ok());
  const auto found = look("data: {train: [a.txt]}\ntokenizer: {path: none}\nmodel: {init_from: gone}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].field, "tokenizer.path");
  EXPECT_THAT(found[1].what, HasSubstr("config.json"));
  EXPECT_THAT(found[2].what, HasSubstr("model.safetensors"));
}

TEST_F(PreflightTest, AGpuThatIsNotThereIsSaid) {
  const auto found = look(bundledConfig("demo") + "devices: cuda:900\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].field, "devices.use");
}

TEST_F(PreflightTest, RoomForTheCheckpointsThatAreKeptIsAWarning) {
  const auto found =
      look("data: {format: demo}\nmodel: {preset: mini}\ncheckpoint: {keep_last: 1000000}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].fatal);
  EXPECT_EQ(found[0].field, "checkpoint.keep_last");
}

TEST_F(PreflightTest, AStepAboveTheMemoryLimitIsAWarningThatNamesASizeThatFits) {
  const std::string yaml =
      "data: {format: demo, max_seq_len: 128}\nmodel: {preset: mini}\nmax_duration: 9ba\n"
      "batch: {global_train_batch_size: 256, device_train_microbatch_size: ";
  const std::string devices = "}\ndevices: {use: cpu, memory_limit: 512MiB}\n";
  const auto found = look(yaml + "256" + devices);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].fatal);
  EXPECT_EQ(found[0].field, "batch.device_train_microbatch_size");
  EXPECT_THAT(found[0].what, HasSubstr("512 MiB of devices.memory_limit"));
  const std::string most = found[0].remedy.substr(found[0].remedy.find_first_of("0123456789"));
  EXPECT_TRUE(look(yaml + std::to_string(std::stoi(most)) + devices).empty());
  const auto little = look(yaml + std::to_string(std::stoi(most) + 1) + devices);
  ASSERT_EQ(little.size(), 1u);
  EXPECT_THAT(found[0].remedy, testing::Not(HasSubstr("activation_checkpointing")));  // would not do
  EXPECT_THAT(little[0].remedy, HasSubstr("or turn devices.activation_checkpointing on"));
}

TEST_F(PreflightTest, WhereNoMicroBatchFitsSomethingElseIsNamed) {
  const std::string model = "data: {format: demo, max_seq_len: 512}\nmax_duration: 9ba\nmodel: {preset: ";
  EXPECT_EQ(look(model + "base}\ndevices: {use: cpu, memory_limit: 1GiB}\n").at(0).field, "model.preset");
  const auto longer = look(model + "mini}\ndevices: {use: cpu, memory_limit: 220MiB}\n");
  EXPECT_EQ(longer.at(0).field, "data.max_seq_len");
}

TEST_F(PreflightTest, OnTheProcessorTheFreeMemoryIsShared) {
  const LoadedConfig config = parseConfig(bundledConfig("demo") + "devices: cpu:4\n", "test", {});
  const auto forecast = forecastMemory(config, 4, nullptr);
  ASSERT_TRUE(forecast.ok());
  const std::int64_t needed = 4 * forecast->perDevice.total();
  EXPECT_FALSE(assessMemory(*forecast, needed).has_value());
  const auto finding = assessMemory(*forecast, needed - 4);
  ASSERT_TRUE(finding.has_value());
  EXPECT_FALSE(finding->fatal);
  EXPECT_TRUE(assessMemory(*forecast, 0).has_value()) << "none is free";
  EXPECT_FALSE(assessMemory(*forecast, std::nullopt).has_value()) << "it is not known";
}

TEST_F(PreflightTest, SamplesThatLieInTheCacheAreTakenAtTheLengthTheyHave) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "a short line of some words\n";
  ASSERT_TRUE(writeFileAtomically(folder_ / "text.txt", text).ok());
  // What was changed a moment ago is not trusted to stay as it was read.
  std::filesystem::last_write_time(folder_ / "text.txt",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string yaml =
      "data: {train: [text.txt], format: lines, max_seq_len: 512, holdout: 0}\ntokenizer: {train: {vocab_size: 100}}\n"
      "model: {preset: mini}\nmax_duration: 9ba\n"
      "batch: {global_train_batch_size: 64, device_train_microbatch_size: 64}\n"
      "devices: {use: cpu, memory_limit: 512MiB}\n";
  const auto unknown = look(yaml);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_THAT(unknown[0].what, HasSubstr("devices.memory_limit"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / kCacheFolder)) << "nothing is made by looking";
  NullSink nobody;
  CommandMailbox commands;
  const auto data =
      prepareLaunchData(parseConfig(yaml, "test", folder_.path()), folder_ / kCacheFolder, nobody, commands);
  ASSERT_TRUE(data.ok()) << data.error().text();
  EXPECT_TRUE(look(yaml).empty()) << look(yaml)[0].what;
}

TEST_F(PreflightTest, AWorkspaceThatIsNotThereCannotBeWritten) {
  const LoadedConfig config = loadConfig("demo");
  const auto found = preflight(config, folder_ / "gone");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].what, HasSubstr("gone"));
}

}  // namespace
}  // namespace batchwise
