// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/first_config.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/file.h"
#include "core/run/launch/launch_check.h"
#include "core/store/workspace_folder.h"
#include "tests/support/checked.h"
#include "tests/support/encoder_folder.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

MachineInfo machine(std::int64_t cores, std::int64_t memory, std::int64_t gpus = 0) {
  MachineInfo info;
  info.cores = cores;
  info.memoryBytes = memory;
  info.gpus = gpus;
  return info;
}

/// `documents` of 50 words and 300 bytes each.
FirstRun textOf(std::int64_t documents) {
  FirstRun run;
  run.name = "mine";
  run.paths = {"/text"};
  run.text.documents = documents;
  run.text.words = 50 * documents;
  run.text.textBytes = 300 * documents;
  run.text.medianWords = 50;
  run.text.longWords = 60;
  run.text.language = "en";
  return run;
}

TEST(FirstConfigTest, ASmallTextGetsATinyModelAndManyEpochs) {
  const FirstConfig first = firstConfig(textOf(1000), machine(8, 16 * kGiB));
  EXPECT_EQ(first.config.model.preset, ModelPreset::Tiny);
  EXPECT_EQ(first.limit, FirstConfig::Limit::Text);
  EXPECT_GT(first.epochs, 5);
  EXPECT_NE(first.epochLimit, FirstConfig::EpochLimit::Time);
  EXPECT_EQ(first.config.maxDuration, Time::of(first.epochs, TimeUnit::Epoch));
  EXPECT_EQ(first.config.data.maxSeqLen, 128);
  EXPECT_LE(first.config.batch.globalTrainBatchSize, 50) << "an epoch has at least 20 batches";
  EXPECT_DOUBLE_EQ(first.config.data.holdout.value_or(0), 0.1);
  EXPECT_TRUE(checkedForLaunch(LoadedConfig{first.config, {}, {}, {}, {}, {}}, {CheckScope::Files::Unread}).ok());
}

TEST(FirstConfigTest, TheModelGrowsWithTheTextAsFarAsTheMachineAllows) {
  const FirstConfig gpu = firstConfig(textOf(10'000'000), machine(16, 128 * kGiB, 8));
  EXPECT_EQ(gpu.config.model.preset, ModelPreset::Base);
  const FirstConfig laptop = firstConfig(textOf(10'000'000), machine(2, 16 * kGiB));
  EXPECT_LT(laptop.config.model.preset, ModelPreset::Base);
  EXPECT_EQ(laptop.limit, FirstConfig::Limit::Time);
  EXPECT_EQ(laptop.epochs, 1);
  EXPECT_EQ(laptop.epochLimit, FirstConfig::EpochLimit::Time);
  const FirstConfig cramped = firstConfig(textOf(200'000), machine(4096, kGiB / 8));
  EXPECT_EQ(cramped.limit, FirstConfig::Limit::Memory);
}

TEST(FirstConfigTest, KeepsWhatTheUserChose) {
  FirstRun run = textOf(1000);
  run.preset = ModelPreset::Small;
  run.epochs = 3;
  const FirstConfig first = firstConfig(run, machine(2, 16 * kGiB));
  EXPECT_EQ(first.config.model.preset, ModelPreset::Small);
  EXPECT_EQ(first.limit, FirstConfig::Limit::Given);
  EXPECT_EQ(first.epochs, 3);
}

TEST(FirstConfigTest, KeepsAccentsOfOtherLanguagesAndEvaluatesOnlyIfThereIsEnough) {
  FirstRun run = textOf(5);
  EXPECT_TRUE(firstConfig(run, machine(2, kGiB)).config.tokenizer.lowercase);
  run.text.language = "de";
  const TrainConfig config = firstConfig(run, machine(2, kGiB)).config;
  EXPECT_FALSE(config.tokenizer.lowercase);
  EXPECT_EQ(config.data.holdout, 0);
  EXPECT_EQ(config.batch.globalTrainBatchSize, 1);
}

class StartingModelTest : public testing::Test {
 protected:
  void writeModel() { test::writeEncoder(folder(), shape_, /*lowercase=*/false); }
  std::filesystem::path folder() const { return folder_ / "model"; }
  static std::vector<std::string> ids(const std::vector<std::string>& messages) {
    std::vector<std::string> found;
    for (const std::string& message : messages) found.push_back(message);
    return found;
  }

  test::TempFolder folder_;
  ModelShape shape_ = test::oneLayer(16);
};

TEST_F(StartingModelTest, ShowsSizesAndWhatIsMissingButNotNeeded) {
  writeModel();
  const StartingModel model = inspectStartingModel(folder());
  EXPECT_THAT(ids(model.problems), IsEmpty());
  ASSERT_TRUE(model.shape.has_value());
  EXPECT_EQ(model.shape->hiddenSize, 8);
  EXPECT_EQ(model.vocabularySize, 6);
  EXPECT_FALSE(model.lowercase);
  EXPECT_THAT(ids(model.notes), ElementsAre(testing::HasSubstr("at first, as of random guesses, and a")));
}

TEST_F(StartingModelTest, ItsFolderIsTheStartOfTheConfiguration) {
  writeModel();
  FirstRun run = textOf(1000);
  run.model = inspectStartingModel(folder());
  const TrainConfig config = firstConfig(run, machine(2, kGiB)).config;
  EXPECT_EQ(config.model.initFrom, folder().native());
  EXPECT_FALSE(config.tokenizer.lowercase);
  EXPECT_EQ(config.data.maxSeqLen, 16) << "the positions of the model";
  EXPECT_TRUE(plannedShape(LoadedConfig{config, {}, {}, {}, {}, {}}).ok());
}

TEST_F(StartingModelTest, IsContinuedByTheRecipe) {
  writeModel();
  FirstRun run = textOf(1000);
  run.model = inspectStartingModel(folder());
  run.general = GeneralText{"/general/train.txt", "/general/eval.txt", 50, 15'000, 20, 6000};
  const FirstConfig first = firstConfig(run, machine(2, kGiB));
  const TrainConfig& config = first.config;
  const TrainConfig recipe = loadConfig("continue").config;
  EXPECT_EQ(config.scheduler, recipe.scheduler);
  EXPECT_EQ(config.stages, recipe.stages);
  EXPECT_EQ(config.data.mlmProbability, recipe.data.mlmProbability);
  EXPECT_EQ(config.optimizer, recipe.optimizer);
  EXPECT_TRUE(config.tokenizer.path.empty()) << "that of the folder";
  EXPECT_EQ(first.epochs, 3);
  EXPECT_THAT(config.data.train.names(), ElementsAre("/text", "/general/train.txt"));
  ASSERT_EQ(config.eval.sets.size(), 1u);
  EXPECT_EQ(config.eval.sets.front().name, "general");
  EXPECT_GT(config.data.holdout, 0) << "own text is evaluated too";
  EXPECT_GE(first.samples, 1050) << "an epoch has the general text, too";
}

TEST_F(StartingModelTest, TheTransformerOfASentenceTransformersFolderIsTheModel) {
  writeModel();
  const auto whole = folder_ / "sentences";
  fs::create_directory(whole);
  std::ofstream(whole / "modules.json")
      << R"([{"path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])";
  EXPECT_FALSE(inspectStartingModel(whole).problems.empty()) << "it has no such folder";
  fs::rename(folder(), whole / "0_Transformer");
  const StartingModel model = inspectStartingModel(whole);
  EXPECT_THAT(model.problems, IsEmpty());
  EXPECT_EQ(model.vocabularySize, 6);
  EXPECT_THAT(model.notes, testing::Contains(testing::HasSubstr("Pooling is left out")));
  TrainConfig config;
  config.model.initFrom = whole.native();
  config.data.maxSeqLen = 16;
  EXPECT_TRUE(plannedShape(LoadedConfig{config, {}, {}, {}, {}, {}}).ok());
  std::ofstream(whole / "modules.json") << R"([{"path": "../sentences/0_Transformer"}])";
  EXPECT_FALSE(inspectStartingModel(whole).problems.empty()) << "nothing outside of the folder is read";
}

TEST_F(StartingModelTest, NamesEverythingThatCannotBeUsed) {
  EXPECT_EQ(inspectStartingModel(folder()).problems.size(), 2u) << "neither config.json nor vocab.txt";
  writeModel();
  std::ofstream(folder() / "vocab.txt") << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ndog\ncat\n";
  std::filesystem::remove(folder() / "tokenizer.json");  // would win over vocab.txt
  std::filesystem::remove(folder() / "model.safetensors");
  const StartingModel model = inspectStartingModel(folder());
  EXPECT_EQ(model.problems.size(), 2u);
  EXPECT_THAT(model.problems.front(), testing::HasSubstr("tokens, but config.json specifies"));
}

TEST_F(StartingModelTest, NamesAnUnsupportedArchitecture) {
  writeModel();
  std::ofstream(folder() / "config.json") << R"({"model_type": "t5"})";
  const StartingModel model = inspectStartingModel(folder());
  ASSERT_FALSE(model.problems.empty());
  EXPECT_THAT(model.problems.front(), testing::HasSubstr("t5"));
}

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
    return *test::checked(DrawnText::draw(request, "mine", workspace_, {}));
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
