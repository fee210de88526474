// SPDX-License-Identifier: GPL-3.0-or-later
// The window itself is killed while its child process trains: the run goes on, and the next window shows and stops it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>
#include <QtGui/QAction>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QApplication>
#include <cstring>

#include "core/run/run_controller.h"
#include "core/run/trainer.h"
#include "tests/support/test_environment.h"
#include "tests/ui/waiting.h"
#include "ui/bridge/language.h"
#include "ui/widgets/window_holder.h"

namespace batchwise {
namespace {

constexpr const char* kAsWindow = "--as-window";

/// The window on real runs, put together as the program does it.
class Studio {
 public:
  explicit Studio(const QString& folder) : settings_(folder + QStringLiteral("/studio.ini")) {
    language_.use(QStringLiteral("en"));
    settings_.setLanguage(QStringLiteral("en"));
    settings_.setLaunchPlace(QStringLiteral("process"));
    theme_.setAppearance(Appearance::Light);
    theme_.apply();
    edit_.loadDemo();
    workspace_.open(folder + QStringLiteral("/workspace"));
    window().resize(1366, 768);
    window().show();
  }

  MainWindow& window() { return holder_.window(); }
  WorkspacePresenter& workspace() { return workspace_; }
  WatchPresenter& watch() { return watch_; }
  const RunSummary* run() { return workspace_.runs().at(0); }
  QAction* command(const char* name) {
    return window().findChild<QAction*>(QStringLiteral("command.") + QString::fromLatin1(name));
  }

 private:
  StudioSettings settings_;
  Language language_;
  Theme theme_;
  TaskQueue tasks_, slow_;
  SystemClock clock_;
  WorkspacePresenter workspace_{tasks_};
  RunPresenter run_{[](RunPlace, EventSink& events) { return makeChildRunController(events); }, clock_};
  WatchPresenter watch_{tasks_, workspace_};
  EditPresenter edit_{tasks_};
  ResumePresenter resume_{tasks_, slow_, workspace_};
  CheckpointsPresenter checkpoints_{tasks_, slow_, workspace_, loadTrainer};
  WindowHolder holder_{{theme_, settings_, workspace_, run_, watch_, edit_, resume_, checkpoints_, slow_}, language_};
};

/// What the process that is killed does: it launches the demo and shows it.
int beWindow(QApplication& application, const QString& folder) {
  Studio studio(folder);
  QObject::connect(&studio.workspace(), &WorkspacePresenter::refreshed, &application, [&studio] {
    QAction* launch = studio.command("launch");
    if (studio.workspace().runs().rowCount() == 0 && launch->isEnabled()) launch->trigger();
  });
  return QApplication::exec();
}

TEST(WindowKillTest, TheRunGoesOnAndTheNextWindowStopsIt) {
  const test::TempFolder temp;
  const QString folder = QString::fromStdString(temp.path().string());
  QProcess first;
  first.setProcessChannelMode(QProcess::ForwardedChannels);
  first.start(QCoreApplication::applicationFilePath(), {QString::fromLatin1(kAsWindow), folder});
  ASSERT_TRUE(first.waitForStarted());
  std::shared_ptr<Workspace> store;
  const auto batches = [&]() -> std::int64_t {
    if (!store)
      if (auto opened = Workspace::open((temp / "workspace"), Workspace::Mode::ReadOnly); opened.ok()) store = *opened;
    const auto runs = store ? store->listRuns() : Result<std::vector<RunSummary>>(Error::notFound(""));
    return runs.ok() && !runs->empty() ? runs->front().at.batch : -1;
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return batches() > 0; }, 180'000));
  ::kill(static_cast<pid_t>(first.processId()), SIGKILL);
  ASSERT_TRUE(first.waitForFinished());
  EXPECT_EQ(first.exitStatus(), QProcess::CrashExit);
  const std::int64_t atKill = batches();
  EXPECT_TRUE(test::comesTrue([&] { return batches() > atKill + 2; })) << "the run did not go on";

  Studio next(folder);
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&next.window()));
  ASSERT_TRUE(test::comesTrue([&] { return next.workspace().runs().rowCount() == 1 && next.watch().hasRun(); }));
  EXPECT_EQ(next.run()->status, RunStatus::Running);
  const std::int64_t shown = next.watch().view().series.lastBatch();
  EXPECT_TRUE(test::comesTrue([&] { return next.watch().view().series.lastBatch() > shown; })) << "not followed";
  EXPECT_TRUE(next.window().grab().save(QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/window-after-kill.png")));
  ASSERT_TRUE(test::comesTrue([&] { return next.command("stop_and_save")->isEnabled(); }));
  next.command("stop_and_save")->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return next.run()->status == RunStatus::Stopped; }));
  EXPECT_GE(next.run()->checkpoints, 1);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("DBUS_SESSION_BUS_ADDRESS", "disabled:");
  QStandardPaths::setTestModeEnabled(true);
  const bool asWindow = argc == 3 && std::strcmp(argv[1], batchwise::kAsWindow) == 0;
  const QString folder = asWindow ? QString::fromLocal8Bit(argv[2]) : QString();
  ::testing::InitGoogleTest(&argc, argv);
  QApplication application(argc, argv);
  return asWindow ? batchwise::beWindow(application, folder) : RUN_ALL_TESTS();
}
