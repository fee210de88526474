// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/preflight.h"

#include <gmock/gmock.h>

#include "core/base/file.h"
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
      look("data: {format: demo}\nmodel: {preset: large}\ncheckpoint: {keep_last: 1000000}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].fatal);
  EXPECT_EQ(found[0].field, "checkpoint.keep_last");
}

TEST_F(PreflightTest, AWorkspaceThatIsNotThereCannotBeWritten) {
  const LoadedConfig config = loadConfig("demo");
  const auto found = preflight(config, folder_ / "gone");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].what, HasSubstr("gone"));
}

}  // namespace
}  // namespace batchwise
