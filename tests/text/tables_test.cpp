// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "core/base/file.h"
#include "core/text/table_library.h"
#include "core/text/task_data.h"
#include "core/text/text_check.h"
#include "core/text/text_survey.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kColumn = "the \"text\"";
constexpr std::array kTables = {"plain.parquet",  "groups.parquet", "pages.parquet", "large.parquet",
                                "packed.feather", "file.arrow",     "stream.arrow",  "views.arrow"};

/// Tables that pyarrow wrote.
class TablesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string judge = BATCHWISE_JUDGE_PYTHON " '" +
                              (test::sourceRoot() / "tests/text/tables_judge.py").native() + "' '" +
                              folder_.path().native() + "' 7";
    ASSERT_EQ(std::system(judge.c_str()), 0);
  }

  static std::vector<std::string> read(DocumentReader reader) {
    std::vector<std::string> documents;
    for (std::string document; *test::checked(reader.next(document));) documents.push_back(document);
    return documents;
  }

  test::TempFolder folder_;
};

TEST_F(TablesTest, TheirTextsAreThoseThatPyarrowReads) {
  const auto judged = read(DocumentReader::open(folder_ / "rows.jsonl", TextFormat::Jsonl).value());
  ASSERT_GT(judged.size(), 1800u);
  for (const char* name : kTables) {
    SCOPED_TRACE(name);
    auto opened = test::checked(DocumentReader::open(folder_ / name, TextFormat::Parquet, kColumn));
    std::vector<std::string> documents;
    TextPosition place;
    for (std::string document; documents.size() < 1200 && *test::checked(opened->next(document));) {
      documents.push_back(document);
      place = opened->position();
    }
    EXPECT_GT(opened->fileBytesRead(), 0);
    for (auto& document : read(DocumentReader::open(folder_ / name, TextFormat::Parquet, kColumn, place).value()))
      documents.push_back(std::move(document));
    EXPECT_TRUE(documents == judged) << "read in two parts";
  }
}

TEST_F(TablesTest, ASurveyFindsTheColumnOfText) {
  SurveyRequest request;
  request.paths = {(folder_ / "plain.parquet").native()};
  const auto found = test::checked(surveyText(request, {}, {}));
  EXPECT_EQ(found->format, TextFormat::Parquet);
  EXPECT_EQ(found->textField, kColumn);
  EXPECT_THAT(found->fields, ElementsAre(kColumn));
  EXPECT_GT(found->documents, 1800);
  EXPECT_EQ(found->readShare, 1.0);
}

TEST_F(TablesTest, ColumnsThatHoldNoTextAreRefusedByName) {
  const auto failure = [this](const char* column) {
    return DocumentReader::open(folder_ / "plain.parquet", TextFormat::Parquet, column).error().message;
  };
  EXPECT_THAT(failure("text"), HasSubstr("has no column 'text'; set data.text_field to one of the \"text\""));
  EXPECT_THAT(DocumentReader::open(folder_ / "twice.parquet", TextFormat::Parquet).error().text(),
              HasSubstr("twice.parquet: several columns are named 'text'"));
  EXPECT_THAT(failure("words"), HasSubstr("the column words (list<"));
  EXPECT_THAT(failure("kind"), HasSubstr("the column kind (dictionary<"));
  EXPECT_THAT(DocumentReader::open(folder_ / "plain.parquet", TextFormat::Text).error().message,
              HasSubstr("set data.format to parquet"));
  EXPECT_EQ(DocumentReader::open(folder_ / "none.parquet", TextFormat::Parquet).error().code, ErrorCode::NotFound);
  test::writeText(folder_ / "text.parquet", "no table\n");
  EXPECT_EQ(DocumentReader::open(folder_ / "text.parquet", TextFormat::Parquet).error().code, ErrorCode::Config);
  test::writeText(folder_ / "text.parquet", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n");
  EXPECT_THAT(inspectText(folder_ / "text.parquet", TextFormat::Parquet).error().message, HasSubstr("git lfs pull"));
}

TEST_F(TablesTest, ATaskHasTheSameRowsInEveryFormat) {
  const auto hashOf = [this](TaskConfig task, const char* text, const char* label, const char* file) {
    task.text = {text};
    task.label = label;
    task.train = task.validation = (folder_ / file).native();
    return test::checked(readTask(task))->hash;
  };
  TaskConfig words, numbers, classes;
  words.kind = TaskKind::TokenLabels;
  numbers.kind = TaskKind::Regression;
  for (const char* file : {"task.parquet", "task.feather"}) {
    SCOPED_TRACE(file);
    EXPECT_EQ(hashOf(words, "words", "tags", file), hashOf(words, "words", "tags", "task.jsonl"));
    EXPECT_EQ(hashOf(numbers, "text", "number", file), hashOf(numbers, "text", "number", "task.jsonl"));
    EXPECT_EQ(hashOf(classes, "text", "class", file), hashOf(classes, "text", "class", "task.jsonl"));
  }
}

TEST_F(TablesTest, DamagedOnesAreErrorsOrRead) {
  std::mt19937 draw(1);
  int refused = 0;
  for (const char* name : kTables) {
    const std::string whole = readFile(folder_ / name).value();
    for (int trial = 0; trial < 40 && (trial < 12 || whole.size() < 300'000); ++trial) {
      std::string damaged = whole;
      if (trial % 4 == 0) damaged.resize(draw() % whole.size());
      for (int flip = 0; flip < 1 + trial % 3 && !damaged.empty(); ++flip) {
        // The descriptions of a table are at its ends.
        const std::size_t end = std::min<std::size_t>(draw() % 2000, damaged.size() - 1);
        const std::size_t at = trial % 2 == 0 ? damaged.size() - 1 - end : draw() % damaged.size();
        damaged[at] = static_cast<char>(draw());
      }
      test::writeText(folder_ / "damaged", damaged);
      auto reader = DocumentReader::open(folder_ / "damaged", TextFormat::Parquet, kColumn);
      std::string document;
      while (reader.ok()) {
        const auto more = reader->next(document);
        if (!more.ok()) reader = more.error();
        if (!more.ok() || !*more) break;
      }
      if (!reader.ok()) {
        ++refused;
        EXPECT_THAT(reader.error().text(), HasSubstr("damaged")) << "the file is named";
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace batchwise
