// SPDX-License-Identifier: GPL-3.0-or-later
// The page Runs: charts of one run and of several, five ablations with two seeds each.
#include <gmock/gmock.h>

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <semaphore>
#include <set>
#include <thread>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/run_labels.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/test_environment.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/chart_content.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/plot_frame.h"
#include "ui/charts/series_chart.h"
#include "ui/list/run_list_pane.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/file_jobs.h"
#include "ui/parts/labels.h"
#include "ui/runs/chart_grid.h"
#include "ui/runs/effects_pane.h"
#include "ui/runs/event_lane.h"
#include "ui/runs/parallel_plot.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/values_pane.h"

namespace batchwise {
namespace {

QByteArray svgOf(const SeriesChart& chart, const PictureSize& size, const PictureChoice& choice = {}) {
  return drawPicture(chartPicture(chart, size, choice), QStringLiteral("chart.svg"), size).bytes;
}

/// A run that ramps its batch up, is evaluated, has a NaN, a spike, a checkpoint and a warning.
std::vector<RunEvent> eventfulRun() {
  std::vector<RunEvent> events;
  for (int batch = 1; batch <= 300; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.at.step = batch;
    row.at.sample = 64 * batch;
    row.at.token = 4096 * batch;
    row.loss += 0.2 * std::sin(batch * 1.7);
    if (batch == 150) row.loss = 900;
    if (batch == 180) row.loss = std::numeric_limits<double>::quiet_NaN();
    row.gradNorm = 1 + 0.3 * std::sin(batch * 0.9);
    row.stepSamples = batch < 100 ? 16 : batch < 200 ? 32 : 64;
    events.emplace_back(row);
    if (batch % 100 == 0) {
      EvalResult result;
      result.at = row.at;
      result.loss = row.loss + 0.1;
      events.emplace_back(result);
    }
    if (batch == 120)
      events.emplace_back(CheckpointSaved{"abc", row.at, 1 << 20, 0.2, 0.0, CheckpointReason::Interval});
    if (batch == 181) events.emplace_back(RunNote{NoteLevel::Warning, "the loss is not finite", row.at});
  }
  return events;
}

/// A chart of one line with this many values.
ChartContent longContent(int values) {
  ChartContent content;
  content.lines.resize(1);
  for (int batch = 1; batch <= values; ++batch) content.lines[0].points.append(batch, 1.0 / batch);
  return content;
}

/// The line with the state of the shown run; null if it is not shown.
ElidedLabel* stateOf(const RunsPage& page) {
  for (ElidedLabel* each : page.findChildren<ElidedLabel*>())
    if (each->text().contains(QStringLiteral("loss"))) return each;
  return nullptr;
}

class RunsWindowTest : public test::WindowTest {
 protected:
  void showRun() {
    QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
    beginRun();
    fake_.publish(eventfulRun());
    ASSERT_TRUE(
        test::comesTrue([&] { return presenter_.hasRun() && presenter_.selectedView().series.lastBatch() == 300; }));
    ASSERT_TRUE(test::comesTrue([&] { return loss().drawnPoints() > 0; }));
  }
  RunsPage& page() { return *window_.findChild<RunsPage*>(); }
  SeriesChart& loss() { return page().grid().chart(0); }
  std::vector<SeriesChart*> shown() {
    std::vector<SeriesChart*> charts;
    for (int i = 0; i < page().grid().count(); ++i)
      if (page().grid().chart(i).isVisible()) charts.push_back(&page().grid().chart(i));
    return charts;
  }
};

TEST_F(RunsWindowTest, AllChartsShowTheSamePartAndTheSameCursor) {
  showRun();
  ASSERT_EQ(shown().size(), 6u);
  Q_EMIT loss().rangeRequested({100, 200});
  for (const SeriesChart* chart : shown()) {
    EXPECT_EQ(chart->frame().xLow, 100);
    EXPECT_EQ(chart->frame().xHigh, 200);
  }
  Q_EMIT loss().cursorMoved(150.0);
  const auto cards = [this] {
    const auto all = page().findChildren<CardView*>();
    return std::ranges::count_if(all, [](const CardView* card) { return card->isVisible(); });
  };
  EXPECT_EQ(cards(), 1);
  QContextMenuEvent menu(QContextMenuEvent::Mouse, {10, 10}, loss().mapToGlobal(QPoint(10, 10)));
  QApplication::sendEvent(&loss(), &menu);
  EXPECT_EQ(cards(), 0) << "it would stay under the menu";
  ASSERT_NE(QApplication::activePopupWidget(), nullptr);
  QApplication::activePopupWidget()->close();
  Q_EMIT loss().cursorMoved(150.0);
  EXPECT_EQ(cards(), 1);
  page().setFocus();
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_F);
  for (const SeriesChart* chart : shown()) EXPECT_EQ(chart->frame().xLow, 0);
  EXPECT_EQ(cards(), 0) << "the place it tells of has moved";
}

TEST_F(RunsWindowTest, TheCardTellsUnitsPlacesAndNothingTwice) {
  showRun();
  const QStringList card = page().grid().card(loss(), 150.0).texts();
  EXPECT_EQ(card.value(0), QStringLiteral("Batch 150"));
  EXPECT_TRUE(card.value(1).startsWith(QStringLiteral("Loss (nats per masked token)"))) << "then the smoothing";
  EXPECT_EQ(card.filter(QStringLiteral("(Batch 100)")).size(), 1) << "the evaluation, where it was";
  EXPECT_EQ(card.filter(QStringLiteral("valuation")).size(), 1) << card.join(QLatin1Char('\n')).toStdString();
  EXPECT_TRUE(card.contains(QStringLiteral("Batch size  32 samples per step")));
  EXPECT_EQ(card.filter(QStringLiteral("training, smoothed")).size(), 1);
  EXPECT_TRUE(page().grid().card(loss(), 350.0).texts().filter(QStringLiteral("training")).isEmpty())
      << "behind the end";
  const QStringList there = page().grid().card(loss(), 100.0).texts();
  EXPECT_TRUE(there.filter(QStringLiteral("(Batch")).isEmpty());
}

TEST_F(RunsWindowTest, FollowsFromEndUntilItIsMoved) {
  showRun();
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_End);
  EXPECT_TRUE(page().grid().view().follows());
  const QList<QAction*> actions = window_.findChildren<QAction*>();
  const auto follow = std::ranges::find(actions, QStringLiteral("Follow"), &QAction::text);
  ASSERT_NE(follow, actions.end());
  EXPECT_TRUE((*follow)->isChecked());
  const double before = loss().frame().xHigh;
  MetricsRow next = test::rowAt(330);
  fake_.publish({next});
  EXPECT_TRUE(test::comesTrue([&] { return loss().frame().xHigh > before + 20; }));
  Q_EMIT loss().panRequested(-10);
  EXPECT_FALSE((*follow)->isChecked());
}

TEST_F(RunsWindowTest, KeysChangeTheScaleAndTheClock) {
  showRun();
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_L);
  EXPECT_TRUE(loss().frame().logarithmic);
  EXPECT_TRUE(presenter_.layout().charts.back().logarithmic) << "of all charts";
  for (int i = 0; i < 3; ++i) QTest::keyClick(&loss(), Qt::Key_X);
  EXPECT_TRUE(test::comesTrue([&] { return loss().content().xAxis == XAxis::Tokens; }));
  EXPECT_EQ(loss().content().dataEnd, 4096 * 300);
}

TEST_F(RunsWindowTest, TheSpikeIsClippedAndCountedUntilTheWholeRangeIsAskedFor) {
  showRun();
  EXPECT_EQ(loss().frame().beyond, 1);
  EXPECT_EQ(nonFinitePlaces(loss().content(), loss().frame()), (std::vector<double>{180}));
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_R);
  EXPECT_GT(loss().frame().yHigh, 900);
}

TEST_F(RunsWindowTest, AChartLeavesAsValues) {
  showRun();
  Q_EMIT loss().rangeRequested({100, 200});
  constexpr std::size_t kAll = 1'000'000;
  const TextTable part = ChartRows(loss().content(), AxisRange{100, 200}).next(kAll),
                  all = ChartRows(loss().content(), {}).next(kAll);
  EXPECT_EQ(part.rows.size(), 101u);
  EXPECT_EQ(all.rows.size(), 300u);
  EXPECT_EQ(all.rows[149][0], "150");
  EXPECT_EQ(all.rows[149][1], "900");  // the spike, before smoothing
  EXPECT_EQ(all.rows[179][1], "nan");
  ChartRows blocks(loss().content(), {});
  EXPECT_EQ(blocks.next(7).rows.size(), 7u);
  EXPECT_EQ(blocks.next(7).rows.front(), all.rows[7]);
  EXPECT_FALSE(blocks.atEnd());
  showTable(loss());
  auto* table = window_.findChild<QDialog*>(QStringLiteral("chartTable"))->findChild<QAbstractItemView*>();
  EXPECT_EQ(table->model()->rowCount(), 101);
}

TEST_F(RunsWindowTest, AMillionValuesAreSavedAndTheFileAppearsWhole) {
  constexpr int kRows = 1'000'000;
  const auto rows = [content = longContent(kRows)] { return std::make_unique<ChartRows>(content, std::nullopt); };
  TaskQueue slow;
  const std::filesystem::path file = folder_ / "all.csv";
  const QString name = QString::fromStdString(file.string());
  FileJobs saving(slow);
  QSignalSpy written(&saving, &FileJobs::written), failed(&saving, &FileJobs::failed);
  saving.saveTable(rows(), QString::fromStdString((folder_ / "given-up.csv").string()));
  saving.saveTable(rows(), name);
  ASSERT_TRUE(QTest::qWaitFor([&] { return saving.percent() > 0; }));
  saving.cancel();
  EXPECT_TRUE(saving.description().contains(QStringLiteral("all.csv"))) << "the next one";
  ASSERT_TRUE(QTest::qWaitFor([&] { return saving.percent() > 0; }));
  EXPECT_FALSE(std::filesystem::exists(file)) << "it is not whole yet";
  ASSERT_TRUE(written.wait(60'000));
  ASSERT_EQ(written.size(), 1);
  EXPECT_EQ(written.front().front().toString(), name);
  EXPECT_FALSE(saving.busy());
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
    EXPECT_EQ(entry.path().filename().native().find("given-up"), std::string::npos) << entry.path();
  std::ifstream text(file);
  std::string line, last;
  int lines = 0;
  for (; std::getline(text, line); ++lines) last = line;
  EXPECT_EQ(lines, kRows + 1);
  EXPECT_EQ(last, "1000000,1e-06\r");

  saving.saveTable(rows(), QStringLiteral("/nowhere/chart.csv"));
  ASSERT_TRUE(failed.wait());
  EXPECT_TRUE(failed.back().back().toString().contains(QStringLiteral("'/nowhere/chart.csv': ")));
}

TEST_F(RunsWindowTest, APictureWaitsForTheDiskAndTheWindowDoesNot) {
  showRun();
  std::binary_semaphore diskIsFree{0};
  parts_.files.post(
      &window_, [&] { return diskIsFree.acquire(), true; }, [](bool) {});
  const QString file = pathOf("loss.png");
  savePicture(parts_.saving, chartPicture(loss(), {16, 9}), file, {16, 9});
  savePicture(parts_.saving, chartPicture(loss(), {16, 9}), QStringLiteral("/nowhere/loss.png"), {16, 9});
  EXPECT_FALSE(QFileInfo::exists(file));
  diskIsFree.release();
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("/nowhere/loss.png")); }));
  EXPECT_TRUE(QFileInfo::exists(file));
}

TEST_F(RunsWindowTest, APictureIsWrittenWhileACheckpointIsRead) {
  showRun();
  const test::Gate reading(slow_, &window_);
  const QString file = pathOf("loss.svg");
  savePicture(parts_.saving, chartPicture(loss(), {16, 9}), file, {16, 9});
  EXPECT_TRUE(test::comesTrue([&] { return QFileInfo::exists(file); }));
}

TEST_F(RunsWindowTest, ATextThatIsCanceledWhileItIsMadeIsNotWritten) {
  TaskQueue slow;
  FileJobs saving(slow);
  const std::filesystem::path file = folder_ / "report.md";
  std::binary_semaphore made{0}, canceled{0};
  saving.saveBytes(
      [&] {
        made.release();
        canceled.acquire();
        return std::string("text");
      },
      QString::fromStdString(file.string()));
  made.acquire();
  saving.cancel();
  canceled.release();
  ASSERT_TRUE(test::catchesUp(slow));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RunsWindowTest, AFileThatFailsKeepsTheWindowAndOneThatIsGivenUpDoesNot) {
  parts_.saving.saveTable(std::make_unique<ChartRows>(longContent(10), std::nullopt),
                          QStringLiteral("/nowhere/chart.csv"));
  parts_.saving.saveTable(std::make_unique<ChartRows>(longContent(3'000'000), std::nullopt),
                          QString::fromStdString((folder_ / "all.csv").string()));
  window_.close();
  const auto text = [&] { return window_.findChild<QProgressDialog*>(QStringLiteral("savingValues"))->labelText(); };
  EXPECT_EQ(text(), QStringLiteral("Saving chart.csv… Then the window closes."));
  ASSERT_TRUE(QTest::qWaitFor([&] { return message().text().contains(QStringLiteral("/nowhere/chart.csv")); }));
  EXPECT_EQ(text(), QStringLiteral("Saving all.csv…")) << "the window stays, since a file failed";
  EXPECT_TRUE(window_.isVisible());
  window_.close();
  EXPECT_TRUE(window_.isVisible()) << "until the other one is written";
  Q_EMIT window_.findChild<QProgressDialog*>(QStringLiteral("savingValues"))->canceled();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_.isVisible(); }));
  EXPECT_FALSE(QFileInfo::exists(pathOf("all.csv")));
}

TEST_F(RunsWindowTest, ClosingWaitsForAFileThatIsWritten) {
  const std::filesystem::path file = folder_ / "all.csv";
  parts_.saving.saveTable(std::make_unique<ChartRows>(longContent(300'000), std::nullopt),
                          QString::fromStdString(file.string()));
  window_.close();
  EXPECT_TRUE(window_.isVisible());
  auto* dialog = window_.findChild<QProgressDialog*>(QStringLiteral("savingValues"));
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->isVisible());
  EXPECT_EQ(dialog->labelText(), QStringLiteral("Saving all.csv… Then the window closes."));
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_.isVisible(); }, 30'000));
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(RunsWindowTest, AnythingElseThatTheRunHasToldCanBeCharted) {
  const std::string id = storeStoppedRun();
  selectStored(id);
  const auto titles = [&] {
    QStringList all;
    for (const SeriesChart* chart : shown()) all << chart->title().title;
    return all;
  };
  const QString reserved = QStringLiteral("Memory of cpu:0, reserved");
  chooseFrom("series", QStringLiteral("Seconds per step"));  // the run has measured none
  chooseFrom("series", reserved);
  const auto isDrawn = [&] {
    return titles().contains(reserved) && !titles().contains(QStringLiteral("Seconds per step"));
  };
  ASSERT_TRUE(test::comesTrue(isDrawn));
  // Kept in the workspace: another window on it has them too.
  awaitTasks();
  RunsPresenter next(tasks_, workspace_, parts_.selection, parts_.comparing);
  Q_EMIT workspace_.opened(workspace_.folder());
  EXPECT_TRUE(test::comesTrue([&] { return next.layout().charts.size() == 8; }));
  ASSERT_TRUE(test::comesTrue(isDrawn));
  chooseFrom("series", reserved);
  EXPECT_FALSE(titles().contains(reserved));
}

TEST_F(RunsWindowTest, WhatIsChangedBeforeTheStoredChartsAreReadIsKept) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  presenter_.savePreset(QStringLiteral("mine"));
  awaitTasks();
  RunsPresenter next(tasks_, workspace_, parts_.selection, parts_.comparing);
  Q_EMIT workspace_.opened(workspace_.folder());
  ChartLayout layout = next.layout();
  layout.charts.resize(1);
  next.setLayout(layout);
  EXPECT_TRUE(next.ownPresets().isEmpty()) << "they are still being read";
  ASSERT_TRUE(test::comesTrue([&] { return next.ownPresets().contains(QStringLiteral("mine")); }));
  EXPECT_EQ(next.layout().charts.size(), 1u);
  awaitTasks();
  RunsPresenter later(tasks_, workspace_, parts_.selection, parts_.comparing);
  Q_EMIT workspace_.opened(workspace_.folder());
  EXPECT_TRUE(test::comesTrue([&] { return later.layout().charts.size() == 1; }));
  EXPECT_EQ(later.ownPresets(), QStringList{QStringLiteral("mine")}) << "nor are presets replaced";
}

TEST_F(RunsWindowTest, AChartMayGoWhileItIsDragged) {
  showRun();
  QWidget* cell = loss().parentWidget();
  QWidget* title = cell->childAt(loss().geometry().topLeft() + QPoint(20, 4));
  ASSERT_NE(title, &loss());
  QTest::mousePress(title, Qt::LeftButton, {}, {5, 5});
  bool isGone = false;
  QObject::connect(cell, &QObject::destroyed, &window_, [&] { isGone = true; });
  QTimer::singleShot(0, &window_, [&] {  // while it is dragged
    ChartLayout layout = presenter_.layout();
    layout.charts.front().series = {"lr"};
    presenter_.setLayout(layout);
    QTimer::singleShot(50, &window_, [] { QDrag::cancel(); });
  });
  QMouseEvent move(QEvent::MouseMove, QPointF(80, 60), title->mapToGlobal(QPointF(80, 60)), Qt::NoButton,
                   Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(title, &move);
  EXPECT_FALSE(isGone) << "its event is over before the drag begins";
  EXPECT_TRUE(test::comesTrue([&] { return isGone; }));
}

TEST_F(RunsWindowTest, TheStateOfARunIsReadInFullOnASmallScreen) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  parts_.selection.select(QString::fromStdString(id));
  const auto whole = [](const RunsPage& shown) {
    const ElidedLabel* state = stateOf(shown);
    return state != nullptr && state->isVisible() && state->width() >= state->sizeHint().width();
  };
  EXPECT_TRUE(test::comesTrue([&] { return whole(page()); }));
  // Another window on the same run knows it at once.
  MainWindow next(parts_);
  EXPECT_NE(stateOf(*next.findChild<RunsPage*>()), nullptr);
}

TEST_F(RunsWindowTest, ChartsSayWhetherTheirValuesAreOnTheWay) {
  const std::string stored = storeStoppedRun();
  NewRun fresh;
  fresh.name = "fresh";
  const std::string begun = *workspace_.workspace()->createRun(fresh);
  tasks_.post(
      &window_,
      [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        return 0;
      },
      [](int) {});
  parts_.selection.select(QString::fromStdString(stored));
  ASSERT_TRUE(test::comesTrue([&] { return loss().title().emptyText.startsWith(QStringLiteral("Loading")); }));
  EXPECT_FALSE(presenter_.hasRun());
  ASSERT_TRUE(test::comesTrue([&] { return loss().title().emptyText.startsWith(QStringLiteral("This run has no")); }));
  EXPECT_TRUE(presenter_.hasRun());
  parts_.selection.select(QString::fromStdString(begun));
  EXPECT_TRUE(test::comesTrue([&] { return loss().title().emptyText.startsWith(QStringLiteral("Values appear")); }));
}

TEST_F(RunsWindowTest, ARunThatTrainsHereOffersWhatElseItTellsFromItsFirstRow) {
  NewRun fresh;
  fresh.name = "live";
  const std::string id = *workspace_.workspace()->createRun(fresh);
  selectStored(id);
  EXPECT_TRUE(presenter_.selectedView().availableExtras.empty());
  MetricsRow row;
  row.at.batch = row.at.step = 1;
  const auto writer = RunWriter::open(workspace_.workspace(), id, {});
  ASSERT_TRUE(writer.ok());
  (*writer)->publish(row);
  (*writer)->publish(EvalResult{});
  presenter_.wake(QString::fromStdString(id));  // stored a little later
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.selectedView().availableExtras.contains("step_sec"); }));
  EXPECT_TRUE(presenter_.selectedView().availableExtras.contains("eval.perplexity"));
}

TEST_F(RunsWindowTest, AnAutomaticChartStaysWhenAnotherIsAdded) {
  NewRun fresh;
  fresh.name = "noisy";
  const std::string id = *workspace_.workspace()->createRun(fresh);
  MetricsRow row;
  row.at.batch = row.at.step = 1;
  row.noiseScale = 5.0;
  const auto writer = RunWriter::open(workspace_.workspace(), id, {});
  ASSERT_TRUE(writer.ok());
  (*writer)->publish(row);
  workspace_.refresh();
  parts_.selection.select(QString::fromStdString(id));
  presenter_.wake(QString::fromStdString(id));
  const std::size_t own = presenter_.layout().charts.size();
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.drawnLayout().charts.size() == own + 1; }));
  for (const bool logarithmic : {true, false}) {
    ChartLayout layout = presenter_.layout();
    for (ChartSpec& chart : layout.charts) chart.logarithmic = logarithmic;
    presenter_.setLayout(layout);
    EXPECT_EQ(presenter_.drawnLayout().charts.back().logarithmic, logarithmic) << "as the others";
  }
  chooseFrom("series", QStringLiteral("Seconds per step"));
  ASSERT_EQ(presenter_.layout().charts.size(), own + 2);
  EXPECT_EQ(presenter_.layout().charts[own].series.front(), "noise_scale");
}

TEST_F(RunsWindowTest, HowChartsAreShownIsRemembered) {
  showRun();
  loss().setFocus();
  for (const int key : {Qt::Key_L, Qt::Key_R, Qt::Key_X}) QTest::keyClick(&loss(), static_cast<Qt::Key>(key));
  awaitTasks();
  RunsPresenter next(tasks_, workspace_, parts_.selection, parts_.comparing);
  Q_EMIT workspace_.opened(workspace_.folder());
  ASSERT_TRUE(test::comesTrue([&] { return next.layout().xAxis == XAxis::Steps; }));
  EXPECT_TRUE(next.layout().charts.front().logarithmic);
  EXPECT_FALSE(next.layout().clipSpikes);
}

TEST_F(RunsWindowTest, TheLaneTellsWhatHappened) {
  showRun();
  const EventLane& lane = *page().findChild<EventLane*>();
  const auto textAt = [&](double x) { return lane.textAt(loss().frame().pixelX(x)); };
  const auto tells = [&](double x, const QString& words) {  // the window draws later than it reads
    return test::comesTrue([&] { return textAt(x).contains(words); });
  };
  EXPECT_TRUE(tells(120, QStringLiteral("checkpoint")));
  EXPECT_TRUE(tells(181, QStringLiteral("not finite")));
  EXPECT_TRUE(tells(200, QStringLiteral("from 32 to 64")));
  EXPECT_TRUE(tells(200, QStringLiteral("Evaluation")));
  EXPECT_TRUE(textAt(50).isEmpty());
}

class RunsCompareTest : public test::WindowTest {
 protected:
  std::shared_ptr<Workspace> store() const { return workspace_.workspace(); }

  void showRuns() {
    const auto stored = static_cast<int>(store()->listRuns()->size());
    workspace_.refresh();
    list_ = window_.findChild<QAbstractItemView*>(QStringLiteral("runs"));
    ASSERT_NE(list_, nullptr);
    ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == stored; }))
        << "a look of the window's own may have found the first of them only";
    page_ = window_.findChild<RunsPage*>();
    list_->setFocus();
    groupBy("");
  }

  void groupBy(const char* field) {
    ChartLayout layout = presenter_.layout();
    layout.groupBy = field;
    presenter_.setLayout(layout);
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
  /// The ablations in the list, with these ticked.
  void showAblations(std::initializer_list<const char*> ticked) {
    test::storeAblations(store());
    showRuns();
    for (const char* run : ticked) choose(QString::fromLatin1(run));
  }
  void chooseAblations() {
    for (int ablation = 0; ablation < 5; ++ablation)
      for (int seed = 0; seed < 2; ++seed) choose(QStringLiteral("rate-%1-seed-%2").arg(ablation).arg(seed));
  }
  /// The named lines of the chart of the loss, without its evaluations.
  std::vector<const ChartLine*> lines() {
    std::vector<const ChartLine*> named;
    for (const ChartLine& line : page_->grid().chart(0).content().lines)
      if (line.kind == LineKind::Main && !line.name.isEmpty()) named.push_back(&line);
    return named;
  }
  std::string label(std::size_t line) { return lines().at(line)->name.toStdString(); }
  const ComparisonOptions& options() { return parts_.comparing.comparison()->options; }
  bool waitForCompared(std::size_t count) {
    return test::comesTrue([&] {
      const auto& compared = parts_.comparing.comparison();
      return compared != nullptr && compared->lines.size() == count;
    });
  }
  /// Until so many lines are drawn, and compared.
  bool waitForLines(std::size_t count) {
    return test::comesTrue([&] {
      const auto& compared = parts_.comparing.comparison();
      return lines().size() == count && compared != nullptr && compared->lines.size() == count;
    });
  }
  QComboBox* box(const char* name) { return window_.findChild<QComboBox*>(QLatin1String(name)); }
  void pick(const char* name, const QString& text) {
    const int index = box(name)->findText(text);
    ASSERT_GE(index, 0) << text.toStdString();
    box(name)->setCurrentIndex(index);
    Q_EMIT box(name)->activated(index);
  }
  QTabWidget& tabs() { return *window_.findChild<QTabWidget*>(QStringLiteral("compareTabs")); }
  QTableView* table(int tab) {
    QWidget* page = tabs().widget(tab);
    auto* table = qobject_cast<QTableView*>(page);
    return table != nullptr ? table : page->findChild<QTableView*>();
  }
  /// Runs with checkpoints every 80, 100 and 400 global batches, the last with the highest loss; null if it fails.
  /// Which of them the plot keeps is in `kept_`.
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
    auto* plot = qobject_cast<ParallelPlot*>(tabs().widget(2));
    QObject::connect(plot, &ParallelPlot::kept, &listener_, [this](const std::vector<bool>& runs) { kept_ = runs; });
    return plot;
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
  RunsPage* page_ = nullptr;
  std::vector<bool> kept_;
  const QObject listener_;  // ends with the test, unlike the plot
};

TEST_F(RunsCompareTest, ComparesFiveAblationsWithTwoSeedsEach) {
  showAblations({});
  chooseAblations();
  QTest::keyClick(list_, Qt::Key_C);
  EXPECT_TRUE(page_->isVisible());
  ASSERT_TRUE(waitForLines(10));
  command("group_seeds")->trigger();
  ASSERT_TRUE(waitForLines(5));
  EXPECT_TRUE(lines()[0]->name.endsWith(QStringLiteral("(n = 2)"))) << label(0);
  EXPECT_EQ(
      std::set<QString>({lines()[0]->name, lines()[1]->name, lines()[2]->name, lines()[3]->name, lines()[4]->name})
          .size(),
      5u)
      << "no two alike";
  EXPECT_FALSE(page_->grid().chart(0).content().bands.empty());

  const QAbstractItemModel* values = table(0)->model();
  ASSERT_TRUE(test::comesTrue([&] { return values->rowCount() == 5; }));
  EXPECT_EQ(values->index(0, 3).data().toString(), QStringLiteral("baseline"));
  EXPECT_THAT(values->index(4, 3).data().toString().toStdString(), testing::HasSubstr("better"));
  const QAbstractItemModel* fields = table(1)->model();
  ASSERT_EQ(fields->rowCount(), 1);
  EXPECT_EQ(fields->index(0, 0).data().toString(), QStringLiteral("Peak learning rate"));
  EXPECT_EQ(fields->index(0, 1).data().toString(), QStringLiteral("optimizer.lr"));

  pick("xAxis", xAxisTitle(XAxis::Time));
  ASSERT_TRUE(test::comesTrue([&] { return options().axis == Axis::Time; }));
  EXPECT_EQ(page_->grid().chart(0).content().xAxis, XAxis::Time);
  pick("metric", QStringLiteral("Evaluation loss"));
  ASSERT_TRUE(test::comesTrue([&] { return options().metric == "eval.loss"; }));
  tabs().setCurrentIndex(1);
  Q_EMIT table(1)->doubleClicked(fields->index(0, 2));
  EXPECT_EQ(parts_.comparing.options().groupBy, "optimizer.lr");
}

TEST_F(RunsCompareTest, RunsOfOtherProgramsAreShownOverSteps) {
  ExternalRun other;
  other.source = "csv";
  other.path = "/tmp/other.csv";
  other.name = "other";
  other.series = {{"loss", {{1, 3.0}, {2, 2.0}}}, {"steps", {{1, 1.0}, {2, 2.0}}}};
  ASSERT_TRUE(store()->storeExternalRuns({&other, 1}).ok());
  test::storeMadeRun(store(), {.name = "ours"});
  showRuns();
  const auto* axis = page_->findChild<QComboBox*>(QStringLiteral("xAxis"));
  EXPECT_EQ(axis->currentText(), xAxisTitle(XAxis::Batches));
  choose(QStringLiteral("ours"));
  choose(QStringLiteral("other"));
  EXPECT_TRUE(test::comesTrue([&] { return axis->currentText() == xAxisTitle(XAxis::Steps); }));
  choose(QStringLiteral("other"));
  EXPECT_TRUE(test::comesTrue([&] { return axis->currentText() == xAxisTitle(XAxis::Batches); }));
}

TEST_F(RunsCompareTest, AComparisonThatFailsIsTriedAgainWhenARunHasChangedAndNotBefore) {
  showAblations({"rate-0-seed-0", "rate-1-seed-0"});
  ASSERT_TRUE(waitForCompared(2));
  const std::string run = parts_.comparing.comparison()->runs.front().summary.id;
  ComparisonOptions impossible = parts_.comparing.options();
  impossible.smoothing = 2;
  impossible.groupBy = "optimizer.lr";
  QSignalSpy failed(&parts_.comparing, &ComparePresenter::failed), tried(&parts_.comparing, &ComparePresenter::changed);
  QSignalSpy refreshed(&workspace_, &WorkspacePresenter::refreshed);
  parts_.comparing.setOptions(impossible);
  ASSERT_TRUE(test::comesTrue([&] { return tried.size() == 1; }));
  for (const char* name : {"first", "second"}) {
    tried.clear();
    ASSERT_TRUE(store()->renameRun(run, name).ok());
    EXPECT_TRUE(test::comesTrue([&] { return !tried.isEmpty(); }));
    refreshed.clear();
    ASSERT_TRUE(test::comesTrue([&] { return refreshed.size() >= 3; }));
    EXPECT_EQ(tried.size(), 1) << "nothing has changed since";
  }
  EXPECT_EQ(failed.size(), 1) << "it is the same failure";
}

TEST_F(RunsCompareTest, SmoothingIsStoredWhenTheSliderIsReleasedAndComputesNothing) {
  showAblations({"rate-0-seed-0", "rate-1-seed-0"});
  ASSERT_TRUE(test::comesTrue([&] {
    const auto& comparison = parts_.comparing.comparison();
    return comparison && comparison->lines.size() == 2;
  }));
  awaitTasks();
  const auto before = parts_.comparing.comparison();
  const auto stored = [&] { return QString::fromStdString(store()->setting("charts")->value_or("")); };
  const QString storedBefore = stored();
  auto& slider = *window_.findChild<QSlider*>(QStringLiteral("smoothing"));
  slider.setSliderDown(true);
  for (const int value : {10, 20, 30}) slider.setValue(value);
  awaitTasks();
  EXPECT_EQ(presenter_.layout().smoothing, 0.3);
  EXPECT_EQ(stored(), storedBefore);
  slider.setSliderDown(false);
  awaitTasks();
  EXPECT_NE(stored(), storedBefore);
  EXPECT_EQ(parts_.comparing.comparison(), before);
  const QString report = QString::fromStdString((folder_ / "report.html").string());
  ASSERT_TRUE(page_->values().exportTo(report));
  ASSERT_TRUE(test::comesTrue([&] { return QFile::exists(report); }));
  QFile file(report);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readAll().contains("\"smoothing\":0.3"));
}

TEST_F(RunsCompareTest, BMakesABaselineAndARunKeepsItsColor) {
  showAblations({"rate-0-seed-0", "rate-1-seed-0"});
  ASSERT_TRUE(waitForLines(2));
  ASSERT_TRUE(test::comesTrue([&] { return parts_.comparing.comparison()->lines.size() == 2; }));
  const int first = lines()[0]->color, second = lines()[1]->color;
  EXPECT_NE(first, second);
  QTest::keyClick(list_, Qt::Key_B);
  ASSERT_TRUE(test::comesTrue([&] { return label(0) == "rate-1-seed-0"; }));
  ASSERT_TRUE(test::comesTrue([&] { return parts_.comparing.comparison()->lines[0].label == "rate-1-seed-0"; }));
  EXPECT_EQ(lines()[0]->color, second);
  EXPECT_EQ(lines()[1]->color, first);
  const RunStyles stored = RunStyles::read(*store());
  EXPECT_EQ(stored.of(store()->findRun("rate-1-seed-0")->summary.id), second);
  EXPECT_TRUE(page_->values().isVisible());
  choose(QStringLiteral("rate-0-seed-0"));
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.shown().size() == 1; }));
  EXPECT_FALSE(page_->values().isVisible()) << "there is nothing to compare";
}

TEST_F(RunsCompareTest, AGroupKeepsTheColorOfTheRunThatItBeganWith) {
  showAblations({"rate-1-seed-0", "rate-0-seed-0"});
  ASSERT_TRUE(waitForLines(2));
  const int first = lines()[0]->color, second = lines()[1]->color;
  for (const char* name : {"rate-0-seed-1", "rate-1-seed-1"}) choose(QString::fromLatin1(name));
  ASSERT_TRUE(waitForLines(4));
  command("group_seeds")->trigger();
  ASSERT_TRUE(waitForLines(2));
  ASSERT_TRUE(label(0).starts_with("rate-1")) << label(0);
  EXPECT_EQ(lines()[0]->color, first);
  EXPECT_EQ(lines()[1]->color, second);
}

TEST_F(RunsCompareTest, AddedSeedsJoinTheirTickedRunAndAreGrouped) {
  test::storeMadeRun(store(), {"base", "seed: 1", 20});
  const QString other = QString::fromStdString(test::storeMadeRun(store(), {"other", "optimizer: {lr: 7e-3}", 20}));
  showRuns();
  groupBy(kGroupWhereSeeds);
  choose(QStringLiteral("base"));
  choose(QStringLiteral("other"));
  ASSERT_TRUE(waitForLines(2));
  EXPECT_FALSE(command("group_seeds")->isChecked());
  parts_.selection.toggle(other);
  QSignalSpy asked(&parts_.queue, &QueuePresenter::seedsAdded);
  Q_EMIT window_.findChild<RunListPane*>()->seedsRequested({other, parts_.selection.baseline()});
  ASSERT_TRUE(test::comesTrue([&] { return asked.size() == 1; }));
  const QStringList seeds = asked.front().at(0).toStringList(), of = asked.front().at(1).toStringList();
  ASSERT_EQ(seeds.size(), 4) << "three of each";
  for (const QString& seed : seeds) {
    auto writer = *RunWriter::open(store(), seed.toStdString(), {});
    RunStarted started;
    started.run = seed.toStdString();
    started.plannedBatches = 20;
    writer->publish(started);
    for (int batch = 1; batch <= 20; ++batch) writer->publish(test::rowAt(batch));
    writer->publish(RunFinished{});
    ASSERT_TRUE(writer->flush().ok());
  }
  workspace_.refresh();
  const QString base = parts_.selection.baseline();
  EXPECT_TRUE(test::comesTrue([&] { return parts_.selection.ticked().size() == 1 + of.count(base); }));
  for (qsizetype i = 0; i < seeds.size(); ++i)
    EXPECT_EQ(parts_.selection.isTicked(seeds[i]), of[i] == base) << "of a run that is ticked";
  EXPECT_TRUE(test::comesTrue([&] { return command("group_seeds")->isChecked(); }));
  EXPECT_TRUE(waitForCompared(1));
  command("group_seeds")->trigger();
  EXPECT_TRUE(waitForCompared(3)) << "as the user wants it";
}

TEST_F(RunsCompareTest, TheMarginIsAFieldAboveTheTableAndRemembered) {
  showAblations({});
  groupBy(kGroupByExperiment);
  parts_.selection.setTicked(toQt(std::vector<std::string>{
      store()->findRun("rate-0-seed-0")->summary.id, store()->findRun("rate-0-seed-1")->summary.id,
      store()->findRun("rate-1-seed-0")->summary.id, store()->findRun("rate-1-seed-1")->summary.id}));
  ASSERT_TRUE(waitForCompared(2));
  auto* margin = window_.findChild<QDoubleSpinBox*>(QStringLiteral("margin"));
  EXPECT_EQ(margin->text(), QStringLiteral("No margin"));
  margin->setValue(0.01);
  ASSERT_TRUE(test::comesTrue([&] { return options().margin == 0.01; }));
  const auto saysIt = [&] {
    for (const std::string& text : verdictTexts(*parts_.comparing.comparison()))
      if (text.find("by more than 0.01 nats") != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(saysIt());
  EXPECT_EQ(layoutFromJson(toJson(presenter_.layout())).margin, 0.01);
  margin->setValue(0);
  EXPECT_TRUE(test::comesTrue([&] { return !options().margin && !saysIt(); }));
  EXPECT_EQ(layoutFromJson(toJson(presenter_.layout())).margin, std::nullopt);
}

TEST_F(RunsCompareTest, APictureTellsOfHowManyRunsALineIs) {
  showAblations({});
  for (const char* name : {"rate-0-seed-0", "rate-0-seed-1", "rate-1-seed-0"}) choose(QString::fromLatin1(name));
  ASSERT_TRUE(waitForLines(3));
  EXPECT_FALSE(svgOf(page_->grid().chart(0), {24, 13.5}).contains("(n = "));
  command("group_seeds")->trigger();
  ASSERT_TRUE(waitForLines(2));
  const QByteArray picture = svgOf(page_->grid().chart(0), {24, 13.5});
  EXPECT_EQ(picture.count("(n = "), 1) << "of the group, once";
  EXPECT_TRUE(picture.contains("(n = 2)"));
}

TEST(ChartPictureTest, TheNoteOfAPictureEndsBeforeItsEdge) {
  Theme theme;
  SeriesChart chart({}, theme);
  const QString note = QStringLiteral(
      "smoothed over about 5 global batches; band: standard deviation; lines with dots: evaluation; thin lines: runs");
  for (qsizetype length = note.size() - 20; length <= note.size(); length += 2) {
    ChartContent content = longContent(10);
    content.xHigh = content.dataEnd = 10;
    content.note = note.left(length);
    chart.setContent(content);
    const auto picture =
        QImage::fromData(drawPicture(chartPicture(chart, {16, 9}), QStringLiteral("note.png"), {16, 9}).bytes);
    int inked = 0;
    for (int y = picture.height() * 4 / 5; y < picture.height(); ++y)
      for (int x = picture.width() - 8; x < picture.width(); ++x) inked += qGray(picture.pixel(x, y)) < 250 ? 1 : 0;
    EXPECT_EQ(inked, 0) << content.note.toStdString();
  }
}

TEST(ChartPictureTest, TakesTheChosenLinesAndValues) {
  Theme theme;
  SeriesChart chart({}, theme);
  ChartContent content;
  content.xHigh = content.dataEnd = 2;
  for (int run = 0; run < 2; ++run) {
    ChartLine line;
    line.name = run == 0 ? QStringLiteral("first run") : QStringLiteral("second run");
    line.color = run;
    line.points = {{0, 1}, {2, 3}};
    content.lines.push_back(line);
    line.name.clear();
    line.kind = LineKind::Raw;
    content.lines.push_back(line);
  }
  chart.setContent(content);
  const QByteArray all = svgOf(chart, {16, 9});
  EXPECT_TRUE(all.contains("first run") && all.contains("second run"));
  const QByteArray one = svgOf(chart, {16, 9}, {{QStringLiteral("first run")}, AxisRange{-77, 33}});
  EXPECT_FALSE(one.contains("first run"));
  EXPECT_TRUE(one.contains("second run"));
  EXPECT_LT(one.count("<poly"), all.count("<poly")) << "its raw values go, too";
  EXPECT_TRUE(one.contains(">-60<") || one.contains(">-50<") || one.contains(">-40<")) << one.toStdString();
}

TEST_F(RunsCompareTest, ThePictureIsCopiedAsItIsExported) {
  showAblations({"rate-0-seed-0", "rate-4-seed-1"});
  ASSERT_TRUE(waitForLines(2));
  SeriesChart& chart = page_->grid().chart(0);
  ChartExport exports(settings_, parts_.saving, window_);
  QMenu menu;
  exports.addTo(menu, chart);
  for (QAction* each : menu.actions())
    if (each->text() == QLatin1String("Copy picture")) each->trigger();
  const QImage file = QImage::fromData(drawPicture(chartPicture(chart, {}), QStringLiteral("loss.png"), {}).bytes);
  ASSERT_FALSE(file.isNull());
  EXPECT_EQ(QGuiApplication::clipboard()->image(), file);
}

TEST_F(RunsCompareTest, WritesEveryForm) {
  showAblations({"rate-0-seed-0", "rate-4-seed-1"});
  ASSERT_TRUE(waitForLines(2));
  ASSERT_TRUE(test::comesTrue([&] { return parts_.comparing.comparison() != nullptr; }));
  const SeriesChart& chart = page_->grid().chart(0);
  const auto write = [&](const QString& file, const PictureSize& size) {
    const bool picture = file.endsWith(QLatin1String("svg")) || file.endsWith(QLatin1String("pdf")) ||
                         file.endsWith(QLatin1String("png"));
    const QSignalSpy written(&parts_.saving, &FileJobs::written), failed(&parts_.saving, &FileJobs::failed);
    if (picture)
      savePicture(parts_.saving, chartPicture(chart, size), file, size);
    else
      EXPECT_TRUE(page_->values().exportTo(file));
    EXPECT_TRUE(test::comesTrue([&] { return written.size() + failed.size() == 1; })) << file.toStdString();
    return failed.isEmpty() ? QString() : failed.front().front().toString();
  };
  const std::vector<std::pair<const char*, const char*>> forms = {
      {"a.svg", "<svg"}, {"a.pdf", "%PDF"}, {"a.png", "PNG"},    {"a.html", "<!DOCTYPE"},
      {"a.csv", "run,"}, {"a.md", "| run"}, {"a.tex", "\\begin"}};
  for (const auto& [name, part] : forms) {
    const QString file = QString::fromStdString((folder_ / name).string());
    EXPECT_EQ(write(file, {}), QString()) << name;
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly)) << name;
    const QByteArray bytes = written.readAll();
    EXPECT_TRUE(bytes.left(200).contains(part)) << name;
    if (bytes.startsWith("%PDF")) {
      EXPECT_TRUE(bytes.contains("/ToUnicode")) << "texts are text, not outlines";
    }
  }
  EXPECT_EQ(write(pathOf("usual.png"), {16, 9}), QString());
  EXPECT_EQ(QImage(pathOf("usual.png")).width(), 1890) << "16 cm at 300 dots per inch";
  const QString small = QString::fromStdString((folder_ / "small.png").string());
  EXPECT_EQ(write(small, {8.5, 6, 100}), QString());
  EXPECT_EQ(QImage(small).size(), QSize(335, 236)) << "centimeters at 100 dots per inch";
  const std::filesystem::path poster = folder_ / "poster.png";
  EXPECT_TRUE(write(QString::fromStdString(poster.string()), {30, 30, 1200}).contains(QStringLiteral("100 million")));
  EXPECT_FALSE(std::filesystem::exists(poster));
  EXPECT_EQ(write(QString::fromStdString((folder_ / "poster.pdf").string()), {30, 30, 1200}), QString());
  EXPECT_NE(write(QStringLiteral("/proc/nowhere/a.svg"), {}), QString());
  const std::filesystem::path inside = store()->folder() / "checkpoints" / "a.svg";
  EXPECT_TRUE(write(QString::fromStdString(inside.string()), {}).contains(QStringLiteral("lies in the workspace")));
  EXPECT_FALSE(std::filesystem::exists(inside));
  EXPECT_FALSE(page_->values().exportTo(QStringLiteral("a.gif")));
}

TEST_F(RunsCompareTest, AStretchOfAParallelAxisKeepsTheRunsThatPassThere) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  EXPECT_GT(plot->positionOf(0, 0).y(), plot->positionOf(0, 1).y()) << "80ba stands below 100ba";
  EXPECT_GT(plot->positionOf(0, 1).y(), plot->positionOf(0, 2).y());
  const QPoint below = plot->positionOf(0, 1).toPoint();
  brushTopOf(*plot, 0);
  EXPECT_EQ(kept_, (std::vector<bool>{false, false, true}));
  EXPECT_TRUE(table(0)->isRowHidden(0));
  EXPECT_FALSE(table(0)->isRowHidden(2));
  const auto drawn = [this] {
    return std::ranges::count(presenter_.charts()[0].content.lines, LineKind::Main, &ChartLine::kind);
  };
  EXPECT_EQ(drawn(), 2) << "the baseline, and what passes";
  command("show_values")->trigger();
  EXPECT_EQ(drawn(), 3) << "a brush that is not seen hides nothing";
  command("show_values")->trigger();
  EXPECT_EQ(drawn(), 2);
  command("copy_comparison_latex")->trigger();
  EXPECT_TRUE(message().text().contains(QStringLiteral("All 3 rows"))) << message().text().toStdString();
  QTest::mouseClick(plot, Qt::LeftButton, {}, below);
  EXPECT_EQ(kept_, (std::vector<bool>{true, true, true}));
  EXPECT_FALSE(table(0)->isRowHidden(0));
}

TEST_F(RunsCompareTest, AnAxisThatGoesTakesItsStretchAndBringsTheRowsBack) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  brushTopOf(*plot, 1);
  EXPECT_TRUE(table(0)->isRowHidden(0));
  pick("metric", QStringLiteral("Evaluation loss"));
  ASSERT_TRUE(test::comesTrue([&] { return options().metric == "eval.loss"; }));
  for (int row = 0; row < 3; ++row) EXPECT_FALSE(table(0)->isRowHidden(row)) << row;
}

TEST_F(RunsCompareTest, AStretchEndsWhenOtherRunsAreCompared) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  auto* chip = page_->findChild<QAbstractButton*>(QStringLiteral("brushChip"));
  EXPECT_TRUE(chip->isHidden());
  brushTopOf(*plot, 0);
  EXPECT_TRUE(chip->isVisible());
  EXPECT_TRUE(chip->text().contains(QStringLiteral("1 of 3 lines"))) << chip->text().toStdString();
  chip->click();
  EXPECT_EQ(kept_, (std::vector<bool>{true, true, true}));
  EXPECT_TRUE(chip->isHidden());
  brushTopOf(*plot, 0);
  test::storeMadeRun(store(), {"far", "checkpoint: {interval: 90000ba}", 20});
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 4; }));
  choose(QStringLiteral("far"));
  ASSERT_TRUE(waitForCompared(4));
  EXPECT_EQ(kept_, (std::vector<bool>{true, true, true, true}));
  EXPECT_TRUE(chip->isHidden());
}

TEST_F(RunsCompareTest, EffectsOfSettingsAreDrawnOverOneAndOverTwo) {
  for (const char* lr : {"1e-4", "1e-3", "1e-2"})
    for (const char* decay : {"0.01", "0.1"})
      for (const char* seed : {"1", "2"})
        test::storeMadeRun(store(),
                           {std::string(lr) + "-" + decay + "-" + seed,
                            "optimizer: {lr: " + std::string(lr) + ", weight_decay: " + decay + "}\nseed: " + seed, 20,
                            2.0 + (lr == std::string("1e-3") ? 0 : 0.3) + (decay == std::string("0.1") ? 0 : 0.1)});
  showRuns();
  for (int row = 0; row < 12; ++row) choose(list_->model()->index(row, 0).data().toString());
  QTest::keyClick(list_, Qt::Key_C);
  ASSERT_TRUE(waitForLines(12));
  tabs().setCurrentIndex(3);
  auto* plot = page_->findChild<SweepPlot*>(QStringLiteral("sweepPlot"));
  ASSERT_NE(plot, nullptr);
  auto* effects = page_->findChild<QTreeWidget*>(QStringLiteral("settingEffects"));
  ASSERT_EQ(effects->topLevelItemCount(), 2);
  EXPECT_EQ(effects->topLevelItem(0)->text(0), QStringLiteral("Weight decay"));
  EXPECT_TRUE(effects->topLevelItem(0)->text(1).startsWith(QStringLiteral("−"))) << "more is better here";
  EXPECT_EQ(effects->topLevelItem(1)->text(0), QStringLiteral("Peak learning rate (log)"));
  pick("effectFirst", QStringLiteral("Peak learning rate"));
  pick("effectSecond", QStringLiteral("Weight decay"));
  std::set<std::pair<int, int>> cells;
  for (std::size_t run = 0; run < 12; ++run) {
    ASSERT_TRUE(plot->positionOf(run));
    cells.emplace(plot->positionOf(run)->toPoint().x(), plot->positionOf(run)->toPoint().y());
  }
  EXPECT_EQ(cells.size(), 6u) << "both seeds are in one cell";
  EXPECT_LT(box("effectSecond")->findText(box("effectFirst")->currentText()), 0) << "it is on the other axis";
  theme_.setTextScale(2.0);
  window_.resize(1280, 720);
  EXPECT_TRUE(test::comesTrue([&] { return plot->height() >= plot->minimumSizeHint().height(); }))
      << "what has no room is scrolled to";
  EXPECT_GE(effects->width(), effects->minimumWidth());
}

TEST_F(RunsCompareTest, LongNamesOfComparedRunsAreToldApart) {
  const QString stem = QStringLiteral("modernbert-small-wiki-ramp-8-to-256-lr-%1e-4-warmup-0.06-seed-1");
  for (int i = 1; i <= 3; ++i)
    test::storeMadeRun(store(), {stem.arg(i).toStdString(), "optimizer: {lr: " + std::to_string(i) + "e-4}", 20});
  showRuns();
  for (int row = 0; row < 3; ++row) choose(list_->model()->index(row, 0).data().toString());
  ASSERT_TRUE(waitForLines(3));
  const QAbstractItemModel& differences = *table(1)->model();
  ASSERT_TRUE(test::comesTrue([&] { return differences.columnCount() == 5; }));
  QSet<QString> titles;
  for (int column = 2; column < 5; ++column) {
    const QString title = differences.headerData(column, Qt::Horizontal).toString();
    EXPECT_LT(title.size(), 50);
    titles << title;
    EXPECT_TRUE(differences.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().contains(stem.right(20)));
  }
  EXPECT_EQ(titles.size(), 3);
}

TEST_F(RunsCompareTest, ThePageIsNoWiderThanASmallScreenWithLargeText) {
  showAblations({"rate-0-seed-0", "rate-4-seed-1"});
  ASSERT_TRUE(waitForLines(2));
  theme_.setTextScale(2.0);
  EXPECT_TRUE(test::comesTrue([&] { return window_.minimumSizeHint().width() <= 1280; }))
      << window_.minimumSizeHint().width();
  window_.resize(1000, 700);
  const auto* margin = window_.findChild<QDoubleSpinBox*>(QStringLiteral("margin"));
  EXPECT_TRUE(test::comesTrue([&] { return margin->width() >= margin->sizeHint().width(); })) << margin->width();
}

TEST_F(RunsCompareTest, AChartWithoutValuesTakesNoRoomUntilItHasSome) {
  storeRun("one", RunStatus::Finished);
  showRuns();
  selectRun(QStringLiteral("one"));
  ChartLayout layout = presenter_.layout();
  layout.charts = {{{"loss"}}, {{"noise_scale"}}};
  presenter_.setLayout(layout);
  ASSERT_TRUE(test::comesTrue([&] { return page_->grid().count() == 1; }));
  EXPECT_EQ(presenter_.layout().charts.size(), 2u);
  auto* menu = window_.findChild<QMenu*>(QStringLiteral("series"));
  Q_EMIT menu->aboutToShow();
  const auto named = [&](const QString& end) {
    return std::ranges::count_if(menu->actions(),
                                 [&](const QAction* each) { return each->isChecked() && each->text().endsWith(end); });
  };
  EXPECT_EQ(named(QStringLiteral("(no values yet)")), 1) << "it is found, and can be removed";

  ChartGrid grid(theme_);
  RunChart full, other;
  full.content = longContent(10);
  other.spec = 1;
  other.content.lines.resize(1);
  other.content.lines[0].kind = LineKind::Reference;
  other.content.lines[0].points = {{0, 1}, {10, 1}};
  grid.setCharts({full, other}, layout.charts, {});
  EXPECT_TRUE(grid.shows(0) && !grid.shows(1));
  other.content = longContent(1);
  grid.setCharts({full, other}, layout.charts, {});
  EXPECT_TRUE(grid.shows(0) && grid.shows(1));
  full.content.lines.clear();
  other.content.lines.clear();
  grid.setCharts({full, other}, layout.charts, {});
  EXPECT_EQ(grid.count(), 2) << "each says why it is empty";
  full.content = longContent(10);
  grid.setCharts({full, other}, layout.charts, {});
  full.content.lines.clear();
  grid.setCharts({full, other}, layout.charts, {});
  EXPECT_TRUE(grid.shows(0) && !grid.shows(1)) << "while another run is read, nothing comes and goes";
}

TEST_F(RunsCompareTest, ChoicesOfAPictureAreMadeAnewEachTime) {
  test::storeMadeRun(store(), {"one", "", 20});
  showRuns();
  selectRun(QStringLiteral("one"));
  ASSERT_TRUE(test::comesTrue([&] { return !lines().empty(); }));
  const auto openDialog = [this] {
    auto* menu = window_.findChild<QMenu*>(QStringLiteral("exports"));
    Q_EMIT menu->aboutToShow();
    menu->actions().front()->menu()->actions().front()->menu()->actions().last()->trigger();
    return page_->findChild<QListWidget*>(QStringLiteral("pictureLines"));
  };
  QListWidget* first = openDialog();
  ASSERT_NE(first, nullptr);
  first->item(0)->setCheckState(Qt::Unchecked);
  delete first->window();
  const QListWidget* second = openDialog();
  ASSERT_NE(second, nullptr);
  ASSERT_GT(second->count(), 0);
  EXPECT_EQ(second->item(0)->checkState(), Qt::Checked);
}

TEST_F(RunsCompareTest, TheSelectedLineStaysWhenTheRunsAreReadAnew) {
  for (const char* name : {"one", "two", "three"}) test::storeMadeRun(store(), {name, "", 20});
  showRuns();
  for (const char* name : {"one", "two", "three"}) choose(QString::fromLatin1(name));
  ASSERT_TRUE(waitForLines(3));
  QTableView* values = table(0);
  const auto current = [values] { return values->currentIndex().siblingAtColumn(0).data().toString(); };
  values->setCurrentIndex(values->model()->index(1, 0));
  ASSERT_EQ(current(), QStringLiteral("two"));
  EXPECT_EQ(page_->grid().chart(0).emphasized().toStdString(), label(1));
  const QSignalSpy told(&page_->values(), &ValuesPane::lineSelected);
  const QSignalSpy unlisted(box("metric")->model(), &QAbstractItemModel::rowsRemoved);
  Q_EMIT parts_.comparing.changed();  // as each second while one of them trains
  EXPECT_EQ(current(), QStringLiteral("two"));
  EXPECT_TRUE(values->selectionModel()->isRowSelected(1));
  EXPECT_EQ(told.count(), 0);
  EXPECT_EQ(unlisted.count(), 0) << "the list of metrics may be open";
  selectRun(QStringLiteral("three"));
  QTest::keyClick(list_, Qt::Key_B);  // in another order
  ASSERT_TRUE(
      test::comesTrue([&] { return values->model()->index(0, 0).data().toString() == QStringLiteral("three"); }));
  EXPECT_EQ(current(), QStringLiteral("two"));
  choose(QStringLiteral("two"));
  ASSERT_TRUE(waitForLines(2));
  ASSERT_TRUE(test::comesTrue([&] { return values->model()->rowCount() == 2; }));
  EXPECT_TRUE(current().isEmpty());
  EXPECT_TRUE(page_->grid().chart(0).emphasized().isEmpty()) << "nothing is selected, nothing is dimmed";
}

TEST_F(RunsCompareTest, ADragGoesOnWhenTheRunsAreReadAnew) {
  ParallelPlot* plot = showThreeOnParallelAxes();
  ASSERT_NE(plot, nullptr);
  const QPoint top = plot->positionOf(0, 2).toPoint(), below = plot->positionOf(0, 1).toPoint();
  QTest::mousePress(plot, Qt::LeftButton, {}, top - QPoint(0, 5));
  QTest::mouseMove(plot, top + QPoint(0, 8));
  plot->setComparison(parts_.comparing.comparison());
  QTest::mouseMove(plot, (below + plot->positionOf(0, 0).toPoint()) / 2);
  QTest::mouseRelease(plot, Qt::LeftButton, {}, (below + plot->positionOf(0, 0).toPoint()) / 2);
  EXPECT_EQ(kept_, (std::vector<bool>{false, true, true}));
}

TEST_F(RunsCompareTest, CopyingIsToldAndASizeCanBeAskedFor) {
  showAblations({});
  ASSERT_NE(command("copy_comparison_markdown"), nullptr);
  command("copy_comparison_markdown")->trigger();
  EXPECT_TRUE(message().text().contains(QStringLiteral("no comparison")));
  choose(QStringLiteral("rate-0-seed-0"));
  choose(QStringLiteral("rate-4-seed-1"));
  ASSERT_TRUE(waitForLines(2));
  command("copy_comparison_markdown")->trigger();
  EXPECT_TRUE(message().text().contains(QStringLiteral("copied as Markdown"))) << message().text().toStdString();
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("| Loss at equal tokens")));

  QWidget over;
  std::optional<PictureSize> asked;
  auto* dialog = new PictureDialog(over);
  QObject::connect(dialog, &QDialog::accepted, &over, [&] { asked = dialog->pictureSize(); });
  const auto lengths = dialog->findChildren<QDoubleSpinBox*>();
  ASSERT_EQ(lengths.size(), 2);
  lengths[0]->setValue(12.5);
  lengths[1]->setValue(7);
  dialog->findChild<QDialogButtonBox*>()->accepted();
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->widthCm, 12.5);
  EXPECT_EQ(asked->heightCm, 7);
}

TEST_F(RunsCompareTest, FiltersTheListByExpressions) {
  showAblations({});
  QLineEdit* filter = lineNamed("Filter runs");
  const auto* problem = window_.findChild<QLabel*>(QStringLiteral("filterProblem"));
  filter->setText(QStringLiteral("optimizer.lr >= 4e-4 and status = finished"));
  EXPECT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 4; }));
  filter->setText(QStringLiteral("seed-1"));
  EXPECT_EQ(list_->model()->rowCount(), 5);
  filter->clear();
  filter->setText(QStringLiteral("optimizer.l > 3"));
  EXPECT_EQ(list_->model()->rowCount(), 10) << "what is not understood hides no run";
  EXPECT_TRUE(problem->isVisible() && problem->text().contains(QStringLiteral("did you mean 'optimizer.lr'?")));
  EXPECT_LT(problem->mapTo(&window_, QPoint()).y(), list_->mapTo(&window_, QPoint()).y()) << "below its field";
  filter->setText(QStringLiteral("seed-1"));
  filter->setText(QStringLiteral("seed-1 and loss <"));
  EXPECT_EQ(list_->model()->rowCount(), 5) << "the last filter that was one";
  EXPECT_TRUE(problem->text().contains(QStringLiteral("a value is expected")));
  filter->setText(QStringLiteral("zebra"));
  EXPECT_EQ(list_->model()->rowCount(), 0) << "a word that is in no run";
  EXPECT_FALSE(problem->isVisible());
}

TEST_F(RunsCompareTest, TagsAndNotesAreSeenInTheList) {
  const std::string id = test::storeMadeRun(store(), {"one", "", 5});
  test::storeMadeRun(store(), {"two", "", 5});
  showRuns();
  auto* tree = qobject_cast<QTreeView*>(list_);
  EXPECT_TRUE(tree->isColumnHidden(RunsTable::TagsColumn)) << "while there are none";
  window_.findChild<RunListPane*>()->setMinimumWidth(900);  // where names have room, other columns have it too
  parts_.workspace.setTags({{QString::fromStdString(id), {QStringLiteral("ramp"), QStringLiteral("<b>a</b>")}}});
  parts_.workspace.setNote(QString::fromStdString(id), QStringLiteral("look again"));
  ASSERT_TRUE(test::comesTrue([&] { return !tree->isColumnHidden(RunsTable::TagsColumn); }));
  selectRun(QStringLiteral("one"));
  const QPersistentModelIndex tags = list_->currentIndex().siblingAtColumn(RunsTable::TagsColumn);
  ASSERT_TRUE(test::comesTrue([&] { return !tags.data(kIconRole).toString().isEmpty(); }));
  EXPECT_EQ(tags.data().toString(), QStringLiteral("ramp, <b>a</b>"));
  const QString tip = list_->currentIndex().data(Qt::ToolTipRole).toString();
  EXPECT_TRUE(tip.contains(QStringLiteral("Tags: ramp, &lt;b&gt;a&lt;/b&gt;"))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(QStringLiteral("look again")));
}

TEST_F(RunsCompareTest, ConditionsAreChosenFromAMenuAndUndone) {
  test::storeMadeRun(store(), {"one", "", 5});
  ASSERT_TRUE(store()->setTags(test::storeMadeRun(store(), {"two", "", 5}), {"<b>a</b> & b"}).ok());
  showRuns();
  ASSERT_TRUE(QTest::qWaitFor([&] { return list_->model()->rowCount() == 2; }));
  auto* filter = window_.findChild<RunListPane*>()->findChild<QLineEdit*>();
  const auto choose = [&](const QString& text) {
    action(QStringLiteral("Condition"))->trigger();
    auto* menu = filter->findChild<QMenu*>(QStringLiteral("filterConditions"));
    for (QAction* each : menu->actions())
      if (each->text() == text) each->trigger();
    delete menu;
  };
  choose(QStringLiteral("Finished"));
  EXPECT_EQ(list_->model()->rowCount(), 2);
  choose(QStringLiteral("Tag <b>a</b> && b"));
  EXPECT_EQ(list_->model()->rowCount(), 1);
  EXPECT_EQ(filter->text(), QStringLiteral("status = finished and tag = \"<b>a</b> & b\""));
  filter->undo();
  EXPECT_EQ(filter->text(), QStringLiteral("status = finished"));
}

TEST_F(RunsCompareTest, AnArchivedRunStandsUnderItsOwnName) {
  const QString one = QString::fromStdString(test::storeMadeRun(store(), {"one", "", 20}));
  test::storeMadeRun(store(), {"two", "", 30});
  showRuns();
  selectRun(QStringLiteral("one"));
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(test::comesTrue([&] { return list_->model()->rowCount() == 1; }));
  selectRun(QStringLiteral("two"));
  const auto heads = [this](const QString& text) {
    return std::ranges::any_of(page_->findChildren<ElidedLabel*>(),
                               [&text](const ElidedLabel* each) { return each->text() == text; });
  };
  ASSERT_TRUE(test::comesTrue([&] { return heads(QStringLiteral("two")); }));
  parts_.selection.select(one);  // as its alert does
  EXPECT_FALSE(heads(QStringLiteral("two"))) << "from the first moment";
  ASSERT_TRUE(test::comesTrue([&] { return heads(QStringLiteral("one")); }));
  EXPECT_NE(stateOf(*page_), nullptr);
  EXPECT_FALSE(window_.findChild<QPlainTextEdit*>(QStringLiteral("note"))->isEnabled()) << "its note is not read";
}

TEST_F(RunsCompareTest, ArchivingIsUndoneWithThePlaceInTheComparison) {
  for (const char* name : {"one", "two", "three"}) test::storeMadeRun(store(), {name, "", 5});
  showRuns();
  for (const char* name : {"one", "two", "three"}) choose(QString::fromLatin1(name));
  ASSERT_TRUE(waitForLines(3));
  selectRun(QStringLiteral("one"));
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(waitForLines(2));
  EXPECT_TRUE(store()->findRun("one")->summary.archived);
  EXPECT_TRUE(message().text().contains(QStringLiteral("Run one is archived"))) << message().text().toStdString();
  EXPECT_EQ(label(0), "two");
  parts_.runListUndo.undo();
  ASSERT_TRUE(waitForLines(3));
  EXPECT_EQ(label(0), "one") << "it is the baseline again";
  EXPECT_FALSE(message().isVisible()) << "there is nothing to undo any more";
}

TEST_F(RunsCompareTest, EveryPointIsWrittenInTheBackground) {
  showAblations({"rate-0-seed-0", "rate-4-seed-1"});
  ASSERT_TRUE(waitForLines(2));
  const auto comparison = parts_.comparing.comparison();
  const QString file = pathOf("points.csv");
  parts_.saving.saveTable(std::make_unique<PointRows>(comparison, PointSource::Runs), file);
  ASSERT_TRUE(QTest::qWaitFor([&] { return message().text().contains(file); }));
  QFile written(file);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  EXPECT_EQ(written.readAll().toStdString(), tableText(pointsTable(*comparison, PointSource::Runs), TableFormat::Csv));
}

TEST_F(RunsCompareTest, ALaunchedRunLeavesTheTickedOnesAlone) {
  const std::string stored = test::storeMadeRun(store(), {"one", "", 20});
  showRuns();
  choose(QStringLiteral("one"));
  ASSERT_TRUE(waitForLines(1));
  parts_.run.launch({});
  parts_.selection.select({});  // as a launch by the user does
  const std::string id = beginRun();
  ASSERT_TRUE(test::comesTrue([&] { return parts_.selection.run().toStdString() == id; }));
  awaitTasks();
  EXPECT_EQ(presenter_.shown(), QStringList{QString::fromStdString(stored)});
}

TEST_F(RunsCompareTest, UndoTakesAnOwnPresetBackAsAWholeAndNothingThatWasChosenLater) {
  const ChartLayout before = presenter_.layout();
  ChartLayout own = before;
  own.charts.pop_back();
  own.smoothing = 0.25;
  presenter_.setLayout(own);
  presenter_.savePreset(QStringLiteral("own"));
  presenter_.setLayout(before);
  presenter_.openPreset(QStringLiteral("own"));
  parts_.runListUndo.undo();
  EXPECT_EQ(presenter_.layout(), before);
  parts_.runListUndo.redo();
  EXPECT_EQ(presenter_.layout(), own);
  ChartLayout smoother = own;
  smoother.smoothing = 0.75;
  presenter_.setLayout(smoother);
  presenter_.openPreset(QStringLiteral("own"));
  EXPECT_EQ(presenter_.layout(), own);
  parts_.runListUndo.undo();
  EXPECT_EQ(presenter_.layout(), smoother) << "also where it has the same charts";
  presenter_.setLayout(own);
  own.charts.pop_back();
  presenter_.setLayout(own);
  own.smoothing = 0.5;
  presenter_.setLayout(own);
  parts_.runListUndo.undo();
  EXPECT_EQ(presenter_.layout().charts.size(), own.charts.size() + 1);
  EXPECT_EQ(presenter_.layout().smoothing, 0.5);
}

TEST_F(RunsCompareTest, PresetsAreKeptByName) {
  ChartLayout layout = presenter_.layout();
  applyPreset(layout, ChartPreset::Schedule);
  layout.xAxis = XAxis::Tokens;
  layout.charts[0].logarithmic = true;
  presenter_.setLayout(layout);
  EXPECT_EQ(presenter_.presetName(), QStringLiteral("Schedule"));
  layout.charts.pop_back();
  presenter_.setLayout(layout);
  EXPECT_EQ(presenter_.presetName(), QString());
  presenter_.savePreset(QStringLiteral("<b>mine</b> & yours"));
  EXPECT_EQ(presenter_.presetName(), QStringLiteral("<b>mine</b> & yours"));
  presenter_.savePreset(QStringLiteral("other"));
  awaitTasks();
  awaitTasks();
  RunsPresenter next(tasks_, workspace_, parts_.selection, parts_.comparing);
  Q_EMIT workspace_.opened(workspace_.folder());
  ASSERT_TRUE(test::comesTrue([&] { return next.ownPresets().size() == 2; }));
  EXPECT_EQ(next.ownPresets(), (QStringList{QStringLiteral("<b>mine</b> & yours"), QStringLiteral("other")}));
  EXPECT_EQ(next.layout(), layout);
  ChartLayout training = next.layout();
  applyPreset(training, ChartPreset::Training);
  next.setLayout(training);
  next.openPreset(QStringLiteral("other"));
  EXPECT_EQ(next.layout(), layout);
  next.deletePreset(QStringLiteral("other"));
  EXPECT_EQ(next.ownPresets().size(), 1);
}

TEST_F(RunsCompareTest, APresetIsReplacedOnlyAfterAQuestion) {
  ChartLayout layout = presenter_.layout();
  applyPreset(layout, ChartPreset::Schedule);
  presenter_.setLayout(layout);
  presenter_.savePreset(QStringLiteral("paper"));
  ChartLayout training = layout;
  applyPreset(training, ChartPreset::Training);
  presenter_.setLayout(training);
  int answer = 1, questions = 0;
  QTimer answering;
  QObject::connect(&answering, &QTimer::timeout, &window_, [&] {
    QWidget* modal = QApplication::activeModalWidget();
    if (auto* dialog = qobject_cast<QInputDialog*>(modal)) {
      dialog->setTextValue(QStringLiteral(" paper"));
      dialog->accept();
    } else if (auto* box = qobject_cast<QMessageBox*>(modal)) {
      ++questions;
      box->buttons().at(answer)->click();
    }
  });
  answering.start(10);
  const auto save = [this] {
    auto* menu = window_.findChild<QMenu*>(QStringLiteral("presets"));
    Q_EMIT menu->aboutToShow();
    for (QAction* each : menu->actions())
      if (each->text() == QStringLiteral("Save preset…")) each->trigger();
  };
  save();
  EXPECT_EQ(questions, 1);
  presenter_.openPreset(QStringLiteral("paper"));
  EXPECT_TRUE(presenter_.layout().hasSameCharts(layout)) << "canceled";
  presenter_.setLayout(training);
  answer = 0;
  save();
  EXPECT_EQ(questions, 2);
  EXPECT_EQ(presenter_.ownPresets(), QStringList{QStringLiteral("paper")});
  presenter_.setLayout(layout);
  presenter_.openPreset(QStringLiteral("paper"));
  EXPECT_TRUE(presenter_.layout().hasSameCharts(training));
}

TEST_F(RunsCompareTest, AZoomBelongsToTheRunsThatAreShown) {
  for (const char* name : {"one", "two"}) test::storeMadeRun(store(), {name, "", 100});
  showRuns();
  choose(QStringLiteral("one"));
  ASSERT_TRUE(waitForLines(1));
  page_->grid().showPart({20, 40});
  choose(QStringLiteral("two"));
  ASSERT_TRUE(waitForLines(2));
  EXPECT_FALSE(page_->grid().view().part().has_value());
  choose(QStringLiteral("two"));
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.shown().size() == 1; }));
  EXPECT_EQ(page_->grid().view().part(), std::optional(AxisRange{20, 40}));
}

TEST_F(RunsCompareTest, ASeriesIsDroppedOntoAChartAndChartsAreMoved) {
  test::storeMadeRun(store(), {"one", "", 20});
  showRuns();
  choose(QStringLiteral("one"));
  ASSERT_TRUE(waitForLines(1));
  ChartGrid& grid = page_->grid();
  Q_EMIT grid.chart(0).seriesDropped(QStringLiteral("lr"));
  ASSERT_EQ(presenter_.layout().charts[0].series, (std::vector<std::string>{"loss", "eval.loss", "lr"}));
  EXPECT_EQ(grid.chart(0).title().title, QStringLiteral("Loss, Learning rate"));
  Q_EMIT grid.moveRequested(0, 2);
  EXPECT_EQ(presenter_.layout().charts[0].series, (std::vector<std::string>{"lr"}));
  EXPECT_EQ(presenter_.layout().charts[1].series.front(), "loss");
  for (const int height : {30, 20}) Q_EMIT grid.sizeRequested(1, 3, height);  // while its edge is dragged
  Q_EMIT grid.sizeChosen();
  EXPECT_EQ(presenter_.layout().charts[1].columns, 3);
  EXPECT_EQ(grid.chart(1).parentWidget()->height(), 20 * grid.fontMetrics().height());
  EXPECT_EQ(parts_.runListUndo.count(), 3) << "a drag is one step";
  for (int step = 0; step < 3; ++step) parts_.runListUndo.undo();
  EXPECT_EQ(presenter_.layout().charts[0].series, (std::vector<std::string>{"loss", "eval.loss"}));
  parts_.runListUndo.redo();
  EXPECT_EQ(presenter_.layout().charts[0].series, (std::vector<std::string>{"loss", "eval.loss", "lr"}));
}

TEST_F(RunsCompareTest, TwoWholeChartsFitASmallScreenWhileRunsAreCompared) {
  window_.resize(1024, 700);
  for (const char* name : {"one", "two"}) test::storeMadeRun(store(), {name, "", 20});
  showRuns();
  for (const char* name : {"one", "two"}) choose(QString::fromLatin1(name));
  ASSERT_TRUE(waitForLines(2));
  QTest::qWait(100);
  const QWidget& viewport = *page_->grid().viewport();
  int whole = 0;
  for (int i = 0; i < page_->grid().count(); ++i) {
    const SeriesChart& chart = page_->grid().chart(i);
    whole += viewport.rect().contains(QRect(chart.mapTo(&viewport, QPoint()), chart.size())) ? 1 : 0;
  }
  EXPECT_GE(whole, 2);
  EXPECT_EQ(page_->grid().chart(0).frame().legend.place, ChartLegend::Place::None) << "the charts share one";
  const auto* legend = page_->grid().findChild<LegendStrip*>();
  EXPECT_GT(legend->height(), 0);
  EXPECT_LE(legend->height(), page_->grid().chart(0).height() / 4);
  EXPECT_EQ(page_->grid().chart(0).frame().plot.left(), page_->grid().chart(3).frame().plot.left()) << "aligned";
}

TEST_F(RunsCompareTest, HostileNamesArePlainTextEverywhere) {
  const QString hostile = QStringLiteral("<b>bold</b><img src=x>&lt; %1 &amp");
  const std::string id = test::storeMadeRun(store(), {hostile.toStdString(), "", 20});
  ASSERT_TRUE(store()->setNote(id, "<h1>note</h1>").ok());
  showRuns();
  choose(hostile);
  QTest::keyClick(list_, Qt::Key_C);
  ASSERT_TRUE(waitForLines(1));
  EXPECT_TRUE(std::ranges::any_of(page_->findChildren<ElidedLabel*>(),
                                  [&](const ElidedLabel* each) { return each->text() == hostile; }));
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
  const QPersistentModelIndex kept = model.index(1, 0);
  model.setTable({{{"run", false}, {"accuracy", true}}, {{"a", "0.5"}, {"<b>", "0.6"}}});
  EXPECT_TRUE(kept.isValid()) << "the same rows";
  EXPECT_EQ(model.index(1, 1).data().toString(), QStringLiteral("0.6"));
  model.setTable({{{"run", false}, {"accuracy", true}}, {{"<b>", "0.6"}, {"a", "0.5"}}});
  EXPECT_FALSE(kept.isValid());
  model.setTable({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(RunColorTest, ChartsListsAndExportsAgree) {
  for (int index = 0; index < 20; ++index) {
    EXPECT_EQ(seriesColor(index), QColor(QLatin1String(seriesStyle(index).color))) << index;
    EXPECT_EQ(seriesColor(index, Qt::black), QColor(QLatin1String(seriesStyle(index).onDark))) << index;
    EXPECT_EQ(seriesPenStyle(index) != Qt::SolidLine, seriesStyle(index).dashed) << index;
  }
}

}  // namespace
}  // namespace batchwise
