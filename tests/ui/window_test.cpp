// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QtCore/QFileInfo>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolBar>
#include <memory>
#include <tuple>

#include "tests/support/test_environment.h"
#include "tests/ui/fake_run_controller.h"
#include "ui/widgets/main_window.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/series_chart.h"

namespace batchwise {
namespace {

class WindowTest : public ::testing::Test {
 protected:
  WindowTest() {
    theme_.setAppearance(Appearance::Light);
    theme_.apply();
    window_.resize(1366, 768);
    edit_.loadDemo();
    workspace_.open(QString::fromStdString((folder_ / "workspace").string()));
    window_.show();
  }

  void SetUp() override {
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_));
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace_.workspace() != nullptr; }));
  }

  void TearDown() override {
    fake_.running = false;
    window_.setClosingQuestion([] { return ClosingChoice::Cancel; });
    std::ignore = QTest::qWaitFor([&] { return !run_.busy(); }, 200);
  }

  QAbstractButton* button(const char* name) { return window_.findChild<QAbstractButton*>(QString::fromLatin1(name)); }
  QAction* action(const QString& text) {
    for (QAction* each : window_.findChildren<QAction*>())
      if (each->text().remove(QLatin1Char('&')).startsWith(text)) return each;
    return nullptr;
  }
  MessageBar& message() { return *window_.findChild<MessageBar*>(); }

  /// A run in the store, and its first events.
  std::string beginRun() {
    NewRun run;
    run.name = "demo";
    run.configYaml = bundledConfig("demo");
    run.resolvedYaml = run.configYaml;
    run.plannedBatches = 400;
    const std::string id = *workspace_.workspace()->createRun(run);
    RunStarted started;
    started.run = id;
    started.name = "demo";
    started.plannedBatches = 400;
    fake_.publish({started});
    return id;
  }

  /// A run that was stopped after a checkpoint at global batch 12,400.
  std::string storeStoppedRun() {
    NewRun run;
    run.name = "stopped";
    run.configYaml = bundledConfig("demo");
    run.resolvedYaml = run.configYaml;
    run.plannedBatches = 20'000;
    auto workspace = workspace_.workspace();
    const std::string id = *workspace->createRun(run);
    auto writer = RunWriter::begin(workspace, id, {});
    EXPECT_TRUE(writer.ok());
    RunStarted started;
    started.run = id;
    started.plannedBatches = 20'000;
    CheckpointSaved saved;
    saved.id = newRecordId();
    saved.at = test::rowAt(12'400).at;
    RunFinished finished;
    finished.status = RunStatus::Stopped;
    finished.at = saved.at;
    for (const RunEvent& event : std::vector<RunEvent>{started, test::rowAt(12'400), saved, finished})
      (*writer)->publish(event);
    EXPECT_TRUE((*writer)->flush().ok());
    return id;
  }

  test::TempFolder folder_;
  test::FakeRun fake_;
  Theme theme_;
  StudioSettings settings_{QString::fromStdString((folder_ / "studio.ini").string())};
  SystemClock clock_;
  TaskQueue tasks_;
  WorkspacePresenter workspace_{tasks_};
  RunPresenter run_{[this](EventSink& events) { return std::make_unique<test::FakeRunController>(fake_, events); },
                    clock_};
  WatchPresenter watch_{tasks_, workspace_};
  EditPresenter edit_{tasks_};
  MainWindow window_{{theme_, settings_, workspace_, run_, watch_, edit_}};
};

TEST_F(WindowTest, TheDemoStartsByOneClick) {
  QAbstractButton* demo = button("tryDemo");
  ASSERT_NE(demo, nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return demo->isVisible() && demo->isEnabled(); }));
  QTest::mouseClick(demo, Qt::LeftButton);
  ASSERT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(fake_.requests[0].config.config, loadConfig("demo").config);
  EXPECT_EQ(fake_.requests[0].workspace, workspace_.workspace()->folder());
  EXPECT_TRUE(run_.busy());
}

TEST_F(WindowTest, LaunchOnTheEditPageStartsWhatWasTyped) {
  action(QStringLiteral("New run"))->trigger();
  edit_.draft().setText("max_duration", QStringLiteral("9ba"));
  QAbstractButton* launch = button("launch");
  ASSERT_TRUE(launch->isVisible());
  QTest::mouseClick(launch, Qt::LeftButton);
  ASSERT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(fake_.requests[0].config.config.maxDuration, Time::of(9, TimeUnit::Batch));
}

TEST_F(WindowTest, LaunchIsOffWhileTheDraftHasErrors) {
  action(QStringLiteral("New run"))->trigger();
  edit_.draft().setText("optimizer.lr", QStringLiteral("x"));
  EXPECT_FALSE(button("launch")->isEnabled());
  EXPECT_FALSE(action(QStringLiteral("Launch"))->isEnabled());
  edit_.draft().reset("optimizer.lr");
  EXPECT_TRUE(button("launch")->isEnabled());
}

TEST_F(WindowTest, ChartsListAndLogFollowTheRun) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  const std::string id = beginRun();
  std::vector<RunEvent> rows;
  for (int batch = 1; batch <= 50; ++batch) rows.push_back(test::rowAt(batch));
  rows.push_back(RunNote{NoteLevel::Warning, "watch out", {}});
  fake_.publish(rows);
  ASSERT_TRUE(QTest::qWaitFor([&] { return watch_.hasRun() && watch_.view().series.lastBatch() == 50; }));
  EXPECT_EQ(watch_.selected().toStdString(), id);
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace_.runs().rowCount() == 1; }));
  const auto charts = window_.findChildren<SeriesChart*>();
  ASSERT_TRUE(QTest::qWaitFor([&] {
    return std::count_if(charts.begin(), charts.end(),
                         [](SeriesChart* chart) { return chart->isVisible() && chart->drawnPoints() > 0; }) == 4;
  }));
  EXPECT_GE(watch_.log().rowCount(), 1);
}

TEST_F(WindowTest, AFailedStartIsToldAndTheFormIsThereAgain) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  fake_.finish(RunStatus::Failed, "the trainer cannot be loaded");
  ASSERT_TRUE(QTest::qWaitFor([&] { return message().isVisible(); }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("trainer cannot be loaded")));
  EXPECT_TRUE(button("launch")->isVisible());
  EXPECT_TRUE(button("launch")->isEnabled());
}

TEST_F(WindowTest, AStoppedRunOffersToResumeFromItsCheckpoint) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace_.runs().rowCount() == 1; }));
  auto* list = window_.findChild<QAbstractItemView*>(QStringLiteral("runs"));
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(0, 0)).center());
  QAction* resume = action(QStringLiteral("Resume"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return resume->isEnabled(); }));
  EXPECT_TRUE(resume->text().contains(QStringLiteral("12,400")));
  resume->trigger();
  ASSERT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(fake_.requests[0].resumeRun, id);
  EXPECT_EQ(fake_.requests[0].config.config.name, "demo");
}

TEST_F(WindowTest, ClosingWhileTrainingAsksAndStopsWithACheckpoint) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  int asked = 0;
  window_.setClosingQuestion([&] {
    ++asked;
    return ClosingChoice::Cancel;
  });
  window_.close();
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(window_.isVisible());
  EXPECT_TRUE(fake_.commands.empty());
  window_.setClosingQuestion([] { return ClosingChoice::StopAndSave; });
  window_.close();
  EXPECT_TRUE(window_.isVisible());
  EXPECT_EQ(fake_.commands, (std::vector<RunCommand>{RunCommand::StopWithCheckpoint}));
  fake_.finish(RunStatus::Stopped);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window_.isVisible(); }));
}

TEST_F(WindowTest, NothingIsWiderThanASmallScreenAtTwiceTheFont) {
  for (const double scale : {1.0, 2.0}) {
    theme_.setTextScale(scale);
    for (const char* page : {"Edit", "Watch"}) {
      action(QString::fromLatin1(page))->trigger();
      QTest::qWait(50);
      EXPECT_LE(window_.minimumSizeHint().width(), 1366) << page << " at " << scale;
      EXPECT_LE(window_.minimumSizeHint().height(), 768) << page << " at " << scale;
    }
  }
}

TEST_F(WindowTest, TheDarkAppearanceIsTakenAtOnce) {
  action(QStringLiteral("Dark"))->trigger();
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), themeColors(Ground::Dark).window);
  EXPECT_EQ(settings_.appearance(), QStringLiteral("dark"));
}

TEST_F(WindowTest, EveryControlThatTakesTheKeyboardHasANameForReaders) {
  for (const QWidget* widget : window_.findChildren<QWidget*>()) {
    const bool takesKeys = (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isVisible();
    const auto* itsButton = qobject_cast<const QAbstractButton*>(widget);
    if (!takesKeys || (itsButton != nullptr && !itsButton->text().isEmpty())) continue;
    if (widget->inherits("QScrollArea") || widget->inherits("QTabBar") || widget->focusProxy() != nullptr) continue;
    EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
  }
}

}  // namespace
}  // namespace batchwise
