// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/start_weights.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/model/shape/tensor_names.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

ModelShape smallShape() {
  ModelShape shape;
  shape.family = ModelFamily::ModernBert;
  shape.vocabSize = 5;
  shape.hiddenSize = 4;
  shape.layers = 4;
  shape.heads = shape.keyValueHeads = 2;
  shape.intermediateSize = 3;
  shape.maxPositions = 16;
  shape.typeVocabSize = 0;
  shape.globalAttentionEvery = 3;
  shape.localAttention = 4;
  shape.ropeTheta = shape.localRopeTheta = 100;
  return shape;
}

/// Value of a tensor of `shape`: the number of the tensor x 10,000 + row x 100 + column.
HuggingFaceModel modelOf(const ModelShape& shape) {
  HuggingFaceModel model;
  model.shape = shape;
  float tensorNumber = 0;
  for (const ParameterTensor& tensor : parameterTensors(shape)) {
    const std::int64_t columns = tensor.shape.size() > 1 ? tensor.shape[1] : 1;
    NamedFloats named{tensor.name, tensor.shape, {}};
    for (std::int64_t i = 0; i < tensor.shape[0] * columns; ++i)
      named.values.push_back(tensorNumber * 10'000 + static_cast<float>(i / columns * 100 + i % columns));
    model.tensors.push_back(std::move(named));
    ++tensorNumber;
  }
  return model;
}

const NamedFloats& tensor(const HuggingFaceModel& model, const std::string& name) {
  return *std::ranges::find(model.tensors, name, &NamedFloats::name);
}

TEST(FittedWeightsTest, NewRowsAreTheMean) {
  ModelShape larger = smallShape();
  larger.vocabSize = 8;
  const HuggingFaceModel folder = modelOf(smallShape());
  const HuggingFaceModel model = fittedWeights(folder, larger, 6);
  const NamedFloats& words = tensor(model, "model.embeddings.tok_embeddings.weight");
  EXPECT_EQ(words.shape, (std::vector<std::int64_t>{8, 4}));
  EXPECT_EQ(std::vector<float>(words.values.begin(), words.values.begin() + 20),
            tensor(folder, "model.embeddings.tok_embeddings.weight").values);
  for (std::size_t row = 5; row < 8; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      EXPECT_FLOAT_EQ(words.values[row * 4 + column], 200 + static_cast<float>(column));
  const NamedFloats& bias = tensor(model, "decoder.bias");
  const float first = tensor(folder, "decoder.bias").values[0];
  EXPECT_FLOAT_EQ(bias.values[5], first + 200) << "a token: the mean";
  EXPECT_FLOAT_EQ(bias.values[6], first) << "no token: the smallest";
  EXPECT_EQ(model.shape, larger);
}

TEST(FittedWeightsTest, TyingFollowsTheNewModel) {
  ModelShape untied = smallShape();
  untied.tieWordEmbeddings = false;
  const HuggingFaceModel copied = fittedWeights(modelOf(smallShape()), untied, 5);
  EXPECT_EQ(tensor(copied, "decoder.weight").values, tensor(copied, "model.embeddings.tok_embeddings.weight").values);
  const HuggingFaceModel dropped = fittedWeights(modelOf(untied), smallShape(), 5);
  EXPECT_EQ(std::ranges::find(dropped.tensors, "decoder.weight", &NamedFloats::name), dropped.tensors.end());
}

TEST(TiledWeightsTest, TheSmallerMatrixIsInTheMiddleAndRepeatsAround) {
  ModelShape larger = smallShape();
  larger.hiddenSize = 6;
  larger.intermediateSize = 5;
  const HuggingFaceModel folder = modelOf(smallShape());
  const auto model = test::checked(tiledWeights(folder, larger));
  const auto at = [](const NamedFloats& values, std::int64_t row, std::int64_t column) {
    return values.values[static_cast<std::size_t>(row * values.shape[1] + column)];
  };
  // 4 -> 6: one around; index 0 is the last of the smaller one, 5 its first.
  const auto small = [](std::int64_t i) { return (i + 3) % 4; };
  const NamedFloats& fresh = tensor(*model, "model.layers.2.attn.Wqkv.weight");
  const NamedFloats& known = tensor(folder, "model.layers.2.attn.Wqkv.weight");
  for (std::int64_t part = 0; part < 3; ++part)
    for (std::int64_t row = 0; row < 6; ++row)
      for (std::int64_t column = 0; column < 6; ++column)
        EXPECT_EQ(at(fresh, part * 6 + row, column), at(known, part * 4 + small(row), small(column)));
  const NamedFloats& gate = tensor(*model, "model.layers.0.mlp.Wi.weight");
  const NamedFloats& knownGate = tensor(folder, "model.layers.0.mlp.Wi.weight");
  for (std::int64_t half = 0; half < 2; ++half)
    for (std::int64_t row = 0; row < 5; ++row)
      EXPECT_EQ(at(gate, half * 5 + row, 1), at(knownGate, half * 3 + (row + 2) % 3, 0));
  const NamedFloats& words = tensor(*model, "model.embeddings.tok_embeddings.weight");
  for (std::int64_t row = 0; row < 5; ++row)
    EXPECT_EQ(at(words, row, 1), at(tensor(folder, "model.embeddings.tok_embeddings.weight"), row, 0)) << "tokens stay";
  EXPECT_EQ(tensor(*model, "decoder.bias").values, tensor(folder, "decoder.bias").values);
}

TEST(TiledWeightsTest, LayersAreSpreadEvenly) {
  ModelShape larger = smallShape();
  larger.layers = 7;
  const HuggingFaceModel folder = modelOf(smallShape());
  const auto model = test::checked(tiledWeights(folder, larger));
  EXPECT_EQ(model->tensors.size(), parameterTensors(larger).size());
  const std::int64_t sources[] = {0, 1, 1, 2, 2, 3, 3};  // round(i x 4 / 7)
  for (std::int64_t layer = 0; layer < 7; ++layer)
    EXPECT_EQ(tensor(*model, "model.layers." + std::to_string(layer) + ".mlp.Wo.weight").values,
              tensor(folder, "model.layers." + std::to_string(sources[layer]) + ".mlp.Wo.weight").values);
}

TEST(TiledWeightsTest, HalvesAreRoundedToTheEvenLayer) {
  ModelShape larger = smallShape();
  larger.layers = 8;
  const HuggingFaceModel folder = modelOf(smallShape());
  const auto model = test::checked(tiledWeights(folder, larger));
  const std::int64_t sources[] = {0, 0, 1, 2, 2, 2, 3, 3};  // Python's round(i x 4 / 8), at most 3
  for (std::int64_t layer = 0; layer < 8; ++layer)
    EXPECT_EQ(tensor(*model, "model.layers." + std::to_string(layer) + ".mlp.Wo.weight").values,
              tensor(folder, "model.layers." + std::to_string(sources[layer]) + ".mlp.Wo.weight").values)
        << layer;
}

TEST(TiledWeightsTest, FurtherPositionsOfRobertaRepeatThoseOfTokens) {
  ModelShape small;
  small.family = ModelFamily::Roberta;
  small.vocabSize = 5;
  small.hiddenSize = 4;
  small.layers = 1;
  small.heads = small.keyValueHeads = 2;
  small.intermediateSize = 3;
  small.maxPositions = 4;
  small.typeVocabSize = 1;
  ModelShape larger = small;
  larger.maxPositions = 9;
  const HuggingFaceModel folder = modelOf(small);
  const auto model = test::checked(tiledWeights(folder, larger));
  const char* name = "roberta.embeddings.position_embeddings.weight";
  const NamedFloats &made = tensor(*model, name), &known = tensor(folder, name);
  ASSERT_EQ(made.shape, (std::vector<std::int64_t>{11, 4}));
  const std::size_t sources[] = {0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 2};  // two rows of padding, then four positions
  for (std::size_t row = 0; row < 11; ++row) EXPECT_EQ(made.values[row * 4], known.values[sources[row] * 4]) << row;
}

TEST(TiledWeightsTest, ALayerMadeFromTheFirstGetsANorm) {
  ModelShape larger = smallShape();
  larger.layers = 10;  // layer 1 starts from layer 0, which has no norm before attention
  const HuggingFaceModel folder = modelOf(smallShape());
  const auto model = test::checked(tiledWeights(folder, larger));
  EXPECT_EQ(model->tensors.size(), parameterTensors(larger).size());
  EXPECT_EQ(tensor(*model, "model.layers.1.attn_norm.weight").values,
            tensor(folder, "model.layers.1.attn_norm.weight").values);
}

TEST(TiledWeightsTest, EqualSizesChangeNothing) {
  const HuggingFaceModel folder = modelOf(smallShape());
  const auto model = test::checked(tiledWeights(folder, smallShape()));
  ASSERT_EQ(model->tensors.size(), folder.tensors.size());
  for (const NamedFloats& known : folder.tensors) EXPECT_EQ(tensor(*model, known.name).values, known.values);
}

TEST(TiledWeightsTest, RefusesASmallerModelAndAnotherFamily) {
  ModelShape narrow = smallShape();
  narrow.intermediateSize = 2;
  EXPECT_THAT(test::refused(tiledWeights(modelOf(smallShape()), narrow)).text(),
              testing::HasSubstr("intermediate_size"));
  ModelShape other = smallShape();
  other.family = ModelFamily::EuroBert;
  EXPECT_THAT(test::refused(tiledWeights(modelOf(smallShape()), other)).text(), testing::HasSubstr("eurobert"));
}

TEST(StartNotesTest, SayWhatIsNotUsedAsItIs) {
  FolderTensors folder;
  folder.shape = smallShape();
  EXPECT_TRUE(startNotes(folder, smallShape(), 5).empty());
  folder.missing = {"head.dense.weight", "head.norm.weight"};
  folder.unused = {"classifier.weight"};
  ModelShape shape = smallShape();
  shape.vocabSize = 8;
  shape.tieWordEmbeddings = false;
  std::vector<std::string> ids;
  for (const std::string& note : startNotes(folder, shape, 7)) ids.push_back(note);
  EXPECT_THAT(ids, testing::ElementsAre(testing::HasSubstr("at first, as of random guesses, and a"),
                                        testing::HasSubstr("the weights have no output layer of their"),
                                        testing::HasSubstr("'; the model has no such part"),
                                        testing::HasSubstr("new tokens start from the mean of the")));
}

}  // namespace
}  // namespace batchwise
