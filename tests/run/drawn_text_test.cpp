// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/run/launch/first_config.h"
#include "core/store/workspace_folder.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

class DrawnTextTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(workspace_);
    writeGeneral("sea");
  }
  void writeGeneral(const std::string& about) {
    std::string text;
    for (int i = 1000; i < 2000; ++i) text += "Document " + std::to_string(i) + " tells about the " + about + ".\n\n";
    ASSERT_TRUE(writeFileAtomically(folder_ / "general.txt", text).ok());
  }
  std::shared_ptr<DrawnText> draw() {
    GeneralTextRequest request;
    request.paths = {(folder_ / "general.txt").native()};
    request.own.textBytes = 100'000;
    auto drawn = DrawnText::draw(request, "mine", workspace_, {});
    EXPECT_TRUE(drawn.ok()) << drawn.error().text();
    return drawn.ok() ? *drawn : nullptr;
  }

  test::TempFolder folder_;
  fs::path workspace_ = folder_ / "workspace";
};

TEST_F(DrawnTextTest, WhatIsNotKeptLeavesNothing) {
  auto drawn = draw();
  ASSERT_NE(drawn, nullptr);
  EXPECT_TRUE(fs::exists(drawn->text().train));
  drawn.reset();
  EXPECT_FALSE(fs::exists(workspace_ / kTextsFolder));
}

TEST_F(DrawnTextTest, WhatIsKeptStaysOnlyIfARunIsLaunchedWithIt) {
  auto drawn = draw();
  ASSERT_NE(drawn, nullptr);
  const auto kept = drawn->keep()->train;
  EXPECT_TRUE(fs::exists(kept));
  drawn.reset();
  EXPECT_FALSE(fs::exists(workspace_ / kTextsFolder));
  drawn = draw();
  ASSERT_NE(drawn, nullptr);
  ASSERT_TRUE(drawn->keep().ok());
  drawn->release();
  drawn = draw();  // of another dialog, which is canceled
  ASSERT_NE(drawn, nullptr);
  ASSERT_TRUE(drawn->keep().ok());
  drawn.reset();
  EXPECT_TRUE(fs::exists(kept));
}

TEST_F(DrawnTextTest, TheSameTextIsKeptOnceAndAnotherBesideIt) {
  const auto first = draw();
  ASSERT_NE(first, nullptr);
  const GeneralText kept = *first->keep();
  EXPECT_EQ(kept.train.parent_path().parent_path(), workspace_ / kTextsFolder);
  EXPECT_TRUE(kept.train.parent_path().filename().native().starts_with("mine-"));
  const std::string trained = *readFile(kept.train);
  const auto changed = fs::last_write_time(kept.train);

  const auto again = draw();
  ASSERT_NE(again, nullptr);
  EXPECT_NE(again->text().train, kept.train) << "a run may be reading it";
  EXPECT_EQ(again->keep()->train, kept.train);
  EXPECT_EQ(fs::last_write_time(kept.train), changed);

  writeGeneral("sky");  // of the same size
  const auto edited = draw();
  ASSERT_NE(edited, nullptr);
  const GeneralText other = *edited->keep();
  EXPECT_NE(other.train, kept.train);
  EXPECT_NE(*readFile(other.train), trained);
  EXPECT_EQ(*readFile(kept.train), trained);
  EXPECT_EQ(entriesOf(workspace_ / kTextsFolder).size(), 2U);
}

}  // namespace
}  // namespace batchwise
