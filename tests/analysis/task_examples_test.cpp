// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/task_examples.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/config/task_config.h"
#include "core/store/workspace.h"
#include "core/text/task_data.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class TaskExamplesTest : public testing::Test {
 protected:
  TaskExamplesTest() {
    write(folder_ / "train.tsv", "text\tlabel\n" + repeated("a good film\t1\na bad film\t0\n", 5));
    write(folder_ / "test.tsv", "text\tlabel\nfine\t1\nawful\t0\ngreat fun\t1\n");
    write(folder_ / "films.yaml",
          "{name: films, train: train.tsv, validation: test.tsv, test: test.tsv, text: text, label: label}\n");
    const auto task = checked(loadTask(folder_ / "films.yaml"));
    data_ = *checked(readTask(*task));
  }
  /// The score of a model with these predictions for the test part.
  Score score(const std::string& model, std::int64_t seed, const std::vector<std::string>& predictions) {
    const std::vector<std::string> labels{"1", "0", "1"};
    Score score{"", model, "films", data_.hash, "finetune", "accuracy", "test", seed, 1e-5, 0, 3, 1};
    for (std::size_t i = 0; i < labels.size(); ++i)
      score.predictions.push_back(
          {static_cast<std::int64_t>(i), labels[i], predictions[i], labels[i] == predictions[i] ? 1.0 : 0.0});
    EXPECT_TRUE(workspace_->addScores({score}).ok());
    return score;
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "w");
  TaskData data_;
};

TEST_F(TaskExamplesTest, TheLargestDifferenceComesFirstWithItsText) {
  const std::vector<Score> own{score("/a", 1, {"1", "0", "1"}), score("/a", 2, {"1", "1", "1"})};
  const std::vector<Score> other{score("/b", 1, {"1", "1", "0"})};
  ASSERT_TRUE(rememberTaskFile(*workspace_, data_.hash, data_, folder_ / "films.yaml").ok());
  const auto found = checked(compareExamples(*workspace_, own, other));
  EXPECT_EQ(found->note, "");
  EXPECT_TRUE(found->areRightOrWrong);
  ASSERT_THAT(found->examples, SizeIs(3));
  EXPECT_EQ(found->examples[0].example, 2);
  EXPECT_EQ(found->examples[0].text, "great fun");
  EXPECT_EQ(found->examples[0].label, "1");
  EXPECT_EQ(found->examples[1].predictions[0], "0 (1 of 2)") << "of the two seeds";
  EXPECT_EQ(found->examples[1].scores[0], 0.5);
  EXPECT_EQ(found->examples[1].predictions[1], "1");
}

TEST_F(TaskExamplesTest, AWordIsShownWithItsSentence) {
  const std::string lines = R"({"w": ["a", "film"], "t": ["D", "N"]})"
                            "\n"
                            R"({"w": ["one", "more"], "t": ["D", "N"]})"
                            "\n";
  write(folder_ / "tags.jsonl", repeated(lines, 5));
  write(folder_ / "tags.yaml",
        "{name: tags, kind: token_labels, train: tags.jsonl, validation: tags.jsonl, test: tags.jsonl, text: w, "
        "label: t}\n");
  std::vector<Score> scores;
  for (const char* model : {"/a", "/b"}) {
    scores.push_back({"", model, "tags", "h", "probe", "f1", "test", 0, 0, 0, 4, 1, {{firstWordOf(0), "D", "D", 1}}});
    scores.back().predictions.push_back({firstWordOf(1) + 1, "N", model, 0});
    ASSERT_TRUE(workspace_->addScores({scores.back()}).ok());
  }
  const auto found = checked(compareExamples(*workspace_, {&scores[0], 1}, {&scores[1], 1}, folder_ / "tags.yaml"));
  ASSERT_THAT(found->examples, SizeIs(2)) << found->note;
  EXPECT_EQ(found->examples[0].text, "a – a film");
  EXPECT_EQ(found->examples[1].text, "more – one more");
}

TEST_F(TaskExamplesTest, SaysThatTheTextsMayBeOthersOrAreNotKnown) {
  const std::vector<Score> own{score("/a", 1, {"1", "0", "1"})}, other{score("/b", 1, {"1", "1", "0"})};
  EXPECT_THAT(checked(compareExamples(*workspace_, own, other))->note, HasSubstr("is not known"));
  write(folder_ / "test.tsv", "text\tlabel\nfine\t1\nawful\t0\nboring\t0\n");
  const auto changed = checked(compareExamples(*workspace_, own, other, folder_ / "films.yaml"));
  EXPECT_THAT(changed->note, HasSubstr("have changed"));
  EXPECT_EQ(changed->examples.front().text, "awful");
}

TEST_F(TaskExamplesTest, ScoresWithoutPredictionsHaveNoExamples) {
  Score score{"", "/a", "films", data_.hash, "probe", "accuracy", "test", 0, 0, 0.5, 3, 1};
  ASSERT_TRUE(workspace_->addScores({score}).ok());
  EXPECT_EQ(refused(compareExamples(*workspace_, {&score, 1}, {&score, 1})).code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace batchwise::test
