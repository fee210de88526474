// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/random.h"
#include "core/text/demo_corpus.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary_trainer.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using test::TempFolder;
using test::writeText;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSpecialLines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

TEST(VocabularyTest, LoadsAFileOrItsFolder) {
  const TempFolder folder;
  const auto path =
      writeText(folder / "vocab.txt", "\xEF\xBB\xBFthe\r\n[MASK]\r\n[SEP]\r\n##s\r\n[CLS]\r\n[UNK]\r\n[PAD]\r\n");
  for (const auto& from : {path, folder.path()}) {
    const auto vocabulary = Vocabulary::load(from);
    ASSERT_TRUE(vocabulary.ok()) << vocabulary.error().text();
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
    const auto vocabulary = trainOn(text, size);
    ASSERT_TRUE(vocabulary.ok()) << vocabulary.error().text();
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
  const auto vocabulary = trainOn(text, 100);
  ASSERT_TRUE(vocabulary.ok());
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
  const auto longWord = trainOn(std::string(5000, 'q') + " a", 64);
  EXPECT_TRUE(longWord.ok());
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

}  // namespace
}  // namespace batchwise
