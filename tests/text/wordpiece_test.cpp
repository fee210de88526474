// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/text/demo_corpus.h"
#include "core/text/pieces.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"
#include "core/text/vocabulary_trainer.h"
#include "core/text/word_cache.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::TempFolder;
using test::writeText;
using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

json readJson(const fs::path& path) {
  return json::parse(readFile(path).value());
}

TEST(WordPieceTest, GivesTheIdsOfTheCommittedVectors) {
  const json vectors = readJson(test::sourceRoot() / "tests/vectors/wordpiece.json");
  const auto vocabulary = test::smallVocabulary(vectors.at("pieces").get<std::vector<std::string>>());
  const auto texts = vectors.at("texts").get<std::vector<std::string>>();
  ASSERT_GE(texts.size(), 60u);
  for (const bool lowercase : {true, false}) {
    const Tokenizer tokenizer = Tokenizer::bert(vocabulary, lowercase);
    const json& expected = vectors.at(lowercase ? "lower" : "cased");
    for (std::size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(tokenizer.encode(texts[i], SpecialTokensInText::Recognize), expected.at(i).get<Ids>())
          << json(texts[i]).dump(-1, ' ', true) << (lowercase ? " lower" : " cased");
  }
}

TEST(WordPieceTest, ATextCannotSpeakSpecialTokensUnlessItMay) {
  const Tokenizer tokenizer = Tokenizer::bert(test::smallVocabulary({"[", "]", "mask", "a"}), true);
  EXPECT_THAT(tokenizer.encode("a [MASK]"), ElementsAre(8, 5, 7, 6));
  EXPECT_THAT(tokenizer.encode("a [MASK]", SpecialTokensInText::Recognize), ElementsAre(8, 4));
}

TEST(WordPieceTest, IllFormedTextVanishes) {
  const Tokenizer tokenizer = Tokenizer::bert(test::smallVocabulary({"a", "##b"}), true);
  EXPECT_THAT(tokenizer.encode("a\xFF"
                               "b \xE2\x82"),
              ElementsAre(5, 6));
}

TEST(WordPieceTest, TheEncoderRemembersWordsWithoutMixingThemUp) {
  std::vector<std::string> pieces{"##0", "##1", "##2", "##3", "##4", "##5", "##6", "##7", "##8", "##9"};
  for (char c = 'a'; c <= 'z'; ++c) pieces.emplace_back(1, c);
  const Tokenizer tokenizer = Tokenizer::bert(test::smallVocabulary(pieces), true);
  Tokenizer::Encoder encoder(tokenizer);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 200'000; i += 7) {  // more words than the memory has places
      const std::string word = static_cast<char>('a' + i % 26) + std::to_string(i);
      Ids ids;
      encoder.append(word, ids);
      ASSERT_EQ(ids.size(), word.size()) << word;
      for (std::size_t at = 1; at < word.size(); ++at) ASSERT_EQ(ids[at], 5 + word[at] - '0') << word;
    }
}

TEST(WordPieceTest, IdentityTellsVocabularyAndCaseApart) {
  const Tokenizer tokenizer = Tokenizer::bert(test::smallVocabulary({"a", "b"}), true);
  EXPECT_EQ(Tokenizer::bert(test::smallVocabulary({"a", "b"}), true).identity(), tokenizer.identity());
  EXPECT_NE(Tokenizer::bert(test::smallVocabulary({"a", "b"}), false).identity(), tokenizer.identity());
  EXPECT_NE(Tokenizer::bert(test::smallVocabulary({"b", "a"}), true).identity(), tokenizer.identity());
}

/// Compares with Hugging Face's tokenizer, which runs in the Python environment of the test dependencies.
class WordPieceJudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::referencePython())
      GTEST_SKIP() << "the Python test dependencies are not installed: nothing to compare with";
  }

  void judge(const std::string& arguments) {
    const std::string command = "'" + test::referencePython()->native() + "' '" +
                                (test::sourceRoot() / "tests/text/wordpiece_judge.py").native() + "' " + arguments;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  void writeTexts(const std::vector<std::string>& texts) {
    test::writeText(folder_ / "texts.json", json(texts).dump(-1, ' ', true));
  }

  /// Of the texts.
  void makeVocabulary(bool lowercase) {
    judge(std::string("vocabulary ") + (lowercase ? "lower " : "cased ") + (folder_ / "texts.json").native() + " " +
          (folder_ / "vocab.txt").native());
  }

  void expectEqualIds(const std::vector<std::string>& texts, bool lowercase) {
    const std::string vocabulary = (folder_ / "vocab.txt").native();
    judge("encode " + vocabulary + (lowercase ? " lower " : " cased ") + (folder_ / "texts.json").native() + " " +
          (folder_ / "ids.json").native());
    const json expected = readJson(folder_ / "ids.json");
    const Tokenizer tokenizer = Tokenizer::bert(Vocabulary::load(vocabulary).value(), lowercase);
    Tokenizer::Encoder encoder(tokenizer);
    std::int64_t different = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Ids ids;
      encoder.append(texts[i], ids);
      if (ids == expected.at(i).get<Ids>()) continue;
      if (++different <= 5) ADD_FAILURE() << json(texts[i]).dump(-1, ' ', true) << (lowercase ? " lower" : " cased");
    }
    EXPECT_EQ(different, 0) << "of " << texts.size();
  }

  /// Values of `lowercase` to compare with.
  static std::vector<bool> casesOfTier() {
    return test::isFullTier() ? std::vector<bool>{true, false} : std::vector<bool>{true};
  }

  TempFolder folder_;
};

/// Random lines of code points: evenly from one plane, or from ranges where rules meet, with white space here and
/// there.
std::string randomLine(std::uint64_t key) {
  static constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
      {0x0, 0x17F},       {0x2B0, 0x5FF},     {0x600, 0x1FFF},    {0x2000, 0x2BFF},    {0x3000, 0x30FF},
      {0x3400, 0x9FFF},   {0xA000, 0xABFF},   {0xAC00, 0xD7FF},   {0xF900, 0xFFFF},    {0x10000, 0x11FFF},
      {0x1B44, 0x1B44},   {0x302E, 0x302F},   {0x1D158, 0x1D172}, {0x1E000, 0x1E02A},  {0x300, 0x36F},
      {0x1D000, 0x1F9FF}, {0x20000, 0x2FA1F}, {0xE0000, 0xE01EF}, {0x10FF00, 0x10FFFF}};
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t bound) { return boundedRandom(randomBits(key, drawn++), bound); };
  const std::uint64_t style = draw(std::size(kRanges) + 17);
  std::string line;
  for (std::uint64_t left = 1 + draw(40); left > 0; --left) {
    std::pair<std::uint32_t, std::uint32_t> range;
    if (style < 17) {
      range = {static_cast<std::uint32_t>(style << 16), static_cast<std::uint32_t>(style << 16) + 0xFFFF};
    } else {
      range = kRanges[draw(3) == 0 ? draw(std::size(kRanges)) : style - 17];
    }
    const auto codePoint = range.first + static_cast<std::uint32_t>(draw(range.second - range.first + 1));
    if (codePoint < 0xD800 || codePoint > 0xDFFF) appendUtf8(line, codePoint);
    if (draw(8) == 0) line.push_back("  a.\n"[draw(5)]);
  }
  return line;
}

TEST_F(WordPieceJudgeTest, AgreesOnRandomLinesFromEveryPlane) {
  std::vector<std::string> lines;
  for (std::uint64_t i = 0; i < 10'000; ++i) lines.push_back(randomLine(subKey(20'240'501, i)));
  writeTexts(lines);
  for (const bool lowercase : {true, false}) {
    makeVocabulary(lowercase);
    expectEqualIds(lines, lowercase);
  }
}

TEST_F(WordPieceJudgeTest, AgreesOnEveryCodePoint) {
  // The quick tier leaves out the planes in which next to nothing is assigned.
  const std::uint32_t end = test::isFullTier() ? 0x110000 : 0x20000;
  std::vector<std::string> lines;
  for (std::uint32_t c = 0; c < end; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (c % 32 == 0) lines.emplace_back();
    lines.back() += "a";
    appendUtf8(lines.back(), c);
    lines.back() += "b ";
  }
  writeTexts(lines);
  for (const bool lowercase : casesOfTier()) {
    makeVocabulary(lowercase);
    expectEqualIds(lines, lowercase);
  }
}

TEST_F(WordPieceJudgeTest, AgreesOnRealTextWithATrainedVocabulary) {
  const auto wikitext = test::realText("wikitext-2");
  const auto shakespeare = test::realText("tinyshakespeare");
  if (!wikitext || !shakespeare) GTEST_SKIP() << "the real texts are not beside the project";
  std::vector<std::string> documents;
  const auto files = findTextFiles({wikitext->native(), shakespeare->native()}, "/", TextFormat::Text);
  for (const fs::path& path : files.value()) {
    auto reader = DocumentReader::open(path, TextFormat::Text).value();
    for (std::string document; reader.next(document).value();) documents.push_back(document);
  }
  ASSERT_GT(documents.size(), 5000u);
  writeTexts(documents);
  for (const bool lowercase : casesOfTier()) {
    WordCounter counter(lowercase);
    for (const std::string& document : documents) counter.add(document);
    test::writeText(folder_ / "vocab.txt", trainVocabulary(counter, 8192).value().text());
    expectEqualIds(documents, lowercase);
  }
}

constexpr const char* kSpecialLines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

TEST(VocabularyTest, LoadsAFileOrItsFolder) {
  const TempFolder folder;
  const auto path =
      writeText(folder / "vocab.txt", "\xEF\xBB\xBFthe\r\n[MASK]\r\n[SEP]\r\n##s\r\n[CLS]\r\n[UNK]\r\n[PAD]\r\n");
  for (const auto& from : {path, folder.path()}) {
    const auto vocabulary = test::checked(Vocabulary::load(from));
    EXPECT_EQ(vocabulary->size(), 7);
    EXPECT_EQ(vocabulary->id("##s"), 3);
    EXPECT_EQ(vocabulary->token(0), "the");
    EXPECT_EQ(vocabulary->special().mask, 1);
    EXPECT_EQ(vocabulary->special().pad, 6);
    EXPECT_THAT(vocabulary->specialIds(), ElementsAre(1, 2, 4, 5, 6));
  }
}

TEST(VocabularyTest, CopiesStandOnTheirOwn) {
  auto original = std::make_unique<Vocabulary>(test::smallVocabulary({"a", "b"}));
  const Vocabulary copy = *original;
  original.reset();
  EXPECT_EQ(copy.id("b"), 6);
  EXPECT_EQ(copy.identity(), test::smallVocabulary({"a", "b"}).identity());
  EXPECT_EQ(copy.text(), std::string(kSpecialLines) + "a\nb\n");
}

TEST(VocabularyTest, SaysWhatIsWrongAndWhere) {
  const TempFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {"", "has no tokens"},
      {std::string(kSpecialLines) + "a\nb\na\n", "line 8: 'a' is on line 6 already"},
      {std::string(kSpecialLines) + "a\n\nb\n", "line 7: is empty"},
      {std::string(kSpecialLines) + "a\n\xFFz\n", "line 7: is not UTF-8"},
      {"[PAD]\n[UNK]\n[SEP]\na\n", "lacks [CLS], [MASK]"},
      {"a\nb\n", "lacks [PAD], [UNK], [CLS], [SEP], [MASK]"},
      {kSpecialLines, "only special tokens"},
  };
  for (const auto& [content, words] : cases) {
    const auto vocabulary = Vocabulary::load(writeText(folder / "vocab.txt", content));
    ASSERT_FALSE(vocabulary.ok()) << words;
    EXPECT_EQ(vocabulary.error().code, ErrorCode::Config);
    EXPECT_THAT(vocabulary.error().message, HasSubstr(words));
    EXPECT_THAT(vocabulary.error().message, HasSubstr("vocab.txt"));
  }
  EXPECT_EQ(Vocabulary::load(folder / "none.txt").error().code, ErrorCode::NotFound);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_THAT(Vocabulary::load(folder / "empty").error().message, HasSubstr("holds no vocab.txt"));
}

Result<Vocabulary> trainOn(std::string_view text, std::int32_t size, bool lowercase = true) {
  WordCounter counter(lowercase);
  counter.add(text);
  return trainVocabulary(counter, size);
}

TEST(TrainVocabularyTest, HasExactlyTheSizeAskedFor) {
  const std::string text = demoCorpus({.seed = 1, .paragraphs = 300});
  for (const std::int32_t size : {16, 17, 50, 100, 333, 1000, 20'000}) {
    const auto vocabulary = test::checked(trainOn(text, size));
    EXPECT_EQ(vocabulary->size(), size);
    EXPECT_THAT(std::vector<std::string>(vocabulary->tokens().begin(), vocabulary->tokens().begin() + 5),
                ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"));
  }
}

TEST(TrainVocabularyTest, KnowsEveryWordOfASmallLanguage) {
  const std::string text = demoCorpus({.seed = 1, .paragraphs = 2000});
  const auto vocabulary = trainOn(text, 512);
  const Tokenizer tokenizer = Tokenizer::bert(*vocabulary, true);
  const auto ids = tokenizer.encode(text);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), vocabulary->special().unknown), 0);
  EXPECT_TRUE(vocabulary->id("the") && vocabulary->id("fox") && vocabulary->id("story"));
  const auto words = std::count(text.begin(), text.end(), ' ');
  EXPECT_LT(std::ssize(ids), words * 5 / 4);
}

TEST(TrainVocabularyTest, TheSameTextGivesTheSameVocabulary) {
  const std::string text = demoCorpus({.seed = 3, .paragraphs = 500});
  EXPECT_EQ(trainOn(text, 700)->tokens(), trainOn(text, 700)->tokens());
}

TEST(TrainVocabularyTest, CharactersComeInBothFormsAsFarAsTheyCanBeUsed) {
  const auto vocabulary = trainOn("ab ba, \u4e2d\u6587 \u00e9 ab ab", 40, false);
  for (const char* token : {"a", "##a", "b", "##b", ",", "\u4e2d", "\u6587", "\u00e9"})
    EXPECT_TRUE(vocabulary->id(token)) << token;
  for (const char* token : {"##,", "##\u4e2d"}) EXPECT_FALSE(vocabulary->id(token)) << token;
}

TEST(TrainVocabularyTest, RareCharactersGiveWayInASmallVocabulary) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "hello help held ";
  for (std::uint32_t c = 0x4E00; c < 0x4E00 + 500; ++c) text += "\u4e00";
  for (std::uint32_t c = 0x5000; c < 0x5000 + 500; ++c) {
    const char bytes[] = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
                          static_cast<char>(0x80 | (c & 0x3F)), '\0'};
    text += bytes;
  }
  const auto vocabulary = test::checked(trainOn(text, 100));
  EXPECT_EQ(vocabulary->size(), 100);
  EXPECT_TRUE(vocabulary->id("hello")) << "half of the vocabulary is left to pieces";
  EXPECT_TRUE(vocabulary->id("\u4e00"));
}

TEST(TrainVocabularyTest, OddTextsDoNoHarm) {
  for (const char* text :
       {"\xE2\x96\x81 a", "\xE2\x96\x81", "<unk> <s> </s> \t", "a", "\U0001f600", "...", "1 22 333"}) {
    const auto vocabulary = trainOn(text, 64);
    ASSERT_TRUE(vocabulary.ok()) << text << vocabulary.error().text();
    EXPECT_EQ(vocabulary->size(), 64);
  }
  const auto longWord = test::checked(trainOn(std::string(5000, 'q') + " a", 64));
}

TEST(TrainVocabularyTest, RefusesWhatCannotBe) {
  EXPECT_THAT(trainOn("", 100).error().message, HasSubstr("no words"));
  EXPECT_THAT(trainOn(" \n\t\x01 ", 100).error().message, HasSubstr("no words"));
  EXPECT_THAT(trainOn("a b", 15).error().message, HasSubstr("16 to"));
  EXPECT_EQ(trainOn("a b", -1).error().code, ErrorCode::Config);
}

TEST(WordCounterTest, StaysSmallAndKeepsTheFrequentWords) {
  WordCounter counter(true, 1000);
  for (int i = 0; i < 50'000; ++i) counter.add("often word" + std::to_string(i) + (i % 10 == 0 ? " sometimes" : ""));
  const auto words = counter.mostFrequent(2);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0], (std::pair<std::string, std::int64_t>("often", 50'000)));
  EXPECT_EQ(words[1].first, "sometimes");
  EXPECT_LE(counter.mostFrequent(100'000).size(), 1000u);
}

/// As many ids as the word has bytes, up to 9: the word's length and its bytes.
Ids idsOf(std::string_view word) {
  Ids ids{static_cast<std::int32_t>(word.size())};
  for (const char c : word.substr(0, 8)) ids.push_back(static_cast<std::uint8_t>(c));
  return ids;
}

TEST(LongWordCacheTest, GivesTheIdsOfEachWordAndMakesThoseOfShortWordsOnce) {
  std::string text;
  std::vector<WordSpan> words;
  Ids expected;
  const auto add = [&](const std::string& word) {
    const auto begin = static_cast<std::uint32_t>(text.size());
    text += word;
    words.push_back({begin, static_cast<std::uint32_t>(text.size())});
    for (const std::int32_t id : idsOf(word)) expected.push_back(id);
  };
  for (int round = 0; round < 3; ++round)
    for (int size = 0; size <= 40; ++size) add(std::string(static_cast<std::size_t>(size), 'x'));
  for (int round = 0; round < 2; ++round)
    for (const char* word : {"a", "b", "ab", "ba", "\xFF", "a\xFF", "eight888", "nine99999"}) add(word);
  add("a");  // less than a key before the end of the text
  LongWordCache cache;
  std::map<std::string, int> made;
  for (int round = 0; round < 2; ++round) {
    Ids found;
    cache.append(text, words, found, [&](std::string_view word, Ids& ids) {
      ++made[std::string(word)];
      for (const std::int32_t id : idsOf(word)) ids.push_back(id);
    });
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(made["x"], 1);
  EXPECT_EQ(made["a"], 1);
  EXPECT_EQ(made["xxxxxx"], 1) << "seven ids";
  EXPECT_EQ(made["xxxxxxx"], 6) << "eight ids are too many";
  EXPECT_EQ(made[std::string(31, 'x')], 6);
}

TEST(LongWordCacheTest, AWordMayBeMadeOfPartsThatAreCachedToo) {
  LongWordCache cache;
  int parts = 0;
  const std::string text(40, 'p');
  for (int round = 0; round < 2; ++round) {
    Ids ids;
    cache.append(text, std::vector<WordSpan>{{0, 40}, {0, 2}, {0, 40}}, ids, [&](std::string_view word, Ids& out) {
      if (word.size() <= 2) return out.push_back(2);
      cache.append(word, std::vector<WordSpan>{{0, 1}, {0, 1}}, out, [&](std::string_view, Ids& one) {
        ++parts;
        one.push_back(1);
      });
    });
    EXPECT_EQ(ids, (Ids{1, 1, 2, 1, 1}));
  }
  EXPECT_EQ(parts, 1);
}

TEST(PieceTrieTest, FindsEachPieceAndNothingElse) {
  std::vector<std::string> texts;
  for (int first = 0; first < 256; ++first)  // nodes of every number of children
    for (int second = 0; second <= first % 20; ++second)
      texts.push_back({static_cast<char>(first), static_cast<char>(second * 13)});
  for (const char* more : {"abc", "abcd", "abd", "a", ""}) texts.emplace_back(more);
  std::map<std::string, std::int32_t> expected;
  std::vector<std::pair<std::string_view, std::int32_t>> pieces;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    pieces.emplace_back(texts[i], static_cast<std::int32_t>(i));
    if (!texts[i].empty()) expected[texts[i]] = static_cast<std::int32_t>(i);
  }
  pieces.emplace_back("abd", 7000);
  expected["abd"] = 7000;
  const PieceTrie trie(pieces);
  std::size_t found = 0;
  for (int first = 0; first < 256; ++first) {
    const std::uint32_t one = trie.child(PieceTrie::kRoot, static_cast<std::uint8_t>(first));
    ASSERT_NE(one, PieceTrie::kRoot);
    for (int second = 0; second < 256; ++second) {
      const std::uint32_t two = trie.child(one, static_cast<std::uint8_t>(second));
      const auto known = expected.find({static_cast<char>(first), static_cast<char>(second)});
      if (two == PieceTrie::kRoot) {
        EXPECT_EQ(known, expected.end());
      } else if (first != 'a' || second != 'b') {
        ASSERT_NE(known, expected.end());
        EXPECT_EQ(trie.value(two), known->second);
        ++found;
      }
    }
  }
  EXPECT_EQ(found + 4, expected.size()) << "without a, abc, abcd, abd";
  const auto walk = [&](std::string_view text) {
    std::uint32_t node = PieceTrie::kRoot;
    for (const char c : text) node = trie.child(node, static_cast<std::uint8_t>(c));
    return trie.value(node);
  };
  for (const char* text : {"a", "abc", "abcd", "abd"}) EXPECT_EQ(walk(text), expected[text]) << text;
  EXPECT_EQ(walk("ab"), -1);
}

}  // namespace
}  // namespace batchwise
