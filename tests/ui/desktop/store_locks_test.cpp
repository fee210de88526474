// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the window, in its own process and in one of theirs: SQLite's locks on the workspace stay, whatever the
// window does beside them and whoever visits.
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "tests/support/posix_locks.h"
#include "tests/ui/desktop/desktop_fixture.h"

namespace batchwise {
namespace {

using test::Desktop;
using test::kLength;
using test::text;

/// The processes that a process has started.
std::vector<std::int64_t> childrenOf(std::int64_t process) {
  std::vector<std::int64_t> children;
  const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads)) {
    std::ifstream stream(thread.path() / "children");
    for (std::int64_t child = 0; stream >> child;) children.push_back(child);
  }
  return children;
}

class StoreLocksTest : public test::DesktopTest {
 protected:
  std::filesystem::path database() const { return desktop_.workspace().toStdString() + "/workspace.sqlite"; }

  void expectLocked(std::int64_t process, const char* after) const {
    EXPECT_GT(test::posixLocksOf(process, database()), 0) << after;
    EXPECT_GT(test::posixLocksOf(process, database().native() + "-shm"), 0) << after;
  }
  void expectLocked(const char* after) const { expectLocked(desktop_.processId(), after); }

  void visit(const char* action) const {
    const std::string script = (test::sourceRoot() / "tests/store/visitor.py").native();
    const std::string command = "/usr/bin/python3 '" + script + "' '" + database().native() + "' " + action;
    EXPECT_EQ(std::system(command.c_str()), 0) << action;
  }
  QJsonObject awaitCheckpoint(const QString& id) {
    return awaitRun(id, [](const QJsonObject& run) { return run[QStringLiteral("checkpoints")].toInt() > 0; });
  }
  void launchLongDemo() {
    ASSERT_TRUE(desktop_.click(QStringLiteral("New run")));
    setField("max_duration", QLatin1String(kLength));
    setField("eval.interval", QStringLiteral("20ba"));
    setField("checkpoint.interval", QStringLiteral("20ba"));
    ASSERT_TRUE(desktop_.click(QStringLiteral("launch")));
  }
};

TEST_F(StoreLocksTest, StayWhileARunTrainsInTheWindow) {
  start();
  launchLongDemo();
  const QString id = text(awaitTraining({}, 3), "id");
  expectLocked("the start");
  awaitCheckpoint(id);
  expectLocked("a checkpoint");
  awaitTraining(id, 22);
  expectLocked("an evaluation");
  ASSERT_TRUE(desktop_.click(QStringLiteral("Runs")));
  ASSERT_TRUE(desktop_.click(QStringLiteral("runs")));
  ASSERT_TRUE(desktop_.key(QStringLiteral("Space")));
  expectLocked("the comparison");
  openMenu("File", QStringLiteral("Export the selected run…"));
  chooseFile(folder_ / "exported.batchwise");
  ASSERT_TRUE(desktop_.awaitText(QStringLiteral("Written to")));
  expectLocked("an export");
  for (const char* action : {"read", "vacuum", "checkpoint", "backup"}) {
    visit(action);
    expectLocked(action);
  }
  const auto batch = test::batches(awaitTraining(id, 0));
  awaitTraining(id, batch + 3);
  stop(id);
  expectLocked("a stop");
  EXPECT_TRUE(desktop_.endProgram());
}

TEST_F(StoreLocksTest, StayWhileARunOfItsOwnProcessTrains) {
  start();
  launchLongDemo();
  const QString first = text(awaitTraining({}, 3), "id");
  launchLongDemo();  // the window itself is busy
  const QJsonObject second = awaitRun({}, [&first](const QJsonObject& run) {
    return text(run, "id") != first && text(run, "status") == QLatin1String("running") && test::batches(run) > 3;
  });
  const auto children = childrenOf(desktop_.processId());
  ASSERT_EQ(children.size(), 1u);
  for (const char* action : {"read", "vacuum", "checkpoint", "backup"}) {
    visit(action);
    expectLocked(action);
    expectLocked(children.front(), action);
  }
  awaitTraining(text(second, "id"), test::batches(second) + 3);
  ASSERT_EQ(::kill(static_cast<pid_t>(children.front()), SIGKILL), 0);
  visit("leave-wal");
  awaitRun(text(second, "id"),
           [](const QJsonObject& run) { return text(run, "status") == QLatin1String("interrupted"); });
  expectLocked("the death of the other process");
  EXPECT_TRUE(desktop_.endProgram());
}

}  // namespace
}  // namespace batchwise
