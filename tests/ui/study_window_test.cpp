// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/study_window.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QtCore/QPointer>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QListWidget>
#include <fstream>

#include "core/run/launch/study.h"
#include "core/store/run_queue.h"
#include "core/store/workspace_folder.h"
#include "tests/support/run_plan.h"
#include "tests/support/scripted_slurm.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/series_chart.h"
#include "ui/parts/display_text.h"

namespace batchwise::test {
namespace {

class StudyWindowTest : public WindowTest {
 protected:
  StudyWindow* openStudy() { return openStudy(storeStoppedRun()); }
  StudyWindow* openStudy(const std::string& of) {
    const QString run = QString::fromStdString(of);
    workspace_.refresh();
    EXPECT_TRUE(comesTrue([&] { return workspace_.runs().find(run) != nullptr; }));
    parts_.selection.select(run);
    QAction* study = action(QStringLiteral("Critical batch"));
    EXPECT_TRUE(comesTrue([&] { return study->isEnabled(); }));
    study->trigger();
    return window_.findChild<StudyWindow*>();
  }
  /// Trains global batches of 16 samples, entered without training them, and evaluates and saves after each 20.
  std::string storeBase(std::int64_t batches) {
    const std::string yaml = "name: base\nmax_duration: " + std::to_string(batches) +
                             "ba\noptimizer: {lr: 1e-3}\nbatch: {global_train_batch_size: 16}\n";
    const TrainConfig config = parseConfig(yaml, "base", {}).config;
    const RunPlan whole =
        runPlanOf(config, std::make_shared<ListedLengths>(std::vector<std::uint32_t>(3000, 26)), {1, 4, 0});
    const Plan& plan = whole.first();
    NewRun run;
    run.name = "base";
    run.configYaml = yaml;
    run.resolvedYaml = configToYaml(config, YamlScope::Everything);
    run.resolvedValues = plan.resolved();
    run.resolvedValues[resolved_names::kEvaluationText] = "text";
    const std::string id = *workspace_.workspace()->createRun(run);
    const auto writer = *RunWriter::open(workspace_.workspace(), id, {});
    Timestamp now;
    while (!plan.finished(now)) {
      const GlobalBatch batch = *plan.globalBatchAt(now);
      for (const OptimizerStep& step : batch.steps) now = now.afterStep({step.samples, step.tokens, 0.1}, step.units);
      now = batch.endsEpoch ? now.afterBatch().afterEpoch() : now.afterBatch();
      MetricsRow row = rowAt(now.batch);
      row.at = now;
      row.stepSamples = 16;
      writer->publish(row);
      if (now.batch % 20 == 0) publishEvaluation(*writer, now, 5);
      if (now.batch == 40) save(*writer, now);
    }
    writer->publish(RunFinished{RunStatus::Finished, "", now, ""});
    EXPECT_TRUE(writer->flush().ok());
    return id;
  }
  static void publishEvaluation(RunWriter& writer, const Timestamp& at, double loss) {
    EvalResult evaluation;
    evaluation.at = at;
    evaluation.loss = loss;
    evaluation.drawError = 0.002;
    writer.publish(evaluation);
  }
  void save(RunWriter& writer, const Timestamp& at) {
    CheckpointRecord record;
    record.id = newRecordId();
    record.at = at;
    record.reason = CheckpointReason::Interval;
    record.file = "checkpoints/" + record.id + ".ckpt";
    EXPECT_TRUE(writeFileAtomically(workspace_.workspace()->folder() / record.file, "state").ok());
    EXPECT_TRUE(writer.addCheckpoint(record).ok());
  }
  /// A study without branches. Returns the run that it is of.
  std::string storeStudy() {
    const auto workspace = workspace_.workspace();
    const std::string base = storeBase(100);
    StudyRequest asked;
    asked.options.factors = {1, 4};
    asked.options.replicates = 2;
    asked.options.deltaTokens = 17'000;
    asked.coolsDown = false;
    asked.positions = {workspace->checkpoints(base)->front().at.token};
    const auto planned = planStudy(workspace, base, asked);
    EXPECT_TRUE(planned.ok()) << planned.error().text();
    EXPECT_TRUE(rememberStudy(*workspace, *planned).ok());
    return base;
  }
  /// The next branch of the study, which ends so; evaluated at its end if it finishes. Returns its run.
  std::string storeBranch(const Study& study, RunStatus status) {
    const auto workspace = workspace_.workspace();
    const Branch branch = study.next.front();
    const LoadedConfig config = branchConfig(study, branch);
    NewRun run;
    run.name = config.config.name;
    run.configYaml = run.resolvedYaml = config.yaml;
    run.parent = study.run.summary.id;
    const std::string id = *workspace->createRun(run);
    const StudyPlace& place = study.places.front();
    const auto writer = *RunWriter::open(workspace, id, {place.checkpoint.at, "", "{}", ""});
    Timestamp end = place.checkpoint.at;
    if (status == RunStatus::Finished) {
      end.sample = place.end;
      publishEvaluation(*writer, end, branch.factor > 3 ? 4.5 : 4);
    }
    writer->publish(RunFinished{status, "", end, ""});
    EXPECT_TRUE(writer->flush().ok());
    return id;
  }
  /// A study whose branches were evaluated at their ends, which decides it. Returns the run of the first branch.
  std::string storeDecidedStudy() {
    const auto workspace = workspace_.workspace();
    const std::string base = storeStudy();
    std::string first;
    for (auto study = *readStudy(workspace, base); !study->next.empty(); study = *readStudy(workspace, base)) {
      const std::string branch = storeBranch(*study, RunStatus::Finished);
      if (first.empty()) first = branch;
    }
    return first;
  }
  /// The queue of the window trains the branch once more, until the window stops it, as it is not needed.
  void trainAgain(const std::string& branch) {
    const std::string yaml = workspace_.workspace()->findRun(branch)->configYaml;
    ASSERT_TRUE(RunQueue(workspace_.workspace()).requeue({{branch, yaml}}).ok());
    fake_.commands.clear();
    workspace_.refresh();
    ASSERT_TRUE(comesTrue([&] { return parts_.queue.waiting() == 1; }));
    parts_.queue.start();
    ASSERT_TRUE(comesTrue([&] { return run_.busy(); }));
    RunStarted started;
    started.run = branch;
    EvalResult evaluation;
    evaluation.loss = 4;
    fake_.publish({started, evaluation});
    ASSERT_TRUE(comesTrue([&] { return !fake_.commands.empty(); }));
    EXPECT_EQ(fake_.commands, std::vector{RunCommand::StopUnneeded});
  }
  static QString textsOf(const StudyWindow& window) {
    QStringList texts;
    for (const QLabel* label : window.findChildren<QLabel*>()) texts << label->text();
    return texts.join(u'\n');
  }
};

TEST_F(StudyWindowTest, NeedsASelectedRun) {
  EXPECT_FALSE(action(QStringLiteral("Critical batch"))->isEnabled());
}

TEST_F(StudyWindowTest, ListsTheCheckpointsAndSaysWhichDefinitionItUses) {
  const StudyWindow* study = openStudy();
  ASSERT_NE(study, nullptr);
  const auto* checkpoints = study->findChild<QListWidget*>(QStringLiteral("studyCheckpoints"));
  EXPECT_TRUE(comesTrue([&] { return checkpoints->count() == 2; }));
  EXPECT_EQ(study->findChild<QLineEdit*>(QStringLiteral("studyFactors"))->text(), QStringLiteral("1 2 4 8 16"));
  EXPECT_EQ(study->findChild<QDoubleSpinBox*>(QStringLiteral("studyTolerance"))->value(), 0.01);
  EXPECT_TRUE(textsOf(*study).contains(QStringLiteral("Merrill et al. 2025")));
  EXPECT_FALSE(study->findChild<QPushButton*>(QStringLiteral("useStudyRamp"))->isEnabled()) << "nothing was measured";
}

TEST_F(StudyWindowTest, SaysWhatIsWrongInTheForm) {
  const StudyWindow* study = openStudy();
  ASSERT_NE(study, nullptr);
  auto* checkpoints = study->findChild<QListWidget*>(QStringLiteral("studyCheckpoints"));
  ASSERT_TRUE(comesTrue([&] { return checkpoints->count() == 2; }));
  const auto* start = study->findChild<QPushButton*>(QStringLiteral("startStudy"));
  study->findChild<QLineEdit*>(QStringLiteral("studyFactors"))->setText(QStringLiteral("1 two"));
  EXPECT_FALSE(start->isEnabled()) << "the plan is no longer that of the form";
  checkpoints->item(0)->setCheckState(Qt::Checked);
  EXPECT_TRUE(comesTrue([&] { return textsOf(*study).contains(QStringLiteral("two is no number")); }));
  study->findChild<QLineEdit*>(QStringLiteral("studyFactors"))->setText(QStringLiteral("1 2 4"));
  for (int i = 0; i < 2; ++i) checkpoints->item(i)->setCheckState(Qt::Unchecked);
  EXPECT_TRUE(comesTrue([&] { return textsOf(*study).contains(QStringLiteral("Tick a checkpoint")); }));
  EXPECT_FALSE(start->isEnabled());
}

TEST_F(StudyWindowTest, TheChartOfLossesShowsTheBoundsThatDecide) {
  const std::string base = workspace_.workspace()->findRun(storeDecidedStudy())->summary.parent;
  const auto stored = *readStudy(workspace_.workspace(), base);
  const std::vector<FactorDecision>& factors = stored->decisions.front().deciding().factors;
  const auto tested = std::ranges::find_if(factors, [](const FactorDecision& each) { return each.bound.has_value(); });
  ASSERT_NE(tested, factors.end());
  const double smallest = *factors.front().meanLoss;
  const StudyWindow* study = openStudy(base);
  ASSERT_NE(study, nullptr);
  const auto line = [&](const QString& name) -> const ChartLine* {
    for (const SeriesChart* chart : study->findChildren<SeriesChart*>())
      for (const ChartLine& each : chart->content().lines)
        if (each.name == name) return &each;
    return nullptr;
  };
  ASSERT_TRUE(comesTrue([&] { return line(QStringLiteral("Limit for the upper bound")) != nullptr; }));
  const ChartLine* bar = line(QStringLiteral("Up to the 95 % upper bound"));
  ASSERT_NE(bar, nullptr);
  ASSERT_EQ(bar->points.size(), 2U);
  EXPECT_NEAR(bar->points.front().y(), smallest + *tested->meanDifference, 1e-9);
  EXPECT_NEAR(bar->points.back().y(), smallest + *tested->bound, 1e-9);
}

TEST_F(StudyWindowTest, ABranchThatIsNotNeededAnyMoreIsStoppedSaysSoAndLeavesTheQueue) {
  const std::string branch = storeDecidedStudy();
  ASSERT_NO_FATAL_FAILURE(trainAgain(branch));
  fake_.publish({RunFinished{RunStatus::Stopped, "its study is clear", {}, {}, FailureCause::Unneeded}});
  fake_.ended();
  EXPECT_TRUE(comesTrue([&] { return parts_.queue.model().rowCount() == 0; }));
  EXPECT_TRUE(parts_.queue.isStarted()) << "the next run follows";

  ASSERT_NO_FATAL_FAILURE(trainAgain(branch));
  ASSERT_TRUE(comesTrue([&] { return action(QStringLiteral("Stop and save"))->isEnabled(); }));
  action(QStringLiteral("Stop and save"))->trigger();
  EXPECT_EQ(fake_.commands.back(), RunCommand::StopWithCheckpoint);
  fake_.finish(RunStatus::Stopped, "stopped by the user");
  EXPECT_TRUE(comesTrue([&] { return !parts_.queue.pauseReason().isEmpty(); })) << "the user's stop counts";
  EXPECT_EQ(parts_.queue.model().rowCount(), 1);

  RunSummary run;
  run.status = RunStatus::Stopped;
  run.cause = FailureCause::Unneeded;
  EXPECT_EQ(stateText(run), QStringLiteral("Stopped, not needed"));
  EXPECT_EQ(stateName(run), "stopped, not needed");
}

TEST_F(StudyWindowTest, ABranchThatIsNotNeededAnyMoreLeavesTheQueueOnceTheStoreIsFree) {
  ASSERT_NO_FATAL_FAILURE(trainAgain(storeDecidedStudy()));
  QSignalSpy failed(&parts_.queue, &QueuePresenter::failed);
  const auto file = workspace_.workspace()->folder() / kDatabaseName;
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE, 60'000);
  other.exec("BEGIN IMMEDIATE");
  fake_.publish({RunFinished{RunStatus::Stopped, "its study is clear", {}, {}, FailureCause::Unneeded}});
  fake_.ended();
  ASSERT_TRUE(comesTrue([&] { return !failed.isEmpty(); }));
  EXPECT_EQ(parts_.queue.model().rowCount(), 1);
  other.exec("ROLLBACK");
  EXPECT_TRUE(comesTrue([&] { return parts_.queue.model().rowCount() == 0; }));
  EXPECT_TRUE(parts_.queue.isStarted()) << "the next run follows";
  EXPECT_EQ(places_.size(), 1U) << "it was not trained again";
}

// Before the window, which looks for Slurm when it is made.
class ClusterOfStudies {
 protected:
  ScriptedSlurm slurm_;
};

class StudyOnClusterTest : protected ClusterOfStudies, public StudyWindowTest {
 protected:
  /// A study with a branch that was interrupted and has a task of an array. Returns the run that it is of.
  std::string storeStudyOnCluster() {
    const auto workspace = workspace_.workspace();
    const std::string base = storeStudy();
    const std::string branch = storeBranch(**readStudy(workspace, base), RunStatus::Interrupted);
    std::filesystem::create_directories(workspace->folder() / "runs");
    std::ofstream(slurmRequestFile(workspace->folder(), branch)) << "{}";
    std::ofstream(workspace->folder() / "runs" / "many.sbatch") << "#!/bin/bash\nruns=(many " << branch << ")\n";
    slurm_.setNames("42_1|batchwise-many\n");
    return base;
  }
};

TEST_F(StudyOnClusterTest, ABranchThatHasAJobIsNotQueuedHereToo) {
  const StudyWindow* study = openStudy(storeStudyOnCluster());
  ASSERT_NE(study, nullptr);
  auto* start = study->findChild<QPushButton*>(QStringLiteral("startStudy"));
  ASSERT_TRUE(comesTrue([&] { return start->isEnabled(); })) << textsOf(*study).toStdString();
  start->click();
  EXPECT_TRUE(comesTrue([&] { return textsOf(*study).contains(QStringLiteral("is on a Slurm cluster")); }));
  EXPECT_TRUE(RunQueue(workspace_.workspace()).read()->entries.empty());
}

TEST_F(StudyOnClusterTest, AWindowThatIsClosedMeanwhileSaysWhyBranchesWereNotAdded) {
  const QPointer<StudyWindow> study = openStudy(storeStudyOnCluster());
  ASSERT_TRUE(study);
  auto* start = study->findChild<QPushButton*>(QStringLiteral("startStudy"));
  ASSERT_TRUE(comesTrue([&] { return start->isEnabled(); })) << textsOf(*study).toStdString();
  start->click();
  EXPECT_FALSE(study->close());
  const auto says = [&] { return study && textsOf(*study).contains(QStringLiteral("is on a Slurm cluster")); };
  ASSERT_TRUE(comesTrue(says));
  EXPECT_TRUE(study->close());
}

TEST_F(StudyOnClusterTest, AWindowThatIsClosedTwiceDoesNotWaitForTheCluster) {
  StudyWindow* study = openStudy(storeStudyOnCluster());
  ASSERT_NE(study, nullptr);
  auto* start = study->findChild<QPushButton*>(QStringLiteral("startStudy"));
  ASSERT_TRUE(comesTrue([&] { return start->isEnabled(); })) << textsOf(*study).toStdString();
  slurm_.hang("squeue");
  start->click();
  EXPECT_FALSE(study->close());
  EXPECT_TRUE(textsOf(*study).contains(QStringLiteral("Close it again")));
  EXPECT_TRUE(study->close());
}

TEST_F(StudyOnClusterTest, BranchesAreNotAddedOnceMoreWhileTheClusterIsAsked) {
  const StudyWindow* study = openStudy(storeStudyOnCluster());
  ASSERT_NE(study, nullptr);
  auto* start = study->findChild<QPushButton*>(QStringLiteral("startStudy"));
  ASSERT_TRUE(comesTrue([&] { return start->isEnabled(); })) << textsOf(*study).toStdString();
  slurm_.hang("squeue");
  start->click();
  const QString before = textsOf(*study);
  study->findChild<QSpinBox*>(QStringLiteral("studyReplicates"))->setValue(3);
  const auto isRead = [&] { return textsOf(*study) != before && textsOf(*study).contains(QStringLiteral("At most")); };
  ASSERT_TRUE(comesTrue(isRead)) << textsOf(*study).toStdString();
  EXPECT_FALSE(start->isEnabled());
}

}  // namespace
}  // namespace batchwise::test
