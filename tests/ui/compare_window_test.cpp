// SPDX-License-Identifier: GPL-3.0-or-later
// Clicks through a comparison of five ablations with two seeds each. Pictures of the window are left in the build
// folder, in screenshots/compare.
#include <gmock/gmock.h>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtGui/QClipboard>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/run_styles.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/test_environment.h"
#include "tests/ui/window_fixture.h"
#include "ui/widgets/compare/compare_chart.h"
#include "ui/widgets/compare/compare_page.h"
#include "ui/widgets/compare/parallel_plot.h"
#include "ui/widgets/docks/run_list_pane.h"
#include "ui/widgets/parts/dialogs.h"

namespace batchwise {
namespace {

class CompareWindowTest : public test::WindowTest {
 protected:
  std::shared_ptr<Workspace> store() const { return workspace_.workspace(); }

  void showRuns() {
    const auto stored = static_cast<int>(store()->listRuns()->size());
    workspace_.refresh();
    list_ = window_.findChild<QAbstractItemView*>(QStringLiteral("runs"));
    ASSERT_NE(list_, nullptr);
    ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == stored; }))
        << "a look of the window's own may have found the first of them only";
    page_ = window_.findChild<ComparePage*>();
    chart_ = window_.findChild<CompareChart*>();
    list_->setFocus();
  }

  void selectRun(const QString& name) {
    for (int row = 0; row < list_->model()->rowCount(); ++row)
      if (list_->model()->index(row, 0).data().toString() == name)
        list_->setCurrentIndex(list_->model()->index(row, 0));
    ASSERT_EQ(list_->currentIndex().data().toString(), name);
  }
  void choose(const QString& name) {
    selectRun(name);
    QTest::keyClick(list_, Qt::Key_Space);
  }
  void chooseAblations() {
    for (int ablation = 0; ablation < 5; ++ablation)
      for (int seed = 0; seed < 2; ++seed) choose(QStringLiteral("rate-%1-seed-%2").arg(ablation).arg(seed));
  }
  bool waitForLines(std::size_t lines) {
    return test::comesTrue([&] { return chart_->figure().lines.size() == lines; });
  }
  QComboBox* box(const char* name) { return window_.findChild<QComboBox*>(QLatin1String(name)); }
  void pick(const char* name, const QString& text) {
    const int index = box(name)->findText(text);
    ASSERT_GE(index, 0) << text.toStdString();
    box(name)->setCurrentIndex(index);
  }
  QTabWidget& tabs() { return *window_.findChild<QTabWidget*>(QStringLiteral("compareTabs")); }
  QTableView* table(int tab) {
    QWidget* page = tabs().widget(tab);
    auto* table = qobject_cast<QTableView*>(page);
    return table != nullptr ? table : page->findChild<QTableView*>();
  }
  /// Runs with checkpoints every 80, 100 and 400 global batches, the last with the highest loss; null if it fails.
  ParallelPlot* showThreeOnParallelAxes() {
    const char* yaml[] = {"checkpoint: {interval: 80ba}", "checkpoint: {interval: 100ba}",
                          "checkpoint: {interval: 400ba}"};
    for (int i = 0; i < 3; ++i)
      test::storeMadeRun(store(), {"run-" + std::to_string(i), yaml[i], 20 + 10 * i, 2.0 + 0.1 * i});
    showRuns();
    for (int i = 0; i < 3; ++i) choose(QStringLiteral("run-%1").arg(i));
    QTest::keyClick(list_, Qt::Key_C);
    if (!waitForLines(3)) return nullptr;
    tabs().setCurrentIndex(2);
    return qobject_cast<ParallelPlot*>(tabs().widget(2));
  }
  /// From above the last run to halfway between it and the one before.
  void brushTopOf(ParallelPlot& plot, std::size_t axis) {
    const QPoint top = plot.positionOf(axis, 2).toPoint(), middle = (top + plot.positionOf(axis, 1).toPoint()) / 2;
    QTest::mousePress(&plot, Qt::LeftButton, {}, top - QPoint(0, 5));
    QTest::mouseMove(&plot, top + QPoint(0, 8));
    QTest::mouseMove(&plot, middle);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, middle);
  }
  QAction* command(const char* name) {
    return window_.findChild<QAction*>(QStringLiteral("command.") + QLatin1String(name));
  }

  QAbstractItemView* list_ = nullptr;
  ComparePage* page_ = nullptr;
  CompareChart* chart_ = nullptr;
};

TEST_F(CompareWindowTest, ComparesFiveAblationsWithTwoSeedsEach) {
  test::storeAblations(store());
  showRuns();
  chooseAblations();
  QTest::keyClick(list_, Qt::Key_C);
  EXPECT_TRUE(page_->isVisible());
  ASSERT_TRUE(waitForLines(10));
  takePicture(QStringLiteral("compare/runs-light"));
  pick("groupBy", QStringLiteral("seeds"));
  ASSERT_TRUE(waitForLines(5));
  EXPECT_EQ(chart_->figure().lines[0].label, "lr = 1e-04");
  EXPECT_EQ(chart_->figure().lines[0].count, " (n=2)");
  ASSERT_FALSE(chart_->figure().lines[0].group.empty());
  takePicture(QStringLiteral("compare/grouped-light"));

  const QAbstractItemModel* values = table(0)->model();
  ASSERT_EQ(values->rowCount(), 5);
  EXPECT_EQ(values->index(0, 3).data().toString(), QStringLiteral("baseline"));
  EXPECT_THAT(values->index(4, 3).data().toString().toStdString(), testing::HasSubstr("better"));
  const QAbstractItemModel* fields = table(1)->model();
  ASSERT_EQ(fields->rowCount(), 1);
  EXPECT_EQ(fields->index(0, 0).data().toString(), QStringLiteral("Peak learning rate"));
  EXPECT_EQ(fields->index(0, 1).data().toString(), QStringLiteral("optimizer.lr"));

  pick("axis", QStringLiteral("time"));
  ASSERT_TRUE(
      test::comesTrue([&] { return chart_->figure().axis == Axis::Time && chart_->figure().lines.size() == 5; }));
  EXPECT_EQ(values->headerData(2, Qt::Horizontal).toString(), QStringLiteral("Loss at equal time"));
  pick("metric", QStringLiteral("Evaluation loss"));
  ASSERT_TRUE(
      test::comesTrue([&] { return chart_->figure().title == "Evaluation loss (nats per masked token), mean ± std"; }));
  tabs().setCurrentIndex(1);
  takePicture(QStringLiteral("compare/differences"));
  Q_EMIT table(1)->doubleClicked(fields->index(0, 2));
  EXPECT_EQ(parts_.comparing.view().options.groupBy, "optimizer.lr");
}

TEST_F(CompareWindowTest, LooksRightInTheDarkAndWithLargeText) {
  test::storeAblations(store());
  showRuns();
  for (int ablation = 0; ablation < 5; ++ablation) choose(QStringLiteral("rate-%1-seed-0").arg(ablation));
  QTest::keyClick(list_, Qt::Key_C);
  ASSERT_TRUE(waitForLines(5));
  theme_.setAppearance(Appearance::Dark);
  tabs().setCurrentIndex(2);
  takePicture(QStringLiteral("compare/parallel-dark"));
  tabs().setCurrentIndex(0);
  theme_.setTextScale(2.0);
  takePicture(QStringLiteral("compare/dark-200"));
  theme_.setAppearance(Appearance::Light);
  theme_.setTextScale(1.0);
}

TEST_F(CompareWindowTest, BMakesABaselineAndARunKeepsItsColor) {
  test::storeAblations(store());
  showRuns();
  choose(QStringLiteral("rate-0-seed-0"));
  choose(QStringLiteral("rate-1-seed-0"));
  ASSERT_TRUE(waitForLines(2));
  const int first = chart_->figure().lines[0].style, second = chart_->figure().lines[1].style;
  EXPECT_NE(first, second);
  QTest::keyClick(list_, Qt::Key_B);
  ASSERT_TRUE(test::comesTrue([&] { return chart_->figure().lines[0].label == "rate-1-seed-0"; }));
  EXPECT_EQ(chart_->figure().lines[0].style, second);
  EXPECT_EQ(chart_->figure().lines[1].style, first);
  const RunStyles stored = RunStyles::read(*store());
  EXPECT_EQ(stored.of(store()->findRun("rate-1-seed-0")->summary.id), second);
  choose(QStringLiteral("rate-0-seed-0"));
  ASSERT_TRUE(waitForLines(1));
  QTest::keyClick(list_, Qt::Key_Escape);
  EXPECT_FALSE(chart_->isVisible());
}

TEST_F(CompareWindowTest, WritesEveryForm) {
  test::storeAblations(store());
  showRuns();
  choose(QStringLiteral("rate-0-seed-0"));
  choose(QStringLiteral("rate-4-seed-1"));
  ASSERT_TRUE(waitForLines(2));
  const std::vector<std::pair<const char*, const char*>> forms = {
      {"a.svg", "<svg"},     {"a.pdf", "%PDF"}, {"a.png", "PNG"},    {"a.html", "<!DOCTYPE"},
      {"a.csv", "run,loss"}, {"a.md", "| run"}, {"a.tex", "\\begin"}};
  for (const auto& [name, part] : forms) {
    const QString file = QString::fromStdString((folder_ / name).string());
    EXPECT_EQ(page_->exportTo(file), QString()) << name;
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly)) << name;
    EXPECT_TRUE(written.readAll().left(200).contains(part)) << name;
  }
  const QString small = QString::fromStdString((folder_ / "small.png").string());
  EXPECT_EQ(page_->exportTo(small, {8.5, 6, 100}), QString());
  EXPECT_EQ(QImage(small).size(), QSize(335, 236)) << "centimetres at 100 dots per inch";
  EXPECT_NE(page_->exportTo(QStringLiteral("/proc/nowhere/a.svg")), QString());
  const std::filesystem::path inside = store()->folder() / "checkpoints" / "a.svg";
  EXPECT_TRUE(
      page_->exportTo(QString::fromStdString(inside.string())).contains(QStringLiteral("lies in the workspace")));
  EXPECT_FALSE(std::filesystem::exists(inside));
  EXPECT_NE(page_->exportTo(QStringLiteral("a.gif")), QString());
}

TEST_F(CompareWindowTest, AStretchOfAParallelAxisKeepsTheRunsThatPassThere) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  ASSERT_EQ(plot->axisCount(), 2U);
  EXPECT_GT(plot->positionOf(0, 0).y(), plot->positionOf(0, 1).y()) << "80ba stands below 100ba";
  EXPECT_GT(plot->positionOf(0, 1).y(), plot->positionOf(0, 2).y());
  std::vector<bool> kept;
  QObject::connect(plot, &ParallelPlot::kept, plot, [&](const std::vector<bool>& runs) { kept = runs; });
  const QPoint below = plot->positionOf(0, 1).toPoint();
  brushTopOf(*plot, 0);
  EXPECT_EQ(kept, (std::vector<bool>{false, false, true}));
  EXPECT_TRUE(table(0)->isRowHidden(0));
  EXPECT_FALSE(table(0)->isRowHidden(2));
  takePicture(QStringLiteral("compare/brushed"));
  command("copy_comparison_latex")->trigger();
  EXPECT_TRUE(message().text().contains(QStringLiteral("All 3 rows"))) << message().text().toStdString();
  QTest::mouseClick(plot, Qt::LeftButton, {}, below);
  EXPECT_EQ(kept, (std::vector<bool>{true, true, true}));
  EXPECT_FALSE(table(0)->isRowHidden(0));
}

TEST_F(CompareWindowTest, AnAxisThatGoesTakesItsStretchAndBringsTheRowsBack) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  brushTopOf(*plot, 1);
  EXPECT_TRUE(table(0)->isRowHidden(0));
  pick("metric", QStringLiteral("Evaluation loss"));
  ASSERT_TRUE(test::comesTrue([&] { return chart_->figure().title.starts_with("Evaluation loss"); }));
  for (int row = 0; row < 3; ++row) EXPECT_FALSE(table(0)->isRowHidden(row)) << row;
}

TEST_F(CompareWindowTest, AStretchKeepsTheSameRunsOnAnotherScale) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  std::vector<bool> kept;
  QObject::connect(plot, &ParallelPlot::kept, plot, [&](const std::vector<bool>& runs) { kept = runs; });
  brushTopOf(*plot, 0);  // 400ba, far above 80ba and 100ba
  test::storeMadeRun(store(), {"far", "checkpoint: {interval: 90000ba}", 20});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 4; }));
  choose(QStringLiteral("far"));
  ASSERT_TRUE(waitForLines(4));
  EXPECT_EQ(kept, (std::vector<bool>{false, false, true, false}));
}

TEST_F(CompareWindowTest, AStretchOfTextsKeepsThemWhenOthersComeBetween) {
  for (const char* precision : {"bf16", "fp32", "fp16"})
    test::storeMadeRun(store(), {precision, "precision: " + std::string(precision), 20});
  showRuns();
  choose(QStringLiteral("bf16"));
  choose(QStringLiteral("fp32"));
  QTest::keyClick(list_, Qt::Key_C);
  ASSERT_TRUE(waitForLines(2));
  tabs().setCurrentIndex(2);
  auto* plot = qobject_cast<ParallelPlot*>(tabs().widget(2));
  ASSERT_NE(plot, nullptr);
  std::vector<bool> kept;
  QObject::connect(plot, &ParallelPlot::kept, plot, [&](const std::vector<bool>& runs) { kept = runs; });
  const QPoint top = plot->positionOf(0, 1).toPoint(), low = plot->positionOf(0, 0).toPoint() - QPoint(0, 8);
  QTest::mousePress(plot, Qt::LeftButton, {}, top - QPoint(0, 5));
  QTest::mouseMove(plot, low);
  QTest::mouseRelease(plot, Qt::LeftButton, {}, low);
  EXPECT_EQ(kept, (std::vector<bool>{false, true}));
  choose(QStringLiteral("fp16"));
  ASSERT_TRUE(waitForLines(3));
  EXPECT_EQ(kept, (std::vector<bool>{false, true, false}));
}

TEST_F(CompareWindowTest, ADragGoesOnWhenTheRunsAreReadAnew) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  std::vector<bool> kept;
  QObject::connect(plot, &ParallelPlot::kept, plot, [&](const std::vector<bool>& runs) { kept = runs; });
  const QPoint top = plot->positionOf(0, 2).toPoint(), below = plot->positionOf(0, 1).toPoint();
  QTest::mousePress(plot, Qt::LeftButton, {}, top - QPoint(0, 5));
  QTest::mouseMove(plot, top + QPoint(0, 8));
  plot->setComparison(parts_.comparing.comparison());
  QTest::mouseMove(plot, (below + plot->positionOf(0, 0).toPoint()) / 2);
  QTest::mouseRelease(plot, Qt::LeftButton, {}, (below + plot->positionOf(0, 0).toPoint()) / 2);
  EXPECT_EQ(kept, (std::vector<bool>{false, true, true}));
}

TEST_F(CompareWindowTest, CopyingIsToldAndASizeCanBeAskedFor) {
  test::storeAblations(store());
  showRuns();
  ASSERT_NE(command("copy_comparison_markdown"), nullptr);
  command("copy_comparison_markdown")->trigger();
  EXPECT_TRUE(message().text().contains(QStringLiteral("no comparison")));
  choose(QStringLiteral("rate-0-seed-0"));
  choose(QStringLiteral("rate-4-seed-1"));
  ASSERT_TRUE(waitForLines(2));
  command("copy_comparison_markdown")->trigger();
  EXPECT_TRUE(message().text().contains(QStringLiteral("copied as Markdown"))) << message().text().toStdString();
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("| Loss at equal tokens |")));

  QWidget over;
  QMenu menu;
  std::optional<PictureSize> asked;
  addPictureSizes(menu, over, [&](const PictureSize& size) { asked = size; });
  menu.actions().last()->trigger();
  auto* dialog = over.findChild<QDialog*>(QStringLiteral("pictureSize"));
  ASSERT_NE(dialog, nullptr);
  const auto lengths = dialog->findChildren<QDoubleSpinBox*>();
  ASSERT_EQ(lengths.size(), 2);
  lengths[0]->setValue(12.5);
  lengths[1]->setValue(7);
  dialog->findChild<QDialogButtonBox*>()->accepted();
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->widthCm, 12.5);
  EXPECT_EQ(asked->heightCm, 7);
}

TEST_F(CompareWindowTest, FiltersTheListByExpressions) {
  test::storeAblations(store());
  showRuns();
  QLineEdit* filter = nullptr;
  for (QLineEdit* each : window_.findChildren<QLineEdit*>())
    if (each->accessibleName() == QStringLiteral("Filter runs")) filter = each;
  ASSERT_NE(filter, nullptr);
  filter->setText(QStringLiteral("optimizer.lr >= 4e-4 and status = finished"));
  EXPECT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 4; }));
  filter->setText(QStringLiteral("seed-1"));
  EXPECT_EQ(list_->model()->rowCount(), 5);
  filter->setText(QStringLiteral("optimizer.l > 3"));
  EXPECT_EQ(list_->model()->rowCount(), 10) << "what is not understood hides no run";
  const auto told = [&](const QString& words) {
    for (const QLabel* label : window_.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(words)) return label->y() - filter->y() < 2 * filter->height();
    return false;
  };
  EXPECT_TRUE(told(QStringLiteral("did you mean 'optimizer.lr'?"))) << "below its field";
  filter->setText(QStringLiteral("seed-1 and loss <"));
  EXPECT_EQ(list_->model()->rowCount(), 5) << "the part that stands";
  for (const char* typed : {"l", "lo", "loss", "loss ", "loss <"}) {
    filter->setText(QString::fromLatin1(typed));
    EXPECT_EQ(list_->model()->rowCount(), 10) << typed;
  }
  filter->setText(QStringLiteral("loss"));
  EXPECT_TRUE(told(QStringLiteral("“loss”")));
  filter->setText(QStringLiteral("zebra"));
  EXPECT_EQ(list_->model()->rowCount(), 0) << "a word that is in no run";
}

TEST_F(CompareWindowTest, TagsAndNotesAreSeenInTheList) {
  const std::string id = test::storeMadeRun(store(), {"one", "", 5});
  test::storeMadeRun(store(), {"two", "", 5});
  showRuns();
  auto* tree = qobject_cast<QTreeView*>(list_);
  EXPECT_TRUE(tree->isColumnHidden(RunListModel::TagsColumn)) << "while there are none";
  window_.findChild<RunListPane*>()->setMinimumWidth(700);  // where names have room, other columns have it too
  parts_.comparing.setTags(QString::fromStdString(id), {QStringLiteral("ramp"), QStringLiteral("<b>a</b>")});
  parts_.comparing.setNote(QString::fromStdString(id), QStringLiteral("look again"));
  ASSERT_TRUE(test::comesTrue([&] { return !tree->isColumnHidden(RunListModel::TagsColumn); }));
  selectRun(QStringLiteral("one"));
  const QPersistentModelIndex tags = list_->currentIndex().siblingAtColumn(RunListModel::TagsColumn);
  ASSERT_TRUE(test::comesTrue([&] { return !tags.data(RunListModel::IconRole).toString().isEmpty(); }));
  EXPECT_EQ(tags.data().toString(), QStringLiteral("ramp, <b>a</b>"));
  const QString tip = list_->currentIndex().data(Qt::ToolTipRole).toString();
  EXPECT_TRUE(tip.contains(QStringLiteral("Tags: ramp, &lt;b&gt;a&lt;/b&gt;"))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(QStringLiteral("look again")));
  takePicture(QStringLiteral("compare/tags"));
}

TEST_F(CompareWindowTest, ConditionsAreAddedAndTakenAwayByPress) {
  test::storeMadeRun(store(), {"one", "", 5});
  ASSERT_TRUE(store()->setTags(test::storeMadeRun(store(), {"two", "", 5}), {"<b>a</b> & b"}).ok());
  showRuns();
  ASSERT_TRUE(QTest::qWaitFor([&] { return list_->model()->rowCount() == 2; }));
  auto* bar = window_.findChild<QWidget*>(QStringLiteral("filterChips"));
  const auto chips = [&] { return bar->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly); };
  const auto offer = [&](const QString& text) {
    QMenu* menu = bar->findChild<QToolButton*>(QStringLiteral("addCondition"))->menu();
    Q_EMIT menu->aboutToShow();
    for (QAction* each : menu->actions())
      if (each->text() == text) return each->trigger();
    ADD_FAILURE() << text.toStdString();
  };
  const auto pass = [&] { QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); };
  offer(QStringLiteral("Finished"));
  pass();
  EXPECT_EQ(list_->model()->rowCount(), 2);
  ASSERT_EQ(chips().size(), 2);
  offer(QStringLiteral("Tag <b>a</b> && b"));
  pass();
  EXPECT_EQ(list_->model()->rowCount(), 1);
  ASSERT_EQ(chips().size(), 3);
  takePicture(QStringLiteral("compare/chips"));
  chips()[1]->click();
  pass();
  EXPECT_EQ(list_->model()->rowCount(), 2);
  ASSERT_EQ(chips().size(), 2);
  EXPECT_EQ(chips()[0]->text(), QStringLiteral("status = finished"));
}

TEST_F(CompareWindowTest, TheKeyboardMeetsConditionsBetweenFilterAndList) {
  test::storeMadeRun(store(), {"one", "", 5});
  showRuns();
  auto* filter = window_.findChild<RunListPane*>()->findChild<QLineEdit*>();
  filter->setText(QStringLiteral("status = finished and loss < 100"));
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  QStringList met;
  for (QWidget* next = filter->nextInFocusChain(); next != list_; next = next->nextInFocusChain()) {
    ASSERT_NE(next, filter);
    if (auto* button = qobject_cast<QToolButton*>(next); button != nullptr && button->focusPolicy() & Qt::TabFocus)
      met << button->text();
  }
  EXPECT_EQ(met, (QStringList{QStringLiteral("status = finished"), QStringLiteral("loss < 100"),
                              QStringLiteral("Condition")}));
}

TEST_F(CompareWindowTest, APressTakesNoWrongFilterAwayThatWasTyped) {
  test::storeMadeRun(store(), {"one", "", 5});
  showRuns();
  auto* filter = window_.findChild<RunListPane*>()->findChild<QLineEdit*>();
  auto* bar = window_.findChild<QWidget*>(QStringLiteral("filterChips"));
  filter->setText(QStringLiteral("status = finished"));
  const QString wrong = QStringLiteral("status = finished and loss <");
  filter->setText(wrong);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  for (QToolButton* each : bar->findChildren<QToolButton*>()) each->click();
  EXPECT_EQ(filter->text(), wrong);
  filter->setText(QStringLiteral("status = finished and loss < 3"));
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  bar->findChild<QToolButton*>()->click();
  EXPECT_EQ(filter->text(), QStringLiteral("loss < 3"));
  filter->undo();
  EXPECT_EQ(filter->text(), QStringLiteral("status = finished and loss < 3"));
}

TEST_F(CompareWindowTest, ArchivesWithUndo) {
  test::storeMadeRun(store(), {"one", "", 5});
  test::storeMadeRun(store(), {"two", "", 5});
  showRuns();
  selectRun(QStringLiteral("one"));
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 1; }));
  EXPECT_TRUE(store()->findRun("one")->summary.archived);
  auto* bar = window_.findChild<MessageBar*>();
  EXPECT_TRUE(bar->text().contains(QStringLiteral("Run one is archived")));
  for (QAbstractButton* button : bar->findChildren<QAbstractButton*>())
    if (button->text() == QStringLiteral("Undo")) QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 2; }));
}

TEST_F(CompareWindowTest, ArchivingIsUndoneWithThePlaceInTheComparison) {
  for (const char* name : {"one", "two", "three"}) test::storeMadeRun(store(), {name, "", 5});
  showRuns();
  for (const char* name : {"one", "two", "three"}) choose(QString::fromLatin1(name));
  ASSERT_TRUE(waitForLines(3));
  selectRun(QStringLiteral("one"));
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(waitForLines(2));
  EXPECT_EQ(chart_->figure().lines[0].label, "two");
  parts_.runListUndo.undo();
  ASSERT_TRUE(waitForLines(3));
  EXPECT_EQ(chart_->figure().lines[0].label, "one") << "it is the baseline again";
  EXPECT_FALSE(message().isVisible()) << "there is nothing to undo any more";
}

TEST_F(CompareWindowTest, EveryPointIsWrittenInTheBackground) {
  test::storeAblations(store());
  showRuns();
  choose(QStringLiteral("rate-0-seed-0"));
  choose(QStringLiteral("rate-4-seed-1"));
  ASSERT_TRUE(waitForLines(2));
  const auto comparison = parts_.comparing.comparison();
  const QString file = QString::fromStdString((folder_ / "points.csv").string());
  parts_.saving.save(std::make_unique<PointRows>(comparison, PointSource::Runs), file);
  ASSERT_TRUE(QTest::qWaitFor([&] { return message().text().contains(file); }));
  QFile written(file);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  EXPECT_EQ(written.readAll().toStdString(), tableText(pointsTable(*comparison, PointSource::Runs), TableFormat::Csv));
}

TEST_F(CompareWindowTest, KeepsViewsByName) {
  test::storeAblations(store());
  ComparePresenter presenter(workspace_);
  showRuns();
  CompareView view;
  view.runs = {QString::fromStdString(store()->findRun("rate-2-seed-0")->summary.id)};
  view.options.axis = Axis::Time;
  view.options.smoothing = 0.5;
  view.logY = true;
  presenter.setView(view);
  presenter.saveView(QStringLiteral("<b>mine</b> & yours"));
  presenter.setView({});
  ComparePresenter other(workspace_);
  workspace_.open(workspace_.folder());
  ASSERT_TRUE(test::comesTrue([&] { return other.savedViews().size() == 1 && workspace_.runs().rowCount() == 10; }));
  other.openView(QStringLiteral("<b>mine</b> & yours"));
  EXPECT_EQ(other.view(), view);
  other.deleteView(QStringLiteral("<b>mine</b> & yours"));
  EXPECT_TRUE(other.savedViews().isEmpty());
}

TEST_F(CompareWindowTest, HostileNamesArePlainTextEverywhere) {
  const QString hostile = QStringLiteral("<b>bold</b><img src=x>&lt; %1 &amp");
  const std::string id = test::storeMadeRun(store(), {hostile.toStdString(), "", 20});
  ASSERT_TRUE(store()->setNote(id, "<h1>note</h1>").ok());
  showRuns();
  choose(hostile);
  QTest::keyClick(list_, Qt::Key_C);
  ASSERT_TRUE(waitForLines(1));
  EXPECT_EQ(chart_->figure().lines[0].label, hostile.toStdString());
  takePicture(QStringLiteral("compare/hostile"));
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<MessageBar*>()->text().contains(hostile); }));
  for (const QLabel* label : window_.findChildren<QLabel*>()) {
    const bool shownAsIs = label->textFormat() == Qt::PlainText || !Qt::mightBeRichText(label->text());
    EXPECT_TRUE(shownAsIs) << label->text().toStdString();
    if (label->text().contains(QStringLiteral("<b>"))) {
      EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().toStdString();
    }
  }
  for (const QWidget* widget : window_.findChildren<QWidget*>())
    EXPECT_FALSE(widget->toolTip().contains(QStringLiteral("<b>"))) << widget->toolTip().toStdString();
  for (const QAbstractItemView* view : window_.findChildren<QAbstractItemView*>()) {
    const QAbstractItemModel* model = view->model();
    for (int row = 0; model != nullptr && row < model->rowCount(); ++row)
      for (int column = 0; column < model->columnCount(); ++column) {
        const QString tip = model->index(row, column).data(Qt::ToolTipRole).toString();
        EXPECT_FALSE(tip.contains(QStringLiteral("<b>"))) << tip.toStdString();
      }
  }
}

TEST(TextTableModelTest, IsAModel) {
  TextTableModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setTable({{{"run", false}, {"loss", true}}, {{"a", "2.3"}, {"<b>"}}}, {{"a", "2.34567"}, {"b"}});
  EXPECT_EQ(model.index(0, 1).data(TextTableModel::SortRole).toDouble(), 2.34567);
  EXPECT_EQ(model.index(0, 1).data(Qt::ToolTipRole).toString(), QStringLiteral("2.34567"));
  EXPECT_EQ(model.index(1, 1).data().toString(), QString());
  EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("loss"));
  model.setTable({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(RunColorTest, ChartsListsAndExportsAgree) {
  for (int index = 0; index < 20; ++index) {
    EXPECT_EQ(seriesColor(index), QColor(QLatin1String(seriesStyle(index).color))) << index;
    EXPECT_EQ(seriesPenStyle(index) != Qt::SolidLine, seriesStyle(index).dashed) << index;
  }
}

}  // namespace
}  // namespace batchwise
