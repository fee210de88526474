// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/model_shape.h"

#include <gtest/gtest.h>

#include <functional>

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
  const auto shape = resolveModelShape(config, 1000, 1024);
  ASSERT_TRUE(shape.ok()) << shape.error().text();
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
    EXPECT_NE(shape.error().text().find(row.field), std::string::npos) << shape.error().text();
  }
}

TEST(ModelShapeTest, AFolderDecidesTheSizes) {
  const ModelShape folder = *resolveModelShape(preset("tiny"), 1000, 128);
  ModelConfig config = preset("base");
  const auto shape = resolveModelShape(config, folder, 1000, 128);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->hiddenSize, 128);
  const auto shorter = resolveModelShape(config, folder, 992, 128),
             longer = resolveModelShape(config, folder, 1001, 128);
  ASSERT_FALSE(shorter.ok() || longer.ok());
  EXPECT_NE(shorter.error().message.find("has 992 tokens, 8 fewer than the weights of model.init_from (1000)"),
            std::string::npos);
  EXPECT_NE(longer.error().message.find("has 1001 tokens, 1 more than the weights"), std::string::npos);
  EXPECT_FALSE(resolveModelShape(config, folder, 1000, 513).ok());
  config.hiddenSize = 256;
  EXPECT_FALSE(resolveModelShape(config, folder, 1000, 128).ok());
}

}  // namespace
}  // namespace batchwise
