// SPDX-License-Identifier: GPL-3.0-or-later
// The window's thread never computes for more than 100 ms in one go (as much longer as the processor is slower than the
// one the promise is made for), and never waits for a lock or the disk.
#include <algorithm>
#include <ctime>
#include <future>
#include <limits>
#include <map>

#include "tests/ui/watched_application.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/series_chart.h"
#include "ui/runs/chart_grid.h"
#include "ui/runs/runs_page.h"

namespace batchwise {
namespace {

using test::WatchedApplication;

constexpr double kReferenceMs = 16;  // on an AMD EPYC of 2026 beside other work

double threadMs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Processor time of work such as widgets cause: many small allocations, comparisons of texts, jumps in memory. The
/// least of three, as others may use the caches.
double referenceWorkMs() {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) {
    const double start = threadMs();
    std::map<QString, int> words;
    for (unsigned i = 0; i < 40'000; ++i) ++words[QString::number(i * 2'654'435'761U)];
    least = std::min(least, threadMs() - start);
    EXPECT_EQ(words.size(), 40'000U);
  }
  return least;
}

class BlockingTest : public test::WindowTest {
 protected:
  /// The promise is 100 ms on a processor that does the reference work in kReferenceMs; a slower one has as much more.
  static void expectNeverBlocked(double promisedMs = 100) {
    const double mostMs = promisedMs * std::max(1.0, referenceWorkMs() / kReferenceMs);
    const auto& application = WatchedApplication::self();
    EXPECT_LT(application.busy().ms, mostMs) << application.busy().what.toStdString();
    EXPECT_LT(application.blocked().ms, mostMs) << application.blocked().what.toStdString();
  }
  RunsPage& page() { return *window_.findChild<RunsPage*>(); }
  void openEachPage() {
    for (const char* name : {"Edit", "Checkpoints", "Runs"}) {
      action(QString::fromLatin1(name))->trigger();
      QTest::qWait(50);
    }
  }
};

TEST_F(BlockingTest, ALaunchAndItsCheckpoints) {
  WatchedApplication::self().startWatching();
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  for (int batch = 1; batch <= 2000; batch += 100) {
    std::vector<RunEvent> events;
    for (int i = 0; i < 100; ++i) events.emplace_back(test::rowAt(batch + i));
    events.emplace_back(
        CheckpointSaved{"abc", test::rowAt(batch + 99).at, 1 << 20, 0.2, 0.0, CheckpointReason::Interval});
    fake_.publish(events);
    QTest::qWait(20);
  }
  openEachPage();
  expectNeverBlocked();
}

TEST_F(BlockingTest, AWorkspaceWithManyRuns) {
  const auto folder = folder_ / "big";
  const int runs = test::repeats(1000, 10'000);
  {
    const auto workspace = Workspace::open(folder);
    ASSERT_TRUE(workspace.ok());
    NewRun run;
    run.configYaml = run.resolvedYaml = bundledConfig("demo");
    for (int i = 0; i < runs; ++i) {
      run.name = "run-" + std::to_string(i);
      ASSERT_TRUE((*workspace)->createRun(run).ok());
    }
  }
  WatchedApplication::self().startWatching();
  workspace_.open(QString::fromStdString(folder.string()));
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == runs; }));
  openEachPage();
  QTest::qWait(2500);  // the list is read again each second
  expectNeverBlocked();
}

TEST_F(BlockingTest, ALongRunThatIsZoomedAndSmoothed) {
  const int rows = test::repeats(100'000, 1'000'000);
  auto workspace = workspace_.workspace();
  const NewRun run = test::newDemoRun("long", rows);
  const std::string id = *workspace->createRun(run);
  {
    auto writer = RunWriter::open(workspace, id, {});
    ASSERT_TRUE(writer.ok());
    for (int batch = 1; batch <= rows; ++batch) (*writer)->publish(test::rowAt(batch));
    ASSERT_TRUE((*writer)->flush().ok());
  }
  WatchedApplication::self().startWatching();
  parts_.selection.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.hasRun() && page().grid().chart(0).drawnPoints() > 0; }));
  EXPECT_EQ(presenter_.selectedView().series.points("loss").size(), static_cast<std::size_t>(rows));
  for (const double width : {0.5, 0.1, 0.001}) {
    page().grid().showPart({0.4 * rows, (0.4 + width) * rows});
    QTest::qWait(60);
  }
  page().findChild<QSlider*>()->setValue(95);
  QTest::qWait(200);
  expectNeverBlocked();
}

TEST_F(BlockingTest, AStoreOnASlowDisk) {
  const QString run = QString::fromStdString(storeStoppedRun());
  awaitRuns(1);
  WatchedApplication::self().startWatching();
  std::promise<void> disk;
  const auto sleep = [answered = disk.get_future().share()] {
    answered.wait();
    return 0;
  };
  tasks_.post(&window_, sleep, [](int) {});
  parts_.selection.select(run);
  openEachPage();
  if (QAction* archive = action(QStringLiteral("Archive"))) archive->trigger();
  QTest::qWait(300);
  EXPECT_FALSE(presenter_.hasRun());  // still being read
  disk.set_value();
  EXPECT_TRUE(test::comesTrue([&] { return presenter_.hasRun(); }));
  expectNeverBlocked();
}

}  // namespace
}  // namespace batchwise
