// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs: filter and selection, names, tags, a choice given up, and runs that leave as files.
#include <QtTest/QTest>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTreeView>

#include "tests/analysis/comparison_fixture.h"
#include "tests/ui/window_fixture.h"
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

}  // namespace
}  // namespace batchwise
