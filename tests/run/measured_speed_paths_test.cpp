// SPDX-License-Identifier: GPL-3.0-or-later
// Measured speeds for models and vocabularies that are named by paths.
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/model/shape/training_cost.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/launch/scaling_plan.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

class MeasuredSpeedPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string tokens = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (int i = 5; i < 512; ++i) tokens += "word" + std::to_string(i) + "\n";
    std::filesystem::create_directory(folder_ / "sub");
    ASSERT_TRUE(writeFileAtomically(folder_ / "sub/vocab.txt", tokens).ok());
  }
  LoadedConfig config(const std::filesystem::path& folder) {
    LoadedConfig config = parseConfig(text_, "test", {});
    EXPECT_TRUE(config.ok()) << config.errorText();
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
    auto writer =
        RunWriter::open(workspace_, id, {.from = {}, .checkpoint = {}, .environment = environment, .resolvedYaml = {}});
    ASSERT_TRUE(writer.ok());
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
