// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/resume_presenter.h"

#include <gtest/gtest.h>

#include <QtCore/QRegularExpression>
#include <QtTest/QAbstractItemModelTester>

#include "ui/list/record_models.h"

namespace batchwise {
namespace {

CheckpointRecord record(const std::string& id, std::int64_t batch) {
  CheckpointRecord made;
  made.id = id;
  made.at.batch = batch;
  made.at.step = batch;
  return made;
}

ResumableRun stoppedCase() {
  ResumableRun which;
  which.run.summary.id = "abcdefabcdef";
  which.run.summary.name = "demo";
  which.run.summary.at.batch = 431;
  which.run.configYaml = bundledConfig("demo");
  which.run.resolvedYaml = configToYaml(loadConfig("demo").config, YamlScope::Everything);
  which.checkpoints = {record("newer", 400), record("older", 300)};
  return which;
}

ResumeChoice changing(const QString& change) {
  ResumeChoice choice;
  choice.changes = {change};
  return choice;
}

TEST(ResumePreviewTest, WithoutChangesItGoesOnExactlyFromTheNewest) {
  const ResumePreview preview = previewResume(stoppedCase(), {}, "/workspace");
  EXPECT_TRUE(preview.possible());
  EXPECT_EQ(preview.request.resumeCheckpoint, "newer");
  EXPECT_EQ(preview.request.resumeRun, "abcdefabcdef");
  EXPECT_TRUE(preview.exactness.contains(QStringLiteral("bit for bit")));
  EXPECT_TRUE(preview.overlap.contains(QStringLiteral("31"))) << preview.overlap.toStdString();
  EXPECT_TRUE(preview.changed.isEmpty());
}

TEST(ResumePreviewTest, AtTheEndOfTheRunItSaysWhatWouldDo) {
  ResumableRun which = stoppedCase();
  which.run.summary.status = RunStatus::Finished;
  which.run.summary.plannedBatches = 400;
  ResumeChoice choice;
  for (const bool fork : {false, true}) {
    choice.fork = fork;
    ASSERT_EQ(previewResume(which, choice, "/workspace").problems.size(), 1);
    EXPECT_TRUE(previewResume(which, choice, "/workspace").problems[0].contains(QStringLiteral("greater length")));
  }
  choice.maxDuration = QStringLiteral("500ba");
  EXPECT_TRUE(previewResume(which, choice, "/workspace").possible());
  choice = {};
  choice.checkpoint = QStringLiteral("older");
  EXPECT_TRUE(previewResume(which, choice, "/workspace").possible());
  choice = changing(QStringLiteral("seed=99"));
  choice.fork = true;
  EXPECT_TRUE(previewResume(which, choice, "/workspace").possible());
}

TEST(ResumePreviewTest, OtherDevicesKeepSamplesNotBits) {
  const ResumePreview preview = previewResume(stoppedCase(), changing(QStringLiteral("devices=cpu:2")), "/workspace");
  EXPECT_TRUE(preview.possible());
  EXPECT_TRUE(preview.exactness.contains(QStringLiteral("same samples and masks")));
  EXPECT_EQ(preview.changed.size(), 1);
}

TEST(ResumePreviewTest, AForkToAnotherPrecisionIsNotExact) {
  ResumeChoice choice = changing(QStringLiteral("precision=bf16"));
  choice.fork = true;
  const ResumePreview fork = previewResume(stoppedCase(), choice, "/workspace");
  EXPECT_FALSE(fork.exactness.contains(QStringLiteral("bit for bit")));
  EXPECT_TRUE(fork.exactness.contains(QStringLiteral("same samples and masks; rates or numbers may differ")))
      << fork.exactness.toStdString();
}

TEST(ResumePreviewTest, WhatMakesAnotherRunIsAForkOnly) {
  ResumeChoice choice = changing(QStringLiteral("seed=99"));
  const ResumePreview refused = previewResume(stoppedCase(), choice, "/workspace");
  EXPECT_FALSE(refused.possible());
  EXPECT_TRUE(refused.possibleAsFork);
  EXPECT_EQ(refused.problems,
            QStringList(QStringLiteral("seed: 17 -> 99 would make it a different run; it is possible in a fork")));
  choice.fork = true;
  const ResumePreview fork = previewResume(stoppedCase(), choice, "/workspace");
  EXPECT_TRUE(fork.possible());
  EXPECT_TRUE(fork.request.fork);
  EXPECT_EQ(fork.changed, QStringList(QStringLiteral("seed: 17 -> 99")));
  EXPECT_TRUE(fork.exactness.contains(QStringLiteral("new run")));
}

TEST(ResumePreviewTest, AScheduleChangesOnlyWhenItIsResolvedAnew) {
  ResumeChoice choice = changing(QStringLiteral("scheduler.alpha_f=0.5"));
  const ResumePreview refused = previewResume(stoppedCase(), choice, "/workspace");
  ASSERT_EQ(refused.problems.size(), 1);
  EXPECT_TRUE(refused.problems.front().endsWith(QStringLiteral("recompute the schedule, or fork")))
      << "no option of the command line: " << refused.problems.front().toStdString();
  choice.fork = true;  // what was refused is said without the way out
  EXPECT_FALSE(
      previewResume(stoppedCase(), choice, "/workspace").changed.join(QString()).contains(QStringLiteral("--")));
  choice.fork = false;
  choice.stretch = true;
  EXPECT_TRUE(previewResume(stoppedCase(), choice, "/workspace").possible());
}

TEST(ResumePreviewTest, AForkThatOnlyHasAnotherNameGoesOnExactly) {
  ResumeChoice choice;
  choice.name = forkName(stoppedCase());
  EXPECT_TRUE(previewResume(stoppedCase(), choice, "/workspace").request.config.config.name == "demo")
      << "a run that goes on keeps its name";
  choice.fork = true;
  const ResumePreview fork = previewResume(stoppedCase(), choice, "/workspace");
  EXPECT_TRUE(fork.possible()) << fork.problems.join(QLatin1Char(' ')).toStdString();
  EXPECT_EQ(fork.request.config.config.name, "demo-fork");
  EXPECT_TRUE(fork.exactness.contains(QStringLiteral("bit for bit"))) << fork.exactness.toStdString();
  EXPECT_TRUE(fork.changed.isEmpty());
}

TEST(ResumePreviewTest, SpeaksNoOptionsOfTheCommandLine) {
  ResumeChoice longer;
  longer.maxDuration = QStringLiteral("9ep");
  const ResumePreview kept = previewResume(stoppedCase(), longer, "/workspace");
  ASSERT_TRUE(kept.possible());
  EXPECT_TRUE(kept.changed.join(QLatin1Char(' ')).contains(QStringLiteral("spread it over the new length")));
  QString said = kept.changed.join(QLatin1Char(' '));
  for (const char* change : {"optimizer.lr=fast", "optimizer.rate=1", "seed", "name=other", "batch.rampup={initial: 0}",
                             "seed=5", "scheduler.alpha_f=0.5"})
    said += previewResume(stoppedCase(), changing(QString::fromLatin1(change)), "/workspace")
                .problems.join(QLatin1Char('\n'));
  EXPECT_FALSE(said.contains(QRegularExpression(QStringLiteral("--[a-z]")))) << said.toStdString();
}

TEST(ResumePreviewTest, ASlipIsNoFork) {
  const ResumePreview preview =
      previewResume(stoppedCase(), changing(QStringLiteral("optimizer.lr=fast")), "/workspace");
  EXPECT_FALSE(preview.possible());
  EXPECT_FALSE(preview.possibleAsFork);
}

TEST(ResumePreviewTest, WithoutACheckpointNothingGoesOn) {
  ResumableRun which = stoppedCase();
  which.checkpoints.clear();
  EXPECT_FALSE(previewResume(which, {}, "/workspace").possible());
}

TEST(CheckpointModelTest, IsAProperModelThroughChanges) {
  CheckpointModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.update({record("a", 1), record("b", 2)});
  EXPECT_EQ(model.rowOf(QStringLiteral("b")), 0);
  model.update({record("b", 2), record("c", 3)});
  EXPECT_EQ(model.bestOrNewest(), QStringLiteral("c")) << "no evaluation says which is the best";
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.rowOf(QStringLiteral("a")), -1);
  model.setCheck(QStringLiteral("b"), CheckpointModel::Check::Damaged, QStringLiteral("hash of chunk 3"));
  const QModelIndex state = model.index(1, CheckpointModel::StateColumn);
  EXPECT_EQ(state.data().toString(), QStringLiteral("Damaged"));
  EXPECT_EQ(state.data(Qt::ToolTipRole).toString(), QStringLiteral("Hash of chunk 3"));
}

TEST(CheckpointModelTest, MarksTheNewestAndTheBest) {
  const auto measured = [](const std::string& id, std::int64_t batch, double metric) {
    CheckpointRecord made = record(id, batch);
    made.metric = metric;
    return made;
  };
  CheckpointModel model;
  const auto mark = [&model](const char* id) {
    return model.index(model.rowOf(QString::fromLatin1(id)), CheckpointModel::MarkColumn).data().toString();
  };
  model.update({measured("a", 1, 4.0), measured("b", 2, 3.0), measured("c", 3, 3.5)});
  EXPECT_EQ(mark("a"), QString());
  EXPECT_EQ(mark("b"), QStringLiteral("Best"));
  EXPECT_EQ(mark("c"), QStringLiteral("Newest"));
  EXPECT_EQ(model.bestOrNewest(), QStringLiteral("b"));
  EXPECT_EQ(model.headerData(CheckpointModel::MetricColumn, Qt::Horizontal, Qt::DisplayRole).toString(),
            QStringLiteral("Evaluation loss"));
  model.setMetric(EvalMetric::Accuracy);
  model.update({measured("a", 1, 4.0), measured("b", 2, 3.0), measured("d", 4, 5.0)});
  EXPECT_EQ(mark("a"), QString());
  EXPECT_EQ(mark("b"), QString());
  EXPECT_EQ(mark("d"), QStringLiteral("Newest, best"));
  EXPECT_EQ(model.headerData(CheckpointModel::MetricColumn, Qt::Horizontal, Qt::DisplayRole).toString(),
            QStringLiteral("Evaluation accuracy"));
}

}  // namespace
}  // namespace batchwise
