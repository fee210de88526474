// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs: filter and selection, names, tags, a choice given up, and runs that leave as files.
#include <QtTest/QTest>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTreeView>

#include "core/base/file.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/ui/window_fixture.h"
#include "ui/models/words.h"
#include "ui/widgets/commands/new_run_commands.h"
#include "ui/widgets/commands/run_list_commands.h"

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
    for (QLineEdit* each : window_.findChildren<QLineEdit*>())
      if (each->accessibleName() == QStringLiteral("Filter runs")) filter_ = each;
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
  watch_.select(id(0));
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return current() == QStringLiteral("one"); }));
  filter_->setText(QStringLiteral("two"));
  EXPECT_EQ(list_->model()->rowCount(), 1);
  EXPECT_EQ(current(), QString());
  EXPECT_EQ(watch_.selected(), id(0));
  filter_->clear();
  EXPECT_EQ(current(), QStringLiteral("one"));
  filter_->setText(QStringLiteral("seed >= 0 and name = two"));  // the configurations are read first
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 1; }));
  EXPECT_EQ(watch_.selected(), id(0));
}

TEST_F(WindowListTest, WhereItIsNarrowOtherColumnsGoBeforeTheName) {
  auto* tree = qobject_cast<QTreeView*>(list_);
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("runsDock"));
  const auto widthOfName = [&] { return tree->columnWidth(RunListModel::NameColumn); };
  const int least = 12 * tree->fontMetrics().averageCharWidth();
  window_.resizeDocks({dock}, {500}, Qt::Horizontal);
  EXPECT_TRUE(test::comesTrue([&] { return !tree->isColumnHidden(RunListModel::ProgressColumn); }));
  window_.resizeDocks({dock}, {200}, Qt::Horizontal);
  EXPECT_TRUE(test::comesTrue([&] { return tree->isColumnHidden(RunListModel::ProgressColumn); }));
  EXPECT_GE(widthOfName(), least);
  window_.resizeDocks({dock}, {500}, Qt::Horizontal);
  EXPECT_TRUE(test::comesTrue([&] { return !tree->isColumnHidden(RunListModel::ProgressColumn); }));
  EXPECT_GE(widthOfName(), least);
}

TEST_F(WindowListTest, WhatIsWrongWithAFilterStandsBelowIt) {
  const auto* problem = window_.findChild<QLabel*>(QStringLiteral("filterProblem"));
  EXPECT_FALSE(problem->isVisible());
  filter_->setText(QStringLiteral("loss <"));
  EXPECT_TRUE(problem->isVisible());
  EXPECT_TRUE(problem->text().contains(QStringLiteral("a value is expected")));
  EXPECT_LT(problem->mapTo(&window_, QPoint()).y(), list_->mapTo(&window_, QPoint()).y());
  filter_->clear();
  EXPECT_FALSE(problem->isVisible());
}

TEST_F(WindowListTest, ANameIsChangedAndChangedBack) {
  commands_->rename(id(0), QStringLiteral("  <b>base</b> "));
  EXPECT_TRUE(isNamed(QStringLiteral("<b>base</b>")));
  memory_.archiveSteps.undo();
  EXPECT_TRUE(isNamed(QStringLiteral("one")));
  commands_->rename(id(0), QStringLiteral("one"));
  commands_->rename(id(0), QStringLiteral(" "));
  EXPECT_EQ(memory_.archiveSteps.count(), 1) << "nothing to change is no step";
}

TEST_F(WindowListTest, AChoiceThatWasGivenUpComesBack) {
  list_->setFocus();
  for (const int row : {0, 1}) {
    list_->setCurrentIndex(list_->model()->index(row, 0));
    QTest::keyClick(list_, Qt::Key_Space);
  }
  const QStringList chosen = memory_.comparing.view().runs;
  ASSERT_EQ(chosen.size(), 2);
  QTest::keyClick(list_, Qt::Key_Escape);
  EXPECT_TRUE(memory_.comparing.view().runs.isEmpty());
  QTest::keyClick(list_, Qt::Key_Escape);
  EXPECT_EQ(memory_.archiveSteps.count(), 1);
  action(QStringLiteral("Undo choose none"))->trigger();
  EXPECT_EQ(memory_.comparing.view().runs, chosen);
}

TEST_F(WindowListTest, WhatWasChosenAfterTheChoiceWasGivenUpIsNotLostByUndo) {
  memory_.comparing.toggle(id(0));
  list_->setFocus();
  QTest::keyClick(list_, Qt::Key_Escape);
  memory_.comparing.toggle(id(1));
  memory_.archiveSteps.undo();
  EXPECT_EQ(memory_.comparing.view().runs, QStringList{id(0)});
  memory_.archiveSteps.redo();
  EXPECT_EQ(memory_.comparing.view().runs, QStringList{id(1)});
}

TEST_F(WindowListTest, AColumnThatThePersonAsksForIsShownWhereItIsNarrowToo) {
  auto* tree = qobject_cast<QTreeView*>(list_);
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("runsDock"));
  window_.resizeDocks({dock}, {200}, Qt::Horizontal);
  ASSERT_TRUE(test::comesTrue([&] { return tree->isColumnHidden(RunListModel::ProgressColumn); }));
  const auto actionOf = [&](RunListModel::Column column) {
    return tree->header()->actions().at(column - RunListModel::StateColumn);
  };
  actionOf(RunListModel::CreatedColumn)->trigger();
  EXPECT_FALSE(tree->isColumnHidden(RunListModel::CreatedColumn));
  EXPECT_TRUE(tree->isColumnHidden(RunListModel::ProgressColumn)) << "nobody has asked for this one";
  actionOf(RunListModel::CreatedColumn)->trigger();
  EXPECT_TRUE(tree->isColumnHidden(RunListModel::CreatedColumn));
}

TEST_F(WindowListTest, TheColumnOfTagsKeepsItsWidthWhenRunsAreAdded) {
  auto* tree = qobject_cast<QTreeView*>(list_);
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("runsDock"));
  window_.resizeDocks({dock}, {700}, Qt::Horizontal);
  tree->header()->actions().at(RunListModel::TagsColumn - RunListModel::StateColumn)->trigger();
  const int wanted = tree->columnWidth(RunListModel::TagsColumn) + 30;
  tree->header()->resizeSection(RunListModel::TagsColumn, wanted);
  test::storeMadeRun(workspace_.workspace(), {"three", "", 5});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 3; }));
  EXPECT_EQ(tree->columnWidth(RunListModel::TagsColumn), wanted);
}

TEST_F(WindowListTest, TagsAreShownWithTheRun) {
  memory_.comparing.setTags(id(0), {QStringLiteral("ramp"), QStringLiteral("<i>old</i>")});
  const auto cell = [&](RunListModel::Column column) {
    return workspace_.runs().index(workspace_.runs().rowOf(id(0)), column);
  };
  ASSERT_TRUE(test::comesTrue(
      [&] { return cell(RunListModel::TagsColumn).data().toString() == QStringLiteral("ramp, <i>old</i>"); }));
  EXPECT_TRUE(cell(RunListModel::NameColumn).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Tags: ramp")));
}

TEST_F(WindowListTest, ARunLeavesAsAFileAndComesIn) {
  const QString file = QString::fromStdString((folder_ / "one.batchwise").string());
  commands_->exportTo(id(0), file);
  ASSERT_TRUE(test::comesTrue([&] { return message().text().contains(file); }));
  Q_EMIT commands_->importWanted(file);
  ASSERT_TRUE(test::comesTrue([&] { return !message().text().contains(file); }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("one"))) << message().text().toStdString();
  commands_->exportTo(id(0), QStringLiteral("/proc/nowhere/one.batchwise"));
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("/proc/nowhere")); }));
}

TEST_F(WindowListTest, TheConfigurationLeavesAsAFileThatCanBeOpened) {
  const QString file = QString::fromStdString((folder_ / "kept.yaml").string());
  edit_.draft().setText("seed", QStringLiteral("4711"));
  auto* commands = window_.findChild<NewRunCommands*>();
  EXPECT_EQ(commands->saveConfigTo(file), QString());
  edit_.loadDemo();
  ASSERT_NE(edit_.draft().text("seed"), QStringLiteral("4711"));
  commands->editFile(file);
  EXPECT_TRUE(test::comesTrue([&] { return edit_.draft().text("seed") == QStringLiteral("4711"); }));
  EXPECT_NE(commands->saveConfigTo(QStringLiteral("/proc/nowhere.yaml")), QString());
}

TEST_F(WindowListTest, SavedInAnotherFolderAConfigurationNamesTheSameFiles) {
  const auto home = folder_ / "home", away = folder_ / "away";
  ASSERT_TRUE(QDir().mkpath(toQt((home / "text").string())) && QDir().mkpath(toQt(away.string())));
  const std::string typed = "# mine\nseed: 7\ndata: {train: [text/*.txt]}\n";
  ASSERT_TRUE(writeFileAtomically(home / "own.yaml", typed).ok());
  edit_.loadFile(toQt((home / "own.yaml").string()));
  auto* commands = window_.findChild<NewRunCommands*>();
  EXPECT_EQ(commands->saveConfigTo(toQt((home / "copy.yaml").string())), QString());
  EXPECT_EQ(*readFile(home / "copy.yaml", 10'000), typed) << "in the same folder it stays as typed";
  EXPECT_EQ(commands->saveConfigTo(toQt((away / "own.yaml").string())), QString());
  const LoadedConfig saved = loadConfig((away / "own.yaml").string());
  ASSERT_TRUE(saved.ok()) << saved.errorText();
  EXPECT_EQ(saved.config.data.train, std::vector<std::string>{(home / "text/*.txt").string()});
  EXPECT_EQ(saved.config.seed, 7);
}

}  // namespace
}  // namespace batchwise
