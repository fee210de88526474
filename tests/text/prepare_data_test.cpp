// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/prepare_data.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/file.h>

#include <algorithm>
#include <set>
#include <thread>

#include "core/base/file.h"
#include "core/text/corpus_tokenizer.h"
#include "core/text/demo_corpus.h"
#include "tests/support/checked.h"
#include "tests/support/message_texts.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::writeText;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::vector<std::int32_t>> sequencesOf(const TokenDataset& data) {
  std::vector<std::vector<std::int32_t>> all;
  for (std::int64_t i = 0; i < data.size(); ++i) all.push_back(data.tokens(i));
  return all;
}

std::set<fs::path> filesIn(const fs::path& folder, std::string_view ending) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().native().ends_with(ending)) files.insert(entry.path());
  return files;
}

class PrepareDataTest : public testing::Test {
 protected:
  PrepareDataTest() {
    writeText(folder_ / "text/a.txt", demoCorpus({.seed = 1, .paragraphs = 300}));
    writeText(folder_ / "text/b.txt.gz", test::gzip(demoCorpus({.seed = 2, .paragraphs = 200})));
    writeText(folder_ / "valid.txt", demoCorpus({.seed = 3, .paragraphs = 50}));
    request_.train = {"text"};
    request_.eval = {"valid.txt"};
    request_.baseFolder = folder_.path();
    request_.maxSeqLen = 32;
    request_.tokenizer.vocabSize = 400;
    request_.cacheFolder = folder_ / "cache";
  }

  Result<PreparedData> prepare(std::stop_token stop = {}) { return prepareData(request_, {}, stop); }

  Error failure() {
    const auto prepared = prepare();
    EXPECT_FALSE(prepared.ok());
    return prepared.ok() ? Error::internal("no error") : prepared.error();
  }

  TempFolder folder_;
  DataRequest request_;
};

TEST_F(PrepareDataTest, ADamagedVocabularyInTheCacheIsTrainedAgain) {
  const auto first = test::checked(prepare());
  const auto files = filesIn(folder_ / "cache", ".vocab.txt");
  ASSERT_EQ(files.size(), 1u);
  std::string text = *readFile(*files.begin());
  const std::size_t letter = text.rfind("\n", text.size() - 2) + 3;  // of the last token, which stays one of its own
  text[letter] = static_cast<char>(text[letter] ^ 1);
  writeText(*files.begin(), text);
  EXPECT_EQ(test::checked(prepare())->tokenizer.vocabulary().identity(), first->tokenizer.vocabulary().identity());
  EXPECT_NE(*readFile(*files.begin()), text) << "it is mended";
}

TEST_F(PrepareDataTest, TokenizesOnceAndOpensTheCacheAfterwards) {
  const auto first = test::checked(prepare());
  EXPECT_FALSE(first->fromCache);
  EXPECT_EQ(first->train.statistics().text.documents, 500);
  EXPECT_EQ(first->eval->statistics().text.documents, 50);
  EXPECT_EQ(first->train.statistics().longest, 32);
  EXPECT_EQ(first->train.statistics().unknown, 0);
  EXPECT_EQ(first->tokenizer.vocabulary().size(), 400);
  EXPECT_THAT(first->notes, IsEmpty());
  EXPECT_GT(first->unigramNats, 3.0);
  EXPECT_LT(first->unigramNats, 6.0);
  const auto second = prepare();
  EXPECT_TRUE(second->fromCache);
  EXPECT_EQ(sequencesOf(second->train), sequencesOf(first->train));
  EXPECT_EQ(second->train.identity(), first->train.identity());
  EXPECT_NE(second->train.identity(), second->eval->identity());
  EXPECT_THAT(filesIn(folder_ / "cache", ".part"), IsEmpty());
  EXPECT_THAT(filesIn(folder_ / "cache", ".lock"), IsEmpty());
  EXPECT_THAT(filesIn(folder_ / "cache", ".progress.json"), IsEmpty());
}

TEST_F(PrepareDataTest, NotesTextThatIsNamedOrLiesThereMoreThanOnce) {
  request_.train = {"text", "text/a.txt", "./text/*.txt"};
  const auto named = test::checked(prepare());
  EXPECT_THAT(test::textsOf(named->notes), testing::ElementsAre("data.train: '" + (folder_ / "text/a.txt").native() +
                                                                "' is named 3 times; it is read once"));
  EXPECT_EQ(named->train.statistics().text.documents, 500);
  request_.train = {"text"};
  fs::copy(folder_ / "text/a.txt", folder_ / "text/copy.txt");
  fs::create_symlink(folder_ / "text/a.txt", folder_ / "text/link.txt");
  fs::copy(folder_ / "text/a.txt", folder_ / "valid.txt", fs::copy_options::overwrite_existing);
  const auto copied = test::checked(prepare());
  EXPECT_EQ(copied->train.statistics().text.documents, 1100);
  EXPECT_THAT(test::textsOf(copied->notes),
              Contains(HasSubstr("data.train: 2 files have the same content as another one; all are read")));
  EXPECT_THAT(test::textsOf(copied->notes),
              Contains(HasSubstr("data.eval: 300 of 300 documents also stand in the training text")));
}

TEST_F(PrepareDataTest, EverythingThatDecidesAboutTokensHasAnIdentityOfItsOwn) {
  std::set<std::string> identities{prepare()->train.identity().hex()};
  const auto expectNew = [&](const char* what) {
    EXPECT_TRUE(identities.insert(test::checked(prepare())->train.identity().hex()).second) << what;
  };
  request_.maxSeqLen = 64;
  expectNew("max_seq_len");
  request_.joinDocuments = true;
  expectNew("join_documents");
  request_.documentSeparator = false;
  expectNew("document_separator");
  request_.tokenizer.vocabSize = 300;
  expectNew("vocabulary");
  request_.tokenizer.lowercase = false;
  expectNew("lowercase");
  request_.format = TextFormat::Lines;
  expectNew("format");
  request_.eval.clear();
  request_.holdout = 0.1;
  expectNew("holdout");
  writeText(folder_ / "text/c.txt", "one more document\n");
  expectNew("files");
  writeText(folder_ / "text/c.txt", "one more Document\n");
  expectNew("content of equal size");
}

TEST_F(PrepareDataTest, JoinedDocumentsHaveASeparatorBetweenThem) {
  writeText(folder_ / "few.txt", "a b c\n\nd\n\ne f [SEP] g\n\nh i j k l m n o p q r s t u v w\n");
  request_.train = {"few.txt"};
  request_.eval.clear();
  request_.holdout = 0;
  request_.maxSeqLen = 14;
  request_.joinDocuments = true;
  const auto apart = test::checked(prepare());
  const auto text = [](const PreparedData& data) {
    std::vector<std::string> lines;
    for (const auto& ids : sequencesOf(data.train)) {
      std::string& line = lines.emplace_back();
      for (const std::int32_t id : ids) line += (line.empty() ? "" : " ") + data.tokenizer.vocabulary().token(id);
    }
    return lines;
  };
  const std::vector<std::string> lines = text(*apart);
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines[0], "[CLS] a b c [SEP] [CLS] d [SEP]");
  for (const std::string& line : lines) EXPECT_LE(std::ranges::count(line, ' '), 13) << line;
  const SpecialIds& special = apart->tokenizer.vocabulary().special();
  EXPECT_EQ(apart->train.tokenCounts()[static_cast<std::size_t>(special.sep)], 0) << "separators are no text";
  request_.documentSeparator = false;
  EXPECT_EQ(text(*test::checked(prepare()))[0].substr(0, 15), "[CLS] a b c d e");
}

TEST_F(PrepareDataTest, NamedEvaluationSetsAreTokenizedEachForItself) {
  const std::string without = prepare()->evaluationIdentity();
  writeText(folder_ / "own.txt", "the fox\n\na story\n");
  writeText(folder_ / "general.txt", "one\n\ntwo\n\nthree\n");
  request_.evalSets = {{"own", {"own.txt"}}, {"general", {"general.txt"}}};
  const auto prepared = test::checked(prepare());
  ASSERT_TRUE(prepared->eval);
  ASSERT_EQ(prepared->evalSets.size(), 2U);
  EXPECT_EQ(prepared->evalSets[0].name, "own");
  EXPECT_EQ(prepared->evalSets[0].samples.size(), 2);
  EXPECT_EQ(prepared->evalSets[1].samples.size(), 3);
  const std::string with = prepared->evaluationIdentity();
  EXPECT_TRUE(with.starts_with(without + " own ")) << with;
  const std::string text = prepared->evaluationText;
  EXPECT_THAT(text, testing::MatchesRegex("[0-9a-f]+ own [0-9a-f]+ general [0-9a-f]+"));
  request_.maxSeqLen = 64;
  EXPECT_EQ(prepare()->evaluationText, text) << "the same text, cut otherwise";
  EXPECT_NE(prepare()->evaluationIdentity(), with);
  writeText(folder_ / "moved.txt", "one\n\ntwo\n\nthree\n");
  request_.evalSets[1].text = {"moved.txt"};
  EXPECT_EQ(prepare()->evaluationText, text) << "under another name";
  writeText(folder_ / "moved.txt", "one\n\ntwo\n\nfour!\n");
  EXPECT_NE(prepare()->evaluationText, text);
  request_.evalSets = {{"own", {"missing.txt"}}};
  EXPECT_THAT(prepare().error().text(), HasSubstr("eval.sets.own"));
  writeText(folder_ / "own.txt", "\n\n");
  request_.evalSets = {{"own", {"own.txt"}}};
  EXPECT_THAT(prepare().error().text(), HasSubstr("eval.sets.own"));
}

TEST_F(PrepareDataTest, SourcesAreMixedByTheirWeights) {
  TrainingText text;
  text.sources = {{"a", {"text/a.txt"}, 1.0}, {"b", {"text/b.txt.gz"}, 3.0}};
  request_.train = text;
  const PreparedData data = test::checked(prepare()).value();
  ASSERT_EQ(data.sources.size(), 2U);
  EXPECT_EQ(data.sources[0].passes, 1.0);
  EXPECT_NEAR(static_cast<double>(data.sources[1].tokens) / static_cast<double>(data.sources[0].tokens), 3.0, 0.01);
  EXPECT_EQ(data.train.size(), data.sources[0].samples + data.sources[1].samples);
  EXPECT_EQ(data.train.statistics().tokens, data.sources[0].tokens + data.sources[1].tokens);
  EXPECT_THAT(data.notes.back().text(), HasSubstr("of b 74.99 %"));
  text.sources[1].weight = 3.001;
  request_.train = text;
  const PreparedData other = test::checked(prepare()).value();
  EXPECT_TRUE(other.fromCache) << "another weight tokenizes nothing";
  EXPECT_NE(other.trainingText, data.trainingText);
  text.sources[1].weight = 1e-9;
  request_.train = text;
  EXPECT_THAT(failure().text(), HasSubstr("would repeat a more than a million times"));
}

TEST_F(PrepareDataTest, DuplicatesAreRemovedInASourceAndAcrossSources) {
  writeText(folder_ / "one.txt", "the fox saw the story\n\na hen\n\nthe fox saw the story\n\nan egg\n");
  writeText(folder_ / "two.txt", "a hen\n\nthe moon\n\nthe moon\n");
  TrainingText text;
  text.sources = {{"one", {"one.txt"}, {}}, {"two", {"two.txt"}, {}}};
  request_.tokenizer.text = {"text"};
  request_.train = text;
  EXPECT_EQ(test::checked(prepare())->train.size(), 7);
  request_.removeDuplicates = true;
  for (const bool again : {false, true}) {
    const PreparedData data = test::checked(prepare()).value();
    EXPECT_EQ(data.fromCache, again);
    EXPECT_EQ(data.sources[0].samples, 3);
    EXPECT_EQ(data.sources[1].samples, 1);
    std::string notes;
    for (const FieldProblem& note : data.notes) notes += note.text() + "\n";
    EXPECT_THAT(notes, HasSubstr("the text one: 1 duplicate removed"));
    EXPECT_THAT(notes, HasSubstr("the text two: 2 duplicates removed"));
  }
  request_.train = {"one.txt", "two.txt"};
  EXPECT_EQ(test::checked(prepare())->train.size(), 4);
}

TEST_F(PrepareDataTest, TheIdentityDoesNotDependOnWhereTheTextLies) {
  const auto identity = prepare()->train.identity();
  fs::rename(folder_ / "text", folder_ / "moved");
  request_.train = {"moved/*"};
  const auto moved = prepare();
  EXPECT_EQ(moved->train.identity(), identity);
  EXPECT_TRUE(moved->fromCache);
}

TEST_F(PrepareDataTest, ADamagedCacheIsMadeAgain) {
  const auto expected = sequencesOf(prepare()->train);
  for (const fs::path& path : filesIn(folder_ / "cache", ".tokens")) {
    std::string bytes = readFile(path).value();
    bytes[4100] = static_cast<char>(bytes[4100] ^ 1);
    ASSERT_TRUE(writeFileAtomically(path, bytes).ok());
  }
  writeText(folder_ / "cache/files.json", "{\"broken\":");
  const auto again = test::checked(prepare());
  EXPECT_FALSE(again->fromCache);
  EXPECT_EQ(sequencesOf(again->train), expected);
}

TEST_F(PrepareDataTest, AStoppedPreparationGoesOn) {
  writeText(folder_ / "text/c.txt", demoCorpus({.seed = 4, .paragraphs = 6000}));
  request_.eval.clear();
  request_.holdout = 0.1;
  request_.joinDocuments = true;
  const auto whole = test::checked(prepare());
  const auto [train, eval] = std::pair(sequencesOf(whole->train), sequencesOf(*whole->eval));
  for (const fs::path& path : filesIn(folder_ / "cache", ".tokens")) fs::remove(path);
  for (int attempt = 0; attempt < 5; ++attempt) {  // each gets one batch further
    std::stop_source stop;
    const auto onProgress = [&](const PrepareProgress& progress) {
      if (progress.phase == "tokenizing") stop.request_stop();
    };
    const Error stopped = test::refused(prepareData(request_, onProgress, stop.get_token()));
    ASSERT_EQ(stopped.code, ErrorCode::Stopped) << stopped.text();
    EXPECT_EQ(filesIn(folder_ / "cache", ".progress.json").size(), 1u);
  }
  const auto prepared = test::checked(prepare());
  EXPECT_EQ(sequencesOf(prepared->train), train);
  EXPECT_EQ(sequencesOf(*prepared->eval), eval);
  EXPECT_EQ(prepared->train.statistics(), whole->train.statistics());
  EXPECT_EQ(prepared->eval->statistics(), whole->eval->statistics());
}

TEST_F(PrepareDataTest, AFullDiskIsNamedAndRoomLetsItGoOn) {
  const Error full = test::refused([&] {
    const test::SmallDisk disk(20'000);
    return prepare();
  }());
  EXPECT_EQ(full.code, ErrorCode::DiskFull);
  EXPECT_THAT(full.message, HasSubstr("free some space"));
  EXPECT_TRUE(prepare().ok());
}

TEST_F(PrepareDataTest, ADamagedProgressRecordCostsOnlyTime) {
  const auto expected = sequencesOf(prepare()->train);
  const auto tokens = filesIn(folder_ / "cache", ".train.tokens");
  for (const fs::path& path : tokens) {
    fs::remove(path);
    const std::string key = path.native().substr(0, path.native().size() - std::string(".train.tokens").size());
    writeText(key + ".progress.json", "{\"file\": 99}");
    writeText(key + ".train.tokens.part", "left over");
  }
  EXPECT_EQ(sequencesOf(prepare()->train), expected);
}

TEST_F(PrepareDataTest, HoldsOutDocumentsByTheirText) {
  request_.eval.clear();
  request_.holdout = 0.2;
  const auto prepared = test::checked(prepare());
  const auto trained = prepared->train.statistics().text.documents;
  const auto held = prepared->eval->statistics().text.documents;
  EXPECT_EQ(trained + held, 500);
  EXPECT_NEAR(static_cast<double>(held), 100, 40);
  request_.train = {"text/b.txt.gz", "text/a.txt"};
  EXPECT_EQ(prepare()->eval->identity(), prepared->eval->identity());
}

TEST_F(PrepareDataTest, ASmallTextHoldsOutMoreThanALargeOne) {
  EXPECT_DOUBLE_EQ(automaticHoldout(1e9), 0.01);
  EXPECT_DOUBLE_EQ(automaticHoldout(4e5), 0.05);
  EXPECT_DOUBLE_EQ(automaticHoldout(6e4), 0.1);
  request_.train = {"text/a.txt"};
  request_.eval.clear();
  const auto prepared = test::checked(prepare());
  EXPECT_DOUBLE_EQ(prepared->holdout, 0.1);
  EXPECT_NEAR(static_cast<double>(prepared->eval->statistics().text.documents), 30, 15);
  request_.holdout = 0.01;
  EXPECT_DOUBLE_EQ(prepare()->holdout, 0.01) << "what is given holds";
}

TEST_F(PrepareDataTest, BesideNamedSetsNothingIsHeldOutUnlessAsked) {
  request_.evalSets = {{"own", {"valid.txt"}}};
  request_.eval.clear();
  const auto prepared = test::checked(prepare());
  EXPECT_FALSE(prepared->eval.has_value());
  EXPECT_EQ(prepared->evalSets.size(), 1U);
  request_.holdout = 0.1;
  EXPECT_TRUE(prepare()->eval.has_value());
}

TEST_F(PrepareDataTest, ATextOfOneDocumentIsTrainedOn) {
  request_.train = {"one.txt"};
  request_.eval.clear();
  std::string text;  // whose hash would hold it out
  for (int i = 0; !isHeldOut(text, 0.1); ++i) text = "one two three " + std::to_string(i);
  writeText(folder_ / "one.txt", text + "\n");
  const auto prepared = test::checked(prepare());
  EXPECT_EQ(prepared->train.size(), 1);
  EXPECT_THAT(test::textsOf(prepared->notes), Contains(HasSubstr("too few documents")));
}

TEST_F(PrepareDataTest, SaysWhenNothingWasHeldOut) {
  writeText(folder_ / "small.txt", "one\n\ntwo\n\nthree\n");
  request_.train = {"small.txt"};
  request_.eval.clear();
  request_.holdout = 1e-9;
  const auto prepared = test::checked(prepare());
  EXPECT_FALSE(prepared->eval.has_value());
  EXPECT_THAT(test::textsOf(prepared->notes), Contains(HasSubstr("took none of the 3 documents")));
  request_.holdout = 0.0;
  EXPECT_THAT(test::textsOf(prepare()->notes), IsEmpty());
  request_.holdout = 0.999999;
  EXPECT_THAT(failure().text(), HasSubstr("held out"));
}

TEST_F(PrepareDataTest, CountsAndNotesWhatWasRepaired) {
  writeText(folder_ / "bad.txt", "good text\xFF here\n\n" + std::string(3 << 20, 'x') + "\n");
  request_.train = {"bad.txt"};
  const auto prepared = test::checked(prepare());
  EXPECT_EQ(prepared->train.statistics().text.replacedSequences, 1);
  const std::string place = "The first: '" + (folder_ / "bad.txt").native() + "', line 1";
  EXPECT_THAT(test::textsOf(prepared->notes), Contains(HasSubstr("1 place is not valid Unicode")));
  EXPECT_THAT(test::textsOf(prepared->notes), Contains(HasSubstr(place)));
  EXPECT_THAT(test::textsOf(prepare()->notes), Contains(HasSubstr(place))) << "from the cache, too";
  EXPECT_THAT(test::textsOf(prepared->notes), Contains(HasSubstr("longer than 1 MiB")));
}

TEST_F(PrepareDataTest, RecordsWithoutTextAreLeftOutAndCounted) {
  std::string rows;
  for (int i = 0; i < 50; ++i)
    rows += R"({"text": "a line of words )" + std::to_string(i) + "\"}\n\n{\"text\": null}\n";
  writeText(folder_ / "rows.jsonl", rows);
  request_.format = TextFormat::Jsonl;
  request_.train = {"rows.jsonl"};
  request_.eval = {};
  for (const bool again : {false, true}) {
    const PreparedData data = test::checked(prepare()).value();
    EXPECT_EQ(data.fromCache, again);
    EXPECT_THAT(test::textsOf(data.notes), Contains(HasSubstr("data.train: 50 records without text are left out")));
  }
}

TEST_F(PrepareDataTest, NamesTheLineOfBadUnicodeInEachPart) {
  std::string lines;
  for (int i = 1; i <= 400; ++i)
    lines += "line number " + std::to_string(i) + (i == 123 || i == 200 ? " \xFF\n" : "\n");
  writeText(folder_ / "lines.txt", lines);
  writeText(folder_ / "eval.jsonl", "{\"text\": \"good\"}\n\n{\"text\": \"b\\ud800d\"}\n");
  request_.train = {"valid.txt", "lines.txt"};
  request_.eval.clear();
  request_.holdout = 0.0;
  EXPECT_THAT(test::textsOf(prepare()->notes), Contains(HasSubstr("lines.txt', line 123")));
  request_.train = {"eval.jsonl"};
  request_.eval = {"eval.jsonl"};
  request_.format = TextFormat::Jsonl;
  request_.tokenizer.vocabSize = 100;
  writeText(folder_ / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  request_.tokenizer.path = "vocab.txt";
  EXPECT_THAT(test::textsOf(prepare()->notes), Contains(HasSubstr("eval.jsonl', line 3")));
}

TEST_F(PrepareDataTest, ReturnsAloneEndLinesAndHaveAnIdentityOfTheirOwn) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "line number " + std::to_string(i) + "\r";
  writeText(folder_ / "old.txt", text);
  request_.train = {"old.txt"};
  request_.format = TextFormat::Lines;
  EXPECT_EQ(test::checked(prepare())->train.statistics().text.documents, 300);
}

TEST_F(PrepareDataTest, PicturesAmongTheTextAreNamed) {
  writeText(folder_ / "text/figure.png", "\x89PNG\r\n\x1A\n");
  request_.train = {"text/*"};
  EXPECT_THAT(failure().text(), HasSubstr("data.train: '" + (folder_ / "text/figure.png").native() + "' is no text"));
  request_.train = {"text"};  // of a folder, only files of text
  EXPECT_TRUE(prepare().ok());
  request_.eval = {"text/*.png"};
  EXPECT_THAT(failure().text(), HasSubstr("data.eval: "));
}

TEST_F(PrepareDataTest, RefusesWhatCannotBeTrainedOn) {
  writeText(folder_ / "empty.txt", "");
  writeText(folder_ / "blank.txt", "\n \n\t\n");
  writeText(folder_ / "control.txt", "\x01\x02\n");
  fs::create_directory(folder_ / "nothing");
  const auto good = request_;
  struct Case {
    const char* pattern;
    ErrorCode code;
    const char* words;
  };
  for (const Case& c : {Case{"empty.txt", ErrorCode::Config, "data.train: there is no text in 1 file"},
                        Case{"blank.txt", ErrorCode::Config, "data.train: there is no text"},
                        Case{"none.txt", ErrorCode::NotFound, "data.train: there is no file"},
                        Case{"nothing", ErrorCode::NotFound, "no file for the format"},
                        Case{"/dev/null", ErrorCode::Config, "device"}}) {
    request_ = good;
    request_.train = {c.pattern};
    const Error error = failure();
    EXPECT_EQ(error.code, c.code) << c.pattern;
    EXPECT_THAT(error.text(), HasSubstr(c.words)) << c.pattern;
  }
  request_ = good;
  writeText(folder_ / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  request_.tokenizer.path = "vocab.txt";
  for (const char* name : {"empty.txt", "control.txt"}) {
    request_.train = {name};
    EXPECT_THAT(failure().text(), HasSubstr("data.train: there is no text in 1 file")) << name;
  }
  request_ = good;
  request_.eval = {"blank.txt"};
  EXPECT_THAT(failure().text(), HasSubstr("data.eval: there is no text in 1 file"));
  request_ = good;
  request_.tokenizer.path = "nowhere";
  EXPECT_THAT(failure().text(), HasSubstr("tokenizer.path"));
  request_ = good;
  request_.train = {};
  EXPECT_THAT(failure().text(), HasSubstr("data.train names no text"));
  request_ = good;
  request_.maxSeqLen = 2;
  EXPECT_THAT(failure().text(), HasSubstr("data.max_seq_len is 2"));
  request_ = good;
  request_.holdout = 1.0;
  EXPECT_THAT(failure().text(), HasSubstr("data.holdout is 1"));
  request_ = good;
  request_.cacheFolder = folder_ / "valid.txt/cache";
  EXPECT_THAT(failure().code, AnyOf(ErrorCode::Io, ErrorCode::NotFound));
}

TEST_F(PrepareDataTest, SeveralPreparationsOfTheSameDataAgree) {
  std::vector<std::string> identities(4);
  std::vector<std::string> failures(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        const auto prepared = prepareData(request_, {}, {});
        if (prepared.ok()) identities[i] = prepared->train.identity().hex() + std::to_string(prepared->train.size());
        if (!prepared.ok()) failures[i] = prepared.error().text();
      });
  }
  EXPECT_THAT(failures, testing::Each(""));
  EXPECT_EQ(std::set<std::string>(identities.begin(), identities.end()).size(), 1u);
}

TEST_F(PrepareDataTest, ReportsProgressThatOnlyGrows) {
  std::vector<std::pair<std::string, double>> reports;
  const auto onProgress = [&](const PrepareProgress& p) {
    ASSERT_LE(p.doneBytes, p.totalBytes);
    reports.emplace_back(p.phase, static_cast<double>(p.doneBytes) / static_cast<double>(p.totalBytes));
  };
  ASSERT_TRUE(prepareData(request_, onProgress, {}).ok());
  std::set<std::string> phases;
  for (const auto& [phase, share] : reports) phases.insert(phase);
  EXPECT_EQ(phases, (std::set<std::string>{"reading files", "comparing evaluation text with training text",
                                           "training the vocabulary", "tokenizing"}));
}

TEST_F(PrepareDataTest, TheDemoNeedsNoFiles) {
  DataRequest request;
  request.demoSeed = 17;
  request.maxSeqLen = 64;
  request.tokenizer.vocabSize = 512;
  request.cacheFolder = folder_ / "demo-cache";
  const auto prepared = test::checked(prepareData(request, {}, {}));
  EXPECT_EQ(prepared->train.statistics().text.documents, DemoCorpusSpec{}.paragraphs);
  EXPECT_GT(prepared->eval->size(), 100);
  EXPECT_GT(prepared->unigramNats, 3.5);
  EXPECT_LT(prepared->unigramNats, 5.5);
  EXPECT_TRUE(prepareData(request, {}, {})->fromCache);
}

class InterruptedCorpusTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(RemovesDuplicates, InterruptedCorpusTest, testing::Bool());

TEST_P(InterruptedCorpusTest, GoesOnAfterEachRecordedChunk) {
  const TempFolder folder;
  const std::string text = demoCorpus({.seed = 1, .paragraphs = 1500});
  writeText(folder / "a.txt", text + "\n\n" + text);  // the second half is duplicates
  const auto files = FileIdentities(folder / "files.json").of({folder / "a.txt"}, [](auto, auto) {}, {}).value();
  const Tokenizer tokenizer = Tokenizer::bert(test::smallVocabulary({"the", "story", "fox", "."}), true);
  CorpusJob job{files, TextFormat::Text, "text", tokenizer, 16, true, true, 0.25, folder / "x", 50'000, GetParam()};
  fs::create_directory(folder / "x");
  fs::create_directory(folder / "y");
  std::int64_t most = 0;
  int interruptions = 0;
  while (true) {  // an exception from the progress callback stands for a crash: nothing is recorded for it
    int calls = 0;
    try {
      const auto crash = [&](std::int64_t done, std::int64_t) {
        most = std::max(most, done);
        if (++calls > 6) throw std::runtime_error("crash");
      };
      const auto made = test::checked(tokenizeCorpus(job, crash, {}));
      job.cacheFolder = folder / "y";
      const auto straight = tokenizeCorpus(job, [](auto, auto) {}, {});
      EXPECT_EQ(sequencesOf(made->train), sequencesOf(straight->train));
      EXPECT_EQ(sequencesOf(*made->heldOut), sequencesOf(*straight->heldOut));
      EXPECT_EQ(made->train.statistics(), straight->train.statistics());
      EXPECT_EQ(made->removed, straight->removed);
      EXPECT_EQ(made->removed >= 1500, GetParam());
      break;
    } catch (const std::runtime_error&) {
      ASSERT_LT(++interruptions, 20);
    }
  }
  EXPECT_GE(interruptions, 2);
}

class CorpusTokenizerTest : public testing::Test {
 protected:
  /// A job on new files with these names.
  CorpusJob jobOn(const std::vector<const char*>& names, int paragraphs, double holdout) {
    std::vector<fs::path> paths;
    for (const char* name : names)
      paths.push_back(
          writeText(folder_ / name, demoCorpus({.seed = static_cast<std::uint64_t>(*name), .paragraphs = paragraphs})));
    const auto files = FileIdentities(folder_ / "files.json").of(paths, [](auto, auto) {}, {}).value();
    return {files, TextFormat::Text, "text", tokenizer_, 16, holdout > 0, true, holdout, folder_.path()};
  }

  TempFolder folder_;
  const Tokenizer tokenizer_ = Tokenizer::bert(test::smallVocabulary({"the", "story", "fox", "."}), true);
};

TEST_F(CorpusTokenizerTest, TheNumberOfCoresChangesNoByte) {
  const CorpusJob job = jobOn({"a.txt", "b.txt", "c.txt"}, 3000, 0.25);
  const auto bytes = [&] {
    (void)test::checked(tokenizeCorpus(job, [](auto, auto) {}, {}));
    std::string all;
    for (const fs::path& path : filesIn(folder_.path(), ".tokens")) {
      all += readFile(path).value();
      fs::remove(path);
    }
    return all;
  };
  const std::string onAll = bytes();
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const std::string onOne = bytes();
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_TRUE(onAll == onOne);
  EXPECT_GT(onAll.size(), 1'000'000u);
}

TEST_F(CorpusTokenizerTest, WhoWaitsForAnotherProcessSaysSoAndCanBeStopped) {
  const CorpusJob job = jobOn({"a.txt"}, 100, 0.0);
  const FileDescriptor other{
      ::open((folder_ / (job.key().hex() + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)};
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  std::stop_source stop;
  int signs = 0;
  const auto waiting = [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(std::pair(done, total), std::pair(std::int64_t{0}, std::int64_t{-1}));
    if (++signs == 3) stop.request_stop();
  };
  EXPECT_EQ(test::refused(tokenizeCorpus(job, waiting, stop.get_token())).code, ErrorCode::Stopped);
  EXPECT_EQ(signs, 3);
}

TEST_F(CorpusTokenizerTest, RefusesTextThatChangesMeanwhile) {
  const CorpusJob job = jobOn({"a.txt"}, 100, 0.0);
  EXPECT_THAT(
      test::refused(tokenizeCorpus(job, [&](auto, auto) { writeText(folder_ / "a.txt", "other"); }, {})).message,
      HasSubstr("changed while it was being prepared"));
  EXPECT_THAT(filesIn(folder_.path(), ".part"), IsEmpty());
}

}  // namespace
}  // namespace batchwise
