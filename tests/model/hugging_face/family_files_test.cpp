// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of all families: config.json in old and new spelling, names and row orders of tensors, what is refused.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>

#include "core/base/file.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/hugging_face/weights_reader.h"
#include "core/model/shape/family_format.h"
#include "core/model/shape/tensor_names.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr ModelFamily kFamilies[] = {ModelFamily::Bert,       ModelFamily::Roberta,  ModelFamily::XlmRoberta,
                                     ModelFamily::ModernBert, ModelFamily::EuroBert, ModelFamily::NeoBert};

Vocabulary familyVocabulary() {
  return *Vocabulary::fromTokens({"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "b"});
}

ModelShape shapeOf(ModelFamily family) {
  ModelConfig config;
  config.family = family;
  config.hiddenSize = 12;
  config.numHiddenLayers = 4;
  config.numAttentionHeads = 2;
  config.intermediateSize = 8;
  config.maxPositionEmbeddings = 10;
  if (family == ModelFamily::EuroBert) config.numKeyValueHeads = 1;
  ModelShape shape = *resolveModelShape(config, 7, 10);
  if (shape.traits().firstPosition > 0) shape.unplacedToken = familyVocabulary().special().pad;
  return shape;
}

json configOf(const ModelShape& shape) {
  return json::parse(huggingFaceConfig(shape, familyVocabulary().special()));
}

std::string errorOf(const json& config) {
  const auto read = parseFolderConfig(config.dump());
  EXPECT_FALSE(read.ok()) << config.dump();
  return read.ok() ? std::string() : read.error().text();
}

TEST(FamilyConfigTest, ReadsBackAsWritten) {
  for (const ModelFamily family : kFamilies) {
    ModelShape odd = shapeOf(family);
    odd.attentionDropout = 0.25;
    odd.hiddenDropout = 0.125;
    odd.layerDrop = 0.5;
    odd.layerNormEps = 3e-6;
    odd.initializerRange = 0.03;
    odd.tieWordEmbeddings = !odd.tieWordEmbeddings;
    if (odd.ropeTheta > 0) odd.ropeTheta = 12'345.5;
    if (odd.localRopeTheta > 0) odd.localRopeTheta = 777;
    if (odd.globalAttentionEvery > 1) odd.globalAttentionEvery = 2;
    for (const ModelShape& shape : {shapeOf(family), odd}) {
      EXPECT_EQ(test::checked(parseFolderConfig(configOf(shape).dump()))->shape, shape) << choiceName(family);
    }
  }
}

TEST(FamilyConfigTest, AnUnknownFamilyIsAnsweredWithTheKnownOnes) {
  json config = configOf(shapeOf(ModelFamily::Bert));
  config["model_type"] = "electra";
  EXPECT_THAT(errorOf(config), HasSubstr("known are bert, roberta, xlm-roberta, modernbert, eurobert, neobert"));
}

TEST(FamilyConfigTest, RobertaCountsPositionsFromItsPaddingToken) {
  const json config = configOf(shapeOf(ModelFamily::Roberta));
  EXPECT_EQ(config["max_position_embeddings"], 12) << "10 and two before them, as 514 for 512";
  json other = config;
  other["pad_token_id"] = 3;
  EXPECT_EQ(parseFolderConfig(other.dump())->shape.maxPositions, 8);
  other["max_position_embeddings"] = 4;
  EXPECT_EQ(errorOf(other),
            "max_position_embeddings of config.json is 4, but positions begin after pad_token_id "
            "3: none is left for a token");
  other.erase("pad_token_id");
  EXPECT_EQ(parseFolderConfig(other.dump())->shape.maxPositions, 2) << "1 where nothing is said";
  EXPECT_EQ(parseFolderConfig(other.dump())->shape.unplacedToken, 1);
  other["pad_token_id"] = -1;
  EXPECT_EQ(parseFolderConfig(other.dump())->shape.maxPositions, 4) << "positions from 0";
  EXPECT_EQ(parseFolderConfig(other.dump())->shape.unplacedToken, -1);
  for (const json& unknown : {json(), json(-2), json("0"), json(0.0)}) {
    other["pad_token_id"] = unknown;
    EXPECT_THAT(errorOf(other), HasSubstr("pad_token_id"));
  }
}

TEST(FamilyConfigTest, PaddingThatStandsInSequencesIsNotWrittenUnlessItHasNoPosition) {
  ModelShape roberta = shapeOf(ModelFamily::Roberta), bert = shapeOf(ModelFamily::Bert);
  const SpecialIds own{.pad = 5, .unknown = 4, .cls = 0, .sep = 2, .mask = 3};
  EXPECT_EQ(paddingIdOf(roberta, own), 1) << "with which it was trained";
  roberta.unplacedToken = -1;
  EXPECT_EQ(paddingIdOf(roberta, own), 5);
  for (const std::int32_t used : {own.unknown, own.cls, own.sep, own.mask}) {
    SpecialIds shared = own;
    shared.pad = used;
    EXPECT_EQ(paddingIdOf(roberta, shared), -1) << used;
    EXPECT_EQ(paddingIdOf(bert, shared), used) << "does not matter";
    const json config = json::parse(huggingFaceConfig(roberta, shared));
    EXPECT_EQ(config["max_position_embeddings"], 10);
    EXPECT_EQ(parseFolderConfig(config.dump())->shape, roberta);
  }
}

TEST(FamilyConfigTest, ARunKeepsWhichTokenHasNoPosition) {
  ModelShape shape = shapeOf(ModelFamily::Roberta);
  for (const std::int64_t token : {shape.unplacedToken, std::int64_t{-1}}) {
    shape.unplacedToken = token;
    EXPECT_EQ(*parseStoredConfig(storedConfig(shape, familyVocabulary().special())), shape);
  }
}

TEST(FamilyConfigTest, NoLocalThetaIsThatOfTheGlobalLayers) {
  json config = configOf(shapeOf(ModelFamily::ModernBert));
  for (const char* name : {"layer_types", "rope_parameters"}) config.erase(name);
  config["local_rope_theta"] = nullptr;
  config["global_rope_theta"] = 80'000;
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.localRopeTheta, 80'000);
  config.erase("global_rope_theta");
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.localRopeTheta, 160'000);
  config.erase("local_rope_theta");
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.localRopeTheta, 10'000) << "where nothing is said";
  config["local_rope_theta"] = nullptr;
  config["rope_parameters"] = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 70'000}}}};
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.localRopeTheta, 70'000);
  config["global_rope_theta"] = nullptr;
  EXPECT_THAT(errorOf(config), HasSubstr("such as 160000")) << "no transformers computes with it";
}

TEST(FamilyConfigTest, KeepsHowModernBertPoolsForItsClassifier) {
  json config = configOf(shapeOf(ModelFamily::ModernBert));
  EXPECT_FALSE(parseFolderConfig(config.dump())->shape.poolsMean());
  config["classifier_pooling"] = "mean";
  const auto shape = test::checked(parseFolderConfig(config.dump()))->shape;
  EXPECT_TRUE(shape.poolsMean());
  EXPECT_EQ(configOf(shape)["classifier_pooling"], "mean");
}

TEST(FamilyConfigTest, ReadsTheFolderOfTransformers4WithoutALocalTheta) {
  const auto folder = test::sourceRoot() / "tests/vectors/cases/local-rope-theta-null";
  const auto shape = test::checked(parseFolderConfig(*readFile(folder / "config.json")))->shape;
  EXPECT_EQ(shape.ropeTheta, 160'000);
  EXPECT_EQ(shape.localRopeTheta, 160'000);
}

TEST(FamilyConfigTest, WritesBothSpellingsOfModernBert) {
  const json config = configOf(shapeOf(ModelFamily::ModernBert));
  EXPECT_EQ(config["layer_types"],
            json({"full_attention", "sliding_attention", "sliding_attention", "full_attention"}));
  EXPECT_EQ(config["global_attn_every_n_layers"], 3);
  EXPECT_EQ(config["rope_parameters"]["full_attention"]["rope_theta"], config["global_rope_theta"]);
  EXPECT_EQ(config["rope_parameters"]["sliding_attention"]["rope_theta"], config["local_rope_theta"]);
  EXPECT_EQ(config["norm_eps"], 1e-5);
  EXPECT_FALSE(config.contains("layer_norm_eps"));
}

TEST(FamilyConfigTest, EitherSpellingSuffices) {
  const ModelShape shape = shapeOf(ModelFamily::ModernBert);
  json old = configOf(shape);
  for (const char* name : {"layer_types", "rope_parameters", "dtype"}) old.erase(name);
  json current = configOf(shape);
  for (const char* name : {"global_attn_every_n_layers", "global_rope_theta", "local_rope_theta", "torch_dtype"})
    current.erase(name);
  EXPECT_EQ(parseFolderConfig(old.dump())->shape, shape);
  EXPECT_EQ(parseFolderConfig(current.dump())->shape, shape);
  json euro = configOf(shapeOf(ModelFamily::EuroBert));
  euro.erase("rope_parameters");
  EXPECT_EQ(parseFolderConfig(euro.dump())->shape.ropeTheta, 250'000);
}

TEST(FamilyConfigTest, SpellingsThatDifferAreRefusedByBothNames) {
  struct Case {
    ModelFamily family;
    const char* name;
    json value;
    const char* other;
  };
  const Case cases[] = {
      {ModelFamily::ModernBert, "global_attn_every_n_layers", 2, "layer_types"},
      {ModelFamily::ModernBert, "global_rope_theta", 1.0, "rope_parameters.full_attention.rope_theta"},
      {ModelFamily::ModernBert, "local_rope_theta", 1.0, "rope_parameters.sliding_attention.rope_theta"},
      {ModelFamily::EuroBert, "rope_theta", 1.0, "rope_parameters.rope_theta"},
      {ModelFamily::Bert, "torch_dtype", "float16", "dtype"}};
  for (const auto& [family, name, value, other] : cases) {
    json config = configOf(shapeOf(family));
    config[name] = value;
    const std::string error = errorOf(config);
    EXPECT_THAT(error, HasSubstr(name));
    EXPECT_THAT(error, HasSubstr(other));
    EXPECT_THAT(error, HasSubstr("two spellings of the same value"));
  }
}

TEST(FamilyConfigTest, RefusesWhatItWouldComputeOtherwise) {
  struct Case {
    ModelFamily family;
    const char* name;
    json value;
  };
  using enum ModelFamily;
  const Case cases[] = {{Bert, "is_decoder", true},
                        {Roberta, "position_embedding_type", "relative_key"},
                        {ModernBert, "local_rope_theta", -1},
                        {ModernBert, "global_rope_theta", 0},
                        {ModernBert, "norm_bias", true},
                        {ModernBert, "attention_bias", true},
                        {ModernBert, "mlp_bias", true},
                        {ModernBert, "classifier_bias", true},
                        {ModernBert, "decoder_bias", false},
                        {ModernBert, "classifier_activation", "relu"},
                        {ModernBert, "rope_scaling", {{"type", "linear"}}},
                        {ModernBert, "rope_parameters", 5},
                        {ModernBert, "rope_parameters", {{"rope_theta", 5}}},
                        {EuroBert, "rope_parameters", "default"},
                        {NeoBert, "rope_parameters", {{"rope_theta", 5}}},
                        {EuroBert, "head_dim", 4},
                        {EuroBert, "attention_bias", true},
                        {NeoBert, "hidden_act", "gelu"},
                        {NeoBert, "rope", false}};
  for (const auto& [family, name, value] : cases) {
    json config = configOf(shapeOf(family));
    if (std::string(name) == "local_rope_theta" || std::string(name) == "global_rope_theta")
      config.erase("rope_parameters");
    config[name] = value;
    EXPECT_THAT(errorOf(config), HasSubstr(name)) << choiceName(family);
  }
  json irregular = configOf(shapeOf(ModernBert));
  irregular.erase("global_attn_every_n_layers");
  irregular["layer_types"] = {"sliding_attention", "full_attention", "sliding_attention", "full_attention"};
  EXPECT_THAT(errorOf(irregular), HasSubstr("layer_types"));
  json scaled = configOf(shapeOf(ModernBert));
  scaled["rope_parameters"]["full_attention"]["rope_type"] = "yarn";
  EXPECT_THAT(errorOf(scaled), HasSubstr("rope_parameters.full_attention.rope_type"));
}

TEST(FamilyConfigTest, PublishedKeysWithoutEffectHaveNone) {
  json config = configOf(shapeOf(ModelFamily::ModernBert));
  config["layer_norm_eps"] = 1e-2;
  config["position_embedding_type"] = "absolute";
  config["reference_compile"] = nullptr;
  config["repad_logits_with_grad"] = false;
  EXPECT_EQ(parseFolderConfig(config.dump())->shape, shapeOf(ModelFamily::ModernBert));
}

TEST(FamilyConfigTest, DropoutOfTheAttentionOutputIsNoOtherDropout) {
  ModelShape shape = shapeOf(ModelFamily::ModernBert);
  shape.hiddenDropout = 0.1;
  json config = configOf(shape);
  EXPECT_EQ(config["attn_out_dropout_prob"], 0.1);
  for (const char* other : {"embedding_dropout", "mlp_dropout", "attention_dropout"}) EXPECT_EQ(config[other], 0.0);
  EXPECT_EQ(parseFolderConfig(config.dump())->shape, shape);
  config.erase("attn_out_dropout_prob");
  config["mlp_dropout"] = config["embedding_dropout"] = 0.3;
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.hiddenDropout, 0) << "not those of the others";
  config["attention_dropout"] = 0.2;
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.hiddenDropout, 0.2) << "transformers has one for both";
}

TEST(FamilyConfigTest, ARunKeepsItsDropout) {
  ModelShape shape = shapeOf(ModelFamily::ModernBert);
  shape.attentionDropout = 0.1;
  for (const double dropout : {0.0, 0.1, 0.2}) {
    shape.hiddenDropout = dropout;
    EXPECT_EQ(*parseStoredConfig(configOf(shape).dump()), shape) << dropout;
  }
}

TEST(FamilyConfigTest, AllLayersGlobalNeedNoWindow) {
  json config = configOf(shapeOf(ModelFamily::ModernBert));
  config.erase("global_attn_every_n_layers");
  config["layer_types"] = {"full_attention", "full_attention", "full_attention", "full_attention"};
  EXPECT_EQ(parseFolderConfig(config.dump())->shape.globalAttentionEvery, 1);
}

TEST(TensorNamesTest, EachFamilyNamesItsOwn) {
  for (const ModelFamily family : kFamilies) {
    const ModelShape shape = shapeOf(family);
    std::set<std::string> names;
    std::int64_t count = 0;
    for (const ParameterTensor& tensor : parameterTensors(shape)) {
      EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name;
      EXPECT_EQ(formatOf(family).canonicalName(tensor.name), tensor.name);
      count += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
    }
    EXPECT_EQ(count, shape.parameterCount()) << choiceName(family);
  }
}

TEST(TensorNamesTest, ModernBertHasNoNormBeforeItsFirstAttention) {
  std::set<std::string> names;
  for (const ParameterTensor& tensor : parameterTensors(shapeOf(ModelFamily::ModernBert))) names.insert(tensor.name);
  EXPECT_FALSE(names.contains("model.layers.0.attn_norm.weight"));
  EXPECT_TRUE(names.contains("model.layers.1.attn_norm.weight"));
  EXPECT_TRUE(names.contains("model.layers.0.mlp.Wi.weight"));
}

TEST(TensorNamesTest, NeoBertRowsAlternatePerHeadInFiles) {
  const ModelShape shape = shapeOf(ModelFamily::NeoBert);  // 2 heads of 6, width 12
  const std::int64_t rows = 3 * shape.hiddenSize;
  std::vector<float> file(static_cast<std::size_t>(rows * shape.hiddenSize));
  for (std::size_t i = 0; i < file.size(); ++i) file[i] = static_cast<float>(i / 12);  // the number of the row
  const auto memory = rowsFromFile(shape, file);
  EXPECT_EQ(memory[0], 0) << "query of head 0";
  EXPECT_EQ(memory[6 * 12], 18) << "query of head 1";
  EXPECT_EQ(memory[12 * 12], 6) << "key of head 0";
  EXPECT_EQ(memory[18 * 12 + 11], 24) << "key of head 1";
  EXPECT_EQ(memory[35 * 12], 35) << "value of head 1";
  EXPECT_EQ(rowsToFile(shape, memory), file);
}

/// A model's tensors with values that tell them apart.
struct Weights {
  explicit Weights(const ModelShape& shape) {
    float next = 0;
    for (const ParameterTensor& tensor : parameterTensors(shape)) {
      std::int64_t count = 1;
      for (const std::int64_t size : tensor.shape) count *= size;
      values.emplace_back(static_cast<std::size_t>(count));
      for (float& value : values.back()) value = next++;
      named.push_back({tensor.name, tensor.shape, values.back()});
    }
    for (std::size_t i = 0; i < named.size(); ++i)
      bytes.push_back({named[i].name, TensorType::F32, named[i].shape, std::as_bytes(std::span(values[i]))});
  }
  std::vector<std::vector<float>> values;
  std::vector<NamedFloats> named;
  std::vector<TensorBytes> bytes;
};

const NamedFloats* find(const std::vector<NamedFloats>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &NamedFloats::name);
  return found == all.end() ? nullptr : &*found;
}

void expectEqual(const std::vector<NamedFloats>& found, const Weights& written) {
  EXPECT_EQ(found.size(), written.named.size());
  for (const NamedFloats& tensor : written.named) {
    const NamedFloats* read = find(found, tensor.name);
    ASSERT_NE(read, nullptr) << tensor.name;
    EXPECT_EQ(read->shape, tensor.shape) << tensor.name;
    EXPECT_EQ(read->values, tensor.values) << tensor.name;
  }
}

class FamilyFolderTest : public testing::TestWithParam<ModelFamily> {
 protected:
  Result<void> write(const ModelShape& shape, const Weights& weights) {
    return writeHuggingFaceModel(folder_ / "model", shape, weights.bytes, Tokenizer::bert(familyVocabulary(), true), 10,
                                 Replaces::AnyFiles);
  }
  std::filesystem::path path() const { return folder_ / "model"; }
  /// Writes the tensors of the folder again, those that `change` renames to "" left out.
  void rewrite(const std::function<std::string(const std::string&)>& change) {
    const auto reader = WeightsReader::open(path());
    std::vector<std::vector<float>> values;
    std::vector<TensorBytes> tensors;
    values.reserve(reader->tensors().size());
    for (std::size_t i = 0; i < reader->tensors().size(); ++i) {
      const std::string name = change(reader->tensors()[i].name);
      if (name.empty()) continue;
      values.push_back(*reader->readFloats(i));
      tensors.push_back({name, TensorType::F32, reader->tensors()[i].shape, std::as_bytes(std::span(values.back()))});
    }
    ASSERT_TRUE(writeSafetensors(path() / "model.safetensors", tensors).ok());
  }
  test::TempFolder folder_;
};

TEST_P(FamilyFolderTest, ReadsBackWhatItWrote) {
  for (const bool tied : {true, false}) {
    ModelShape shape = shapeOf(GetParam());
    shape.tieWordEmbeddings = tied;
    const Weights weights(shape);
    ASSERT_TRUE(write(shape, weights).ok());
    const auto read = test::checked(readHuggingFaceModel(path()));
    EXPECT_EQ(read->shape, shape);
    EXPECT_TRUE(read->ignored.empty());
    expectEqual(read->tensors, weights);
    const auto checked = test::checked(checkModelFolder(path()));
    EXPECT_TRUE(checked->missing.empty());
    EXPECT_TRUE(checked->unused.empty());
    EXPECT_FALSE(checked->decoderIsCopyOfWords);
  }
}

TEST_P(FamilyFolderTest, AnEncoderAloneLacksOnlyTheHead) {
  ModelShape shape = shapeOf(GetParam());
  const Weights weights(shape);
  ASSERT_TRUE(write(shape, weights).ok());
  std::set<std::string> head, encoder;
  for (const ParameterTensor& tensor : parameterTensors(shape))
    (isHeadRole(tensor.role) ? head : encoder).insert(tensor.name);
  const std::string prefix = GetParam() == ModelFamily::Bert                                               ? "bert."
                             : GetParam() == ModelFamily::Roberta || GetParam() == ModelFamily::XlmRoberta ? "roberta."
                                                                                                           : "model.";
  rewrite([&](const std::string& name) { return name.starts_with(prefix) ? name.substr(prefix.size()) : ""; });
  const auto read = test::checked(readHuggingFaceModel(path()));
  for (const std::string& name : encoder) EXPECT_NE(find(read->tensors, name), nullptr) << name;
  const auto checked = test::checked(checkModelFolder(path()));
  EXPECT_EQ(checked->missing.size() + (checked->decoderIsCopyOfWords ? 1 : 0), head.size());
  EXPECT_EQ(checked->decoderIsCopyOfWords, !shape.tieWordEmbeddings);
}

TEST_P(FamilyFolderTest, NamesWhatIsMissingAndWhatHasAnotherShape) {
  const ModelShape shape = shapeOf(GetParam());
  const Weights weights(shape);
  ASSERT_TRUE(write(shape, weights).ok());
  std::string last;
  for (const ParameterTensor& tensor : parameterTensors(shape))
    if (!isHeadRole(tensor.role)) last = std::max(last, tensor.name);
  json config = json::parse(*readFile(path() / "config.json"));
  config["hidden_size"] = 24;
  if (config.contains("head_dim")) config["head_dim"] = 12;
  ASSERT_TRUE(writeFileAtomically(path() / "config.json", config.dump()).ok());
  EXPECT_EQ(test::refused(checkModelFolder(path())).code, ErrorCode::Config);
  ASSERT_TRUE(write(shape, weights).ok());
  rewrite([&](const std::string& name) { return name == last ? "surplus.weight" : name; });
  const Error missing = test::refused(checkModelFolder(path()));
  EXPECT_THAT(missing.text(), HasSubstr(last));
  EXPECT_THAT(missing.text(), HasSubstr("of family " + std::string(choiceName(GetParam()))));
}

TEST_P(FamilyFolderTest, APrefixOfAllNamesIsDroppedAndTold) {
  const ModelShape shape = shapeOf(GetParam());
  const Weights weights(shape);
  for (const std::string prefix : {"module.", "_orig_mod.", "_orig_mod.module."}) {
    ASSERT_TRUE(write(shape, weights).ok());
    rewrite([&](const std::string& name) { return prefix + name; });
    const auto checked = test::checked(checkModelFolder(path()));
    EXPECT_TRUE(checked->missing.empty());
    EXPECT_THAT(checked->notes, testing::Contains(HasSubstr("begin with '" + prefix + "'")));
    expectEqual(test::checked(readHuggingFaceModel(path()))->tensors, weights);
  }
  ASSERT_TRUE(write(shape, weights).ok());
  rewrite([](const std::string& name) { return name.find(".0.") != std::string::npos ? name : "module." + name; });
  EXPECT_FALSE(checkModelFolder(path()).ok()) << "only some have it";
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyFolderTest, testing::ValuesIn(kFamilies),
                         [](const testing::TestParamInfo<ModelFamily>& tested) {
                           std::string name(choiceName(tested.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_F(FamilyFolderTest, RobertaWithAnotherPaddingTokenKeepsThePositionsOfItsTokens) {
  ModelShape shape = shapeOf(ModelFamily::Roberta);
  const Weights weights(shape);
  shape.unplacedToken = -1;
  const auto padFirst = Tokenizer::bert(
      *Vocabulary::fromTokens({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"}), /*lowercase=*/true);
  ASSERT_TRUE(writeHuggingFaceModel(path(), shape, weights.bytes, padFirst, 10, Replaces::AnyFiles).ok());
  const auto reader = WeightsReader::open(path());
  const auto table =
      std::ranges::find(reader->tensors(), "roberta.embeddings.position_embeddings.weight", &TensorInfo::name);
  ASSERT_NE(table, reader->tensors().end());
  EXPECT_EQ(table->shape[0], 11) << "transformers gives the first token position 1";
  const auto read = test::checked(readHuggingFaceModel(path()));
  shape.unplacedToken = 0;  // which stands in no sequence
  EXPECT_EQ(read->shape, shape);
  const auto* positions = find(read->tensors, table->name);
  const auto* written = find(weights.named, table->name);
  ASSERT_EQ(positions->shape, written->shape);
  for (std::size_t i = 12; i < written->values.size(); ++i) EXPECT_EQ(positions->values[i], written->values[i]);
}

TEST_F(FamilyFolderTest, ListsTensorsWithoutUseButNoBuffers) {
  const ModelShape shape = shapeOf(ModelFamily::Roberta);
  const Weights weights(shape);
  ASSERT_TRUE(write(shape, weights).ok());
  rewrite([](const std::string& name) {
    if (name == "lm_head.dense.weight") return std::string("classifier.out_proj.weight");
    return name == "lm_head.layer_norm.bias" ? std::string("roberta.embeddings.position_ids") : name;
  });
  const auto checked = test::checked(checkModelFolder(path()));
  EXPECT_THAT(checked->unused, testing::ElementsAre("classifier.out_proj.weight"));
  EXPECT_THAT(checked->missing, testing::UnorderedElementsAre("lm_head.dense.weight", "lm_head.layer_norm.bias"));
}

TEST_F(FamilyFolderTest, RobertasBiasUnderItsAliasAloneIsAccepted) {
  const ModelShape shape = shapeOf(ModelFamily::Roberta);
  const Weights weights(shape);
  ASSERT_TRUE(write(shape, weights).ok());
  rewrite([](const std::string& name) { return name == "lm_head.bias" ? "lm_head.decoder.bias" : name; });
  const auto read = test::checked(readHuggingFaceModel(path()));
  expectEqual(read->tensors, weights);
}

TEST_F(FamilyFolderTest, HalfPrecisionWeightsBecomeFp32) {
  const ModelShape shape = shapeOf(ModelFamily::ModernBert);
  const Weights weights(shape);
  ASSERT_TRUE(write(shape, weights).ok());
  for (const auto& [type, bits, value] : {std::tuple(TensorType::F16, 0x3C01U, 1.0F + 1.0F / 1024),
                                          std::tuple(TensorType::BF16, 0x3F81U, 1.0F + 1.0F / 128)}) {
    std::vector<std::vector<std::uint16_t>> values;
    std::vector<TensorBytes> tensors;
    for (const TensorBytes& tensor : weights.bytes) {
      values.emplace_back(tensor.bytes.size() / 4, static_cast<std::uint16_t>(bits));
      tensors.push_back({tensor.name, type, tensor.shape, std::as_bytes(std::span(values.back()))});
    }
    ASSERT_TRUE(writeSafetensors(path() / "model.safetensors", tensors).ok());
    const auto read = test::checked(readHuggingFaceModel(path()));
    EXPECT_EQ(read->tensors.size(), weights.named.size());
    EXPECT_EQ(find(read->tensors, "decoder.bias")->values, std::vector<float>(7, value));
  }
}

TEST_F(FamilyFolderTest, ReadsShards) {
  const ModelShape shape = shapeOf(ModelFamily::EuroBert);
  const Weights weights(shape);
  ASSERT_TRUE(write(shape, weights).ok());
  std::filesystem::remove(path() / "model.safetensors");
  const std::size_t half = weights.bytes.size() / 2;
  json index = {{"metadata", {{"total_size", 0}}}, {"weight_map", json::object()}};
  for (const bool second : {false, true}) {
    const std::string file = second ? "model-00002-of-00002.safetensors" : "model-00001-of-00002.safetensors";
    const std::vector<TensorBytes> part(
        weights.bytes.begin() + static_cast<std::ptrdiff_t>(second ? half : 0),
        second ? weights.bytes.end() : weights.bytes.begin() + static_cast<std::ptrdiff_t>(half));
    for (const TensorBytes& tensor : part) index["weight_map"][tensor.name] = file;
    ASSERT_TRUE(writeSafetensors(path() / file, part).ok());
  }
  ASSERT_TRUE(writeFileAtomically(path() / "model.safetensors.index.json", index.dump()).ok());
  const auto read = test::checked(readHuggingFaceModel(path()));
  expectEqual(read->tensors, weights);
}

TEST_F(FamilyFolderTest, RefusesToExportABertWithNormsInFront) {
  ModelShape shape = shapeOf(ModelFamily::Bert);
  shape.norm = NormPlacement::Pre;
  const Weights weights(shape);
  EXPECT_THAT(test::refused(write(shape, weights)).message,
              testing::HasSubstr("this model has norm: pre, and transformers has"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace batchwise
