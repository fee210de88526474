// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/window_fixture.h"
#include "ui/checkpoints/score_dialog.h"
#include "ui/runs/scores_pane.h"
#include "ui/runs/values_pane.h"

namespace batchwise::test {
namespace {

/// In place of the command line: notes its arguments, reports progress, and waits as long as there is a file `hold`.
constexpr const char* kProgram = R"(#!/bin/sh
folder=$(dirname "$0")
echo "$@" >> "$folder/calls"
echo '{"event":"progress","phase":"features","done":40,"total":100,"unit":"texts"}' >&2
while [ -e "$folder/hold" ]; do sleep 0.02; done
if [ -e "$folder/refuse" ]; then echo "batchwise: task films: there is no column 'label'" >&2; exit 2; fi
echo '{"schema":"batchwise.judge/1","scores":[{"metric":"accuracy","split":"test","mean":0.912}]}'
)";

class ScoresWindowTest : public WindowTest {
 protected:
  ScoresWindowTest() {
    QFile script(file("batchwise"));
    EXPECT_TRUE(script.open(QIODevice::WriteOnly));
    script.write(kProgram);
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    for (const char* name : {"hold", "films.yaml"}) EXPECT_TRUE(QFile(file(name)).open(QIODevice::WriteOnly));
  }
  QString file(const char* name) const { return programs_.filePath(QString::fromLatin1(name)); }
  QString calls() const {
    QFile log(file("calls"));
    return log.open(QIODevice::ReadOnly) ? QString::fromUtf8(log.readAll()) : QString();
  }
  ModelJob job(const QString& model) const {
    return {model + QStringLiteral(" on films"),
            {QStringLiteral("judge"), model, QStringLiteral("--task"), file("films.yaml")}};
  }
  Score score(const std::string& run, double value, std::int64_t seed = 0) {
    const auto checkpoints = workspace_.workspace()->checkpoints(run);
    EXPECT_TRUE(checkpoints.ok());
    Score score{run, checkpoints->back().file, "films", "hash", "probe", "accuracy", "test", seed, 0, value, 4, 1000};
    for (std::int64_t i = 0; i < 4; ++i) {
      const bool isRight = static_cast<double>(i) < 4 * value;
      score.predictions.push_back({i, "1", isRight ? "1" : "0", isRight ? 1.0 : 0.0});
    }
    return score;
  }

  QTemporaryDir programs_;
  EnvironmentVariable program_{"BATCHWISE_PROGRAM", programs_.filePath(QStringLiteral("batchwise")).toStdString()};
  ModelJobs& jobs_ = parts_.modelJobs;
};

TEST_F(ScoresWindowTest, ModelsAreScoredOneAfterTheOtherAndTheOutcomeIsSaid) {
  jobs_.add({job(QStringLiteral("first")), job(QStringLiteral("second")), job(QStringLiteral("second"))});
  ASSERT_EQ(jobs_.all().size(), 2U);
  ASSERT_TRUE(comesTrue([&] { return jobs_.stateOf(0).contains(QStringLiteral("40 %")); }))
      << jobs_.stateOf(0).toStdString();
  EXPECT_EQ(calls().count(QLatin1Char('\n')), 1) << "the second waits";
  EXPECT_TRUE(calls().startsWith(QStringLiteral("judge first --task"))) << calls().toStdString();
  EXPECT_TRUE(calls().contains(QStringLiteral("--json")));
  QFile::remove(file("hold"));
  ASSERT_TRUE(comesTrue([&] { return jobs_.all().empty(); }));
  EXPECT_TRUE(message().texts().join(QLatin1Char('\n')).contains(QStringLiteral("Accuracy 0.912")));
}

TEST_F(ScoresWindowTest, AnErrorIsShownAndTheNextModelFollows) {
  EXPECT_TRUE(QFile(file("refuse")).open(QIODevice::WriteOnly));
  QFile::remove(file("hold"));
  jobs_.add({job(QStringLiteral("first")), job(QStringLiteral("second"))});
  ASSERT_TRUE(comesTrue([&] { return jobs_.all().empty(); }));
  EXPECT_EQ(calls().count(QLatin1Char('\n')), 2);
  EXPECT_TRUE(message().texts().join(QLatin1Char('\n')).contains(QStringLiteral("There is no column 'label'")) ||
              message().texts().join(QLatin1Char('\n')).contains(QStringLiteral("there is no column 'label'")));
}

TEST_F(ScoresWindowTest, ACanceledOneEndsAndWhatWaitsGoesOnInTheNextWindow) {
  jobs_.add({job(QStringLiteral("first")), job(QStringLiteral("second"))});
  ASSERT_TRUE(comesTrue([&] { return jobs_.stateOf(0).contains(QStringLiteral("40 %")); }));
  jobs_.cancel(0);
  ASSERT_TRUE(comesTrue([&] { return jobs_.all().size() == 1; }));
  EXPECT_EQ(jobs_.all().front().title, QStringLiteral("second on films"));
  awaitTasks();
  ModelJobs next(workspace_, run_);
  Q_EMIT workspace_.opened(workspace_.folder());
  EXPECT_TRUE(comesTrue([&] { return next.all() == std::vector<ModelJob>{job(QStringLiteral("second"))}; }));
}

TEST_F(ScoresWindowTest, TheDialogMakesAJobOfEachTickedModel) {
  std::vector<ModelJob> requested;
  auto* dialog = new ScoreDialog(
      ScoreDialog::Method::FineTune,
      {{QStringLiteral("base"), QStringLiteral("id1")}, {QStringLiteral("other"), QStringLiteral("id2"), false}},
      settings_, tasks_, &window_);
  QObject::connect(dialog, &ScoreDialog::requested, &window_,
                   [&](const std::vector<ModelJob>& jobs) { requested = jobs; });
  dialog->show();
  auto* start = dialog->findChild<QPushButton*>(QStringLiteral("startScoring"));
  EXPECT_FALSE(start->isEnabled()) << "there is no task yet";
  dialog->findChild<QLineEdit*>(QStringLiteral("scoreTask"))->setText(file("films.yaml"));
  EXPECT_TRUE(start->isEnabled());
  EXPECT_EQ(start->grab().toImage().pixelColor(start->width() / 2, 3), theme_.colors().accent) << "as the main button";
  auto* rates = dialog->findChild<QLineEdit*>(QStringLiteral("scoreRates"));
  rates->setText(QStringLiteral("1e-5, fast"));
  EXPECT_FALSE(start->isEnabled());
  rates->setText(QStringLiteral("1e-5, 2e-5"));
  start->click();
  ASSERT_EQ(requested.size(), 1U);
  EXPECT_EQ(requested.front().title, QStringLiteral("base on films.yaml"));
  EXPECT_TRUE(requested.front()
                  .arguments.join(QLatin1Char(' '))
                  .endsWith(QStringLiteral("--method finetune --rates 1e-5,2e-5 --seeds 5 --epochs 3")))
      << requested.front().arguments.join(QLatin1Char(' ')).toStdString();
}

TEST_F(ScoresWindowTest, ATaskIsDescribedByTheColumnsOfItsTable) {
  QFile table(file("films.tsv"));
  ASSERT_TRUE(table.open(QIODevice::WriteOnly));
  table.write("text\tstars\tlabel\nfine\t3\t1\n");
  table.close();
  auto* dialog = new TaskDialog(file("films.tsv"), settings_, tasks_, &window_);
  dialog->show();
  auto* label = dialog->findChild<QComboBox*>(QStringLiteral("taskLabel"));
  ASSERT_TRUE(comesTrue([&] { return label->count() == 3; }));
  EXPECT_EQ(label->currentText(), QStringLiteral("label"));
  EXPECT_EQ(dialog->findChild<QComboBox*>(QStringLiteral("taskText"))->currentText(), QStringLiteral("text"));
  auto* save = dialog->findChild<QPushButton*>(QStringLiteral("saveTask"));
  EXPECT_TRUE(save->isEnabled());
  label->setCurrentText(QStringLiteral("text"));
  EXPECT_FALSE(save->isEnabled()) << "text and label are the same column";
}

TEST_F(ScoresWindowTest, TheScoresOfACheckpointStandBelowTheTable) {
  const std::string run = storeStoppedRun();
  ASSERT_TRUE(workspace_.workspace()->addScores({score(run, 0.75)}).ok());
  workspace_.refresh();
  parts_.selection.select(QString::fromStdString(run));
  openPage("checkpoints");
  auto* scores = window_.findChild<QTableView*>(QStringLiteral("checkpointScores"));
  ASSERT_TRUE(comesTrue([&] { return scores->isVisible() && scores->model()->rowCount() == 1; }));
  EXPECT_EQ(scores->model()->index(0, 0).data().toString(), QStringLiteral("Accuracy on films"));
  EXPECT_EQ(scores->model()->index(0, 3).data().toDouble(), 0.75);
}

TEST_F(ScoresWindowTest, TheComparisonHasScoresAndTheExamplesThatDiffer) {
  const std::string first = storeRun("first", RunStatus::Finished), second = storeRun("second", RunStatus::Finished);
  ASSERT_TRUE(workspace_.workspace()->addScores({score(first, 0.5), score(second, 1)}).ok());
  awaitRuns(2);
  parts_.selection.setTicked({QString::fromStdString(first), QString::fromStdString(second)});
  auto* table = window_.findChild<QTableView*>(QStringLiteral("scores"));
  ASSERT_TRUE(comesTrue([&] { return table->model()->rowCount() == 2; }));
  table->selectRow(1);
  auto* examples = window_.findChild<QPushButton*>(QStringLiteral("scoreExamples"));
  ASSERT_TRUE(examples->isEnabled());
  examples->click();
  auto* window = window_.findChild<ExamplesWindow*>();
  ASSERT_NE(window, nullptr);
  auto* rows = window->findChild<QTableView*>(QStringLiteral("examples"));
  ASSERT_TRUE(comesTrue([&] { return rows->model()->rowCount() == 4; }));
  EXPECT_EQ(rows->model()->index(0, 0).data().toInt(), 2) << "the first on which they differ";
  window->findChild<QCheckBox*>(QStringLiteral("examplesOneIsRight"))->click();
  EXPECT_EQ(rows->model()->rowCount(), 2);
  EXPECT_TRUE(window->findChild<QPushButton*>(QStringLiteral("examplesTaskFile"))->isVisible())
      << "the file of the task is not known";
}

}  // namespace
}  // namespace batchwise::test
