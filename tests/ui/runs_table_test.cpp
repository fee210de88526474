// SPDX-License-Identifier: GPL-3.0-or-later
// The runs table without a view: columns, sorting, groups of seeds, ticks.
#include "ui/list/runs_table.h"

#include <gtest/gtest.h>

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <cmath>
#include <functional>
#include <limits>

#include "core/store/recording/run_writer.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/test_environment.h"
#include "tests/ui/waiting.h"
#include "ui/parts/display_text.h"
#include "ui/parts/table_model.h"

namespace batchwise {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

RunSummary summary(const std::string& id, std::int64_t createdMs, std::optional<double> loss = {}) {
  RunSummary run;
  run.id = id;
  run.name = "run " + id;
  run.status = RunStatus::Finished;
  run.createdMs = createdMs;
  run.loss = loss;
  run.plannedBatches = 1000;
  return run;
}

QStringList list(std::initializer_list<const char*> texts) {
  QStringList all;
  for (const char* text : texts) all << QString::fromLatin1(text);
  return all;
}

class RunsTableTest : public testing::Test {
 protected:
  RunsTableTest() { workspace_.open(toQt((folder_ / "workspace").string())); }

  void SetUp() override {
    ASSERT_TRUE(test::comesTrue([&] { return workspace_.workspace() != nullptr; }));
    awaitTasks();
  }

  void awaitTasks() { ASSERT_TRUE(test::catchesUp(tasks_)); }

  /// Five learning rates with two seeds each.
  void showAblations() {
    test::storeAblations(workspace_.workspace());
    workspace_.refresh();
    ASSERT_TRUE(test::comesTrue([&] { return table_.shown() == 10; }));
  }

  QString text(int row, int column, const QModelIndex& parent = {}) const {
    return table_.index(row, column, parent).data().toString();
  }
  QStringList column(int at) const {
    QStringList texts;
    for (int row = 0; row < table_.rowCount(); ++row) texts << text(row, at);
    return texts;
  }
  QModelIndex rowOf(const QString& name) const {
    for (int row = 0; row < table_.rowCount(); ++row)
      if (text(row, 0).startsWith(name)) return table_.index(row, 0);
    return {};
  }
  void group() {
    table_.setGrouped(true);
    ASSERT_TRUE(test::comesTrue([&] { return table_.rowCount() == 5; })) << "the configurations are read first";
  }

  const test::TempFolder folder_;
  TaskQueue tasks_;
  WorkspacePresenter workspace_{tasks_};
  Selection selection_{workspace_};
  RunFacts facts_{workspace_};
  RunsTable table_{workspace_.runs(), facts_, selection_};
  QAbstractItemModelTester tester_{&table_, Mode::Fatal};
};

TEST_F(RunsTableTest, ATickedRunThatLeavesTheListComesBackToItsPlace) {
  const auto showRuns = [this](const std::vector<RunSummary>& runs) {
    workspace_.runs().update(runs);
    Q_EMIT workspace_.refreshed();
  };
  const std::vector<RunSummary> all{summary("a", 1), summary("b", 2), summary("c", 3)};
  showRuns(all);
  selection_.select(QStringLiteral("b"));
  selection_.setTicked(list({"b", "a", "c"}));
  showRuns({all.back()});  // the others were archived
  EXPECT_EQ(selection_.ticked(), list({"c"}));
  EXPECT_EQ(selection_.run(), QStringLiteral("b")) << "what is looked at stays";
  EXPECT_EQ(selection_.shown(), list({"c"}));
  showRuns(all);
  EXPECT_EQ(selection_.ticked(), list({"b", "a", "c"}));
  selection_.untickAll();
  EXPECT_EQ(selection_.shown(), list({"b"}));
}

TEST_F(RunsTableTest, SortsByAnyColumnWithMissingValuesLast) {
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2), summary("c", 3, 2.0), summary("d", 4, 3.0)});
  EXPECT_EQ(table_.shownRuns(), list({"d", "c", "b", "a"})) << "newest first";
  table_.sort(RunsTable::LossColumn, Qt::AscendingOrder);
  EXPECT_EQ(table_.shownRuns(), list({"c", "a", "d", "b"}));
  table_.sort(RunsTable::LossColumn, Qt::DescendingOrder);
  EXPECT_EQ(table_.shownRuns(), list({"d", "a", "c", "b"}));
  table_.sort(RunsTable::NameColumn, Qt::AscendingOrder);
  EXPECT_EQ(table_.shownRuns(), list({"a", "b", "c", "d"}));
}

TEST_F(RunsTableTest, NumbersOfAColumnHaveTheSameNumberOfDecimals) {
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2, 11.25), summary("c", 3, 2.0)});
  EXPECT_EQ(column(RunsTable::LossColumn), list({"2.000", "11.250", "2.500"}));
  EXPECT_EQ(table_.index(0, RunsTable::LossColumn).data(Qt::TextAlignmentRole).toInt(),
            int(Qt::AlignRight | Qt::AlignVCenter));
  RunSummary large = summary("d", 4);
  large.at.token = 12'345'678;
  workspace_.runs().update({large});
  EXPECT_EQ(text(0, RunsTable::TokensColumn), QStringLiteral("12.35"));
  EXPECT_TRUE(table_.headerData(RunsTable::TokensColumn, Qt::Horizontal, Qt::DisplayRole)
                  .toString()
                  .contains(QStringLiteral("(M)")));
}

TEST_F(RunsTableTest, ARowIsFollowedThroughSortingFilterAndNewRuns) {
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2, 3.5), summary("c", 3, 1.5)});
  const QPersistentModelIndex row = table_.indexOf(QStringLiteral("b"));
  table_.sort(RunsTable::LossColumn, Qt::AscendingOrder);
  EXPECT_EQ(row.row(), 2);
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2, 0.5), summary("c", 3, 1.5), summary("d", 4, 1.0)});
  EXPECT_EQ(row.row(), 0);
  EXPECT_EQ(row.data(RunsTable::IdRole).toString(), QStringLiteral("b"));
  table_.setFilter(*RunFilter::parse("loss > 1.2"));
  EXPECT_EQ(table_.shownRuns(), list({"c", "a"}));
  EXPECT_FALSE(row.isValid());
  EXPECT_FALSE(table_.indexOf(QStringLiteral("b")).isValid());
}

TEST_F(RunsTableTest, ARunFollowsWhatTheStoreHas) {
  RunSummary run = summary("x", 1);
  run.status = RunStatus::Created;
  workspace_.runs().update({run});
  run.status = RunStatus::Running;
  run.plannedBatches = 400;
  run.at.batch = 100;
  workspace_.runs().update({run});
  EXPECT_EQ(text(0, RunsTable::StateColumn), statusText(RunStatus::Running));
  const QModelIndex done = table_.index(0, RunsTable::ProgressColumn);
  EXPECT_EQ(done.data().toString(), QStringLiteral("25 %"));
  EXPECT_EQ(done.data(RunsTable::DoneRole).toDouble(), 0.25);
  EXPECT_EQ(done.data(Qt::ToolTipRole).toString(), QStringLiteral("100 of 400 global batches"));
}

TEST_F(RunsTableTest, TheStateIsToldByIconAndWord) {
  RunSummary run = summary("x", 1);
  for (const RunStatus status : {RunStatus::Created, RunStatus::Running, RunStatus::Finished, RunStatus::Stopped,
                                 RunStatus::Failed, RunStatus::Interrupted}) {
    run.status = status;
    workspace_.runs().update({run});
    const QModelIndex state = table_.index(0, RunsTable::StateColumn);
    EXPECT_EQ(state.data().toString(), statusText(status));
    EXPECT_EQ(state.data(kIconRole).toString(), statusIcon(status));
    EXPECT_FALSE(state.data().toString().isEmpty());
  }
  run.status = RunStatus::Running;
  run.paused = true;
  workspace_.runs().update({run});
  EXPECT_EQ(table_.index(0, RunsTable::StateColumn).data(kIconRole).toString(), QStringLiteral("state-paused"));
}

TEST_F(RunsTableTest, SeedsAreGroupedWithMeanAndSpread) {
  showAblations();
  group();
  const QModelIndex first = rowOf(QStringLiteral("rate-0"));
  ASSERT_TRUE(first.isValid());
  EXPECT_EQ(table_.rowCount(first), 2);
  EXPECT_TRUE(first.data().toString().contains(QStringLiteral("2 run"))) << first.data().toString().toStdString();
  EXPECT_EQ(first.data(RunsTable::IdRole).toString(), QString());
  const QString loss = first.siblingAtColumn(RunsTable::LossColumn).data().toString();
  EXPECT_TRUE(loss.contains(QStringLiteral(" ± 0.014"))) << loss.toStdString() << ": seeds differ by 0.02";
  EXPECT_EQ(table_.runsAt({first}).size(), 2);
  EXPECT_EQ(table_.index(1, 0, first).parent(), first);
  table_.sort(RunsTable::LossColumn, Qt::AscendingOrder);
  EXPECT_TRUE(text(0, 0).startsWith(QStringLiteral("rate-4")));
  table_.setGrouped(false);
  EXPECT_EQ(table_.rowCount(), 10);
}

TEST_F(RunsTableTest, AGroupCountsFinishedRunsAndEachSeedOnce) {
  showAblations();
  group();
  const QPersistentModelIndex row = rowOf(QStringLiteral("rate-0"));
  const auto textAt = [&](int at) { return row.sibling(row.row(), at).data().toString(); };
  const QString loss = textAt(RunsTable::LossColumn);
  ASSERT_TRUE(loss.contains(QStringLiteral(" ± "))) << loss.toStdString();
  test::storeMadeRun(workspace_.workspace(), {"rate-0-seed-0-again", "seed: 1\noptimizer: {lr: 1e-4}\n", 120, 2.5});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return table_.shown() == 11 && table_.rowCount() == 5; }));
  EXPECT_EQ(table_.rowCount(row), 3);
  const QString name = row.data().toString();
  EXPECT_TRUE(name.contains(QStringLiteral("3 run")) && name.endsWith(QStringLiteral("2 counted")))
      << name.toStdString();
  EXPECT_EQ(textAt(RunsTable::LossColumn), loss);
  EXPECT_EQ(textAt(RunsTable::StateColumn), statusText(RunStatus::Finished));
  const std::string training = table_.runsAt({row}).front().toStdString();
  std::vector<RunSummary> runs = workspace_.runs().all();
  for (RunSummary& run : runs)
    if (run.id == training) run.status = RunStatus::Running;
  workspace_.runs().update(runs);
  EXPECT_EQ(textAt(RunsTable::StateColumn), statusText(RunStatus::Running));
  EXPECT_EQ(row.sibling(row.row(), RunsTable::StateColumn).data(kIconRole).toString(), statusIcon(RunStatus::Running));
  for (RunSummary& run : runs) run.status = RunStatus::Stopped;
  workspace_.runs().update(runs);
  EXPECT_EQ(textAt(RunsTable::LossColumn), QString()) << "none has finished";
  EXPECT_TRUE(row.data().toString().endsWith(QStringLiteral("0 counted")));
}

TEST_F(RunsTableTest, AGroupWithADivergedRunLosesAgainstEveryNumber) {
  showAblations();
  group();
  table_.sort(RunsTable::LossColumn, Qt::AscendingOrder);
  const QPersistentModelIndex best = table_.index(0, 0);
  const std::string member = table_.runsAt({best}).front().toStdString();
  const std::vector<RunSummary> runs = workspace_.runs().all();
  const auto changed = [&](const std::function<void(RunSummary&)>& change) {
    std::vector<RunSummary> all = runs;
    change(*std::ranges::find(all, member, &RunSummary::id));
    workspace_.runs().update(all);
  };
  changed([](RunSummary& run) { run.loss = std::numeric_limits<double>::infinity(); });
  const QModelIndex loss = best.sibling(best.row(), RunsTable::LossColumn);
  EXPECT_TRUE(loss.data().toString().endsWith(QStringLiteral(", 1 diverged"))) << loss.data().toString().toStdString();
  EXPECT_TRUE(loss.data(Qt::ToolTipRole).toString().contains(QStringLiteral("behind every number")));
  EXPECT_EQ(best.row(), 4);
  table_.sort(RunsTable::LossColumn, Qt::DescendingOrder);
  EXPECT_EQ(best.row(), 4) << "in either order";
  changed([](RunSummary& run) {
    run.status = RunStatus::Failed;
    run.cause = FailureCause::Diverged;
  });
  EXPECT_EQ(best.row(), 4) << "though the loss that it stopped at is a number";
  changed([](RunSummary&) {});
  table_.sort(RunsTable::LossColumn, Qt::AscendingOrder);
  EXPECT_EQ(best.row(), 0);
}

TEST_F(RunsTableTest, AGroupOfSeveralEvaluationSetsHasNoMeanOfItsEvaluations) {
  showAblations();
  group();
  const QPersistentModelIndex row = rowOf(QStringLiteral("rate-0"));
  const QStringList members = table_.runsAt({row});
  const auto textAt = [&](int at) { return row.sibling(row.row(), at).data().toString(); };
  const auto lossOf = [&](const char* set, const char* otherSet) {
    std::vector<RunSummary> all = workspace_.runs().all();
    for (RunSummary& run : all) {
      run.evalLoss = 2.5;
      run.evaluationSet = toQt(run.id) == members.front() ? set : otherSet;
    }
    workspace_.runs().update(all);
    return textAt(RunsTable::EvalLossColumn);
  };
  table_.sort(RunsTable::EvalLossColumn, Qt::AscendingOrder);
  EXPECT_EQ(lossOf("a", "a"), QStringLiteral("2.500"));
  EXPECT_EQ(lossOf("a", ""), QStringLiteral("2.500")) << "of one it is not known";
  EXPECT_EQ(lossOf("a", "b"), QStringLiteral("not measured alike"));
  EXPECT_EQ(row.row(), 4) << "without a number";
  EXPECT_TRUE(textAt(RunsTable::LossColumn).contains(QStringLiteral(" ± "))) << "of the training loss";
}

TEST_F(RunsTableTest, SortedByEvaluationSetRunsThatWereMeasuredAlikeFormASection) {
  std::vector<RunSummary> runs;
  for (const char* set : {"b", "a", "b", "", "a"}) {
    runs.push_back(summary("run" + std::to_string(runs.size()), std::ssize(runs)));
    runs.back().evaluationSet = set;
  }
  workspace_.runs().update(runs);
  const auto sections = [&] {
    std::vector<int> starts;
    for (int row = 0; row < table_.rowCount(); ++row)
      if (table_.index(row, 0).data(RunsTable::SectionRole).toBool()) starts.push_back(row);
    return starts;
  };
  const int column = table_.columnOf(QStringLiteral("evaluation_set"));
  EXPECT_TRUE(sections().empty());
  table_.sort(column, Qt::AscendingOrder);
  EXPECT_EQ(table_.shownRuns(), list({"run4", "run1", "run2", "run0", "run3"}));
  EXPECT_EQ(sections(), (std::vector<int>{2, 4}));
}

TEST_F(RunsTableTest, ASettingWithoutEffectIsNotShown) {
  test::storeMadeRun(workspace_.workspace(), {"fresh", "model: {preset: tiny}", 5});
  test::storeMadeRun(workspace_.workspace(), {"continued", "model: {init_from: exported}", 5});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return table_.shown() == 2; }));
  const int size = table_.columnOf(QStringLiteral("setting:model.preset"));
  const auto sizeOf = [&](const char* name) {
    return rowOf(QString::fromLatin1(name)).siblingAtColumn(size).data().toString();
  };
  EXPECT_TRUE(test::comesTrue([&] { return sizeOf("fresh") == QStringLiteral("tiny"); }));
  EXPECT_EQ(sizeOf("continued"), QString());
}

TEST_F(RunsTableTest, RunsOfAGroupAreFollowedThroughSortingWithIt) {
  showAblations();
  group();
  const QPersistentModelIndex row = rowOf(QStringLiteral("rate-0"));
  const QStringList members = table_.runsAt({row});
  ASSERT_EQ(members.size(), 2);
  const QPersistentModelIndex first = table_.indexOf(members.front()), second = table_.indexOf(members.back());
  for (const Qt::SortOrder order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
    table_.sort(RunsTable::NameColumn, order);
    EXPECT_EQ(first.data(RunsTable::IdRole), members.front());
    EXPECT_EQ(second.data(RunsTable::IdRole), members.back());
    EXPECT_EQ(first.parent(), row);
  }
  table_.setGrouped(false);
  EXPECT_FALSE(row.isValid());
  EXPECT_EQ(table_.rowCount(), 10);
}

TEST_F(RunsTableTest, NewRunsComeAndOldOnesGoAsRows) {
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2, 3.5), summary("c", 3, 1.5)});
  QSignalSpy inserted(&table_, &QAbstractItemModel::rowsInserted), removed(&table_, &QAbstractItemModel::rowsRemoved);
  QSignalSpy moved(&table_, &QAbstractItemModel::layoutChanged), reset(&table_, &QAbstractItemModel::modelReset);
  workspace_.runs().update({summary("a", 1, 2.5), summary("c", 3, 1.5), summary("d", 4, 2.5), summary("e", 5, 2.5)});
  EXPECT_EQ(table_.shownRuns(), list({"e", "d", "c", "a"}));
  EXPECT_EQ(inserted.count(), 1);
  EXPECT_EQ(removed.count(), 1);
  EXPECT_EQ(moved.count(), 1);
  workspace_.runs().update({summary("a", 1, 2.0), summary("c", 3, 1.5), summary("d", 4, 2.5), summary("e", 5, 2.5)});
  EXPECT_EQ(moved.count(), 1) << "no row moves for a number";
  EXPECT_EQ(reset.count(), 0);
}

TEST_F(RunsTableTest, TickingAGroupTicksItsMembers) {
  showAblations();
  group();
  const QModelIndex row = rowOf(QStringLiteral("rate-2"));
  const QStringList members = table_.runsAt({row});
  table_.tick(members);
  EXPECT_EQ(selection_.ticked(), members);
  EXPECT_EQ(row.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
  table_.tick({members.front()});
  EXPECT_EQ(row.data(Qt::CheckStateRole).toInt(), int(Qt::PartiallyChecked));
  const QModelIndex baseline = table_.indexOf(members.back());
  EXPECT_TRUE(baseline.data(RunsTable::BaselineRole).toBool());
  EXPECT_TRUE(baseline.data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral(", ticked, baseline")));
  EXPECT_TRUE(baseline.data(RunsTable::StyleRole).isValid());
}

TEST_F(RunsTableTest, ARowIsTickedThroughTheModelToo) {
  workspace_.runs().update({summary("a", 1), summary("b", 2)});
  const QModelIndex row = table_.indexOf(QStringLiteral("a"));
  for (const Qt::CheckState state : {Qt::Checked, Qt::Checked, Qt::Unchecked}) {
    EXPECT_TRUE(table_.setData(row, state, Qt::CheckStateRole));
    EXPECT_EQ(row.data(Qt::CheckStateRole).toInt(), int(state));
  }
  EXPECT_FALSE(table_.setData(row, QStringLiteral("b"), Qt::EditRole));
}

TEST_F(RunsTableTest, NoMoreRunsAreTickedTogetherThanChartsCanShow) {
  std::vector<RunSummary> runs;
  for (int i = 0; i < 60; ++i) runs.push_back(summary("run" + std::to_string(i), i));
  workspace_.runs().update(runs);
  QSignalSpy limited(&table_, &RunsTable::tickLimited);
  table_.tick(table_.shownRuns());
  EXPECT_EQ(selection_.ticked().size(), RunsTable::kMostTicked);
  EXPECT_EQ(selection_.ticked().front(), table_.shownRuns().front());
  ASSERT_EQ(limited.count(), 1);
  EXPECT_EQ(limited.front().front().toInt(), 60);
  table_.tick(table_.shownRuns());
  EXPECT_TRUE(selection_.ticked().isEmpty()) << "a second press unticks";
  EXPECT_EQ(limited.count(), 1);
}

TEST_F(RunsTableTest, OffersTheSettingsInWhichTickedRunsDiffer) {
  showAblations();
  EXPECT_TRUE(table_.differingSettings().isEmpty());
  table_.tick(table_.shownRuns());
  ASSERT_TRUE(test::comesTrue([&] { return !table_.differingSettings().isEmpty(); }));
  EXPECT_EQ(table_.differingSettings(), QStringList{QStringLiteral("setting:optimizer.lr")}) << "not the seed";
  const int rate = table_.columnOf(QStringLiteral("setting:optimizer.lr"));
  EXPECT_EQ(rate, RunsTable::ColumnCount);
  EXPECT_EQ(table_.columnOf(QStringLiteral("setting:optimizer.lr")), rate);
  EXPECT_EQ(table_.columnOf(QStringLiteral("setting:nothing")), -1);
  table_.sort(rate, Qt::AscendingOrder);
  EXPECT_TRUE(text(0, 0).startsWith(QStringLiteral("rate-0")));
  EXPECT_TRUE(text(9, 0).startsWith(QStringLiteral("rate-4")));
  EXPECT_EQ(text(9, rate).toDouble(), 5e-4);
}

TEST_F(RunsTableTest, ScoresAndSizesAreReadWhenTheyAreShown) {
  showAblations();
  const int accuracy = table_.columnOf(QStringLiteral("score:eval.accuracy"));
  const int bytes = table_.columnOf(QStringLiteral("checkpoints"));
  EXPECT_TRUE(test::comesTrue([&] { return text(0, accuracy) == QStringLiteral("0.5000"); }))
      << text(0, accuracy).toStdString();
  EXPECT_TRUE(test::comesTrue([&] { return text(0, bytes) == QStringLiteral("0"); })) << text(0, bytes).toStdString();
}

TEST_F(RunsTableTest, TheBestEvaluationIsTheLowestFiniteOneWithItsBatch) {
  NewRun run;
  run.name = "overfits";
  const std::string id = *workspace_.workspace()->createRun(run);
  {
    const auto writer = RunWriter::open(workspace_.workspace(), id, {});
    ASSERT_TRUE(writer.ok());
    Timestamp at;
    for (const double loss : {3.0, 2.5, std::nan(""), 2.75}) {
      at = at.afterStep({8, 100, 0.5}, 8).afterBatch();
      MetricsRow row;
      row.at = at;
      row.loss = 3;
      (*writer)->publish(row);
      (*writer)->publish(EvalResult{at, loss, 1, 0.5, 10, 1000, 1});
    }
    (*writer)->publish(RunFinished{RunStatus::Finished, "", at, ""});
    ASSERT_TRUE((*writer)->flush().ok());
  }
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return table_.shown() == 1; }));
  EXPECT_TRUE(test::comesTrue([&] { return text(0, RunsTable::BestLossColumn) == QStringLiteral("2.500"); }))
      << text(0, RunsTable::BestLossColumn).toStdString();
  EXPECT_EQ(text(0, RunsTable::BestBatchColumn), QStringLiteral("2"));
}

TEST_F(RunsTableTest, NewRunsMoveNoRowUnderThePointer) {
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2, 3.5)});
  table_.setHeld(true);
  workspace_.runs().update({summary("a", 1, 2.5), summary("b", 2, 3.5), summary("c", 3, 1.5)});
  EXPECT_EQ(table_.shownRuns(), list({"b", "a", "c"})) << "behind the others";
  workspace_.runs().update({summary("b", 2, 3.5), summary("c", 3, 1.5), summary("d", 4, 1.5)});
  EXPECT_EQ(table_.shownRuns(), list({"b", "c", "d"}));
  table_.sort(RunsTable::LossColumn, Qt::AscendingOrder);
  EXPECT_EQ(table_.shownRuns(), list({"d", "c", "b"})) << "the user sorts all the same";
  table_.setHeld(false);
  table_.sort(RunsTable::CreatedColumn, Qt::DescendingOrder);
  EXPECT_EQ(table_.shownRuns(), list({"d", "c", "b"}));
}

TEST_F(RunsTableTest, AHeldGroupIsNotJoined) {
  showAblations();
  group();
  const int rows = table_.rowCount(), members = table_.rowCount(table_.index(0, 0));
  const QString first = text(0, 0);
  table_.setHeld(true);
  test::MadeRun again{"rate-4-seed-9", "seed: 9\noptimizer: {lr: 5e-4}\n", 120};
  test::storeMadeRun(workspace_.workspace(), again);
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return table_.shown() == 11; }));
  awaitTasks();
  awaitTasks();
  EXPECT_EQ(table_.rowCount(), rows + 1);
  EXPECT_EQ(text(rows, 0), QStringLiteral("rate-4-seed-9"));
  EXPECT_EQ(text(0, 0), first);
  EXPECT_EQ(table_.rowCount(table_.index(0, 0)), members);
  table_.setHeld(false);
  EXPECT_TRUE(test::comesTrue([&] { return table_.rowCount() == rows; }));
}

TEST_F(RunsTableTest, WhatIsStoredDuringAReadingIsReadAfterIt) {
  awaitTasks();
  awaitTasks();
  QSignalSpy refreshed(&workspace_, &WorkspacePresenter::refreshed);
  test::Gate gate(tasks_, &workspace_);
  gate.awaitReached();
  workspace_.refresh();
  workspace_.refresh();
  workspace_.refresh();
  gate.open();
  awaitTasks();
  awaitTasks();
  EXPECT_EQ(refreshed.count(), 2);
}

TEST_F(RunsTableTest, ArchivedRunsAreMarked) {
  RunSummary hidden = summary("b", 2);
  hidden.archived = true;
  workspace_.runs().update({summary("a", 1), hidden});
  EXPECT_EQ(text(0, RunsTable::StateColumn), QStringLiteral("Finished, archived"));
  EXPECT_TRUE(table_.index(0, 0).data(RunsTable::ArchivedRole).toBool());
  EXPECT_FALSE(table_.index(1, 0).data(RunsTable::ArchivedRole).toBool());
}

TEST_F(RunsTableTest, HoldsTenThousandRuns) {
  std::vector<RunSummary> runs;
  for (int i = 0; i < 10'000; ++i) runs.push_back(summary("r" + std::to_string(i), i, i % 97));
  workspace_.runs().update(runs);
  EXPECT_EQ(table_.rowCount(), 10'000);
  table_.sort(RunsTable::LossColumn, Qt::DescendingOrder);
  EXPECT_EQ(table_.index(0, 0).data(RunsTable::IdRole).toString(), QStringLiteral("r9990"));
  table_.setFilter(*RunFilter::parse("loss = 96"));
  EXPECT_EQ(table_.rowCount(), 103);
}

}  // namespace
}  // namespace batchwise
