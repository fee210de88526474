// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/text/masking.h"
#include "core/text/token_cache.h"
#include "core/text/tokenizer_json.h"
#include "core/text/vocabulary_trainer.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/support/token_dataset.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::TempFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Ids = std::vector<std::int32_t>;

/// tokenizers.json: made by tests/integration/parity/tokenizer_kinds.py.
const json& vectors() {
  static const json read = json::parse(readFile(test::sourceRoot() / "tests/vectors/tokenizers.json").value());
  return read;
}
json fileOf(const std::string& kind) {
  return vectors().at("kinds").at(kind).at("file");
}

Result<Tokenizer> tokenizerOf(const json& file, const std::string& config = "") {
  return Tokenizer::fromTexts({{}, true, file.dump(), config}, "the tokenizer");
}

TEST(TokenizerTest, GivesTheIdsOfTheCommittedVectors) {
  const auto texts = vectors().at("texts").get<std::vector<std::string>>();
  ASSERT_GE(texts.size(), 25u);
  ASSERT_GE(vectors().at("kinds").size(), 10u);
  for (const auto& [kind, vector] : vectors().at("kinds").items()) {
    const auto tokenizer = tokenizerOf(vector.at("file"));
    ASSERT_TRUE(tokenizer.ok()) << kind << ": " << tokenizer.error().text();
    Tokenizer::Encoder encoder(*tokenizer, SpecialTokensInText::Recognize);
    for (int round = 0; round < 2; ++round) {  // from the model, then from the cache
      for (std::size_t i = 0; i < texts.size(); ++i) {
        Ids ids;
        encoder.append(texts[i], ids);
        EXPECT_EQ(ids, vector.at("ids").at(i).get<Ids>()) << kind << ": " << json(texts[i]).dump(-1, ' ', true);
      }
    }
  }
}

TEST(TokenizerTest, WhatIsNotUnderstoodIsRefusedByName) {
  struct Case {
    const char* named;
    const char* kind;
    const char* place;  ///< in the file, as a JSON pointer; what ends in "-" is appended
    json value;
  };
  const std::string longWord(1100, 'a');
  const json modern = fileOf("modernbert"), first = fileOf("metaspace_first"), plain = fileOf("plain_words");
  json likeAnother = plain["added_tokens"], tooMany = first["model"]["vocab"], longPlain = plain["model"];
  const std::size_t size = plain["model"]["vocab"].size();
  likeAnother.push_back({{"id", size}, {"content", "QZX"}, {"normalized", true}});
  likeAnother.push_back({{"id", size + 1}, {"content", "qzX"}, {"normalized", true}});
  for (int i = 0; i < 33'000; ++i) tooMany.push_back({std::to_string(i) + std::string(1015, 'a'), -3.0});
  longPlain["max_input_chars_per_word"] = 5000;
  longPlain["vocab"][longWord] = 400;
  json framed = modern["post_processor"]["single"];
  framed.insert(framed.begin(), framed[0]);
  json withoutModel = fileOf("mmbert");
  withoutModel.erase("model");
  const Case cases[] = {
      {"'Nmt'", "modernbert", "/normalizer", {{"type", "Nmt"}}},
      {"'UnicodeScripts'", "modernbert", "/pre_tokenizer", {{"type", "UnicodeScripts"}}},
      {"'WordLevel'", "modernbert", "/model/type", "WordLevel"},
      {"'Fancy'", "modernbert", "/post_processor/type", "Fancy"},
      {"dropout", "modernbert", "/model/dropout", 0.1},
      {"end_of_word_suffix", "mmbert", "/model/end_of_word_suffix", "</w>"},
      {R"(\d+x)", "eurobert", "/pre_tokenizer/pretokenizers/0/pattern/Regex", R"(\d+x)"},
      {"'pattern' of 'Split'", "eurobert", "/pre_tokenizer/pretokenizers/0/pattern", {{"String", ""}}},
      {"ByteLevel", "german_bert", "/pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
      {"Digits", "eurobert", "/pre_tokenizer/pretokenizers/-", {{"type", "Digits"}}},
      {"merge 1", "mmbert", "/model/merges/0", {"no", "token"}},
      {"merge 2", "mmbert", "/model/merges/1", 5},
      {"unk_id", "metaspace_first", "/model/unk_id", nullptr},
      {"has the id 100, but Hugging Face tokenizers", "modernbert", "/added_tokens/0/id", 100},
      {"is added twice", "modernbert", "/added_tokens/-", modern["added_tokens"][0]},
      {"leaves nothing of the added token",
       "plain_words",
       "/added_tokens/-",
       {{"id", size}, {"content", "\u0301"}, {"normalized", true}}},
      {"and so is another one", "plain_words", "/added_tokens", likeAnother},
      {"prepend_scheme",
       "metaspace_first",
       "/pre_tokenizer",  // of one character NFKD makes several, split before
       {{"type", "Sequence"}, {"pretokenizers", json::array({{{"type", "Punctuation"}}, first["pre_tokenizer"]})}}},
      {"2 tokens before", "modernbert", "/post_processor/single", framed},
      {"'single' of 'TemplateProcessing'", "modernbert", "/post_processor/single/0/SpecialToken/type_id", "0"},
      {"'pair' of 'TemplateProcessing'", "modernbert", "/post_processor/pair/1/Sequence/type_id", nullptr},
      {"'Precompiled'", "mmbert", "/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}}},
      {"1100 bytes", "metaspace_first", "/model/vocab/-", {longWord, -3.0}},
      {"1100 bytes", "mmbert", "/added_tokens/0/content", longWord},
      {"1100 bytes", "plain_words", "/model", longPlain},
      {"32.0 MiB", "metaspace_first", "/model/vocab", tooMany},
      {"no 'model'", "mmbert", "", withoutModel}};
  for (const Case& one : cases) {
    json file = fileOf(one.kind);
    ASSERT_TRUE(tokenizerOf(file).ok()) << one.named;
    file[json::json_pointer(one.place)] = one.value;
    const auto tokenizer = tokenizerOf(file);
    ASSERT_FALSE(tokenizer.ok()) << one.named;
    EXPECT_THAT(tokenizer.error().text(), HasSubstr(one.named));
    EXPECT_EQ(tokenizer.error().code, ErrorCode::Config) << one.named;
  }
  EXPECT_EQ(Tokenizer::fromTexts({{}, true, "{\"model\": ", {}}, "x").error().code, ErrorCode::Corrupt);
}

TEST(TokenizerTest, SpecialTokensAreFoundByFrameByNameAndByConfiguration) {
  const auto modern = tokenizerOf(fileOf("modernbert")).value();
  const SpecialIds& ids = modern.vocabulary().special();
  EXPECT_EQ((Ids{ids.unknown, ids.cls, ids.sep, ids.pad, ids.mask}), (Ids{0, 1, 2, 3, 4}));
  const auto euro = tokenizerOf(fileOf("eurobert")).value();
  EXPECT_EQ(euro.vocabulary().special().pad, euro.vocabulary().special().sep) << "nothing says which";
  EXPECT_EQ(euro.vocabulary().special().unknown, -1) << "each byte is a token";
  // A name in tokenizer_config.json counts more than the usual one.
  json file = fileOf("plain_words");
  const auto named = tokenizerOf(file, R"({"mask_token": {"content": "[UNK]"}, "pad_token": "[CLS]"})").value();
  EXPECT_EQ(named.vocabulary().special().mask, 1);
  EXPECT_EQ(named.vocabulary().special().pad, 2);
  EXPECT_THAT(tokenizerOf(file, R"({"mask_token": "<mask>"})").error().text(),
              HasSubstr("has no token '<mask>', which its tokenizer_config.json names as mask_token"));
  file["model"]["vocab"].erase("[MASK]");
  std::erase_if(file["added_tokens"].get_ref<json::array_t&>(), [](const json& t) { return t["content"] == "[MASK]"; });
  EXPECT_THAT(tokenizerOf(file).error().text(), HasSubstr("mask_token"));
}

TEST(TokenizerTest, RandomTokensAreNeitherSpecialNorMissing) {
  json file = fileOf("eurobert");
  file["model"]["vocab"]["far"] = 500;
  const auto tokenizer = tokenizerOf(file).value();
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  ASSERT_EQ(vocabulary.size(), 501);
  for (const std::int32_t id : {0, 1, 2, 3, 400, 499}) EXPECT_THAT(vocabulary.specialIds(), Contains(id)) << id;
  EXPECT_THAT(vocabulary.specialIds(), Not(Contains(500)));
  MaskSpec spec = MaskSpec::of(vocabulary, 1.0);
  spec.maskShare = 0.0;
  spec.randomShare = 1.0;
  for (std::int64_t sample = 0; sample < 50; ++sample) {
    Ids sequence(66, 50), positions, labels;
    maskSequence(sequence, sample, {1, 0}, spec, positions, labels);
    for (std::size_t i = 1; i + 1 < sequence.size(); ++i) {
      EXPECT_FALSE(vocabulary.token(sequence[i]).empty());
      EXPECT_THAT(vocabulary.specialIds(), Not(Contains(sequence[i])));
    }
  }
}

TEST(TokenizerTest, AnAddedTokenChangesNothingElseOfBertsOwn) {
  // U+1B44 is a mark that StripAccents takes away and BERT's normalizer does not.
  json file = fileOf("german_bert");
  json& vocabulary = file["model"]["vocab"];
  file["normalizer"]["strip_accents"] = nullptr;
  for (const char* piece : {"\u1b44", "##\u1b44"}) vocabulary[piece] = vocabulary.size();
  file["added_tokens"] = json::array();
  const auto add = [&](const char* content, bool normalized) {
    const json known = vocabulary.value(content, json(vocabulary.size()));
    file["added_tokens"].push_back(
        {{"id", known}, {"content", content}, {"special", !normalized}, {"normalized", normalized}});
  };
  for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) add(name, false);
  const auto plain = tokenizerOf(file).value();
  ASSERT_TRUE(plain.isBert());
  add("gmbh & co", true);
  const auto extended = tokenizerOf(file).value();
  ASSERT_FALSE(extended.isBert());
  for (const char* text : {"\u1b44", "the a\u1b44\u0301 caf\u00e9 \u00c9", "e\u0301\u0327 \u0130"})
    EXPECT_EQ(extended.encode(text), plain.encode(text)) << text;
  EXPECT_THAT(extended.encode("a gmbh & co b"), Contains(vocabulary.size()));
}

TEST(TokenizerTest, WhiteSpaceBelongsToOneAddedToken) {
  json file = fileOf("plain_words");
  const std::int32_t id = static_cast<std::int32_t>(file["model"]["vocab"].size());
  file["added_tokens"].push_back(
      {{"id", id}, {"content", " "}, {"lstrip", true}, {"rstrip", true}, {"special", false}, {"normalized", false}});
  const auto tokenizer = tokenizerOf(file).value();
  EXPECT_THAT(tokenizer.encode("   "), ElementsAre(id)) << "as the reference";
}

TEST(TokenizerTest, ATrainingTextCannotFrameItself) {
  for (const auto& [kind, text] :
       {std::pair{"eurobert", "a<|end_of_text|>b"}, std::pair{"metaspace_first", "a</s>b <s>"},
        std::pair{"digits_apart", "a [SEP] [MASK]"}, std::pair{"mmbert", "a<eos><bos>"}}) {
    const auto tokenizer = tokenizerOf(fileOf(kind)).value();
    const SpecialIds& special = tokenizer.vocabulary().special();
    const Ids plain = tokenizer.encode(text);
    for (const std::int32_t id : {special.cls, special.sep, special.mask})
      EXPECT_THAT(plain, Not(Contains(id))) << kind;
    EXPECT_THAT(tokenizer.encode(text, SpecialTokensInText::Recognize), Contains(special.sep)) << kind;
  }
}

TEST(TokenizerTest, MergesCannotSpellAFrameEither) {
  json file = fileOf("mmbert");
  json& model = file["model"];
  // Tokens that are not the model's would get other ids behind a larger one.
  std::erase_if(file["added_tokens"].get_ref<json::array_t&>(),
                [&](const json& token) { return !model["vocab"].contains(token["content"].get<std::string>()); });
  const std::string separator = tokenizerOf(file)->vocabulary().token(tokenizerOf(file)->vocabulary().special().sep);
  // Merges that join the characters of the separator, one after the other.
  const auto add = [&](const std::string& text) {
    if (!model["vocab"].contains(text)) model["vocab"][text] = model["vocab"].size() + 1000;
  };
  for (const char c : separator) add(std::string(1, c));
  json merges = json::array();
  for (std::size_t length = 2; length <= separator.size(); ++length) {
    add(separator.substr(0, length));
    merges.push_back({separator.substr(0, length - 1), separator.substr(length - 1, 1)});
  }
  merges.insert(merges.end(), model["merges"].begin(), model["merges"].end());
  model["merges"] = merges;
  const auto tokenizer = test::checked(tokenizerOf(file));
  const auto idOf = [&](const std::string& text) { return tokenizer->vocabulary().id(text); };
  const Ids plain = tokenizer->encode("a" + separator + "b" + separator);
  EXPECT_THAT(plain, Not(Contains(tokenizer->vocabulary().special().sep)));
  EXPECT_EQ(std::ranges::count(plain, idOf(separator.substr(0, separator.size() - 1))), 2) << "what it is merged from";
  EXPECT_EQ(std::ranges::count(plain, idOf(separator.substr(separator.size() - 1))), 2);
}

TEST(TokenizerTest, TheIdentityOfAFileIsWhatDecidesAboutItsIds) {
  // RoBERTa's model knows "</s>", but no merge makes it.
  EXPECT_EQ(tokenizerOf(fileOf("roberta"))->identity().hex(), "16d6c9704e62d0b3a98c420c285df865");
  EXPECT_EQ(tokenizerOf(fileOf("modernbert"))->identity().hex(), "eff634362476fd341df9bd44a6c5e688");
  EXPECT_EQ(tokenizerOf(fileOf("metaspace_first"))->identity().hex(), "cd7d1717bd8f83c718853f1830c79110");
}

TEST(TokenizerTest, TokensAreShownAsTheirText) {
  const auto shown = [](const Tokenizer& tokenizer, std::string_view token) {
    const auto id = tokenizer.vocabulary().id(token);
    return id ? tokenizer.shownToken(*id) : "(none)";
  };
  const auto bytes = tokenizerOf(fileOf("modernbert")).value();
  EXPECT_EQ(shown(bytes, "\u0120the"), " the");
  EXPECT_EQ(shown(bytes, "[MASK]"), "[MASK]");
  EXPECT_EQ(shown(bytes, "\u00c3"), "\u00c3") << "half a character is shown as it is written";
  const auto spaces = tokenizerOf(fileOf("mmbert")).value();
  EXPECT_EQ(shown(spaces, "\u2581the"), " the");
  EXPECT_EQ(shown(spaces, "<0x41>"), "A");
}

TEST(TextBytesTest, TokensOfEveryKindTogetherHaveTheBytesOfTheText) {
  const auto ofAll = [](const Tokenizer& tokenizer, const std::string& text) {
    std::int64_t bytes = 0;
    for (const std::int32_t id : tokenizer.encode(text)) bytes += tokenizer.ownBytes(id);
    return bytes;
  };
  const auto bert = Tokenizer::bert(
      Vocabulary::fromTokens({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "caf", "##e", "##s", "#", "a"}).value(),
      true);
  EXPECT_EQ(ofAll(bert, "Cafés a"), 6);  // without the space, and "e" for two bytes
  EXPECT_EQ(ofAll(bert, "# a \u4e00"), 2);
  EXPECT_EQ(bert.ownBytes(bert.vocabulary().special().unknown), 0);
  const std::string text = "Ein Café\n\n  mit \u4e00.";
  int byteLevel = 0;
  for (const auto& [kind, vector] : vectors().at("kinds").items()) {
    const auto tokenizer = tokenizerOf(vector.at("file"));
    ASSERT_TRUE(tokenizer.ok()) << kind;
    const json& steps = vector.at("file").at("pre_tokenizer");
    const bool exact = steps.is_object() && steps.value("type", "") == "ByteLevel" &&
                       !steps.value("add_prefix_space", true) && vector.at("file").at("normalizer").is_null();
    if (!exact) continue;
    ++byteLevel;
    EXPECT_EQ(ofAll(*tokenizer, text), std::ssize(text)) << kind;
  }
  EXPECT_GT(byteLevel, 0);
  const TokenDataset data = test::datasetOf({{5, 6, 7}, {9}}, bert.vocabulary().special(), 10);
  EXPECT_EQ(TextBytes(bert, data).under(Ids{5, 6, 9, 1}), 5);
  const TempFolder folder;
  auto writer =
      TokenFileWriter::open({folder / "t.tokens", {}, bert.vocabulary().special(), bert.vocabulary().size(), 10})
          .value();
  ASSERT_TRUE(writer.add(Ids{5, 6, 7, 9}, {1, 12}).ok() && writer.finish().ok());  // "cafés a" with 6 of 12 bytes
  const TokenDataset known = TokenDataset::open(folder / "t.tokens").value();
  EXPECT_EQ(TextBytes(bert, known).under(Ids{5, 6}), 8) << "what the tokenizer drops is spread over the tokens";
  EXPECT_EQ(TextBytes(bert, known).under(Ids{5, 6, 7, 9}), 12);
}

TEST(TokenizerTest, AFolderMayHoldEitherFile) {
  TempFolder folder;
  const std::string vocabulary = test::smallVocabulary({"the", "fox", "##es"}).text();
  test::writeText(folder / "bert" / "vocab.txt", vocabulary);
  const auto bert = Tokenizer::load(folder / "bert", true).value();
  EXPECT_TRUE(bert.isBert());
  EXPECT_EQ(bert.identity(), Tokenizer::bert(bert.vocabulary(), true).identity());
  test::writeText(folder / "modern" / "tokenizer.json", fileOf("modernbert").dump());
  test::writeText(folder / "modern" / "vocab.txt", vocabulary);
  for (const fs::path& path : {folder / "modern", folder / "modern" / "tokenizer.json"}) {
    const auto modern = Tokenizer::load(path, true).value();
    EXPECT_FALSE(modern.isBert());
    EXPECT_EQ(modern.encode("the"), tokenizerOf(fileOf("modernbert"))->encode("the"));
  }
  EXPECT_TRUE(Tokenizer::load(folder / "modern" / "vocab.txt", true)->isBert());
  test::writeText(folder / "named" / "tokenizer.json", fileOf("plain_words").dump());
  test::writeText(folder / "named" / "special_tokens_map.json", R"({"mask_token": "[PAD]"})");
  EXPECT_EQ(Tokenizer::load(folder / "named", true)->vocabulary().special().mask, 0);
  fs::create_directories(folder / "empty");
  EXPECT_THAT(Tokenizer::load(folder / "empty", true).error().text(), HasSubstr("no tokenizer.json and no vocab.txt"));
  test::writeText(folder / "lfs.json", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n");
  EXPECT_THAT(Tokenizer::load(folder / "lfs.json", true).error().text(), HasSubstr("git lfs pull"));
  EXPECT_EQ(Tokenizer::load(folder / "none.json", true).error().code, ErrorCode::NotFound);
}

TEST(TokenizerTest, AFolderSaysItselfWhetherItsVocabularyIsLowercased) {
  const TempFolder folder;
  ASSERT_TRUE(writeFileAtomically(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nder\nDer\n").ok());
  const auto load = [&](const char* config, bool lowercase) {
    EXPECT_TRUE(writeFileAtomically(folder / "tokenizer_config.json", config).ok());
    return Tokenizer::load(folder.path(), lowercase);
  };
  EXPECT_FALSE(load(R"({"do_lower_case": false})", true)->lowercase()) << "as gbert-base";
  EXPECT_TRUE(load(R"({"do_lower_case": true, "strip_accents": true})", false)->lowercase());
  for (const bool lowercase : {true, false})
    for (const char* config : {"{}", "[]", "no JSON", R"({"do_lower_case": "yes"})", R"({"strip_accents": null})"})
      EXPECT_EQ(load(config, lowercase)->lowercase(), lowercase) << config;
  EXPECT_THAT(load(R"({"do_lower_case": true, "strip_accents": false})", true).error().text(),
              HasSubstr("write a tokenizer.json"));
  EXPECT_THAT(load(R"({"do_lower_case": true, "tokenize_chinese_chars": false})", true).error().text(),
              HasSubstr("takes Chinese characters like others"));
  EXPECT_TRUE(load(R"({"do_lower_case": true, "tokenize_chinese_chars": true})", false)->lowercase());
  EXPECT_THAT(load(R"({"tokenizer_class": "BertJapaneseTokenizer", "do_lower_case": false})", true).error().text(),
              HasSubstr("splits words by a dictionary"));
  EXPECT_TRUE(Tokenizer::load(folder / "vocab.txt", true)->lowercase()) << "a file says nothing of its folder";
}

TEST(TokenizerTest, StoredTextsMakeTheSameTokenizerAgain) {
  const std::string config = R"({"mask_token": "[UNK]"})";
  for (const auto& [kind, vector] : vectors().at("kinds").items()) {
    const auto tokenizer = tokenizerOf(vector.at("file"), kind == "modernbert" ? config : "").value();
    const auto again = Tokenizer::fromTexts(tokenizer.texts(), "stored").value();
    EXPECT_EQ(again.identity(), tokenizer.identity()) << kind;
    EXPECT_EQ(again.texts(), tokenizer.texts()) << kind;
    const auto spaced = Tokenizer::fromTexts({{}, true, vector.at("file").dump(4), tokenizer.texts().config}, "x");
    EXPECT_EQ(spaced->identity(), tokenizer.identity()) << "white space in the file does not count";
  }
  const json file = fileOf("modernbert");
  EXPECT_NE(tokenizerOf(file)->identity(), tokenizerOf(file, config)->identity()) << "another mask";
  json changed = file;
  changed["normalizer"] = nullptr;
  EXPECT_NE(tokenizerOf(file)->identity(), tokenizerOf(changed)->identity());
  const Tokenizer bert = Tokenizer::bert(test::smallVocabulary({"a", "b"}), false);
  EXPECT_EQ(Tokenizer::fromTexts(bert.texts(), "stored")->identity(), bert.identity());
}

TEST(TokenizerTest, IllFormedTextCountsAsTheReplacementCharacter) {
  const auto tokenizer = tokenizerOf(fileOf("modernbert")).value();
  EXPECT_EQ(tokenizer.encode("a\xFF"
                             "b \xE2\x82"),
            tokenizer.encode("a\uFFFDb \uFFFD"));
}

TEST(TokenizerTest, LongWordsAreEncodedAsTheirParts) {
  // Merges end where no token goes on: a long word, its parts, and each of them alone must agree with one another.
  const auto tokenizer = tokenizerOf(fileOf("roberta")).value();
  std::string word;
  for (int i = 0; i < 3000; ++i) word += static_cast<char>('a' + i * i % 26);
  Tokenizer::Encoder encoder(tokenizer);
  Ids once, twice;
  encoder.append(word, once);
  encoder.append(word, twice);
  EXPECT_EQ(once, twice);
  std::string text;
  for (const std::int32_t id : once) text += tokenizer.vocabulary().token(id);
  EXPECT_EQ(text, word);
}

/// `first` and `second` by turns.
std::string alternating(char first, char second, std::size_t bytes) {
  std::string text(bytes, first);
  for (std::size_t at = 1; at < bytes; at += 2) text[at] = second;
  return text;
}

TEST(TokenizerTest, KnowsWhatStandsBetweenTheTextsOfAPair) {
  json file = vectors().at("kinds").begin().value().at("file");
  const auto between = [&file](const char* processor) {
    file["post_processor"] = json::parse(processor);
    return parseTokenizerJson(file.dump()).value().between;
  };
  EXPECT_EQ(between("null"), Ids{});
  EXPECT_EQ(between(R"({"type": "BertProcessing", "cls": ["a", 0], "sep": ["b", 1]})"), Ids{1});
  EXPECT_EQ(between(R"({"type": "RobertaProcessing", "cls": ["a", 0], "sep": ["b", 1]})"), (Ids{1, 1}));
  EXPECT_EQ(between(R"({"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "a"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "b"}}],
      "pair": [{"SpecialToken": {"id": "a"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "b"}},
               {"SpecialToken": {"id": "a"}}, {"Sequence": {"id": "B"}}, {"SpecialToken": {"id": "b"}}],
      "special_tokens": {"a": {"ids": [0]}, "b": {"ids": [1]}}})"),
            (Ids{1, 0}));
}

TEST(TokenizerTest, LongWordsTakeWorkInProportion) {
  constexpr std::size_t kBytes = 100'000;
  for (const auto& [kind, vector] : vectors().at("kinds").items()) {
    const TokenizerDefinition definition = parseTokenizerJson(vector.at("file").dump()).value();
    const auto* pairs = std::get_if<BytePairSpec>(&definition.model);
    const auto* unigram = std::get_if<UnigramSpec>(&definition.model);
    for (const char second : {'e', 'h', ' '}) {
      const std::string text = alternating('e', second, kBytes);
      Ids ids;
      if (pairs != nullptr) {
        EXPECT_LE(BytePairModel(*pairs).append(text, ids), 6 * kBytes) << kind;
      } else if (unigram != nullptr) {
        EXPECT_LE(UnigramModel(*unigram).append(text, ids), 20 * kBytes) << kind;
      } else {
        continue;
      }
      EXPECT_GT(ids.size(), kBytes / 100) << kind;
    }
  }
}

TEST(TokenizerTest, NoVocabularyMakesLongWordsSlow) {
  constexpr std::size_t kBytes = 100'000;
  const std::string letters(kBytes, 'a');
  Ids ids;
  // Each place of the text begins all pieces but the last, of which the beginning is there.
  UnigramSpec unigram{{{"?", -9.0}, {"a", -1.0}}, 0, {}};
  for (std::size_t bytes = 2; bytes < 64; ++bytes)
    unigram.pieces.emplace_back(std::string(bytes, 'a'), -static_cast<double>(bytes));
  unigram.pieces.emplace_back(std::string(kMaxPieceBytes - 1, 'a') + "b", -1.0);
  EXPECT_LE(UnigramModel(unigram).append(letters, ids), kMaxPieceBytes * kBytes);
  EXPECT_EQ(ids.size(), (kBytes + 62) / 63) << "ties: the piece that begins first";

  // Merges that double: the symbols become fewer, and the pairs with them.
  BytePairSpec doubling;
  doubling.tokens.emplace_back("a", 0);
  for (std::int32_t id = 1; id < 15; ++id) {
    doubling.tokens.emplace_back(std::string(std::size_t{1} << id, 'a'), id);
    doubling.merges.push_back({id - 1, id - 1, id});
  }
  ids.clear();
  EXPECT_LE(BytePairModel(doubling).append(letters, ids), 6 * kBytes);
  EXPECT_LT(ids.size(), 20u);

  WordPieceSpec words{
      {{"?", 0}, {"a", 1}, {"##a", 2}, {"##" + std::string(kMaxPieceBytes - 3, 'a') + "b", 3}}, 0, "##", 1'000'000};
  ids.clear();
  EXPECT_LE(WordPieces(words).append(letters, ids), kMaxPieceBytes * kBytes);
  EXPECT_EQ(ids.size(), kBytes);
}

TEST(AddedTokensTest, TakeWorkInProportionWhateverTheyAre) {
  constexpr std::size_t kBytes = 100'000;
  std::vector<AddedToken> tokens;
  for (std::int32_t id = 0; id < 2000; ++id)  // all begin as the text does
    tokens.push_back({id, "aaa" + std::to_string(id)});
  std::vector<TextPart> parts;
  EXPECT_LE(AddedTokens(tokens).split(std::string(kBytes, 'a'), false, parts), 5 * kBytes);
  EXPECT_EQ(parts.size(), 1u);
  for (const bool left : {false, true}) {  // each takes all white space along that is beside it
    parts.clear();
    const AddedTokens spaces({{0, "  ", false, false, left, !left}});
    EXPECT_LE(spaces.split(std::string(kBytes, ' '), false, parts), 4 * kBytes);
    EXPECT_EQ(parts.size(), kBytes / 2);
  }
}

TEST(AddedTokensTest, TheLongestOneCountsAndOfEqualOnesTheFirst) {
  const AddedTokens tokens({{1, "ab"}, {2, "abc"}, {3, "ab"}, {4, "c"}, {5, "\xC3\xA9"}});
  std::vector<TextPart> parts;
  tokens.split("xabcabdc\xC3\xA9\xC3\xA8", false, parts);
  Ids ids;
  for (const TextPart& part : parts) ids.push_back(part.id);
  EXPECT_EQ(ids, (Ids{-1, 2, 1, -1, 4, 5, -1}));
}

TEST(TrainBytePairsTest, HasExactlyTheSizeAskedForAndReadsItself) {
  BytePairCounter counter;
  counter.add("The quick brown fox jumps over the lazy dog. The dog sleeps, the fox doesn't: \u00e9t\u00e9!");
  for (const int size : {261, 280, 1000}) {
    const auto trained = test::checked(trainBytePairs(counter, size));
    EXPECT_EQ(*trained, *trainBytePairs(counter, size)) << "deterministic";
    const auto tokenizer = Tokenizer::fromTexts({{}, true, *trained, {}}, "trained").value();
    EXPECT_EQ(tokenizer.vocabulary().size(), size);
    EXPECT_EQ(tokenizer.vocabulary().special().mask, 4);
    std::string shown;
    for (const std::int32_t id : tokenizer.encode("the quick dog's \u4e2d")) shown += tokenizer.vocabulary().token(id);
    EXPECT_EQ(shown, "the\u0120quick\u0120dog's\u0120\u00e4\u00b8\u0143") << size;
  }
  EXPECT_LT(
      Tokenizer::fromTexts({{}, true, *trainBytePairs(counter, 300), {}}, "trained")->encode("the lazy dog").size(),
      9u);
  EXPECT_THAT(trainBytePairs(counter, 260).error().text(), HasSubstr("261"));
  EXPECT_FALSE(trainBytePairs(BytePairCounter(), 300).ok());
}

TEST(TrainBytePairsTest, TheSpaceBeforeAMaskBelongsToIt) {
  BytePairCounter counter;
  counter.add("A fox. \u00c9tude etude.");
  const auto tokenizer = Tokenizer::fromTexts({{}, true, *trainBytePairs(counter, 300), {}}, "trained").value();
  const auto one = tokenizer.encode("a [MASK]", SpecialTokensInText::Recognize);
  EXPECT_EQ(one, (Ids{tokenizer.encode("a").front(), 4}));
  EXPECT_EQ(tokenizer.encode("e\u0301"), tokenizer.encode("\u00e9")) << "normalized";
}

TEST(TokenFileTest, LargeVocabulariesHaveIdsOf32Bits) {
  TempFolder folder;
  constexpr std::int32_t kTokens = 70'000;
  const TokenFileSpec spec{folder / "large.tokens", {1, 2}, {0, 1, 2, 3, 4}, kTokens, 16, false};
  auto writer = TokenFileWriter::open(spec).value();
  const Ids ids = {65'535, 65'536, 69'999, 5};
  ASSERT_TRUE(writer.add(ids, {}).ok());
  ASSERT_TRUE(writer.finish().ok());
  const auto read = TokenDataset::open(spec.path, CacheCheck::Content).value();
  EXPECT_THAT(read.tokens(0), ElementsAre(2, 65'535, 65'536, 69'999, 5, 3));
}

}  // namespace
}  // namespace batchwise
