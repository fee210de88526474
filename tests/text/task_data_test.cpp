// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/task_data.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/base/format.h"
#include "core/config/task_config.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using test::checked;
using test::TempFolder;
using test::writeText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TaskDataTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    return writeText(folder_.path() / name, content).native();
  }

  /// Twelve rows of "w<i>" with the labels "a" and "b" in turn, then `more`.
  std::string rows(const std::string& more = {}) {
    std::string text = "text\tlabel\n";
    for (int i = 0; i < 12; ++i) text += formatText("w{}\t{}\n", i, i % 2 == 0 ? "a" : "b");
    return text + more;
  }

  TaskConfig task(const std::string& train, const std::string& validation) {
    TaskConfig made;
    made.name = "own";
    made.train = file("train.tsv", train);
    made.validation = file("valid.tsv", validation);
    made.text = {"text"};
    made.label = "label";
    return made;
  }

  std::string errorOf(const TaskConfig& wanted) {
    const auto data = readTask(wanted);
    return data.ok() ? "" : data.error().text();
  }

  TempFolder folder_;
};

TEST_F(TaskDataTest, RowsAreReadWithTheirClasses) {
  const auto data = *checked(readTask(task(rows(), "label\ttext\r\nb\t\"one \"\"two\"\"\"\r\na\tw1\r\n")));
  EXPECT_THAT(data.classes, ElementsAre("a", "b"));
  ASSERT_EQ(data.parts.size(), 2U);
  EXPECT_EQ(data.parts[0].examples.size(), 12U);
  EXPECT_THAT(data.parts[1].examples[0].texts, ElementsAre("one \"two\""));
  EXPECT_THAT(data.parts[1].examples[0].labels, ElementsAre(1));
  EXPECT_EQ(data.parts[1].examples[1].number, 1);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 of 2 texts of the validation part are in the training part")));
}

TEST_F(TaskDataTest, TheHashIsThatOfTheRowsWhateverTheFormat) {
  const TaskConfig tsv = task(rows(), "text\tlabel\nnew\ta\n");
  TaskConfig json = tsv;
  json.validation = file("valid.jsonl", "{\"text\": \"new\", \"label\": \"a\"}\n");
  EXPECT_EQ(checked(readTask(tsv))->hash, checked(readTask(json))->hash);
  json.validation = file("valid.jsonl", "{\"text\": \"new\", \"label\": \"b\"}\n");
  EXPECT_NE(checked(readTask(tsv))->hash, checked(readTask(json))->hash);
}

TEST_F(TaskDataTest, WithoutAValidationPartAShareIsHeldOut) {
  TaskConfig wanted = task("", "");
  std::string many = "text,label\n";
  for (int i = 0; i < 400; ++i) many += formatText("text {},{}\n", i, i % 3);
  wanted.train = file("train.csv", many);
  wanted.validation.clear();
  const auto data = *checked(readTask(wanted));
  EXPECT_EQ(data.parts[0].examples.size() + data.parts[1].examples.size(), 400U);
  EXPECT_NEAR(static_cast<double>(data.parts[1].examples.size()), 40, 20);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("there is no validation part")));
}

TEST_F(TaskDataTest, RowsOfARareClassAreNotHeldOut) {
  std::string many = "text,label\n";
  for (int i = 0; i < 200; ++i) many += formatText("text {},{}\n", i, i < 120 ? i : i % 2);
  TaskConfig wanted = task("", "");
  wanted.train = file("train.csv", many + many.substr(11));
  wanted.validation.clear();
  const auto data = *checked(readTask(wanted));
  EXPECT_EQ(data.classes.size(), 120U);
  EXPECT_GT(data.parts[1].examples.size(), 0U);
  std::set<double> learned;
  for (const TaskExample& example : data.parts[0].examples) learned.insert(example.labels.front());
  EXPECT_EQ(learned.size(), 120U);
}

TEST_F(TaskDataTest, BadRowsAreNamedWithTheirFileAndLine) {
  const std::string good = "text\tlabel\nx\ta\n";
  EXPECT_THAT(errorOf(task("texts\tlabel\nx\ta\n", good)),
              testing::AllOf(HasSubstr("train.tsv:1"), HasSubstr("did you mean 'texts'")));
  EXPECT_THAT(errorOf(task("text\tlabel\ttext\nx\ta\ty\n", good)),
              testing::AllOf(HasSubstr("train.tsv:1"), HasSubstr("several columns are named 'text'")));
  EXPECT_THAT(
      errorOf(task(rows(), "text\tlabel\nx\tc\n")),
      testing::AllOf(HasSubstr("valid.tsv:2"), HasSubstr("'c' in 'label' does not occur in the training part")));
  EXPECT_THAT(errorOf(task(rows(" \ta\n"), good)), testing::AllOf(HasSubstr("train.tsv:14"), HasSubstr("is empty")));
  EXPECT_THAT(errorOf(task(rows("x\t\n"), good)), HasSubstr("there is no label"));
  EXPECT_THAT(errorOf(task(rows("x\n"), good)), HasSubstr("the row has 1 field, but the header has 2 columns"));
  EXPECT_THAT(errorOf(task(rows("\"x\ta\n"), good)), HasSubstr("a quote that begins a field never ends"));
  EXPECT_THAT(errorOf(task(rows("\"x\ta\ny\" z\tb\n"), good)),
              testing::AllOf(HasSubstr("train.tsv:14"), HasSubstr("a TSV with bare quotes")));
  EXPECT_THAT(errorOf(task(rows("\t\n"), good)), testing::AllOf(HasSubstr("train.tsv:14"), HasSubstr("is empty")));
  EXPECT_THAT(errorOf(task(rows("x\t\xE9\n"), good)), testing::AllOf(HasSubstr("train.tsv:14"), HasSubstr("UTF-8")));
  EXPECT_THAT(errorOf(task(good, good)), HasSubstr("a task needs 10 or more"));
  std::string alike = "text\tlabel\n", unlike = alike;
  for (int i = 0; i < 12; ++i) {
    alike += formatText("w{}\ta\n", i);
    unlike += formatText("w{}\t{}\n", i, 0.5 * i);
  }
  EXPECT_THAT(errorOf(task(alike, good)), HasSubstr("all labels in 'label' are 'a'"));
  EXPECT_THAT(errorOf(task(unlike, good)), HasSubstr("numbers are of kind regression"));
  TaskConfig numbers = task(rows(), good);
  numbers.kind = TaskKind::Regression;
  EXPECT_THAT(errorOf(numbers), HasSubstr("the label 'a' in 'label' is no number"));
  TaskConfig other = task(rows(), good);
  other.validation = file("valid.txt", good);
  EXPECT_THAT(errorOf(other), HasSubstr("is no table's"));
  other.validation = (folder_.path() / "missing.tsv").native();
  EXPECT_THAT(errorOf(other), HasSubstr("missing.tsv"));
}

TEST_F(TaskDataTest, TablesAreTextInUtf8WhateverEndsTheirLines) {
  std::string returns = rows();
  std::ranges::replace(returns, '\n', '\r');
  const std::string good = "text\tlabel\nx\ta\n";
  EXPECT_EQ(checked(readTask(task(returns, good)))->hash, checked(readTask(task(rows(), good)))->hash);
  std::string wide = "\xFF\xFE";
  for (const char c : rows()) (wide += c) += '\0';
  EXPECT_THAT(errorOf(task(wide, good)), testing::AllOf(HasSubstr("train.tsv' is UTF-16"), HasSubstr("iconv")));
  EXPECT_THAT(errorOf(task("\x89PNG\r\n\x1A\n" + rows(), good)), HasSubstr("it holds PNG data"));
}

TEST_F(TaskDataTest, WordsHaveALabelEach) {
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += "{\"words\": [\"a\", \"dog\"], \"tags\": [\"O\", \"B\"]}\n";
  TaskConfig wanted = task("", "");
  wanted.kind = TaskKind::TokenLabels;
  wanted.text = {"words"};
  wanted.label = "tags";
  wanted.train = wanted.validation = file("words.jsonl", lines);
  const auto data = *checked(readTask(wanted));
  EXPECT_EQ(data.parts[1].examples[3].number, firstWordOf(3));
  EXPECT_EQ(rowOfExample(data.parts[1].examples[3].number + 1), 3) << "of its second word";
  EXPECT_EQ(rowOfExample(3), 3) << "of an example that is no word";
  EXPECT_THAT(data.parts[1].examples[3].labels, ElementsAre(1, 0));
  wanted.train = file("unequal.jsonl", lines + "{\"words\": [\"a\"], \"tags\": [\"O\", \"B\"]}\n");
  EXPECT_THAT(errorOf(wanted), HasSubstr("unequal.jsonl:11: there are 1 words, but 2 labels"));
  wanted.train = file("plain.jsonl", "{\"words\": \"a dog\", \"tags\": [\"O\", \"B\"]}\n");
  EXPECT_THAT(errorOf(wanted), HasSubstr("is no list of words"));
}

TEST_F(TaskDataTest, RetrievalFindsItsTextsById) {
  TaskConfig wanted;
  wanted.name = "find";
  wanted.kind = TaskKind::Retrieval;
  wanted.queries = file("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"x\"}\n{\"_id\": \"q2\", \"text\": \"y\"}\n");
  wanted.documents = file("documents.tsv", "id\ttext\nd1\tone\nd2\ttwo\n");
  wanted.pairs = file("pairs.tsv", "query-id\tcorpus-id\tscore\nq1\td2\t2\nq1\td1\t0\n");
  const auto data = *checked(readTask(wanted));
  ASSERT_EQ(data.pairs.size(), 1U);
  EXPECT_EQ(data.pairs[0].document, 1);
  EXPECT_EQ(data.pairs[0].gain, 2);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 of 2 queries have no document")));
  wanted.pairs = file("pairs.tsv", "query\tdocument\nq1\td3\n");
  EXPECT_THAT(errorOf(wanted), HasSubstr("there is no document 'd3'"));
  wanted.pairs = file("pairs.jsonl",
                      "{\"query\": \"q1\", \"document\": \"d2\"}\n{\"query\": \"q2\", \"document\": "
                      "\"d2\", \"score\": 3}\n");
  EXPECT_EQ(checked(readTask(wanted))->pairs[1].gain, 3);
  wanted.pairs = file("pairs.tsv", "query\tdocument\nq1\td2\nq2\td2\nq1\td2\n");
  EXPECT_THAT(errorOf(wanted), HasSubstr("pairs.tsv:4: the pair of 'q1' and 'd2' is given twice"));
  wanted.documents = file("documents.tsv", "id\ttext\nd1\tone\nd1\ttwo\n");
  EXPECT_THAT(errorOf(wanted), HasSubstr("the id 'd1' is given twice"));
}

TEST_F(TaskDataTest, TextsAreCutToWhatTheModelTakes) {
  const auto tokenizer = Tokenizer::bert(test::smallVocabulary({"one", "two", "three", "text", "##s"}), true);
  const auto data =
      *checked(readTask(task("text\tlabel\none two three\ta\none two three\ta\none two three\ta\none two three\ta\none "
                             "two three\ta\none two\tb\n"
                             "one two\tb\none two\tb\none two\tb\none two\tb\n",
                             "text\tlabel\none texts\ta\n")));
  const auto encoded = encodeTask(data, tokenizer, 4);
  EXPECT_EQ(encoded.parts[0][0].ids.size(), 4U);
  EXPECT_EQ(encoded.parts[1][0].ids.size(), 4U);
  EXPECT_THAT(encoded.notes, ElementsAre(HasSubstr("6 of 11 texts are longer than the 4 tokens")));
  EXPECT_THAT(encodeTask(data, tokenizer, 64).notes, IsEmpty());
  EXPECT_THAT(encodeTask(data, Tokenizer::bert(test::smallVocabulary({"other"}), true), 64).notes,
              ElementsAre(HasSubstr("unknown to the tokenizer")));
}

TEST_F(TaskDataTest, ATaskFileIsReadFromItsFolder) {
  const std::string path = file("movies.yaml", "train: a.tsv\ntext: text\nlabel: label\n");
  const TaskConfig read = *checked(loadTask(path));
  EXPECT_EQ(read.name, "movies");
  EXPECT_EQ(read.train, (folder_.path() / "a.tsv").native());
  EXPECT_EQ(metricOf(read), TaskMetric::Accuracy);
  TaskConfig named;
  named.path = "movies.yaml";
  EXPECT_EQ(*checked(resolvedTask(named, folder_.path())), read);
  const auto wrong = loadTask(file("wrong.yaml", "kind: pair\ntrian: a.tsv\n"));
  EXPECT_THAT(wrong.error().text(),
              testing::AllOf(HasSubstr("wrong.yaml:2: trian"), HasSubstr("did you mean 'train'")));
}

}  // namespace
}  // namespace batchwise
