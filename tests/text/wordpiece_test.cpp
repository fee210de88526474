// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary_trainer.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::TempFolder;
using testing::ElementsAre;
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
    judge(std::string("vocabulary ") + (lowercase ? "lower " : "cased ") + (folder_ / "texts.json").native() + " " +
          (folder_ / "vocab.txt").native());
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
    judge(std::string("vocabulary ") + (lowercase ? "lower " : "cased ") + (folder_ / "texts.json").native() + " " +
          (folder_ / "vocab.txt").native());
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

}  // namespace
}  // namespace batchwise
