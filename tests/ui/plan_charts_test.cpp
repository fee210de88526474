// SPDX-License-Identifier: GPL-3.0-or-later
// The plan's charts on the page Edit, drawn in by mouse and keys.
#include <algorithm>
#include <ctime>

#include "core/config/config_file.h"
#include "tests/ui/short_names.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/plan_chart.h"
#include "ui/edit/preview_pane.h"
#include "ui/window/studio_parts.h"

namespace batchwise {
namespace {

class PlanChartsTest : public test::WindowTest {
 protected:
  /// Shows the plan of a run with this length and these settings below `batch`.
  void open(const char* length, const char* batch) {
    action(q("New run"))->trigger();
    ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<PreviewPane*>() != nullptr; }));
    const std::string yaml = std::string("max_duration: ") + length +
                             "\ndata: {format: demo, max_seq_len: 128}\nscheduler: {t_warmup: 0.1dur}\n"
                             "batch: {device_train_microbatch_size: 16, " +
                             batch + "}\n";
    edit_.draft().load(parseConfig(yaml, "test", {}), ValueSource::File);
    ASSERT_TRUE(edit_.draft().ready()) << edit_.draft().issues().front().text();
    auto* tabs = window_.findChild<QTabWidget*>(q("editTabs"));
    if (const int at = tabs->indexOf(window_.findChild<PreviewPane*>()); at >= 0) tabs->setCurrentIndex(at);
    window_.activateWindow();
    for (PlanChart* chart : window_.findChildren<PlanChart*>())
      (chart->accessibleName().contains(q("Batch size")) ? sizes_ : rates_) = chart;
    awaitPlan();
    ASSERT_GT(sizes().scale().plot.width(), 50);
  }
  void awaitPlan() {
    ASSERT_TRUE(test::comesTrue([&] { return edit_.isPreviewCurrent() && !sizes().handles().empty(); }));
    QTest::qWait(20);  // the layout
  }

  HandleLayer& sizes() { return sizes_->handles(); }
  HandleLayer& rates() { return rates_->handles(); }
  static std::size_t indexOf(const HandleLayer& layer, const char* name) {
    const auto& all = layer.handles();
    const auto found = std::ranges::find(all, q(name), &ChartHandle::name);
    EXPECT_NE(found, all.end()) << name;
    return static_cast<std::size_t>(found - all.begin());
  }
  static QPoint dotOf(const HandleLayer& layer, std::size_t handle) {
    return layer.scale().pixel(layer.handles()[handle].at).toPoint();
  }
  static QWidget* focusOn(HandleLayer& layer, std::size_t handle) {
    QWidget* dot = layer.findChildren<QWidget*>(q("chartHandle"))[static_cast<qsizetype>(handle)];
    dot->setFocus();
    return dot;
  }
  void press(HandleLayer& layer, std::size_t handle) {
    QTest::mousePress(&layer, Qt::LeftButton, {}, dotOf(layer, handle));
  }
  /// Presses the handle and moves it by so many values.
  void drag(HandleLayer& layer, std::size_t handle, QPointF by) {
    const QPoint from = dotOf(layer, handle);
    const QPointF pixels(by.x() / layer.scale().unit().x(), -by.y() / layer.scale().unit().y());
    QTest::mousePress(&layer, Qt::LeftButton, {}, from);
    QTest::mouseMove(&layer, from + (pixels / 2).toPoint());
    QTest::mouseMove(&layer, from + pixels.toPoint());
    QTest::qWait(200);  // the draft follows in intervals
  }
  void release(HandleLayer& layer) { QTest::mouseRelease(&layer, Qt::LeftButton, {}, QPoint(1, 1)); }

  const std::vector<RampLevelConfig>& table() { return edit_.draft().config().batch.rampup.stages; }
  int undoSteps() { return parts_.draftHistory.stack().count(); }

  PlanChart *sizes_ = nullptr, *rates_ = nullptr;
};

constexpr const char* kTable =
    "rampup: {stages: [{at: 0ba, global_train_batch_size: 16}, {at: 100ba, global_train_batch_size: 64}]}";

TEST_F(PlanChartsTest, ADragOfAnEdgeIsOneUndoAndAllFollows) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  const QString before = edit_.draft().yaml();
  const int steps = undoSteps();
  drag(sizes(), indexOf(sizes(), "Start of stage 2"), {-50, 0});
  ASSERT_EQ(table().size(), 2u);
  EXPECT_NEAR(table()[1].at.number(), 50, 4) << "the draft follows while the button is pressed";
  EXPECT_TRUE(edit_.draft().yaml().contains(toQt(table()[1].at.text())));
  EXPECT_EQ(undoSteps(), steps);
  release(sizes());
  EXPECT_EQ(undoSteps(), steps + 1);
  awaitPlan();
  const auto& stages = edit_.preview().plan.stages;
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(static_cast<double>(stages[1].fromBatch) + 1, sizes().handles()[1].at.x());
  action(q("Undo"))->trigger();
  EXPECT_EQ(edit_.draft().yaml(), before);
  awaitPlan();
  EXPECT_EQ(sizes().handles()[1].at.x(), 101);
  action(q("Redo"))->trigger();
  EXPECT_NEAR(table()[1].at.number(), 50, 4);
}

TEST_F(PlanChartsTest, ADragOfAHeightSnapsUnlessShiftIsPressed) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  const std::size_t size = indexOf(sizes(), "Size of stage 1");
  drag(sizes(), size, {0, 17});
  release(sizes());
  EXPECT_EQ(table()[0].globalTrainBatchSize, 32);
  awaitPlan();
  const QPoint from = dotOf(sizes(), size);
  QTest::mousePress(&sizes(), Qt::LeftButton, Qt::ShiftModifier, from);
  const QPoint to = from - QPoint(0, static_cast<int>(7 / sizes().scale().unit().y()));
  QMouseEvent move(QEvent::MouseMove, to, sizes().mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
  QApplication::sendEvent(&sizes(), &move);
  release(sizes());
  EXPECT_NEAR(static_cast<double>(table()[0].globalTrainBatchSize), 39, 1.5);
}

TEST_F(PlanChartsTest, EscapeRestores) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  const QString before = edit_.draft().yaml();
  const int steps = undoSteps();
  const std::size_t start = indexOf(sizes(), "Start of stage 2");
  drag(sizes(), start, {40, 0});
  EXPECT_NE(edit_.draft().yaml(), before);
  QTest::keyClick(focusOn(sizes(), start), Qt::Key_Escape);
  EXPECT_EQ(edit_.draft().yaml(), before);
  EXPECT_EQ(sizes().handles()[start].at.x(), 101);
  QTest::mouseMove(&sizes(), QPoint(30, 30));
  release(sizes());
  EXPECT_EQ(edit_.draft().yaml(), before);
  EXPECT_EQ(undoSteps(), steps);
}

TEST_F(PlanChartsTest, AClickOnAHandleChangesNothing) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  const QString before = edit_.draft().yaml();
  const int steps = undoSteps();
  for (std::size_t i = 0; i < sizes().handles().size(); ++i) {
    press(sizes(), i);
    release(sizes());
  }
  EXPECT_EQ(edit_.draft().yaml(), before);
  EXPECT_EQ(undoSteps(), steps);
}

TEST_F(PlanChartsTest, StagesAreAddedToAConstantSizeAndRemoved) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", "global_train_batch_size: 64"));
  auto* hint = window_.findChild<QLabel*>(q("tableHint"));
  EXPECT_FALSE(hint->isVisibleTo(hint->parentWidget()));
  const int steps = undoSteps();
  const QPointF place = sizes().scale().pixel({101, 32});
  QTest::mouseDClick(&sizes(), Qt::LeftButton, {}, place.toPoint());
  ASSERT_EQ(table().size(), 2u);
  EXPECT_NEAR(table()[1].at.number(), 100, 4);
  EXPECT_EQ(table()[1].globalTrainBatchSize, 32);
  EXPECT_EQ(undoSteps(), steps + 1);
  EXPECT_TRUE(hint->isVisibleTo(hint->parentWidget())) << hint->text().toStdString();
  awaitPlan();
  QTest::keyClick(focusOn(sizes(), indexOf(sizes(), "Size of stage 1")), Qt::Key_Insert);
  ASSERT_EQ(table().size(), 3u);
  EXPECT_EQ(table()[1].globalTrainBatchSize, 64) << "the same, to be changed then";
  awaitPlan();
  QTest::keyClick(focusOn(sizes(), indexOf(sizes(), "Size of stage 3")), Qt::Key_Delete);
  EXPECT_EQ(table().size(), 2u);
  awaitPlan();
  QTest::keyClick(focusOn(sizes(), indexOf(sizes(), "Start of stage 2")), Qt::Key_Delete);
  EXPECT_TRUE(table().empty());
  EXPECT_EQ(edit_.draft().config().batch.globalTrainBatchSize, 64);
  EXPECT_EQ(undoSteps(), steps + 4);
}

TEST_F(PlanChartsTest, KeysMoveAHandleAndOneThatIsHeldIsOneUndo) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  const int steps = undoSteps();
  QWidget* start = focusOn(sizes(), indexOf(sizes(), "Start of stage 2"));
  EXPECT_EQ(start->accessibleName(), q("Start of stage 2"));
  EXPECT_EQ(start->accessibleDescription(), q("64 at 100 global batches"));
  QTest::keyClick(start, Qt::Key_Right);
  const double small = table()[1].at.number() - 100;
  EXPECT_GT(small, 0);
  QTest::keyClick(start, Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(table()[1].at.number() - 100 - small, 10 * small);
  EXPECT_EQ(undoSteps(), steps + 2);
  QTest::keyPress(start, Qt::Key_Left);
  QTest::keyPress(start, Qt::Key_Left);
  QTest::keyPress(start, Qt::Key_Left);
  QTest::keyRelease(start, Qt::Key_Left);
  EXPECT_EQ(undoSteps(), steps + 3);
  EXPECT_EQ(table()[1].at.number() - 100, 8 * small);
  QTest::keyClick(start, Qt::Key_End);
  EXPECT_EQ(table()[1].at.text(), "199ba");
  QTest::keyClick(start, Qt::Key_Home);
  EXPECT_EQ(table()[1].at.text(), "1ba");
  QTest::keyClick(focusOn(sizes(), indexOf(sizes(), "Size of stage 2")), Qt::Key_Up);
  EXPECT_EQ(table()[1].globalTrainBatchSize, 80);
}

TEST_F(PlanChartsTest, TabGoesFromHandleToHandle) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  const auto dots = sizes().findChildren<QWidget*>(q("chartHandle"));
  ASSERT_EQ(dots.size(), 3);
  for (qsizetype i = 0; i + 1 < dots.size(); ++i) {
    QWidget* next = dots[i]->nextInFocusChain();
    while ((next->focusPolicy() & Qt::TabFocus) == 0) next = next->nextInFocusChain();
    EXPECT_EQ(next, dots[i + 1]);
  }
}

TEST_F(PlanChartsTest, TheScheduleIsDraggedToo) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", "global_train_batch_size: 64"));
  const int steps = undoSteps();
  drag(rates(), indexOf(rates(), "Warm-up length"), {20, 0});
  release(rates());
  const auto& warmup = edit_.draft().config().scheduler.tWarmup;
  ASSERT_TRUE(warmup);
  EXPECT_EQ(warmup->unit(), TimeUnit::Duration);
  EXPECT_NEAR(warmup->number(), 0.2, 0.02);
  awaitPlan();
  const double rate = edit_.draft().config().optimizer.lr;
  drag(rates(), indexOf(rates(), "Peak learning rate"), {0, -rate / 2});
  release(rates());
  EXPECT_NEAR(edit_.draft().config().optimizer.lr, rate / 2, rate / 20);
  EXPECT_EQ(undoSteps(), steps + 2);
}

TEST_F(PlanChartsTest, ADoubleClickOnAHandleAsksForANumber) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", kTable));
  QStringList labels;
  QTimer answers;
  QObject::connect(&answers, &QTimer::timeout, &answers, [&] {
    auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    labels << dialog->labelText();
    dialog->setTextValue(labels.size() == 1 ? q("500ba") : q("77ba"));
    dialog->accept();
  });
  answers.start(20);
  QTest::mouseDClick(&sizes(), Qt::LeftButton, {}, dotOf(sizes(), indexOf(sizes(), "Start of stage 2")));
  answers.stop();
  EXPECT_EQ(table()[1].at.text(), "77ba");
  ASSERT_EQ(labels.size(), 2);
  EXPECT_TRUE(labels.last().contains(q("500ba"))) << "what is wrong with it";
}

TEST_F(PlanChartsTest, WhatCannotBeDraggedSaysWhy) {
  ASSERT_NO_FATAL_FAILURE(open("200ba", "global_train_batch_size: 64"));
  edit_.draft().setText("scheduler.t_warmup", q("auto"));
  edit_.draft().setText("scheduler.expression", q("1 - frac"));
  edit_.draft().setText("scheduler.name", q("expression"));
  edit_.draft().setText("batch.growth.increase_function", q("current_batch_size * 2"));
  ASSERT_TRUE(test::comesTrue([&] { return edit_.isPreviewCurrent(); }));
  EXPECT_TRUE(sizes().handles().empty());
  EXPECT_TRUE(sizes().toolTip().contains(q("growth")));
  EXPECT_EQ(rates().handles().size(), 1u) << "the peak";
  EXPECT_TRUE(rates().toolTip().contains(q("expression")));
}

/// Processor time of this thread, which other programs do not lengthen.
double frameMs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

TEST_F(PlanChartsTest, AHandleFollowsTheMouseBeforeTheLongestPlanIsComputed) {
  ASSERT_NO_FATAL_FAILURE(open("1000000ba",
                               "rampup: {stages: [{at: 0ba, global_train_batch_size: 16}, "
                               "{at: 500000ba, global_train_batch_size: 64}]}"));
  const std::size_t start = indexOf(sizes(), "Start of stage 2");
  const test::Gate noPlans(tasks_, &window_);
  const QPoint from = dotOf(sizes(), start);
  QTest::mousePress(&sizes(), Qt::LeftButton, {}, from);
  std::vector<double> frames;
  for (int i = 1; i <= 60; ++i) {
    const double begin = frameMs();
    QTest::mouseMove(&sizes(), from - QPoint(4 + i, 0));
    window_.findChild<PreviewPane*>()->repaint();
    frames.push_back(frameMs() - begin);
    const double wanted = 500'001 - (4 + i) * sizes().scale().unit().x();
    EXPECT_NEAR(sizes().handles()[start].at.x(), wanted, 3 * sizes().scale().unit().x());
  }
  release(sizes());
  std::ranges::sort(frames);
  RecordProperty("median_frame_ms", std::to_string(frames[frames.size() / 2]));
  RecordProperty("longest_frame_ms", std::to_string(frames.back()));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(frames[frames.size() / 2], 1000.0 / 60);
#endif
}

}  // namespace
}  // namespace batchwise
