// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/fine_tuning.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "tests/support/manual_clock.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

Tokenizer tinyTokenizer() {
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good", "bad"};
  for (char c = 'a'; c <= 'z'; ++c) tokens.push_back(std::string(2, c));
  auto vocabulary = Vocabulary::fromTokens(tokens);
  EXPECT_TRUE(vocabulary.ok());
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
      if (kind == TaskKind::Pair) example.texts.insert(example.texts.begin(), "aa bb");
      example.labels = {static_cast<double>(label)};
    }
  }
  return data;
}

Replica tinyReplica(const ModelShape& shape, const FineTuneOptions& options) {
  auto model = EncoderModel::create(shape, Precision::Fp32, at::kCPU, static_cast<std::uint64_t>(options.seed));
  EXPECT_TRUE(model.ok());
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
  FineTuneResult trained(const std::shared_ptr<const TaskData>& data) {
    const Tokenizer tokenizer = tinyTokenizer();
    const ModelShape shape = tinyShape(tokenizer, *data);
    Replica replica = tinyReplica(shape, quickOptions());
    auto result = FineTuning(data, tokenizer, shape, 32).run(replica, quickOptions(), context());
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
    return result.ok() ? *result : FineTuneResult{};
  }
  FineTuning::Context context(std::stop_token stop = {}) {
    return {.progress = [](std::int64_t, std::int64_t) {}, .stop = std::move(stop), .clock = clock_, .checkpoint = {}};
  }

  ManualClock clock_;
};

TEST_F(FineTuningTest, LearnsWhatIsPlantedOfEveryKind) {
  for (const TaskKind kind : {TaskKind::Classification, TaskKind::Pair, TaskKind::Regression, TaskKind::TokenLabels}) {
    const FineTuneResult result = trained(planted(kind));
    ASSERT_EQ(result.parts.size(), 2U);
    EXPECT_EQ(result.parts[0].split, "validation");
    EXPECT_EQ(result.parts[1].split, "test");
    EXPECT_GT(result.parts[1].value, 0.9) << static_cast<int>(kind);
    EXPECT_GE(result.parts[1].predictions.size(), 40U);
  }
}

TEST_F(FineTuningTest, ContinuesFromItsCheckpointToTheSameBits) {
  const auto data = planted(TaskKind::Classification);
  const Tokenizer tokenizer = tinyTokenizer();
  const ModelShape shape = tinyShape(tokenizer, *data);
  const FineTuneOptions options = quickOptions();
  FineTuning tuning(data, tokenizer, shape, 32);
  Replica whole = tinyReplica(shape, options);
  const auto expected = tuning.run(whole, options, context());
  ASSERT_TRUE(expected.ok());

  std::stop_source stop;
  FineTuning::Context parts = context(stop.get_token());
  const test::TempFolder folder;
  parts.checkpoint = folder / "unfinished";
  parts.secondsToSave = 0;
  parts.progress = [&stop](std::int64_t done, std::int64_t) {
    if (done == 60) stop.request_stop();  // in the second epoch
  };
  Replica interrupted = tinyReplica(shape, options);
  const auto stopped = tuning.run(interrupted, options, parts);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::Stopped);
  EXPECT_TRUE(std::filesystem::exists(parts.checkpoint));

  std::int64_t first = 0;
  parts.stop = {};
  parts.progress = [&first](std::int64_t done, std::int64_t) { first = first == 0 ? done : first; };
  Replica resumed = tinyReplica(shape, options);
  const auto found = tuning.run(resumed, options, parts);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(first, 41);
  EXPECT_FALSE(std::filesystem::exists(parts.checkpoint));
  ASSERT_EQ(found->parts.size(), expected->parts.size());
  for (std::size_t part = 0; part < found->parts.size(); ++part)
    EXPECT_EQ(found->parts[part].predictions, expected->parts[part].predictions);
  for (std::size_t i = 0; i < whole.model.parameters().size(); ++i)
    EXPECT_TRUE(at::equal(whole.model.parameters()[i].tensor, resumed.model.parameters()[i].tensor));
}

TEST_F(FineTuningTest, StopsAfterTwoEpochsThatAreNoBetter) {
  FineTuneOptions options = quickOptions();
  options.rate = 1e-12;  // learns nothing: no epoch is better than the first
  const auto data = planted(TaskKind::Classification);
  const Tokenizer tokenizer = tinyTokenizer();
  const ModelShape shape = tinyShape(tokenizer, *data);
  Replica replica = tinyReplica(shape, options);
  const auto result = FineTuning(data, tokenizer, shape, 32).run(replica, options, context());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->bestEpoch, 1);
  EXPECT_EQ(result->steps, 120);
}

}  // namespace
}  // namespace batchwise
