// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs: filter and selection, names, tags, a choice given up, and runs that leave as files.
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <thread>

#include "core/base/file.h"
#include "core/base/format.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/ui/window_fixture.h"
#include "ui/list/run_list_pane.h"
#include "ui/list/runs_view.h"
#include "ui/parts/display_text.h"
#include "ui/window/first_run_commands.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/run_list_commands.h"

namespace batchwise {
namespace {

class WindowListTest : public test::WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    for (const char* name : {"one", "two"}) ids_.push_back(test::storeMadeRun(workspace_.workspace(), {name, "", 5}));
    workspace_.refresh();
    list_ = window_.findChild<QAbstractItemView*>(QStringLiteral("runs"));
    ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 2; }));
    commands_ = window_.findChild<RunListCommands*>();
    filter_ = lineNamed("Filter runs");
  }

  QString id(std::size_t run) const { return QString::fromStdString(ids_[run]); }
  QString current() const { return list_->currentIndex().data().toString(); }
  bool isNamed(const QString& name) {
    return test::comesTrue([&] { return workspace_.runs().find(id(0))->name == name.toStdString(); });
  }

  std::vector<std::string> ids_;
  QAbstractItemView* list_ = nullptr;
  RunListCommands* commands_ = nullptr;
  QLineEdit* filter_ = nullptr;
};

TEST_F(WindowListTest, AFilterSelectsNoOtherRun) {
  parts_.selection.select(id(0));
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return current() == QStringLiteral("one"); }));
  filter_->setText(QStringLiteral("two"));
  EXPECT_EQ(list_->model()->rowCount(), 1);
  EXPECT_EQ(current(), QString());
  EXPECT_EQ(parts_.selection.run(), id(0));
  filter_->clear();
  EXPECT_EQ(current(), QStringLiteral("one"));
  filter_->setText(QStringLiteral("seed >= 0 and name = two"));  // the configurations are read first
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 1; }));
  EXPECT_EQ(parts_.selection.run(), id(0));
}

TEST_F(WindowListTest, SelectedRowsStaySelectedWhileTheSelectedRunIsHidden) {
  parts_.selection.select(id(0));
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return current() == QStringLiteral("one"); }));
  filter_->setText(QStringLiteral("two"));
  list_->selectionModel()->select(list_->model()->index(0, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
  QSignalSpy refreshed(&workspace_, &WorkspacePresenter::refreshed);
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return !refreshed.isEmpty(); }));
  EXPECT_EQ(list_->selectionModel()->selectedRows().size(), 1);
}

TEST_F(WindowListTest, WhatIsTickedAmongTheColumnsIsShownAndNothingElse) {
  auto* tree = qobject_cast<QTreeView*>(list_);
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("runsDock"));
  const auto actionOf = [&](int column) { return tree->header()->actions().at(column - RunsTable::StateColumn); };
  const auto expectTicksAsShown = [&] {
    window_.findChild<QToolButton*>(QStringLiteral("chooseColumns"))->click();
    auto* chooser = window_.findChild<QDialog*>(QStringLiteral("columnChooser"));
    const auto* offered = chooser->findChild<QListWidget*>();
    for (int column = RunsTable::StateColumn; column < RunsTable::ColumnCount; ++column) {
      const bool shown = !tree->isColumnHidden(column);
      EXPECT_EQ(actionOf(column)->isChecked(), shown) << column;
      EXPECT_EQ(offered->item(column - 1)->checkState() == Qt::Checked, shown) << column;
    }
    delete chooser;
  };
  EXPECT_FALSE(tree->isColumnHidden(RunsTable::EvalLossColumn));
  EXPECT_TRUE(tree->isColumnHidden(RunsTable::ProgressColumn));
  expectTicksAsShown();
  for (const int width : {800, 200}) {
    window_.resizeDocks({dock}, {width}, Qt::Horizontal);
    for (const int column : {RunsTable::ProgressColumn, RunsTable::CreatedColumn}) {
      actionOf(column)->trigger();
      EXPECT_FALSE(tree->isColumnHidden(column)) << width;
    }
    expectTicksAsShown();
    EXPECT_GE(tree->columnWidth(RunsTable::NameColumn),
              tree->fontMetrics().horizontalAdvance(QString(25, QLatin1Char('0'))));
    for (const int column : {RunsTable::ProgressColumn, RunsTable::CreatedColumn}) {
      actionOf(column)->trigger();
      EXPECT_TRUE(tree->isColumnHidden(column)) << width;
    }
  }
  actionOf(RunsTable::EvalLossColumn)->trigger();
  EXPECT_TRUE(tree->isColumnHidden(RunsTable::EvalLossColumn)) << "the user does not want it";
  expectTicksAsShown();
}

TEST_F(WindowListTest, ANameIsChangedAndChangedBack) {
  commands_->rename(id(0), QStringLiteral("  <b>base</b> "));
  EXPECT_TRUE(isNamed(QStringLiteral("<b>base</b>")));
  parts_.runListUndo.undo();
  EXPECT_TRUE(isNamed(QStringLiteral("one")));
  commands_->rename(id(0), QStringLiteral("one"));
  commands_->rename(id(0), QStringLiteral(" "));
  EXPECT_EQ(parts_.runListUndo.count(), 1) << "nothing to change is no step";
}

TEST_F(WindowListTest, AQuestionForATextNamesWhatItsButtonDoes) {
  auto* pane = window_.findChild<RunListPane*>();
  const auto answered = [&](const QString& text, const std::function<void()>& ask) {
    QString accept;
    QTimer::singleShot(0, pane, [&] {
      auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr);
      for (auto* each : dialog->findChildren<QPushButton*>()) accept += each->text() + QLatin1Char('|');
      dialog->setTextValue(text);
      dialog->accept();
    });
    ask();
    return accept.remove(QLatin1Char('&'));
  };
  EXPECT_EQ(answered(QStringLiteral("first"), [&] { Q_EMIT pane->renameRequested(id(0)); }),
            QStringLiteral("Rename|Cancel|"));
  EXPECT_TRUE(isNamed(QStringLiteral("first")));
  parts_.selection.select(id(0));
  EXPECT_EQ(answered(QStringLiteral("a, b"), [&] { action(QStringLiteral("Tags…"))->trigger(); }),
            QStringLiteral("Set tags|Cancel|"));
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().find(id(0))->tags.size() == 2; }));
  EXPECT_EQ(answered(QStringLiteral("# why"), [&] { action(QStringLiteral("Note…"))->trigger(); }),
            QStringLiteral("Save note|Cancel|"));
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().find(id(0))->note == "# why"; }));
}

TEST_F(WindowListTest, RenameAndNoteAreForTheHighlightedRun) {
  auto* pane = window_.findChild<RunListPane*>();
  QObject::disconnect(pane, &RunListPane::renameRequested, nullptr, nullptr);  // opens a dialog
  QObject::disconnect(pane, &RunListPane::noteRequested, nullptr, nullptr);
  const QSignalSpy renamed(pane, &RunListPane::renameRequested), noted(pane, &RunListPane::noteRequested);
  const auto at = [this](int row) { return list_->model()->index(row, 0); };
  const auto rows = QItemSelectionModel::Rows;
  list_->selectionModel()->setCurrentIndex(at(0), QItemSelectionModel::ClearAndSelect | rows);
  list_->selectionModel()->setCurrentIndex(at(1), QItemSelectionModel::Select | rows);
  list_->selectionModel()->select(at(1), QItemSelectionModel::Deselect | rows);  // a second Ctrl+click
  ASSERT_EQ(list_->currentIndex().row(), 1);
  action(QStringLiteral("Rename…"))->trigger();
  action(QStringLiteral("Note…"))->trigger();
  const QString highlighted = at(0).data(RunsTable::IdRole).toString();
  ASSERT_EQ(renamed.count(), 1);
  EXPECT_EQ(renamed[0][0].toString(), highlighted);
  ASSERT_EQ(noted.count(), 1);
  EXPECT_EQ(noted[0][0].toString(), highlighted);
}

TEST_F(WindowListTest, TicksThatWereRemovedComeBack) {
  list_->setFocus();
  for (const int row : {0, 1}) {
    list_->setCurrentIndex(list_->model()->index(row, 0));
    QTest::keyClick(list_, Qt::Key_Space);
  }
  const QStringList chosen = parts_.selection.ticked();
  ASSERT_EQ(chosen.size(), 2);
  QTest::keyClick(list_, Qt::Key_Escape);
  EXPECT_TRUE(parts_.selection.ticked().isEmpty());
  QTest::keyClick(list_, Qt::Key_Escape);
  EXPECT_EQ(parts_.runListUndo.count(), 1);
  action(QStringLiteral("Undo untick all runs"))->trigger();
  EXPECT_EQ(parts_.selection.ticked(), chosen);
}

TEST_F(WindowListTest, WhatWasTickedAfterTicksWereRemovedIsNotLostByUndo) {
  parts_.selection.toggle(id(0));
  list_->setFocus();
  QTest::keyClick(list_, Qt::Key_Escape);
  parts_.selection.toggle(id(1));
  parts_.runListUndo.undo();
  EXPECT_EQ(parts_.selection.ticked(), QStringList{id(0)});
  parts_.runListUndo.redo();
  EXPECT_EQ(parts_.selection.ticked(), QStringList{id(1)});
}

TEST_F(WindowListTest, TheColumnOfTagsKeepsItsWidthWhenRunsAreAdded) {
  auto* tree = qobject_cast<QTreeView*>(list_);
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("runsDock"));
  window_.resizeDocks({dock}, {700}, Qt::Horizontal);
  tree->header()->actions().at(RunsTable::TagsColumn - RunsTable::StateColumn)->trigger();
  const int wanted = tree->columnWidth(RunsTable::TagsColumn) + 30;
  tree->header()->resizeSection(RunsTable::TagsColumn, wanted);
  test::storeMadeRun(workspace_.workspace(), {"three", "", 5});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  EXPECT_EQ(tree->columnWidth(RunsTable::TagsColumn), wanted);
}

TEST_F(WindowListTest, SpaceTicksAllSelectedRowsAndCComparesThem) {
  list_->setFocus();
  list_->selectAll();
  EXPECT_EQ(action(QStringLiteral("Tick 2 run"))->shortcut(), QKeySequence(Qt::Key_Space));
  QTest::keyClick(list_, Qt::Key_Space);
  EXPECT_EQ(parts_.selection.ticked().size(), 2);
  EXPECT_NE(action(QStringLiteral("Untick 2 run")), nullptr);
  QTest::keyClick(list_, Qt::Key_Space);
  EXPECT_TRUE(parts_.selection.ticked().isEmpty());
  QTest::keyClick(list_, Qt::Key_C);
  EXPECT_EQ(parts_.selection.ticked().size(), 2);
}

TEST_F(WindowListTest, APressOnATickBoxSelectsNothing) {
  auto* view = window_.findChild<RunsView*>();
  const QModelIndex first = list_->model()->index(0, 0), second = list_->model()->index(1, 0);
  list_->setCurrentIndex(first);
  QStyleOptionViewItem option;
  option.initFrom(view);
  option.rect = view->visualRect(second);
  const QRect box = static_cast<RunDelegate*>(view->itemDelegate())->tickBox(option, second);
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, box.center());
  EXPECT_EQ(parts_.selection.ticked(), QStringList{second.data(RunsTable::IdRole).toString()});
  EXPECT_EQ(list_->currentIndex(), first);
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, box.center());
  EXPECT_TRUE(parts_.selection.ticked().isEmpty());
}

TEST_F(WindowListTest, SeveralRunsAreArchivedInOneStep) {
  list_->selectAll();
  list_->setFocus();
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 0; }));
  EXPECT_EQ(parts_.runListUndo.count(), 1);
  takeOffer("Undo");
  EXPECT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 2; }));
}

TEST_F(WindowListTest, ArchivedRunsAreShownRestoredAndDeletedForGood) {
  const std::string stopped = storeStoppedRun();  // with two checkpoints
  std::int64_t bytes = 0;
  const std::vector<CheckpointRecord> checkpoints = *workspace_.workspace()->checkpoints(stopped);
  for (const CheckpointRecord& each : checkpoints) bytes += each.bytes;
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  auto* shows = action(QStringLiteral("Archived"));
  ASSERT_NE(shows, nullptr);
  EXPECT_FALSE(shows->isVisible()) << "there is none";
  list_->setCurrentIndex(list_->model()->index(0, 0));
  EXPECT_FALSE(action(QStringLiteral("Restore"))->isVisible());
  commands_->archive(window_.findChild<RunListPane*>()->selectedRuns());
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 2; }));
  EXPECT_TRUE(test::comesTrue([&] { return shows->isVisible(); }));
  EXPECT_EQ(shows->text(), QStringLiteral("Archived (1)"));
  shows->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  EXPECT_EQ(list_->model()->index(0, RunsTable::StateColumn).data().toString(), QStringLiteral("Stopped, archived"));
  list_->setCurrentIndex(list_->model()->index(0, 0));
  action(QStringLiteral("Restore"))->trigger();
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.archived() == 0; }));
  EXPECT_EQ(list_->model()->rowCount(), 3);
  const QString asked =
      questionAfter(QStringLiteral("Delete"), [&] { action(QStringLiteral("Delete for good"))->trigger(); });
  EXPECT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 2; }));
  EXPECT_TRUE(asked.contains(QStringLiteral("stopped"))) << asked.toStdString();
  EXPECT_TRUE(asked.contains(QStringLiteral("frees ") + toQt(formatBytes(bytes)))) << asked.toStdString();
  EXPECT_TRUE(workspace_.workspace()->listRuns(true)->size() == 2u);
}

TEST_F(WindowListTest, AFilterForArchivedRunsShowsThem) {
  commands_->archive({id(0)});
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 1; }));
  filter_->setText(QStringLiteral("archived = true"));
  EXPECT_TRUE(test::comesTrue([&] {
    return list_->model()->rowCount() == 1 && list_->model()->index(0, 0).data().toString() == QStringLiteral("one");
  }));
}

TEST_F(WindowListTest, OnlyTheBestCheckpointsOfTickedRunsStayIfAskedFor) {
  const QString run = toQt(storeStoppedRun());
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  EXPECT_FALSE(action(QStringLiteral("Keep only the best"))->isEnabled()) << "no run is ticked";
  parts_.selection.setTicked({run});
  ASSERT_TRUE(action(QStringLiteral("Keep only the best"))->isEnabled());
  const QString asked =
      questionAfter(QStringLiteral("Delete"), [&] { action(QStringLiteral("Keep only the best"))->trigger(); });
  EXPECT_TRUE(asked.contains(QStringLiteral("1 checkpoint"))) << asked.toStdString();
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().find(run)->checkpoints == 1; }));
  EXPECT_EQ(workspace_.workspace()->checkpoints(run.toStdString())->front().at.batch, 12'400) << "none is evaluated";
}

TEST_F(WindowListTest, CommandsForOneRunAreOffWithAReasonWhileSeveralAreSelected) {
  list_->setCurrentIndex(list_->model()->index(0, 0));
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Duplicate the selected run"))->isEnabled(); }));
  list_->selectAll();
  for (const char* name : {"Duplicate the selected run", "Duplicate as variant", "Export the selected run", "Resume",
                           "Rename…", "Note…"}) {
    const QAction* one = action(QString::fromUtf8(name));
    ASSERT_NE(one, nullptr) << name;
    EXPECT_FALSE(one->isEnabled()) << name;
    EXPECT_TRUE(one->toolTip().contains(QStringLiteral("2 run"))) << name << ": " << one->toolTip().toStdString();
  }
  for (const char* name : {"Tick 2 run", "Tags of 2 run", "Archive 2 run", "Delete 2 run", "Export 2 run"})
    EXPECT_NE(action(QString::fromLatin1(name)), nullptr) << name;
  list_->clearSelection();
  list_->setCurrentIndex(list_->model()->index(0, 0));
  EXPECT_TRUE(action(QStringLiteral("Duplicate the selected run"))->isEnabled());
  EXPECT_FALSE(action(QStringLiteral("Duplicate the selected run"))->toolTip().contains(QStringLiteral("2 run")));
}

TEST_F(WindowListTest, AFilterSaysWhatItHides) {
  parts_.selection.setTicked({id(0), id(1)});
  parts_.selection.select(id(0));
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return current() == QStringLiteral("one"); }));
  filter_->setText(QStringLiteral("two"));
  const auto says = [&](const QString& words) {
    return std::ranges::any_of(window_.findChildren<QLabel*>(),
                               [&](const QLabel* each) { return each->text().contains(words); });
  };
  EXPECT_TRUE(says(QStringLiteral("1 shown, 1 hidden by the filter (1 ticked, the selected one), 2 ticked")));
  filter_->clear();
  EXPECT_FALSE(says(QStringLiteral("hidden by the filter")));
}

TEST_F(WindowListTest, ARunThatIsNotTickedSaysHowItIsSeen) {
  parts_.selection.setTicked({id(0)});
  Q_EMIT window_.findChild<RunListPane*>()->runSelected(id(1));
  EXPECT_TRUE(message().text().contains(QStringLiteral("Run two is not ticked"))) << message().text().toStdString();
  takeOffer("Tick it too");
  EXPECT_EQ(parts_.selection.ticked(), (QStringList{id(0), id(1)}));
  EXPECT_FALSE(message().text().contains(QStringLiteral("not ticked")));
}

TEST_F(WindowListTest, TicksAreKeptFromSessionToSession) {
  parts_.selection.setTicked({id(1), id(0)});
  awaitTasks();
  TaskQueue tasks;
  WorkspacePresenter workspace{tasks};
  const Selection again{workspace};
  workspace.open(workspace_.folder());
  EXPECT_TRUE(test::comesTrue([&] { return again.ticked() == QStringList({id(1), id(0)}); }));
}

TEST_F(WindowListTest, TheRowUnderThePointerStaysWhereItIs) {
  auto* view = window_.findChild<RunsView*>();
  const QModelIndex first = list_->model()->index(0, 0);
  QEvent enter(QEvent::Enter), leave(QEvent::Leave);
  QApplication::sendEvent(view->viewport(), &enter);
  const QString under = view->indexAt(view->visualRect(first).center()).data().toString();
  test::storeMadeRun(workspace_.workspace(), {"three", "", 5});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  EXPECT_EQ(view->indexAt(view->visualRect(list_->model()->index(0, 0)).center()).data().toString(), under);
  QApplication::sendEvent(view->viewport(), &leave);
  EXPECT_EQ(list_->model()->index(0, 0).data().toString(), QStringLiteral("three"));
}

/// Twenty-five runs whose long names differ in their middle, with tags, and groups of seeds.
TEST_F(WindowListTest, ManyRunsWithLongNamesAreToldApart) {
  for (int i = 0; i < 23; ++i) {
    test::MadeRun made;
    made.name = "modernbert-small-wiki-ramp-" + std::to_string(8 << (i % 5)) + "-to-256-lr-" +
                std::to_string(1 + i / 5) + "e-4-warmup-0.06-seed-" + std::to_string(1 + i % 3);
    made.yaml = "seed: " + std::to_string(1 + i % 3) + "\noptimizer: {lr: " + std::to_string(1 + i / 3) + "e-4}\n";
    made.batches = 60;
    made.floor = 2 + 0.03 * i;
    const std::string run = test::storeMadeRun(workspace_.workspace(), made);
    ASSERT_TRUE(workspace_.workspace()->setTags(run, {i % 2 == 0 ? "paper" : "draft", "ramp ablation"}).ok());
  }
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 25; }));
  auto* view = window_.findChild<RunsView*>();
  for (const double scale : {1.0, 2.0}) {
    theme_.setTextScale(scale);
    window_.resize(1280, 720);
    QTest::qWait(100);
    EXPECT_GE(view->columnWidth(RunsTable::NameColumn),
              view->fontMetrics().horizontalAdvance(view->model()->index(0, 0).data().toString()))
        << scale;
    EXPECT_FALSE(view->isColumnHidden(RunsTable::EvalLossColumn)) << scale;
    EXPECT_FALSE(view->isColumnHidden(RunsTable::StateColumn)) << scale;
  }
}

TEST_F(WindowListTest, AVeryLongNameLeavesTheOtherColumnsTheirRoom) {
  const auto* view = window_.findChild<RunsView*>();
  const auto widthOfNames = [&] { return view->columnWidth(RunsTable::NameColumn); };
  const int before = widthOfNames();
  test::storeMadeRun(workspace_.workspace(), {std::string(175, 'm'), "", 5});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  const int others = view->header()->length() - widthOfNames();
  for (const double widths : {1.7, 1.3}) {
    window_.resizeDocks({window_.findChild<QDockWidget*>(QStringLiteral("runsDock"))},
                        {others + qRound(widths * before)}, Qt::Horizontal);
    EXPECT_TRUE(test::comesTrue([&] {
      return widthOfNames() > before && view->header()->length() == view->viewport()->width();
    })) << widthOfNames()
        << " and " << others << " in " << view->viewport()->width() << ", before " << before;
  }
  EXPECT_TRUE(list_->model()->index(0, 0).data(Qt::ToolTipRole).toString().contains(QString(175, u'm')));
}

TEST_F(WindowListTest, TagsOfSeveralRunsAreAddedAndRemovedInOneStep) {
  const auto tags = [&](std::size_t run) { return workspace_.runs().find(id(run))->tags; };
  using Tags = std::vector<std::string>;
  commands_->changeTags({id(0)}, {QStringLiteral("own")}, {});
  ASSERT_TRUE(test::comesTrue([&] { return tags(0) == Tags{"own"}; }));
  commands_->changeTags({id(0), id(1)}, {QStringLiteral("both")}, {QStringLiteral("own")});
  EXPECT_TRUE(test::comesTrue([&] { return tags(0) == Tags{"both"} && tags(1) == Tags{"both"}; }));
  EXPECT_EQ(parts_.runListUndo.count(), 2);
  parts_.runListUndo.undo();
  EXPECT_TRUE(test::comesTrue([&] { return tags(0) == Tags{"own"} && tags(1).empty(); }));
}

TEST_F(WindowListTest, WhatIsWrongWithTheTagsOfSeveralRunsIsSaidOnceAndNoneChanges) {
  commands_->changeTags({id(0)}, {QStringLiteral("own")}, {});
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().find(id(0))->tags.size() == 1; }));
  QSignalSpy failed(&workspace_, &WorkspacePresenter::editFailed);
  commands_->changeTags({id(0), id(1)}, {QStringLiteral("two\nlines")}, {QStringLiteral("own")});
  ASSERT_TRUE(test::comesTrue([&] { return !failed.isEmpty(); }));
  awaitTasks();
  EXPECT_EQ(failed.size(), 1);
  EXPECT_EQ(workspace_.runs().find(id(0))->tags, (std::vector<std::string>{"own"}));
}

TEST_F(WindowListTest, ColumnsAreFoundByWordsAndKept) {
  auto* tree = qobject_cast<QTreeView*>(list_);
  window_.resizeDocks({window_.findChild<QDockWidget*>(QStringLiteral("runsDock"))}, {700}, Qt::Horizontal);
  window_.findChild<QToolButton*>(QStringLiteral("chooseColumns"))->click();
  auto* chooser = window_.findChild<QDialog*>(QStringLiteral("columnChooser"));
  ASSERT_NE(chooser, nullptr);
  chooser->findChild<QLineEdit*>()->setText(QStringLiteral("optimizer.lr peak"));
  auto* offered = chooser->findChild<QListWidget*>();
  QListWidgetItem* rate = nullptr;
  for (int i = 0; i < offered->count(); ++i)
    if (offered->item(i)->data(Qt::UserRole).toString() == QStringLiteral("setting:optimizer.lr"))
      rate = offered->item(i);
  ASSERT_NE(rate, nullptr);
  EXPECT_FALSE(rate->isHidden());
  EXPECT_TRUE(offered->item(0)->isHidden());
  rate->setCheckState(Qt::Checked);
  const int column = list_->model()->columnCount() - 1;
  EXPECT_FALSE(tree->isColumnHidden(column));
  tree->header()->moveSection(tree->header()->visualIndex(column), 1);
  tree->header()->resizeSection(column, 123);
  chooser->reject();
  const RunListPane again(workspace_, parts_.selection, settings_, theme_);
  const QHeaderView* header = again.findChild<QTreeView*>()->header();
  EXPECT_EQ(header->visualIndex(column), 1);
  EXPECT_EQ(header->sectionSize(column), 123);
  EXPECT_FALSE(header->isSectionHidden(column));

  auto stored = settings_.runColumns();
  stored.keys.insert(1, QStringLiteral("setting:of another version"));
  stored.widths.insert(1, 50);
  stored.sorted = QStringLiteral("setting:optimizer.lr");
  stored.descending = false;
  settings_.setRunColumns(stored);
  const RunListPane lacking(workspace_, parts_.selection, settings_, theme_);
  header = lacking.findChild<QTreeView*>()->header();
  const int rateColumn = header->logicalIndex(1);
  EXPECT_EQ(header->sectionSize(rateColumn), 123) << "only that one is left out";
  EXPECT_EQ(header->sortIndicatorSection(), rateColumn);
  EXPECT_EQ(header->sortIndicatorOrder(), Qt::AscendingOrder);
}

TEST_F(WindowListTest, SeedsFoldIntoOneRow) {
  test::storeAblations(workspace_.workspace());
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 12; }));
  action(QStringLiteral("Group seeds"))->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 5; }))
      << list_->model()->rowCount() << ": the two others have the default rate, which is that of rate-4";
  list_->setFocus();
  list_->setCurrentIndex(list_->model()->index(0, 0));
  const int members = list_->model()->rowCount(list_->currentIndex());
  EXPECT_GE(members, 2);
  QTest::keyClick(list_, Qt::Key_Space);
  EXPECT_EQ(parts_.selection.ticked().size(), members);
  const QString before = list_->currentIndex().data(RunsTable::IdRole).toString();
  workspace_.refresh();
  awaitTasks();
  EXPECT_EQ(before, QString()) << "a group is no run";
  EXPECT_EQ(list_->currentIndex(), list_->model()->index(0, 0)) << "and stays the current row";
}

TEST_F(WindowListTest, AGroupBecomesTheBaseline) {
  test::storeAblations(workspace_.workspace());
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 12; }));
  action(QStringLiteral("Group seeds"))->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 5; }));
  const QPersistentModelIndex first = list_->model()->index(0, RunsTable::NameColumn);
  const QPersistentModelIndex second = list_->model()->index(1, RunsTable::NameColumn);
  const int members = list_->model()->rowCount(second);
  ASSERT_GE(members, 2);
  list_->setFocus();
  list_->setCurrentIndex(first);
  QTest::keyClick(list_, Qt::Key_Space);
  const qsizetype ticked = parts_.selection.ticked().size();
  EXPECT_TRUE(first.data(RunsTable::BaselineRole).toBool());
  list_->setCurrentIndex(second);
  QTest::keyClick(list_, Qt::Key_B);
  EXPECT_EQ(parts_.selection.ticked().size(), ticked + members) << "its runs are ticked too";
  EXPECT_TRUE(second.data(RunsTable::BaselineRole).toBool());
  EXPECT_FALSE(first.data(RunsTable::BaselineRole).toBool());
  const QString baseline = parts_.selection.ticked().front();
  EXPECT_TRUE(test::comesTrue([&] {
    const auto& compared = parts_.comparing.comparison();
    return compared != nullptr && compared->lines.size() == 2 &&
           compared->lines.front().members.size() == static_cast<std::size_t>(members) &&
           compared->runs.front().summary.id == baseline.toStdString();
  })) << "the whole group is what others are compared with";
}

TEST_F(WindowListTest, AnEmptyTickBoxOfTheSelectedRowIsAFrame) {
  theme_.setAppearance(Appearance::Dark);
  const auto* delegate = qobject_cast<const RunDelegate*>(list_->itemDelegate());
  ASSERT_NE(delegate, nullptr);
  const QModelIndex index = list_->model()->index(0, RunsTable::NameColumn);
  QStyleOptionViewItem option;
  option.initFrom(list_);
  option.rect = QRect(0, 0, 200, 28);
  option.state |= QStyle::State_Enabled | QStyle::State_Selected;
  QImage picture(option.rect.size(), QImage::Format_RGB32);
  picture.fill(theme_.colors().base);
  QPainter painter(&picture);
  delegate->paint(&painter, option, index);
  painter.end();
  const QRect box = delegate->tickBox(option, index);
  EXPECT_EQ(picture.pixelColor(box.center()).rgb(), theme_.colors().accent.rgb()) << "no dark square";
  EXPECT_EQ(picture.pixelColor(box.topLeft()).rgb(), theme_.colors().onAccent.rgb());
  theme_.setAppearance(Appearance::Light);
}

TEST_F(WindowListTest, ARunLeavesAsAFileAndComesIn) {
  const QString file = pathOf("one.batchwise");
  commands_->exportTo(id(0), file);
  ASSERT_TRUE(test::comesTrue([&] { return message().text().contains(file); }));
  window_.findChild<FirstRunCommands*>()->bringRuns({file});
  ASSERT_TRUE(test::comesTrue([&] { return !message().text().contains(file); }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("one"))) << message().text().toStdString();
  commands_->exportTo(id(0), QStringLiteral("/proc/nowhere/one.batchwise"));
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("/proc/nowhere")); }));
}

TEST_F(WindowListTest, ARunOnItsWayShowsHowFarItIsAndCanBeGivenUp) {
  test::Gate gate(slow_, &workspace_);
  gate.awaitReached();
  const std::filesystem::path first = folder_ / "first.batchwise", second = folder_ / "second.batchwise";
  commands_->exportTo(id(0), toQt(first.string()));
  commands_->exportTo(id(1), toQt(second.string()));
  auto* dialog = window_.findChild<QProgressDialog*>(QStringLiteral("exportingRuns"));
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->labelText(), QStringLiteral("Exporting first.batchwise…"));
  EXPECT_EQ(dialog->findChild<QPushButton*>()->text(), QStringLiteral("Cancel the export"));
  dialog->show();
  Q_EMIT dialog->canceled();
  dialog = nullptr;
  for (auto* each : window_.findChildren<QProgressDialog*>(QStringLiteral("exportingRuns"))) dialog = each;
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->labelText(), QStringLiteral("Exporting second.batchwise…"));
  window_.close();
  EXPECT_TRUE(window_.isVisible()) << "it waits for the file";
  gate.open();
  ASSERT_TRUE(test::comesTrue([&] { return !window_.isVisible(); }));
  EXPECT_TRUE(std::filesystem::exists(second));
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
    EXPECT_FALSE(entry.path().filename().native().starts_with("first")) << entry.path();
}

TEST_F(WindowListTest, TheConfigurationLeavesAsAFileThatCanBeOpened) {
  const QString file = pathOf("kept.yaml");
  edit_.draft().setText("seed", QStringLiteral("4711"));
  auto* commands = window_.findChild<NewRunCommands*>();
  commands->saveConfigTo(file);
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("Written to")); }));
  edit_.loadPreset(QStringLiteral("demo"));
  ASSERT_NE(edit_.draft().text("seed"), QStringLiteral("4711"));
  commands->editFile(file);
  EXPECT_TRUE(test::comesTrue([&] { return edit_.draft().text("seed") == QStringLiteral("4711"); }));
  commands->saveConfigTo(QStringLiteral("/proc/nowhere.yaml"));
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("/proc/nowhere.yaml")); }));
}

TEST_F(WindowListTest, AConfigurationSavedJustBeforeTheWindowClosesIsWritten) {
  const auto file = folder_ / "last.yaml";
  tasks_.post(
      &window_,
      [](const std::stop_token& stop) {  // busy until the window closes
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return 0;
      },
      [](int) {});
  window_.findChild<NewRunCommands*>()->saveConfigTo(toQt(file.string()));
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(tasks_.finish(std::chrono::seconds(10)));
  EXPECT_TRUE(loadConfig(file.string()).ok());
}

class SaveElsewhereTest : public WindowListTest {
 protected:
  void SetUp() override {
    WindowListTest::SetUp();
    ASSERT_TRUE(QDir().mkpath(toQt((home_ / "text").string())) && QDir().mkpath(toQt(away_.string())));
    commands_ = window_.findChild<NewRunCommands*>();
  }
  void type(const std::string& text) {
    ASSERT_TRUE(writeFileAtomically(home_ / "own.yaml", text).ok());
    edit_.loadFile(toQt((home_ / "own.yaml").string()));
    awaitTasks();
  }
  void save(const std::filesystem::path& file) {
    commands_->saveConfigTo(toQt(file.string()));
    for (int step = 0; step < 2; ++step) awaitTasks();  // what is there is read, then the file written
  }
  void saveAnswering(const std::filesystem::path& file, const char* words) {
    questionAfter(QString::fromLatin1(words), [&] { save(file); });
  }
  void expectSameFiles(const std::filesystem::path& file) {
    const LoadedConfig saved = loadConfig(file.string());
    ASSERT_TRUE(saved.ok()) << saved.errorText();
    EXPECT_EQ(saved.config.data.train, std::vector<std::string>{(home_ / "text/*.txt").string()});
    EXPECT_EQ(saved.config.seed, 7);
  }

  const std::filesystem::path home_ = folder_ / "home", away_ = folder_ / "away";
  NewRunCommands* commands_ = nullptr;
};

TEST_F(SaveElsewhereTest, AConfigurationNamesTheSameFilesAndKeepsItsComments) {
  const std::string typed = "# mine\nseed: 7  # lucky\ndata: {train: [text/*.txt]}\n";
  type(typed);
  save(home_ / "copy.yaml");
  EXPECT_EQ(*readFile(home_ / "copy.yaml", 10'000), typed) << "in the same folder it stays as typed";
  save(away_ / "own.yaml");
  expectSameFiles(away_ / "own.yaml");
  EXPECT_EQ(*readFile(away_ / "own.yaml", 10'000),
            "# mine\nseed: 7  # lucky\ndata: {train: [\"" + (home_ / "text/*.txt").string() + "\"]}\n");
}

TEST_F(SaveElsewhereTest, WhereCommentsCannotBeKeptThePersonIsAskedBefore) {
  type("# mine\nseed: 7\ndata:\n  train: >-\n    text/*.txt\n");
  saveAnswering(away_ / "own.yaml", "Cancel");
  EXPECT_FALSE(std::filesystem::exists(away_ / "own.yaml"));
  saveAnswering(away_ / "own.yaml", "Save without comments");
  expectSameFiles(away_ / "own.yaml");
}

TEST_F(SaveElsewhereTest, CommentsOfTheFileAreNotOverwrittenUnasked) {
  const std::string typed = "# mine\nseed: 7  # lucky\ndata: {train: [text/*.txt]}\n";
  const auto file = home_ / "own.yaml";
  type(typed);
  save(file);
  EXPECT_EQ(*readFile(file, 10'000), typed) << "nothing is lost";
  edit_.draft().setText("optimizer.lr", QStringLiteral("2e-3"));  // writes the text anew
  saveAnswering(file, "Cancel");
  EXPECT_EQ(*readFile(file, 10'000), typed);
  save(home_ / "copy.yaml");
  EXPECT_TRUE(std::filesystem::exists(home_ / "copy.yaml")) << "a new file loses nothing";
  saveAnswering(file, "Save without comments");
  EXPECT_EQ(readFile(file, 10'000)->find('#'), std::string::npos);
  save(file);  // there are none left to ask about
}

}  // namespace
}  // namespace batchwise
