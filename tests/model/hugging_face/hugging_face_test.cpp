// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/hugging_face.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/model/hugging_face/hugging_face_json.h"
#include "core/model/shape/family_format.h"
#include "tests/support/checked.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

Vocabulary vocabulary() {
  return *Vocabulary::fromTokens({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "\"q\""});
}

Tokenizer bertTokenizer() {
  return Tokenizer::bert(vocabulary(), /*lowercase=*/true);
}

ModelShape shape() {
  ModelShape s;
  s.vocabSize = 8;
  s.hiddenSize = 4;
  s.layers = 1;
  s.heads = s.keyValueHeads = 2;
  s.intermediateSize = 6;
  s.maxPositions = 9;
  return s;
}

TEST(HuggingFaceTest, KnowsOldAndShortNames) {
  struct Case {
    ModelFamily family;
    const char *name, *canonical;
  };
  constexpr Case kCases[] = {
      {ModelFamily::Bert, "bert.embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"},
      {ModelFamily::Bert, "encoder.layer.0.output.LayerNorm.beta", "bert.encoder.layer.0.output.LayerNorm.bias"},
      {ModelFamily::Bert, "pooler.dense.weight", "bert.pooler.dense.weight"},
      {ModelFamily::Bert, "cls.predictions.decoder.bias", "cls.predictions.bias"},
      {ModelFamily::Bert, "bert.encoder.layer.3.output.dense.bias", "bert.encoder.layer.3.output.dense.bias"},
      {ModelFamily::Roberta, "encoder.layer.3.output.dense.bias", "roberta.encoder.layer.3.output.dense.bias"},
      {ModelFamily::XlmRoberta, "lm_head.decoder.bias", "lm_head.bias"},
      {ModelFamily::ModernBert, "layers.1.attn_norm.weight", "model.layers.1.attn_norm.weight"},
      {ModelFamily::ModernBert, "decoder.bias", "decoder.bias"},
      {ModelFamily::EuroBert, "norm.weight", "model.norm.weight"},
      {ModelFamily::NeoBert, "transformer_encoder.0.qkv.weight", "model.transformer_encoder.0.qkv.weight"}};
  for (const auto& [family, name, canonical] : kCases) EXPECT_EQ(formatOf(family).canonicalName(name), canonical);
}

TEST(HuggingFaceTest, ConfigReadsBackAsWritten) {
  ModelShape odd = shape();
  odd.activation = Activation::GeluTanh;
  odd.norm = NormPlacement::Pre;  // stored in checkpoints
  odd.layerDrop = 0.25;
  odd.attentionLogitL2 = 1e-4;
  odd.tieWordEmbeddings = false;
  for (const ModelShape& s : {shape(), odd}) {
    EXPECT_EQ(test::checked(parseFolderConfig(huggingFaceConfig(s, vocabulary().special())))->shape, s);
  }
}

TEST(HuggingFaceTest, RefusesConfigsThatAreNoBert) {
  const auto good = nlohmann::json::parse(huggingFaceConfig(shape(), vocabulary().special()));
  const std::pair<const char*, nlohmann::json> changes[] = {{"model_type", "t5"},
                                                            {"hidden_size", nullptr},
                                                            {"hidden_size", "4"},
                                                            {"hidden_size", 0},
                                                            {"hidden_size", 4.5},
                                                            {"num_attention_heads", 3},
                                                            {"hidden_act", "mish"},
                                                            {"layer_norm_eps", "small"},
                                                            {"position_embedding_type", "relative_key"},
                                                            {"tie_word_embeddings", 1},
                                                            {"tie_word_embeddings", nullptr},
                                                            {"norm", "rms"}};
  for (const auto& [key, value] : changes) {
    auto changed = good;
    changed[key] = value;
    const auto read = parseFolderConfig(changed.dump());
    ASSERT_FALSE(read.ok()) << key << value;
    EXPECT_EQ(read.error().code, ErrorCode::Config);
  }
  for (const char* text : {"", "[]", "{", "{\"a\":1,\"a\":2}", "null"})
    EXPECT_FALSE(parseFolderConfig(text).ok()) << text;
}

/// Writes a folder whose only weights are these.
void writeFolder(const test::TempFolder& folder, const std::vector<std::pair<std::string, std::vector<float>>>& tensors,
                 const ModelShape& s) {
  std::vector<TensorBytes> all;
  for (const auto& [name, values] : tensors)
    all.push_back(
        {name, TensorType::F32, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))});
  ASSERT_TRUE(writeSafetensors(folder / "model.safetensors", all).ok());
  ASSERT_TRUE(writeFileAtomically(folder / "config.json", huggingFaceConfig(s, vocabulary().special())).ok());
}

TEST(HuggingFaceTest, SortsTensorsIntoModelExtrasAndTheRest) {
  const test::TempFolder folder;
  writeFolder(folder,
              {{"embeddings.LayerNorm.gamma", {1}},
               {"pooler.dense.bias", {2}},
               {"embeddings.position_ids", {3}},
               {"classifier.weight", {4}},
               {"cls.seq_relationship.bias", {5}}},
              shape());
  const auto model = test::checked(readHuggingFaceModel(folder.path()));
  ASSERT_EQ(model->tensors.size(), 1U);
  EXPECT_EQ(model->tensors[0].name, "bert.embeddings.LayerNorm.weight");
  EXPECT_EQ(model->extras.size(), 2U);
  EXPECT_EQ(model->ignored.size(), 2U);
}

TEST(HuggingFaceTest, ATiedDecoderIsNoTensorOfItsOwn) {
  const test::TempFolder folder;
  const char* const words = "bert.embeddings.word_embeddings.weight";
  const char* const decoder = "cls.predictions.decoder.weight";
  writeFolder(folder, {{words, {1, 2}}, {decoder, {1, 2}}}, shape());
  EXPECT_EQ(readHuggingFaceModel(folder.path())->tensors.size(), 1U);
  writeFolder(folder, {{words, {1, 2}}, {decoder, {1, 3}}}, shape());
  EXPECT_FALSE(readHuggingFaceModel(folder.path()).ok());
  ModelShape untied = shape();
  untied.tieWordEmbeddings = false;
  writeFolder(folder, {{words, {1, 2}}, {decoder, {1, 3}}}, untied);
  EXPECT_EQ(readHuggingFaceModel(folder.path())->tensors.size(), 2U);
}

TEST(HuggingFaceTest, RefusesTwoTensorsWithOneMeaning) {
  const test::TempFolder folder;
  writeFolder(folder, {{"bert.embeddings.LayerNorm.gamma", {1}}, {"bert.embeddings.LayerNorm.weight", {2}}}, shape());
  EXPECT_FALSE(readHuggingFaceModel(folder.path()).ok());
}

TEST(HuggingFaceTest, TokenizerFilesNameTheVocabulary) {
  const test::TempFolder folder;
  ASSERT_TRUE(writeHuggingFaceModel(folder / "out", shape(), {}, bertTokenizer(), 128, Replaces::Nothing).ok());
  const auto file = nlohmann::json::parse(*readFile(folder / "out" / "tokenizer.json"));
  EXPECT_EQ(file["model"]["vocab"].size(), 8U);
  EXPECT_EQ(file["model"]["vocab"]["\"q\""], 7);
  EXPECT_EQ(file["added_tokens"].size(), 5U);
  const auto config = nlohmann::json::parse(*readFile(folder / "out" / "tokenizer_config.json"));
  EXPECT_EQ(config["mask_token"], "[MASK]");
  EXPECT_EQ(config["model_max_length"], 128);
  EXPECT_EQ(*readFile(folder / "out" / "vocab.txt"), vocabulary().text());
}

Result<void> exportTo(const std::filesystem::path& folder, Replaces replaces) {
  return writeHuggingFaceModel(folder, shape(), {}, bertTokenizer(), 128, replaces);
}

TEST(HuggingFaceTest, AnyOtherTokenizerGoesOutSoThatItsFileCountsAndFrames) {
  using nlohmann::json;
  const json model = {
      {"type", "BPE"}, {"vocab", {{"a", 0}, {"<s>", 1}, {"</s>", 2}, {"<mask>", 3}}}, {"merges", json::array()}};
  json file = {{"model", model}, {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", true}}}};
  file["post_processor"] = nullptr;
  const json config = {{"tokenizer_class", "XLMRobertaTokenizer"},
                       {"cls_token", "<s>"},
                       {"sep_token", "</s>"},
                       {"add_prefix_space", false},
                       {"padding_side", "left"},
                       {"model_max_length", 99},
                       {"model_input_names", {"input_ids", "token_type_ids", "attention_mask"}}};
  const auto tokenizer = test::checked(Tokenizer::fromTexts({"", false, file.dump(), config.dump()}, "it"));
  std::map<std::string, json> files;
  for (const auto& [name, text] : tokenizerFiles(*tokenizer, 10, 1)) files[name] = json::parse(text);
  const json& written = files["tokenizer_config.json"];
  EXPECT_EQ(written["tokenizer_class"], "PreTrainedTokenizerFast") << "other classes make their steps anew";
  EXPECT_EQ(written["add_prefix_space"], true) << "of tokenizer.json";
  EXPECT_EQ(written["padding_side"], "left");
  EXPECT_EQ(written["model_max_length"], 99);
  EXPECT_EQ(written["model_input_names"], json({"input_ids", "attention_mask"})) << "one type of segments";
  EXPECT_EQ(written["pad_token"], "</s>");
  const json& framed = files["tokenizer.json"]["post_processor"];
  EXPECT_EQ(framed["single"][0]["SpecialToken"]["id"], "<s>");
  EXPECT_EQ(framed["single"][2]["SpecialToken"]["id"], "</s>");
  EXPECT_EQ(files["tokenizer.json"]["model"], model);
  const auto again =
      test::checked(Tokenizer::fromTexts({"", false, files["tokenizer.json"].dump(), written.dump()}, "it"));
  EXPECT_EQ(tokenizerFiles(*again, 10, 1)[0].second, files["tokenizer.json"].dump()) << "it frames by itself";
}

TEST(HuggingFaceTest, TypesOfSegmentsGoOutWhereTheTokenizerTellsTextsOfAPairApart) {
  using nlohmann::json;
  const auto namesWith = [](const json& processor) {
    const json model = {
        {"type", "BPE"}, {"vocab", {{"a", 0}, {"<s>", 1}, {"</s>", 2}, {"<mask>", 3}}}, {"merges", json::array()}};
    const json file = {{"model", model}, {"pre_tokenizer", {{"type", "ByteLevel"}}}, {"post_processor", processor}};
    const char* const config = R"({"cls_token": "<s>", "sep_token": "</s>", "mask_token": "<mask>"})";
    const auto tokenizer = test::checked(Tokenizer::fromTexts({"", false, file.dump(), config}, "it"));
    for (const auto& [name, text] : tokenizerFiles(*tokenizer, 10, 2))
      if (name == "tokenizer_config.json") return json::parse(text).at("model_input_names");
    return json();
  };
  const json typed = {"input_ids", "token_type_ids", "attention_mask"};
  const json frame = {{"type", "BertProcessing"}, {"cls", {"<s>", 1}}, {"sep", {"</s>", 2}}};
  json untyped = frame;
  untyped["type"] = "RobertaProcessing";
  EXPECT_EQ(namesWith(frame), typed);
  EXPECT_EQ(namesWith({{"type", "Sequence"}, {"processors", {{{"type", "ByteLevel"}}, frame}}}), typed);
  EXPECT_EQ(namesWith(nullptr), typed) << "the frame that the file is given";
  EXPECT_EQ(namesWith(untyped), json({"input_ids", "attention_mask"}));
}

TEST(HuggingFaceTest, AnExportReplacesAnEarlierOneButNobodyElsesFiles) {
  for (const char* foreign : {"config.json", "vocab.txt", "model.safetensors"}) {
    const test::TempFolder folder;
    ASSERT_TRUE(writeFileAtomically(folder / foreign, "mine").ok());
    const auto refused = exportTo(folder.path(), Replaces::Nothing);
    ASSERT_FALSE(refused.ok()) << foreign;
    EXPECT_EQ(refused.error().code, ErrorCode::Config);
    EXPECT_THAT(refused.error().message, testing::HasSubstr((folder / foreign).string())) << "it is named";
    EXPECT_THAT(refused.error().message, testing::HasSubstr("--force"));
    EXPECT_EQ(*readFile(folder / foreign), "mine");
    EXPECT_EQ(entriesOf(folder.path()).size(), 1U) << "nothing beside it";
    ASSERT_TRUE(exportTo(folder.path(), Replaces::AnyFiles).ok());
    EXPECT_NE(*readFile(folder / foreign), "mine");
    EXPECT_TRUE(exportTo(folder.path(), Replaces::Nothing).ok()) << "it is an export now";
    EXPECT_EQ(entriesOf(folder.path()).size(), 6U) << "the files and nothing that was on its way";
  }
}

TEST(HuggingFaceTest, OtherFilesInTheFolderAreNoHindrance) {
  const test::TempFolder folder;
  ASSERT_TRUE(writeFileAtomically(folder / "README.md", "mine").ok());
  ASSERT_TRUE(exportTo(folder.path(), Replaces::Nothing).ok());
  EXPECT_EQ(*readFile(folder / "README.md"), "mine");
}

TEST(HuggingFaceTest, AnExportThatFailsLeavesTheFolderAsItWas) {
  const test::TempFolder folder;
  ASSERT_TRUE(exportTo(folder / "earlier", Replaces::Nothing).ok());
  const auto before = *readFile(folder / "earlier" / "config.json");
  ModelShape larger = shape();
  larger.layers = 2;
  const std::vector<float> weights(1 << 16, 0.0F);  // the last file is larger than the others
  const std::vector<TensorBytes> tensors = {
      {"w", TensorType::F32, {1 << 16}, std::as_bytes(std::span<const float>(weights))}};
  for (const char* target : {"earlier", "fresh"}) {
    const test::SmallDisk disk(1 << 17);
    const Error full =
        test::refused(writeHuggingFaceModel(folder / target, larger, tensors, bertTokenizer(), 128, Replaces::Nothing));
    EXPECT_EQ(full.code, ErrorCode::DiskFull) << full.text();
  }
  EXPECT_EQ(*readFile(folder / "earlier" / "config.json"), before);
  EXPECT_EQ(entriesOf(folder / "earlier").size(), 6U);
  EXPECT_FALSE(std::filesystem::exists(folder / "fresh"));
}

}  // namespace
}  // namespace batchwise
