// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_survey.h"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/text/corpus_tokenizer.h"
#include "core/text/demo_corpus.h"
#include "core/text/general_text.h"
#include "core/text/text_check.h"
#include "core/text/text_source.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using test::TempFolder;
using test::writeText;
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

  test::TempFolder folder_;
};

TEST_F(TextSurveyTest, CountsDocumentsWordsAndLengthsOfAFolder) {
  write("a.txt", repeated(kSentence + "\n\n", 100));
  write("b.txt", repeated(kSentence + "\n" + kSentence + "\n\n", 50));
  const auto found = test::checked(survey());
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
  const auto asText = test::checked(survey("lines.txt", {.paths = {}, .format = TextFormat::Text, .textField = {}}));
  EXPECT_EQ(asText->documents, 1);
  EXPECT_THAT(asText->warnings, ElementsAre(HasSubstr("add more text, or continue a model that"),
                                            HasSubstr("all text is one document, so none is")));
}

TEST_F(TextSurveyTest, ProposesTheColumnWithTheLongestTexts) {
  write("rows.csv", "text,title,\"the \"\"body\"\"\"\n" + repeated("1,a title,\"" + kSentence + "\n\"\n", 30));
  const auto found = test::checked(survey());
  EXPECT_EQ(found->format, TextFormat::Csv);
  EXPECT_THAT(found->fields, ElementsAre("the \"body\"", "title", "text"));
  EXPECT_EQ(found->textField, "the \"body\"");
  EXPECT_EQ(found->documents, 30);
  EXPECT_THAT(found->warnings, testing::Contains(HasSubstr("the column 'the \"body\"'")));
  const auto chosen = test::checked(survey("rows.csv", {.paths = {}, .format = {}, .textField = "title"}));
  EXPECT_EQ(chosen->textField, "title");
  EXPECT_EQ(chosen->words, 60);
  EXPECT_THAT(chosen->warnings, testing::Not(testing::Contains(HasSubstr("column"))));
  write("b.tsv", "id\tbody\n" + repeated("1\t" + kSentence + ", 1\n", 30));
  EXPECT_EQ(test::checked(survey("b.tsv"))->textField, "body");
}

TEST_F(TextSurveyTest, KnowsRowsThatAreLongerThanTheBeginningOfAFile) {
  write("books.jsonl", repeated("{\"id\": \"a\", \"text\": \"" + repeated(kSentence + " ", 3000) + "\"}\n", 3));
  const auto found = test::checked(survey());
  EXPECT_EQ(found->format, TextFormat::Jsonl);
  EXPECT_THAT(found->fields, ElementsAre("text", "id"));
  EXPECT_EQ(found->documents, 3);
  EXPECT_EQ(found->words, 3 * 3000 * 16);
}

TEST_F(TextSurveyTest, CountsEachChineseCharacterAsAWord) {
  write("zh.txt", repeated("中文 a中b, 天気\n\n", 10));
  EXPECT_EQ(test::checked(survey())->medianWords, 7) << "five characters, a, and b with its comma";
}

TEST_F(TextSurveyTest, TakesTheLargerKindOfAMixedFolder) {
  write("notes.md", kSentence);
  write("rows.jsonl", repeated("{\"text\": \"" + kSentence + "\"}\n", 30));
  const auto found = test::checked(survey());
  EXPECT_EQ(found->format, TextFormat::Jsonl);
  EXPECT_EQ(found->files, 1);
}

TEST_F(TextSurveyTest, EstimatesLargeTextFromAPart) {
  constexpr int kDocuments = 25'000;  // of 67 bytes
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) write(name, repeated(kSentence + "\n\n", kDocuments));
  const auto found = test::checked(survey(".", {.paths = {}, .format = {}, .textField = {}, .readBytes = 1 << 20}));
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
  EXPECT_THAT(rows->warnings, ElementsAre(HasSubstr("places are not valid and would be replaced")));
  EXPECT_THAT(latin->warnings, ElementsAre(HasSubstr("places are not valid and would be replaced")));
  EXPECT_THAT(nearly->warnings, ElementsAre(HasSubstr("not valid Unicode; each was replaced by U+FFFD.")));
}

TEST_F(TextSurveyTest, CanBeStopped) {
  write("a.txt", repeated(kSentence + "\n\n", 100));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(test::refused(surveyText({.paths = {(folder_ / "a.txt").native()}, .format = {}, .textField = {}}, {},
                                     stop.get_token()))
                .code,
            ErrorCode::Stopped);
}

std::string guessed(const std::string& sentence, int times = 10) {
  LanguageGuess guess;
  for (int i = 0; i < times; ++i) guess.add(sentence);
  return guess.code().value_or("none");
}

TEST(LanguageGuessTest, KnowsLanguagesByTheirFunctionWordsOrAScriptOfTheirOwn) {
  const std::pair<const char*, const char*> cases[] = {
      {"The cat sat on the mat, and it was not in the house with the dog. ", "en"},
      {"Der Hund ist nicht in dem Haus, und die Katze liegt auf der Matte bei einer Frau. ", "de"},
      {"Le chat est dans la maison, et il ne sort pas avec les autres, mais par une fenêtre. ", "fr"},
      {"Он не знал, что это было так, и как он был у них в доме. ", "ru"},
      {"Η γάτα κάθεται στο χαλί. ", "el"},
      {"猫坐在垫子上看着窗外的雨。", "zh"},
      {"猫はマットの上にすわっています。", "ja"},
      {"고양이가 매트 위에 앉아 있다. ", "ko"}};
  for (const auto& [sentence, language] : cases) EXPECT_EQ(guessed(sentence), language) << sentence;
}

TEST(LanguageGuessTest, IsNotSureOfMadeUpMixedOrShortText) {
  EXPECT_EQ(guessed("xqr brzt vlkp mntz grwk plok fdsa qwer tzui opas "), "none");
  EXPECT_EQ(guessed("The cat is in the house. ", 1), "none");
  EXPECT_EQ(guessed("Кот спит. A cat sleeps. Η γάτα. "), "none");
  EXPECT_EQ(LanguageGuess().code(), std::nullopt);
}

class TextOverlapTest : public testing::Test {
 protected:
  TextOverlap overlap(const std::string& train, const std::string& evaluated, TextFormat format = TextFormat::Text) {
    const std::string name = std::to_string(files_++);
    OverlapJob job;
    job.format = format;
    job.textField = "text";
    job.cacheFolder = folder_.path();
    FileIdentities identities(folder_ / "files.json");
    const auto read = [&](const std::string& file, const std::string& text) {
      return identities.of({writeText(folder_ / file, text)}, [](auto, auto) {}, {}).value();
    };
    job.train = read("train" + name, train);
    job.evaluated = {read("eval" + name, evaluated)};
    const auto report = [this](std::int64_t, std::int64_t) { ++reports_; };
    const auto first = findOverlap(job, report, {}).value();
    std::stop_source stop;
    stop.request_stop();
    const auto again = findOverlap(job, report, stop.get_token()).value();  // from the cache
    EXPECT_EQ(again.front().shared, first.front().shared);
    EXPECT_EQ(again.front().documents, first.front().documents);
    return first.front();
  }

  TempFolder folder_;
  int files_ = 0, reports_ = 0;
};

TEST_F(TextOverlapTest, DocumentsAreFoundWhereverTheyStand) {
  const std::string one = "the first line of it\nand its second line", two = "another document\nof two lines";
  const TextOverlap found =
      overlap("nothing\n\n" + two + "\n\nmore\n\n" + one + "\n", one + "\n\nnew\n\n" + two + "\n");
  EXPECT_EQ(found.documents, 3);
  EXPECT_EQ(found.shared, 2);
}

TEST_F(TextOverlapTest, OneMoreLineHidesNothing) {
  const std::string text = "the first line of it\nand its second line\nand the third one";
  EXPECT_EQ(overlap("A heading\n" + text, text).shared, 1);
  EXPECT_EQ(overlap(text, "A heading\n" + text + "\n").shared, 1);
  EXPECT_EQ(overlap(text + "\nthe end", "  " + text + "  \r\n").shared, 1) << "nor does white space";
  EXPECT_EQ(overlap("and its second line", text).shared, 0) << "less than half of it";
}

TEST_F(TextOverlapTest, EveryFormatHasDocuments) {
  EXPECT_EQ(overlap("a line\nb line\n", "b line\nc line\n", TextFormat::Lines).shared, 1);
  EXPECT_EQ(
      overlap("{\"text\": \"b line\"}\n", "{\"text\": \"b line\", \"id\": 3}\n{\"text\": \"c\"}\n", TextFormat::Jsonl)
          .shared,
      1);
  EXPECT_EQ(overlap("a line\n", "", TextFormat::Lines).documents, 0);
}

std::vector<std::string> paragraphsOf(const std::string& text) {
  std::vector<std::string> paragraphs;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("\n\n", at);
    paragraphs.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return paragraphs;
}

TEST(DemoCorpusTest, IsTheSameEverywhere) {
  EXPECT_EQ(hash128(demoCorpus({.seed = 17, .paragraphs = 1000})).hex(), "82be6f5952548d2e00512ac323222b37");
  EXPECT_NE(demoCorpus({.seed = 18, .paragraphs = 10}), demoCorpus({.seed = 17, .paragraphs = 10}));
}

TEST(DemoCorpusTest, HasAFewMegabytesOfSomeHundredWords) {
  const std::string text = demoCorpus({});
  EXPECT_GT(text.size(), 1'000'000u);
  EXPECT_LT(text.size(), 2'500'000u);
  std::set<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.insert(word);
  EXPECT_GT(words.size(), 200u);
  EXPECT_LT(words.size(), 600u);
  const auto paragraphs = paragraphsOf(text);
  EXPECT_EQ(std::ssize(paragraphs), DemoCorpusSpec{}.paragraphs);
  EXPECT_GT(std::set<std::string>(paragraphs.begin(), paragraphs.end()).size(), paragraphs.size() * 99 / 100);
}

TEST(DemoCorpusTest, TheTopicReturnsAtTheEnd) {
  for (const std::string& paragraph : paragraphsOf(demoCorpus({.seed = 5, .paragraphs = 500}))) {
    const std::string opening = "this is the story of ";
    ASSERT_EQ(paragraph.rfind(opening, 0), 0u);
    const std::string topic = paragraph.substr(opening.size(), paragraph.find(" in the ") - opening.size());
    EXPECT_THAT(paragraph, HasSubstr(" so " + topic + " "));
  }
}

TEST(DemoCorpusTest, VerbsAgreeWithTheirSubjects) {
  const std::string text = demoCorpus({.seed = 5, .paragraphs = 1000});
  const auto oneThing = [](const std::string& noun) {
    static const std::set<std::string> kMany{"children", "women", "men", "geese", "mice", "oxen"};
    return !noun.ends_with('s') && !kMany.contains(noun);
  };
  const auto ofOne = [](const std::string& verb) { return verb.ends_with('s'); };  // sees, runs, is
  static const std::regex objectClause(R"(the (\w+) that the (\w+) (\w+) (\w+))");
  static const std::regex subjectClause(R"(the (\w+) that (?!the )(\w+) the (\w+) (\w+))");
  int attractors = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), objectClause), end; it != end; ++it) {
    const std::smatch& m = *it;
    EXPECT_EQ(ofOne(m[3]), oneThing(m[2])) << m[0];
    EXPECT_EQ(ofOne(m[4]), oneThing(m[1])) << m[0];
    attractors += oneThing(m[1]) != oneThing(m[2]) ? 1 : 0;
  }
  for (std::sregex_iterator it(text.begin(), text.end(), subjectClause), end; it != end; ++it) {
    const std::smatch& m = *it;
    EXPECT_EQ(ofOne(m[2]), oneThing(m[1])) << m[0];
    EXPECT_EQ(ofOne(m[4]), oneThing(m[1])) << m[0];
  }
  EXPECT_GT(attractors, 200) << "the nearer noun often has the other number";
}

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
    return *test::checked(surveyText(request, {}, {}));
  }
  GeneralTextRequest request() {
    return {{(folder_ / "general.txt").native()}, survey("general.txt"), survey("own.txt"), 0.05, 0.0, folder_ / "out"};
  }
  static std::set<std::string> documents(const std::filesystem::path& file, const TextSurvey& like) {
    std::set<std::string> all;
    auto reader = test::checked(DocumentReader::open(file, like.format, like.textField));
    for (std::string document; *reader->next(document);) all.insert(document);
    return all;
  }

  test::TempFolder folder_;
};

TEST_F(GeneralTextTest, AShareIsTrainedOnAndOtherDocumentsEvaluate) {
  write("own.txt", 10'000);
  write("general.txt", 40'000);
  const GeneralTextRequest asked = request();
  const auto made = test::checked(writeGeneralText(asked, {}, {}));
  const auto trained = documents(made->train, asked.own), evaluated = documents(made->eval, asked.own);
  EXPECT_EQ(std::ssize(trained), made->trainDocuments);
  EXPECT_EQ(std::ssize(evaluated), made->evalDocuments);
  for (const std::string& document : trained) EXPECT_FALSE(evaluated.contains(document));
  const double own = static_cast<double>(asked.own.textBytes), general = static_cast<double>(made->trainBytes);
  EXPECT_GE(general, own / 19);
  EXPECT_LT(general, own / 19 + kLongest);
  EXPECT_NEAR(static_cast<double>(made->evalBytes), 1 << 20, 0.05 * (1 << 20));
  const auto again = test::checked(writeGeneralText(asked, {}, {}));
  EXPECT_EQ(documents(again->train, asked.own), trained) << "the same documents each time";
}

TEST_F(GeneralTextTest, WhatTheRunWouldHoldOutIsNotTrainedOn) {
  write("own.txt", 10'000);
  write("general.txt", 20'000);
  GeneralTextRequest asked = request();
  asked.holdout = 0.3;
  const auto made = test::checked(writeGeneralText(asked, {}, {}));
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
  const auto made = test::checked(writeGeneralText(asked, {}, {}));
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
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl, TextFormat::Csv}) {
    asked.own.format = format;
    const auto made = test::checked(writeGeneralText(asked, {}, {}));
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
  const auto made = test::checked(writeGeneralText(request(), {}, {}));
  ASSERT_EQ(made->warnings.size(), 1U);
  EXPECT_THAT(made->warnings.front(), testing::HasSubstr("places are not valid and would be replaced"));
}

TEST_F(GeneralTextTest, TextThatCannotEvaluateLeavesOldFilesAlone) {
  write("own.txt", 10'000);
  write("general.txt", 1000);
  ASSERT_TRUE(writeGeneralText(request(), {}, {}).ok());
  const auto train = readFile(folder_ / "out/general-train.txt"), eval = readFile(folder_ / "out/general-eval.txt");
  std::string only = "a text of twenty words and some more that is too short to be split into two kinds of text at all";
  while (unitRandom(hash128(only).high) < 0.5) only += " more";
  test::writeText(folder_ / "general.txt", only);
  EXPECT_THAT(test::refused(writeGeneralText(request(), {}, {})).message,
              testing::HasSubstr("the general text has too few documents to"));
  EXPECT_EQ(*readFile(folder_ / "out/general-train.txt"), *train);
  EXPECT_EQ(*readFile(folder_ / "out/general-eval.txt"), *eval);
}

TEST_F(GeneralTextTest, ALittleTextStillEvaluatesAndNoneIsRefused) {
  write("own.txt", 100'000);
  write("general.txt", 50);
  const auto made = test::checked(writeGeneralText(request(), {}, {}));
  EXPECT_EQ(made->trainDocuments + made->evalDocuments, 50) << "all of it, and still less than was asked for";
  GeneralTextRequest none = request();
  none.share = 0;
  EXPECT_TRUE(test::checked(writeGeneralText(none, {}, {}))->train.empty());
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
  EXPECT_EQ(test::refused(writeGeneralText(asked, {}, stop.get_token())).code, ErrorCode::Stopped);
  EXPECT_EQ(documents(folder_ / "out/general-eval.txt", asked.own), before);
}

}  // namespace
}  // namespace batchwise
