// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/fine_tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/base/text.h"
#include "tests/support/checked.h"
#include "tests/support/manual_clock.h"

namespace batchwise {
namespace {

Tokenizer tinyTokenizer() {
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good", "bad"};
  for (char c = 'a'; c <= 'z'; ++c) tokens.push_back(std::string(2, c));
  auto vocabulary = test::checked(Vocabulary::fromTokens(tokens));
  return Tokenizer::bert(std::move(*vocabulary), true);
}

ModelShape tinyShape(const Tokenizer& tokenizer, const TaskData& data) {
  ModelShape shape;
  shape.vocabSize = tokenizer.vocabulary().size();
  shape.hiddenSize = 32;
  shape.layers = 2;
  shape.heads = shape.keyValueHeads = 2;
  shape.intermediateSize = 64;
  shape.maxPositions = 32;
  return withTaskHead(shape, data);
}

/// Texts of letters; whether "good" or "bad" stands among them decides the label.
std::shared_ptr<const TaskData> planted(TaskKind kind) {
  auto data = std::make_shared<TaskData>();
  data->task.name = "planted";
  data->task.kind = kind;
  if (kind != TaskKind::Regression) data->classes = {"bad", "good"};
  std::uint64_t drawn = 0;
  const auto below = [&drawn](std::uint64_t bound) { return boundedRandom(randomBits(11, drawn++), bound); };
  for (const auto& [name, count] : {std::pair("train", 320), std::pair("validation", 40), std::pair("test", 40)}) {
    TaskPart& part = data->parts.emplace_back();
    part.name = name;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::size_t>(below(2));
      std::vector<std::string> words;
      for (std::uint64_t word = 0; word < 3 + below(5); ++word)
        words.emplace_back(2, static_cast<char>('a' + static_cast<char>(below(26))));
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(below(words.size())), label == 1 ? "good" : "bad");
      TaskExample& example = part.examples.emplace_back();
      example.number = i;
      if (kind == TaskKind::TokenLabels) {
        example.texts = words;
        for (const std::string& word : words) example.labels.push_back(word == "good" ? 1 : 0);
        continue;
      }
      std::string text;
      for (const std::string& word : words) text += word + " ";
      example.texts = {text};
      if (kind == TaskKind::Pair) {
        std::erase_if(words, [](const std::string& word) { return word.size() > 2; });
        example.texts.insert(example.texts.begin(), joined(words, " "));
      }
      example.labels = {static_cast<double>(label)};
    }
  }
  return data;
}

Replica tinyReplica(const ModelShape& shape, const FineTuneOptions& options) {
  auto model =
      test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, static_cast<std::uint64_t>(options.seed)));
  AdamW optimizer(model->parameters(), fineTuneOptimizer(options));
  return Replica{std::move(*model), std::move(optimizer)};
}

FineTuneOptions quickOptions() {
  FineTuneOptions options;
  options.rate = 2e-3;
  options.epochs = 5;
  options.batch = 8;
  return options;
}

class FineTuningTest : public testing::Test {
 protected:
  JudgeResult trained(const std::shared_ptr<const TaskData>& data, const FineTuneOptions& options = quickOptions(),
                      std::int64_t maxTokens = 32) {
    const Tokenizer tokenizer = tinyTokenizer();
    const ModelShape shape = tinyShape(tokenizer, *data);
    Replica replica = tinyReplica(shape, options);
    FineTuning tuning(data, tokenizer, shape, maxTokens, options);
    notes_ = tuning.notes();
    auto result = tuning.run(
        replica, [](std::int64_t, std::int64_t) {}, stop_.get_token(), clock_);
    EXPECT_EQ(result.ok(), !stop_.stop_requested()) << (result.ok() ? "" : result.error().text());
    return result.ok() ? *result : JudgeResult{};
  }

  ManualClock clock_;
  std::stop_source stop_;
  std::vector<std::string> notes_;
};

TEST_F(FineTuningTest, LearnsWhatIsPlantedOfEveryKind) {
  for (const TaskKind kind : {TaskKind::Classification, TaskKind::Pair, TaskKind::Regression, TaskKind::TokenLabels}) {
    const JudgeResult result = trained(planted(kind));
    ASSERT_EQ(result.parts.size(), 2U);
    EXPECT_EQ(result.parts[0].split, "validation");
    EXPECT_EQ(result.parts[1].split, "test");
    EXPECT_GT(result.parts[1].value, 0.9) << static_cast<int>(kind);
    EXPECT_GE(result.parts[1].predictions.size(), 40U);
  }
}

/// Texts of a pair differ in their order alone.
TEST_F(FineTuningTest, TellsTheTextsOfAPairApart) {
  auto data = std::make_shared<TaskData>(*planted(TaskKind::Pair));
  for (TaskPart& part : data->parts)
    for (TaskExample& example : part.examples) {
      const bool first = example.number % 2 == 0;
      example.texts = {first ? "good" : "bad", first ? "bad" : "good"};
      example.labels = {first ? 1.0 : 0.0};
    }
  EXPECT_GT(trained(data).parts[1].value, 0.95);
  for (TaskExample& example : data->parts[2].examples) std::swap(example.texts[0], example.texts[1]);
  EXPECT_LT(trained(data).parts[1].value, 0.05);
}

TEST_F(FineTuningTest, CutsTheLongerTextOfAPairFirst) {
  // Whichever text is longer keeps the odd token: of the 7 of a sequence of 10, its fourth word still counts.
  for (const std::size_t longer : {0U, 1U}) {
    auto data = std::make_shared<TaskData>(*planted(TaskKind::Pair));
    for (TaskPart& part : data->parts)
      for (TaskExample& example : part.examples) {
        const std::string word = example.labels[0] == 1 ? "good" : "bad";
        example.texts[longer] = "aa bb cc " + word + " dd ee";
        example.texts[1 - longer] = "aa bb cc dd ee";
      }
    EXPECT_GT(trained(data, quickOptions(), 10).parts[1].value, 0.95) << longer;
    EXPECT_THAT(notes_, testing::Contains("400 of 400 pairs are longer than 10 tokens and are cut, the longer text of "
                                          "each first"));
  }
}

TEST_F(FineTuningTest, SaysThatItEndsBeforeItsEpochs) {
  FineTuneOptions options = quickOptions();
  options.mostSteps = 100;  // of 5 x 40
  EXPECT_EQ(trained(planted(TaskKind::Classification), options).samples, 800);
  EXPECT_THAT(notes_, testing::Contains("trained for at most 2.5 of 5 epochs: --steps 100"));
}

TEST_F(FineTuningTest, StopsAfterTheStepAtHand) {
  stop_.request_stop();
  EXPECT_TRUE(trained(planted(TaskKind::Classification)).parts.empty());
}

TEST_F(FineTuningTest, StopsAfterTwoEpochsThatAreNoBetter) {
  FineTuneOptions options = quickOptions();
  options.rate = 1e-12;  // learns nothing: no epoch is better than the first
  EXPECT_EQ(trained(planted(TaskKind::Classification), options).samples, 3 * 320);
}

}  // namespace
}  // namespace batchwise
