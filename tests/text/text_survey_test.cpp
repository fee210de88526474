// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSentence = "The cat sat on the mat, and it was not in the house with the dog.";  // 16 words

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class TextSurveyTest : public testing::Test {
 protected:
  void write(const char* name, const std::string& text) { test::writeText(folder_ / name, text); }
  Result<TextSurvey> survey(const char* name = ".", SurveyRequest request = {}) {
    request.paths = {(folder_ / name).native()};
    return surveyText(request, {}, {});
  }
  std::string problemOf(const char* name) {
    const auto found = survey(name);
    return found.ok() ? "none" : found.error().message;
  }
  static std::vector<std::string> warningsOf(const TextSurvey& survey) { return survey.warnings; }

  test::TempFolder folder_;
};

TEST_F(TextSurveyTest, CountsDocumentsWordsAndLengthsOfAFolder) {
  write("a.txt", repeated(kSentence + "\n\n", 100));
  write("b.txt", repeated(kSentence + "\n" + kSentence + "\n\n", 50));
  const auto found = survey();
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->format, TextFormat::Text);
  EXPECT_EQ(found->files, 2);
  EXPECT_EQ(found->documents, 150);
  EXPECT_EQ(found->words, 16 * 200);
  EXPECT_EQ(found->medianWords, 16);
  EXPECT_EQ(found->longWords, 32);
  EXPECT_DOUBLE_EQ(found->readShare, 1);
  EXPECT_EQ(found->language, "en");
  EXPECT_EQ(found->sample.front(), kSentence);
  EXPECT_TRUE(found->warnings.empty());
  EXPECT_GE(found->estimatedTokens(), found->words);
  EXPECT_DOUBLE_EQ(found->bytesPerToken, expectedBytesPerToken(1000)) << "of the vocabulary for so little text";
}

TEST_F(TextSurveyTest, ATokenOfASmallVocabularyHasFewerBytes) {
  // WordPiece of `tokenizers` trained on tiny Shakespeare, WikiText-2 (test) and Rotten Tomatoes (train): bytes per
  // token
  const std::map<std::int64_t, std::array<double, 3>> measured = {{1000, {3.025, 2.835, 2.868}},
                                                                  {2000, {3.471, 3.309, 3.329}},
                                                                  {4000, {3.830, 3.797, 3.801}},
                                                                  {8000, {4.086, 4.212, 4.247}},
                                                                  {16'000, {4.241, 4.459, 4.597}}};
  for (const auto& [vocabulary, texts] : measured)
    for (const double found : texts) EXPECT_NEAR(expectedBytesPerToken(vocabulary) / found, 1, 0.07) << vocabulary;
  EXPECT_GT(expectedBytesPerToken(0), 0);
  EXPECT_EQ(vocabularyForText(1'115'394), 4000);
}

TEST_F(TextSurveyTest, GuessesTheFormatFromTheContents) {
  write("lines.txt", repeated(kSentence + "\n", 30));
  write("rows.jsonl", repeated("{\"id\": \"a long identifier of a row\", \"content\": \"" + kSentence + "\"}\n", 30));
  const auto lines = survey("lines.txt"), rows = survey("rows.jsonl");
  ASSERT_TRUE(lines.ok() && rows.ok());
  EXPECT_EQ(lines->format, TextFormat::Lines);
  EXPECT_EQ(lines->documents, 30);
  EXPECT_EQ(rows->format, TextFormat::Jsonl);
  EXPECT_EQ(rows->textField, "content");
  EXPECT_THAT(rows->fields, ElementsAre("content", "id"));
  EXPECT_EQ(rows->documents, 30);
  const auto asText = survey("lines.txt", {.paths = {}, .format = TextFormat::Text, .textField = {}});
  ASSERT_TRUE(asText.ok());
  EXPECT_EQ(asText->documents, 1);
  EXPECT_THAT(warningsOf(*asText), ElementsAre(HasSubstr("add more text, or continue a model that"),
                                               HasSubstr("all text is one document, so none is")));
}

TEST_F(TextSurveyTest, KnowsRowsThatAreLongerThanTheBeginningOfAFile) {
  write("books.jsonl", repeated("{\"id\": \"a\", \"text\": \"" + repeated(kSentence + " ", 3000) + "\"}\n", 3));
  const auto found = survey();
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->format, TextFormat::Jsonl);
  EXPECT_THAT(found->fields, ElementsAre("text", "id"));
  EXPECT_EQ(found->documents, 3);
  EXPECT_EQ(found->words, 3 * 3000 * 16);
}

TEST_F(TextSurveyTest, CountsEachChineseCharacterAsAWord) {
  write("zh.txt", repeated("中文 a中b, 天気\n\n", 10));
  const auto found = survey();
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->medianWords, 7) << "five characters, a, and b with its comma";
}

TEST_F(TextSurveyTest, TakesTheLargerKindOfAMixedFolder) {
  write("notes.md", kSentence);
  write("rows.jsonl", repeated("{\"text\": \"" + kSentence + "\"}\n", 30));
  const auto found = survey();
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->format, TextFormat::Jsonl);
  EXPECT_EQ(found->files, 1);
}

TEST_F(TextSurveyTest, EstimatesLargeTextFromAPart) {
  constexpr int kDocuments = 25'000;  // of 67 bytes
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) write(name, repeated(kSentence + "\n\n", kDocuments));
  const auto found = survey(".", {.paths = {}, .format = {}, .textField = {}, .readBytes = 1 << 20});
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_LT(found->readShare, 0.5);
  EXPECT_NEAR(static_cast<double>(found->documents), 3 * kDocuments, 0.01 * 3 * kDocuments);
  EXPECT_EQ(found->medianWords, 16);
}

TEST_F(TextSurveyTest, SaysWhatIsWrongWithTheText) {
  write("binary.txt", repeated("\x01\x02\x03\x04 some words", 2000));
  write("wide.txt", std::string("\xFF\xFE") + "a\n");
  write("empty.txt", "");
  write("blank.txt", " \n\n \n");
  write("few.txt", "only four words here");
  EXPECT_THAT(problemOf("binary.txt"), HasSubstr("' is not a text file: it holds"));
  EXPECT_THAT(problemOf("wide.txt"), HasSubstr("' is UTF-16 or UTF-32 text; convert it"));
  EXPECT_THAT(problemOf("empty.txt"), HasSubstr("nothing but white space or control characters"));
  EXPECT_THAT(problemOf("blank.txt"), HasSubstr("nothing but white space or control characters"));
  EXPECT_THAT(problemOf("few.txt"), HasSubstr("are needed to train on: add more files"));
  EXPECT_THAT(problemOf("missing.txt"), HasSubstr("there is no file or folder '"));
}

TEST_F(TextSurveyTest, WarnsOfTextThatIsNotUtf8) {
  write("latin.txt", repeated("Die Stra\xDF"
                              "e f\xFC"
                              "hrt \xFC"
                              "ber die Br\xFC"
                              "cke in das Dorf\n\n",
                              400));
  write("nearly.txt", repeated(kSentence + "\n\n", 400) + "one bad \xFC byte");
  write("rows.jsonl", repeated("{\"text\": \"Stra\xDF"
                               "e " +
                                   kSentence + "\"}\n",
                               200));
  const auto latin = survey("latin.txt"), nearly = survey("nearly.txt"), rows = survey("rows.jsonl");
  ASSERT_TRUE(latin.ok() && nearly.ok() && rows.ok());
  EXPECT_EQ(rows->format, TextFormat::Jsonl);
  EXPECT_THAT(warningsOf(*rows), ElementsAre(HasSubstr("places are not valid and would be dropped")));
  EXPECT_THAT(warningsOf(*latin), ElementsAre(HasSubstr("places are not valid and would be dropped")));
  EXPECT_THAT(warningsOf(*nearly), ElementsAre(HasSubstr("not valid Unicode; each was replaced by U+FFFD.")));
}

TEST_F(TextSurveyTest, CanBeStopped) {
  write("a.txt", repeated(kSentence + "\n\n", 100));
  std::stop_source stop;
  stop.request_stop();
  const auto found =
      surveyText({.paths = {(folder_ / "a.txt").native()}, .format = {}, .textField = {}}, {}, stop.get_token());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::Stopped);
}

}  // namespace
}  // namespace batchwise
