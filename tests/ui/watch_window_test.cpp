// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest/QSignalSpy>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QProgressDialog>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <semaphore>
#include <thread>

#include "tests/ui/window_fixture.h"
#include "ui/models/chart_content.h"
#include "ui/presenters/file_jobs.h"
#include "ui/widgets/charts/chart_export.h"
#include "ui/widgets/charts/plot_frame.h"
#include "ui/widgets/charts/series_chart.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/watch/chart_grid.h"
#include "ui/widgets/watch/watch_page.h"

namespace batchwise {
namespace {

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
    if (batch == 120) events.emplace_back(CheckpointSaved{"abc", row.at, 1 << 20, 0.2, 0.0, "interval"});
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

class WatchWindowTest : public test::WindowTest {
 protected:
  void showRun() {
    QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
    beginRun();
    fake_.publish(eventfulRun());
    ASSERT_TRUE(test::comesTrue([&] { return watch_.hasRun() && watch_.view().series.lastBatch() == 300; }));
    ASSERT_TRUE(test::comesTrue([&] { return loss().drawnPoints() > 0; }));
  }
  WatchPage& page() { return *window_.findChild<WatchPage*>(); }
  SeriesChart& loss() { return page().lossChart(); }
  std::vector<SeriesChart*> shown() {
    std::vector<SeriesChart*> charts;
    for (SeriesChart* chart : page().findChildren<SeriesChart*>())
      if (chart->isVisible()) charts.push_back(chart);
    return charts;
  }
};

TEST_F(WatchWindowTest, AllChartsShowTheSamePartAndTheSameCursor) {
  showRun();
  ASSERT_EQ(shown().size(), kRunCharts.size());
  Q_EMIT loss().rangeRequested({100, 200});
  for (const SeriesChart* chart : shown()) {
    EXPECT_EQ(chart->frame().xLow, 100);
    EXPECT_EQ(chart->frame().xHigh, 200);
  }
  Q_EMIT loss().cursorMoved(150.0);
  takePicture(QStringLiteral("watch/zoomed"));
  page().setFocus();
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_F);
  for (const SeriesChart* chart : shown()) EXPECT_EQ(chart->frame().xLow, 0);
}

TEST_F(WatchWindowTest, TheCardTellsUnitsPlacesAndNothingTwice) {
  showRun();
  const QStringList card = page().grid().card(&loss(), 150.0);
  EXPECT_EQ(card.value(0), QStringLiteral("Batch 150"));
  EXPECT_EQ(card.value(1), QStringLiteral("Loss (nats per masked token)"));
  EXPECT_EQ(card.filter(QStringLiteral("(Batch 100)")).size(), 1) << "the evaluation, where it was";
  EXPECT_EQ(card.filter(QStringLiteral("valuation")).size(), 1) << card.join(QLatin1Char('\n')).toStdString();
  EXPECT_TRUE(card.contains(QStringLiteral("Batch size  32 samples per step")));
  EXPECT_EQ(card.filter(QStringLiteral("training, smoothed")).size(), 1);
  EXPECT_TRUE(page().grid().card(&loss(), 350.0).filter(QStringLiteral("training")).isEmpty()) << "behind the end";
  const QStringList there = page().grid().card(&loss(), 100.0);
  EXPECT_TRUE(there.filter(QStringLiteral("(Batch")).isEmpty());
}

TEST_F(WatchWindowTest, FollowsFromEndUntilItIsMoved) {
  showRun();
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_End);
  EXPECT_TRUE(page().grid().view().follows());
  EXPECT_TRUE(action(QStringLiteral("Follow"))->isChecked());
  const double before = loss().frame().xHigh;
  MetricsRow next = test::rowAt(330);
  fake_.publish({next});
  EXPECT_TRUE(test::comesTrue([&] { return loss().frame().xHigh > before + 20; }));
  Q_EMIT loss().panRequested(-10);
  EXPECT_FALSE(action(QStringLiteral("Follow"))->isChecked());
}

TEST_F(WatchWindowTest, KeysChangeTheScaleAndTheClock) {
  showRun();
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_L);
  EXPECT_TRUE(loss().frame().logarithmic);
  takePicture(QStringLiteral("watch/log"));
  for (int i = 0; i < 3; ++i) QTest::keyClick(&loss(), Qt::Key_X);
  EXPECT_TRUE(test::comesTrue([&] { return loss().content().xAxis == XAxis::Tokens; }));
  EXPECT_EQ(loss().content().dataEnd, 4096 * 300);
  takePicture(QStringLiteral("watch/tokens"));
}

TEST_F(WatchWindowTest, TheSpikeIsClippedAndCountedUntilTheWholeRangeIsAskedFor) {
  showRun();
  EXPECT_EQ(loss().frame().beyond, 1);
  EXPECT_EQ(nonFinitePlaces(loss().content(), loss().frame()), (std::vector<double>{180}));
  loss().setFocus();
  QTest::keyClick(&loss(), Qt::Key_R);
  EXPECT_GT(loss().frame().yHigh, 900);
}

TEST_F(WatchWindowTest, AChartLeavesAsPictureAndAsValues) {
  showRun();
  Q_EMIT loss().rangeRequested({100, 200});
  for (const char* ending : {"svg", "pdf", "png"}) {
    const QString file = QString::fromStdString((folder_ / (std::string("chart.") + ending)).string());
    EXPECT_EQ(exportPicture(loss(), file, {16, 9}), QString());
    EXPECT_GT(QFileInfo(file).size(), 2000) << ending;
  }
  QImage picture(QString::fromStdString((folder_ / "chart.png").string()));
  EXPECT_EQ(picture.width(), 1890);  // 16 cm at 300 dpi
  const QString seen = QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/watch/exported.png");
  EXPECT_TRUE(picture.save(seen));
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

TEST_F(WatchWindowTest, AMillionValuesAreSavedInBlocksAndTheFileAppearsWhole) {
  constexpr int kRows = 1'000'000;
  const auto rows = [content = longContent(kRows)] { return std::make_unique<ChartRows>(content, std::nullopt); };
  TaskQueue tasks;
  const std::filesystem::path file = folder_ / "all.csv";
  const QString name = QString::fromStdString(file.string());
  CsvExportJobs saving(tasks);
  QSignalSpy progress(&saving, &CsvExportJobs::progressChanged), finished(&saving, &CsvExportJobs::finished);
  saving.save(rows(), QString::fromStdString((folder_ / "given-up.csv").string()));
  saving.save(rows(), name);
  ASSERT_TRUE(QTest::qWaitFor([&] { return saving.percent() > 0; }));
  saving.cancel();
  EXPECT_EQ(saving.file(), name) << "the next one";
  ASSERT_TRUE(QTest::qWaitFor([&] { return saving.percent() > 0; }));
  EXPECT_FALSE(std::filesystem::exists(file)) << "it is not whole yet";
  ASSERT_TRUE(finished.wait(60'000));
  EXPECT_EQ(finished.size(), 1);
  EXPECT_EQ(finished.front().front().toString(), name);
  EXPECT_EQ(finished.front().back().toString(), QString());
  EXPECT_FALSE(saving.busy());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "given-up.csv"));
  EXPECT_GE(progress.size(), 100);
  std::ifstream text(file);
  std::string line, last;
  int lines = 0;
  for (; std::getline(text, line); ++lines) last = line;
  EXPECT_EQ(lines, kRows + 1);
  EXPECT_EQ(last, "1000000,1e-06\r");

  saving.save(rows(), QStringLiteral("/nowhere/chart.csv"));
  ASSERT_TRUE(finished.wait());
  EXPECT_TRUE(finished.back().back().toString().contains(QStringLiteral("'/nowhere/chart.csv': ")));
}

/// A table of one row that is slow to come.
class HeldRow final : public RowSource {
 public:
  HeldRow(std::binary_semaphore& asked, std::binary_semaphore& goOn) : asked_(asked), goOn_(goOn) {}
  TextTable next(std::size_t) override {
    asked_.release();
    goOn_.acquire();
    atEnd_ = true;
    return {{{"x", true}}, {{"1"}}};
  }
  bool atEnd() const override { return atEnd_; }
  double progress() const override { return atEnd_ ? 1 : 0; }

 private:
  std::binary_semaphore &asked_, &goOn_;
  bool atEnd_ = false;
};

TEST_F(WatchWindowTest, AFileThatIsGivenUpDuringItsLastRowsIsNotThere) {
  std::binary_semaphore asked(0), goOn(0);
  TaskQueue tasks;
  CsvExportJobs saving(tasks);
  QSignalSpy finished(&saving, &CsvExportJobs::finished);
  saving.save(std::make_unique<HeldRow>(asked, goOn), QString::fromStdString((folder_ / "given-up.csv").string()));
  asked.acquire();
  saving.cancel();
  EXPECT_FALSE(saving.busy());
  saving.save(std::make_unique<HeldRow>(asked, goOn), QString::fromStdString((folder_ / "next.csv").string()));
  goOn.release(1);
  asked.acquire();
  goOn.release(1);
  ASSERT_TRUE(finished.wait());
  EXPECT_EQ(finished.size(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "next.csv"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
    EXPECT_EQ(entry.path().filename().native().find("given-up"), std::string::npos) << entry.path();
}

TEST_F(WatchWindowTest, ProgressSaysThatTheWindowClosesAsLongAsItDoes) {
  parts_.saving.save(std::make_unique<ChartRows>(longContent(10), std::nullopt), QStringLiteral("/nowhere/chart.csv"));
  parts_.saving.save(std::make_unique<ChartRows>(longContent(3'000'000), std::nullopt),
                     QString::fromStdString((folder_ / "all.csv").string()));
  window_.close();
  const auto text = [&] { return window_.findChild<QProgressDialog*>(QStringLiteral("savingValues"))->labelText(); };
  EXPECT_EQ(text(), QStringLiteral("Saving chart.csv… Then the window closes."));
  ASSERT_TRUE(QTest::qWaitFor([&] { return message().text().contains(QStringLiteral("/nowhere/chart.csv")); }));
  EXPECT_EQ(text(), QStringLiteral("Saving all.csv…")) << "the window stays, since a file failed";
  parts_.saving.cancel();
  EXPECT_TRUE(window_.isVisible());
}

TEST_F(WatchWindowTest, ClosingWaitsForAFileThatIsWritten) {
  const std::filesystem::path file = folder_ / "all.csv";
  parts_.saving.save(std::make_unique<ChartRows>(longContent(300'000), std::nullopt),
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

TEST_F(WatchWindowTest, AFileThatFailsKeepsTheWindowAndOneThatIsGivenUpDoesNot) {
  parts_.saving.save(std::make_unique<ChartRows>(longContent(10), std::nullopt), QStringLiteral("/nowhere/chart.csv"));
  window_.close();
  ASSERT_TRUE(QTest::qWaitFor([&] { return message().text().contains(QStringLiteral("/nowhere/chart.csv")); }));
  EXPECT_TRUE(window_.isVisible());
  const QString file = QString::fromStdString((folder_ / "all.csv").string());
  parts_.saving.save(std::make_unique<ChartRows>(longContent(3'000'000), std::nullopt), file);
  window_.close();
  EXPECT_TRUE(window_.isVisible());
  Q_EMIT window_.findChild<QProgressDialog*>(QStringLiteral("savingValues"))->canceled();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_.isVisible(); }));
  EXPECT_FALSE(QFileInfo::exists(file));
}

TEST_F(WatchWindowTest, AnythingElseThatTheRunHasToldCanBeCharted) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  watch_.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return watch_.hasRun(); }));
  auto* menu = window_.findChild<QMenu*>(QStringLiteral("series"));
  const auto choose = [&](const QString& word) {
    Q_EMIT menu->aboutToShow();
    for (QAction* each : menu->actions())
      if (each->text() == word) each->trigger();
  };
  const auto titles = [&] {
    QStringList all;
    for (const SeriesChart* chart : shown()) all << chart->spec().title;
    return all;
  };
  choose(QStringLiteral("Seconds per step"));
  choose(QStringLiteral("Memory of cpu:0, reserved"));
  ASSERT_TRUE(test::comesTrue([&] { return titles().contains(QStringLiteral("Seconds per step")); }));
  ASSERT_TRUE(test::comesTrue([&] { return !watch_.view().series.points("memory.cpu:0.reserved").empty(); }));
  takePicture(QStringLiteral("watch/further"));
  // Kept in the workspace: another window on it has them too.
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.workspace()->setting("watch/series")->has_value(); }));
  WatchPresenter next(tasks_, workspace_);
  Q_EMIT workspace_.opened(workspace_.folder());
  EXPECT_TRUE(test::comesTrue([&] { return next.extraSeries().size() == 2; }));
  choose(QStringLiteral("Seconds per step"));
  EXPECT_FALSE(titles().contains(QStringLiteral("Seconds per step")));
}

TEST_F(WatchWindowTest, TheStateOfARunIsReadInFullOnASmallScreen) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  watch_.select(QString::fromStdString(id));
  const auto whole = [](const WatchPage& shown) {
    const auto* state = shown.findChild<ElidedLabel*>();
    return state->text().contains(QStringLiteral("loss")) && state->isVisible() &&
           state->width() >= state->sizeHint().width();
  };
  EXPECT_TRUE(test::comesTrue([&] { return whole(page()); }));
  takePicture(QStringLiteral("watch/small-screen"));
  // Another window on the same run knows it at once.
  MainWindow next(parts_);
  EXPECT_TRUE(next.findChild<WatchPage*>()->findChild<ElidedLabel*>()->text().contains(QStringLiteral("loss")));
}

TEST_F(WatchWindowTest, ChartsSayWhetherTheirValuesAreOnTheWay) {
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
  watch_.select(QString::fromStdString(stored));
  ASSERT_TRUE(test::comesTrue([&] { return loss().spec().emptyText.startsWith(QStringLiteral("Loading")); }));
  EXPECT_FALSE(watch_.hasRun());
  ASSERT_TRUE(test::comesTrue([&] { return loss().spec().emptyText.startsWith(QStringLiteral("This run has no")); }));
  EXPECT_TRUE(watch_.hasRun());
  watch_.select(QString::fromStdString(begun));
  EXPECT_TRUE(test::comesTrue([&] { return loss().spec().emptyText.startsWith(QStringLiteral("Values appear")); }));
}

TEST_F(WatchWindowTest, ARunThatTrainsHereOffersWhatElseItTellsFromItsFirstRow) {
  NewRun fresh;
  fresh.name = "live";
  const std::string id = *workspace_.workspace()->createRun(fresh);
  workspace_.refresh();
  watch_.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return watch_.hasRun(); }));
  EXPECT_TRUE(watch_.view().availableExtras.empty());
  MetricsRow row;
  row.at.batch = row.at.step = 1;
  const auto writer = RunWriter::open(workspace_.workspace(), id, {});
  ASSERT_TRUE(writer.ok());
  (*writer)->publish(row);
  (*writer)->publish(EvalResult{});
  watch_.wake(QString::fromStdString(id));  // stored a little later
  ASSERT_TRUE(test::comesTrue([&] { return watch_.view().availableExtras.contains("step_sec"); }));
  EXPECT_TRUE(watch_.view().availableExtras.contains("eval.perplexity"));
}

TEST_F(WatchWindowTest, HowChartsAreShownIsRemembered) {
  showRun();
  loss().setFocus();
  for (const int key : {Qt::Key_L, Qt::Key_R, Qt::Key_X}) QTest::keyClick(&loss(), static_cast<Qt::Key>(key));
  const StudioSettings::WatchOptions kept = settings_.watch();
  EXPECT_TRUE(kept.logarithmic);
  EXPECT_FALSE(kept.clipSpikes);
  EXPECT_EQ(kept.clock, 1);
  WatchPage next(watch_, workspace_.runs(), theme_, settings_, parts_.saving, message());
  EXPECT_TRUE(next.lossChart().setting().logarithmic);
  EXPECT_FALSE(next.lossChart().setting().robust);
  EXPECT_EQ(watch_.options().xAxis, XAxis::Steps);
}

TEST_F(WatchWindowTest, TheLaneTellsWhatHappened) {
  showRun();
  const EventLane& lane = *page().findChild<EventLane*>();
  const auto textAt = [&](double x) { return lane.textAt(loss().frame().pixelX(x)); };
  EXPECT_TRUE(textAt(120).contains(QStringLiteral("checkpoint")));
  EXPECT_TRUE(textAt(181).contains(QStringLiteral("not finite")));
  EXPECT_TRUE(textAt(200).contains(QStringLiteral("from 32 to 64")));
  EXPECT_TRUE(textAt(200).contains(QStringLiteral("Evaluation")));
  EXPECT_TRUE(textAt(50).isEmpty());
}

TEST_F(WatchWindowTest, LooksRightInBothAppearancesAndWithALargeFont) {
  showRun();
  takePicture(QStringLiteral("watch/light"));
  action(QStringLiteral("Dark"))->trigger();
  Q_EMIT loss().cursorMoved(150.0);
  takePicture(QStringLiteral("watch/dark"));
  theme_.setTextScale(2.0);
  takePicture(QStringLiteral("watch/dark-200"));
  EXPECT_LE(window_.minimumSizeHint().width(), 1366);
}

}  // namespace
}  // namespace batchwise
