// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/general_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/text/corpus_tokenizer.h"
#include "core/text/text_source.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

constexpr double kLongest = 100;  // bytes of a document

class GeneralTextTest : public testing::Test {
 protected:
  /// `count` documents of about 60 bytes.
  void write(const char* name, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "Document " + std::to_string(i) + " of " + name + " is about the sea and its ships.\n\n";
    test::writeText(folder_ / name, text);
  }
  TextSurvey survey(const char* name) {
    SurveyRequest request;
    request.paths = {(folder_ / name).native()};
    const auto found = surveyText(request, {}, {});
    EXPECT_TRUE(found.ok()) << found.error().text();
    return *found;
  }
  GeneralTextRequest request() {
    return {{(folder_ / "general.txt").native()}, survey("general.txt"), survey("own.txt"), 0.05, 0.0, folder_ / "out"};
  }
  static std::set<std::string> documents(const std::filesystem::path& file, const TextSurvey& like) {
    std::set<std::string> all;
    auto reader = DocumentReader::open(file, like.format, like.textField);
    EXPECT_TRUE(reader.ok()) << reader.error().text();
    for (std::string document; *reader->next(document);) all.insert(document);
    return all;
  }

  test::TempFolder folder_;
};

TEST_F(GeneralTextTest, AShareIsTrainedOnAndOtherDocumentsEvaluate) {
  write("own.txt", 10'000);
  write("general.txt", 40'000);
  const GeneralTextRequest asked = request();
  const auto made = writeGeneralText(asked, {}, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const auto trained = documents(made->train, asked.own), evaluated = documents(made->eval, asked.own);
  EXPECT_EQ(std::ssize(trained), made->trainDocuments);
  EXPECT_EQ(std::ssize(evaluated), made->evalDocuments);
  for (const std::string& document : trained) EXPECT_FALSE(evaluated.contains(document));
  const double own = static_cast<double>(asked.own.textBytes), general = static_cast<double>(made->trainBytes);
  EXPECT_GE(general, own / 19);
  EXPECT_LT(general, own / 19 + kLongest);
  EXPECT_NEAR(static_cast<double>(made->evalBytes), 1 << 20, 0.05 * (1 << 20));
  const auto again = writeGeneralText(asked, {}, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(documents(again->train, asked.own), trained) << "the same documents each time";
}

TEST_F(GeneralTextTest, WhatTheRunWouldHoldOutIsNotTrainedOn) {
  write("own.txt", 10'000);
  write("general.txt", 20'000);
  GeneralTextRequest asked = request();
  asked.holdout = 0.3;
  const auto made = writeGeneralText(asked, {}, {});
  ASSERT_TRUE(made.ok());
  for (const std::string& document : documents(made->train, asked.own))
    ASSERT_FALSE(isHeldOut(document, asked.holdout)) << document;
  const double own = 0.7 * static_cast<double>(asked.own.textBytes);  // of which the run trains on as much
  EXPECT_GE(static_cast<double>(made->trainBytes), own / 19);
  EXPECT_LT(static_cast<double>(made->trainBytes), own / 19 + kLongest);
}

TEST_F(GeneralTextTest, ItsFilesHaveTheFormatOfTheOwnText) {
  write("general.txt", 3000);
  std::string rows;
  for (int i = 0; i < 3000; ++i) rows += "{\"body\": \"A row of own text, number " + std::to_string(i) + ".\"}\n";
  test::writeText(folder_ / "own.jsonl", rows);
  GeneralTextRequest asked{
      {(folder_ / "general.txt").native()}, survey("general.txt"), survey("own.jsonl"), 0.05, 0.0, folder_ / "out"};
  const auto made = writeGeneralText(asked, {}, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->eval.extension(), ".jsonl");
  const auto evaluated = documents(made->eval, asked.own);
  EXPECT_EQ(std::ssize(evaluated), made->evalDocuments);
  EXPECT_TRUE(evaluated.begin()->starts_with("Document "));
}

TEST_F(GeneralTextTest, DocumentsAreCountedAndHeldOutAsTheyAreReadAgain) {
  write("own.txt", 1000);
  std::string rows;
  for (int i = 0; i < 4000; ++i) {
    const std::string number = std::to_string(i);
    rows += nlohmann::json{{"text",
                            "\xEF\xBB\xBF"
                            "Title " +
                                number + "\n\n \r\n  Two lines\r\r\nof text " + number + "\n\f\nand an end.\n\n"}}
                .dump() +
            "\n";
  }
  test::writeText(folder_ / "general.jsonl", rows);
  GeneralTextRequest asked{
      {(folder_ / "general.jsonl").native()}, survey("general.jsonl"), survey("own.txt"), 0.8, 0.2, folder_ / "out"};
  ASSERT_EQ(asked.general.format, TextFormat::Jsonl);
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl}) {
    asked.own.format = format;
    const auto made = writeGeneralText(asked, {}, {});
    ASSERT_TRUE(made.ok()) << made.error().text();
    EXPECT_GT(made->trainDocuments, 300);
    const auto trained = documents(made->train, asked.own), evaluated = documents(made->eval, asked.own);
    EXPECT_EQ(std::ssize(trained), made->trainDocuments) << choiceName(format);
    EXPECT_EQ(std::ssize(evaluated), made->evalDocuments) << choiceName(format);
    std::int64_t bytes = 0;
    for (const std::string& document : trained) {
      bytes += std::ssize(document);
      EXPECT_FALSE(isHeldOut(document, asked.holdout)) << choiceName(format);
      EXPECT_FALSE(evaluated.contains(document));
    }
    EXPECT_EQ(bytes, made->trainBytes) << choiceName(format);
  }
}

TEST_F(GeneralTextTest, WarnsOfTextThatIsNotUtf8) {
  write("own.txt", 1000);
  std::string latin1;
  for (int i = 0; i < 2000; ++i) latin1 += "Un caf\xE9 num\xE9ro " + std::to_string(i) + " de plus.\n\n";
  test::writeText(folder_ / "general.txt", latin1);
  const auto made = writeGeneralText(request(), {}, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  ASSERT_EQ(made->warnings.size(), 1U);
  EXPECT_THAT(made->warnings.front(), testing::HasSubstr("places are not valid and would be dropped"));
}

TEST_F(GeneralTextTest, TextThatCannotEvaluateLeavesOldFilesAlone) {
  write("own.txt", 10'000);
  write("general.txt", 1000);
  ASSERT_TRUE(writeGeneralText(request(), {}, {}).ok());
  const auto train = readFile(folder_ / "out/general-train.txt"), eval = readFile(folder_ / "out/general-eval.txt");
  std::string only = "a text of twenty words and some more that is too short to be split into two kinds of text at all";
  while (unitRandom(hash128(only).high) < 0.5) only += " more";
  test::writeText(folder_ / "general.txt", only);
  const auto made = writeGeneralText(request(), {}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, testing::HasSubstr("the general text has too few documents to"));
  EXPECT_EQ(*readFile(folder_ / "out/general-train.txt"), *train);
  EXPECT_EQ(*readFile(folder_ / "out/general-eval.txt"), *eval);
}

TEST_F(GeneralTextTest, ALittleTextStillEvaluatesAndNoneIsRefused) {
  write("own.txt", 100'000);
  write("general.txt", 50);
  const auto made = writeGeneralText(request(), {}, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->trainDocuments + made->evalDocuments, 50) << "all of it, and still less than was asked for";
  GeneralTextRequest none = request();
  none.share = 0;
  const auto onlyEvaluated = writeGeneralText(none, {}, {});
  ASSERT_TRUE(onlyEvaluated.ok());
  EXPECT_TRUE(onlyEvaluated->train.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/general-train.txt"));
}

TEST_F(GeneralTextTest, StopsAndLeavesOldFilesAlone) {
  write("own.txt", 1000);
  write("general.txt", 1000);
  const GeneralTextRequest asked = request();
  ASSERT_TRUE(writeGeneralText(asked, {}, {}).ok());
  const auto before = documents(folder_ / "out/general-eval.txt", asked.own);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = writeGeneralText(asked, {}, stop.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::Stopped);
  EXPECT_EQ(documents(folder_ / "out/general-eval.txt", asked.own), before);
}

}  // namespace
}  // namespace batchwise
