// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/model_shape.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>

#include "core/model/shape/training_cost.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

ModelConfig preset(const char* name) {
  ModelConfig config;
  config.preset = choiceFromName<ModelPreset>(name).value();
  return config;
}

TEST(ModelShapeTest, PresetsHaveThePublishedSizes) {
  struct Row {
    const char* name;
    std::int64_t layers, hidden, heads;
  };
  for (const Row& row : {Row{"tiny", 2, 128, 2}, Row{"mini", 4, 256, 4}, Row{"small", 4, 512, 8},
                         Row{"base", 12, 768, 12}, Row{"large", 24, 1024, 16}}) {
    const auto shape = resolveModelShape(preset(row.name), 30522, 128);
    ASSERT_TRUE(shape.ok()) << row.name;
    EXPECT_EQ(shape->layers, row.layers);
    EXPECT_EQ(shape->hiddenSize, row.hidden);
    EXPECT_EQ(shape->heads, row.heads);
    EXPECT_EQ(shape->intermediateSize, 4 * row.hidden);
    EXPECT_EQ(shape->maxPositions, 512);
  }
}

TEST(ModelShapeTest, CountsTheParametersOfBertBase) {
  // BertForMaskedLM of transformers with its default configuration reports this many.
  EXPECT_EQ(resolveModelShape(preset("base"), 30522, 512)->parameterCount(), 109'514'298);
}

TEST(ModelShapeTest, SizesByNameOverrideThePreset) {
  ModelConfig config = preset("mini");
  config.hiddenSize = 96;
  config.numAttentionHeads = 6;
  const auto shape = test::checked(resolveModelShape(config, 1000, 1024));
  EXPECT_EQ(shape->layers, 4);
  EXPECT_EQ(shape->headSize(), 16);
  EXPECT_EQ(shape->intermediateSize, 384);
  EXPECT_EQ(shape->maxPositions, 1024);
}

TEST(ModelShapeTest, NamesTheFieldThatIsWrong) {
  struct Row {
    const char* field;
    std::function<void(ModelConfig&)> spoil;
  };
  const Row rows[] = {{"hidden_size", [](ModelConfig& c) { c.hiddenSize = 0; }},
                      {"hidden_size", [](ModelConfig& c) { c.hiddenSize = 1 << 20; }},
                      {"num_attention_heads", [](ModelConfig& c) { c.numAttentionHeads = 5; }},
                      {"num_attention_heads", [](ModelConfig& c) { c.numAttentionHeads = 0; }},
                      {"num_hidden_layers", [](ModelConfig& c) { c.numHiddenLayers = 0; }},
                      {"intermediate_size", [](ModelConfig& c) { c.intermediateSize = -1; }},
                      {"max_position_embeddings", [](ModelConfig& c) { c.maxPositionEmbeddings = 64; }},
                      {"hidden_dropout_prob", [](ModelConfig& c) { c.hiddenDropoutProb = 1.0; }},
                      {"layer_drop", [](ModelConfig& c) { c.layerDrop = -0.1; }},
                      {"layer_norm_eps", [](ModelConfig& c) { c.layerNormEps = 0; }}};
  for (const Row& row : rows) {
    ModelConfig config = preset("mini");
    row.spoil(config);
    const auto shape = resolveModelShape(config, 1000, 128);
    ASSERT_FALSE(shape.ok()) << row.field;
    EXPECT_EQ(shape.error().code, ErrorCode::Config);
    EXPECT_THAT(shape.error().text(), testing::HasSubstr(row.field));
  }
}

TEST(ModelShapeTest, AFolderDecidesTheSizes) {
  const ModelShape folder = *resolveModelShape(preset("tiny"), 1000, 128);
  ModelConfig config = preset("base");
  EXPECT_EQ(test::checked(resolveModelShape(config, folder, 1000, 128))->hiddenSize, 128);
  const auto shorter = resolveModelShape(config, folder, 992, 128),
             longer = resolveModelShape(config, folder, 1001, 128);
  ASSERT_FALSE(shorter.ok() || longer.ok());
  EXPECT_THAT(shorter.error().message,
              testing::HasSubstr("has 992 tokens, 8 fewer than the weights of model.init_from (1000)"));
  EXPECT_THAT(longer.error().message, testing::HasSubstr("has 1001 tokens, 1 more than the weights"));
  EXPECT_FALSE(resolveModelShape(config, folder, 1000, 513).ok());
  config.hiddenSize = 256;
  EXPECT_FALSE(resolveModelShape(config, folder, 1000, 128).ok());
}

TEST(TrainingCostTest, CountsTheMatrixProductsOfBertBase) {
  ModelShape shape;
  shape.vocabSize = 30'522;
  const TrainingCost cost = trainingCost(shape, 0.15);
  // 12 layers of 4 x 768 x 768 + 2 x 768 x 3072 weights, and the head on 15 % of the tokens.
  EXPECT_DOUBLE_EQ(cost.perToken, 6.0 * 12 * 7'077'888.0);
  EXPECT_DOUBLE_EQ(cost.perPredicted, 6.0 * (589'824.0 + 23'440'896.0));
  EXPECT_DOUBLE_EQ(cost.perTokenAndLength, 12.0 * 12 * 768);
  // One sequence of 128 tokens: attention is 128 x 128 scores per layer, twice, forward and backward.
  EXPECT_DOUBLE_EQ(cost.operations(128, 1),
                   128 * cost.perToken + 126 * 0.15 * cost.perPredicted + 12.0 * 12 * 768 * 128 * 128);
  EXPECT_DOUBLE_EQ(cost.operations(128, 1, 0.3) - cost.operations(128, 1), 126 * 0.15 * cost.perPredicted);
  EXPECT_DOUBLE_EQ(cost.operations(256, 2), 2 * cost.operations(128, 1));
  EXPECT_EQ(cost.operations(0, 0), 0);
}

TEST(TrainingCostTest, CountsWindowsGatesAndGroupedKeysOfTheOtherFamilies) {
  ModelShape modern;
  modern.family = ModelFamily::ModernBert;
  modern.vocabSize = 50'368;
  modern.layers = 22;
  modern.intermediateSize = 1152;
  modern.globalAttentionEvery = 3;
  modern.localAttention = 128;
  const TrainingCost cost = trainingCost(modern, 0.3);
  EXPECT_DOUBLE_EQ(cost.perToken, 6.0 * 22 * (4 * 768.0 * 768 + 3 * 768.0 * 1152));
  EXPECT_DOUBLE_EQ(cost.perPredicted, 6.0 * 768 * (768 + 50'368));
  // Layers 0, 3, ... 21 attend to all keys, the other 14 to a window.
  EXPECT_DOUBLE_EQ(cost.operations(1000, 1, 0) - 1000 * cost.perToken,
                   12.0 * 768 * (8 * 1000.0 * 1000 + 14 * attendedPairs(1000, 64)));

  ModelShape euro = modern;
  euro.family = ModelFamily::EuroBert;
  euro.globalAttentionEvery = 1;
  euro.keyValueHeads = 4;
  EXPECT_DOUBLE_EQ(trainingCost(euro, 0.5).perToken, 6.0 * 22 * (768.0 * (2 * 768 + 2 * 256) + 3 * 768.0 * 1152));
  EXPECT_DOUBLE_EQ(trainingCost(euro, 0.5).perPredicted, 6.0 * 768 * 50'368);
}

TEST(AttendedPairsTest, AreThoseThatCountingFinds) {
  for (const std::int64_t length : {1, 5, 64, 65, 129, 300})
    for (const std::int64_t window : {-1, 0, 3, 64, 128, 299, 300}) {
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < length; ++i)
        for (std::int64_t j = 0; j < length; ++j) count += window < 0 || std::abs(i - j) <= window ? 1 : 0;
      EXPECT_EQ(attendedPairs(static_cast<double>(length), window), static_cast<double>(count)) << length << window;
    }
}

TEST(TrainingCostTest, IsKeptAmongTheValuesOfARun) {
  const TrainingCost cost{123'456'789.5, 110'592};
  std::map<std::string, std::string> values;
  storeTrainingCost(cost, values);
  EXPECT_EQ(storedTrainingCost(values).perToken, cost.perToken);
  EXPECT_EQ(storedTrainingCost(values).perTokenAndLength, cost.perTokenAndLength);
  EXPECT_EQ(storedTrainingCost({}).operations(100, 1), 0);
  const TrainingCost windows{123'456'789.5, 110'592, 777, 64, 1000.5, 0.3};
  storeTrainingCost(windows, values);
  EXPECT_EQ(storedTrainingCost(values).operations(1000, 2), windows.operations(1000, 2));
}

TEST(TrainingCostTest, SpecialTokensAreNeverPredicted) {
  ModelShape shape;
  const TrainingCost cost = trainingCost(shape, 0.15);
  EXPECT_DOUBLE_EQ(cost.operations(1280, 100, 0.3) - cost.operations(1280, 100, 0),
                   0.3 * (1280 - 200) * cost.perPredicted);
  EXPECT_DOUBLE_EQ(cost.operations(2, 1, 0.3), cost.operations(2, 1, 0));
}

}  // namespace
}  // namespace batchwise
