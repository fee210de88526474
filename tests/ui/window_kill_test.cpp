// SPDX-License-Identifier: GPL-3.0-or-later
// The window's program is killed while its child process trains: the run goes on, and the next window shows and stops
// it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <QtCore/QDataStream>
#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>
#include <QtGui/QAction>
#include <QtNetwork/QTcpServer>
#include <QtNetwork/QTcpSocket>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QApplication>
#include <fstream>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/run/run_controller.h"
#include "core/run/trainer.h"
#include "tests/support/test_environment.h"
#include "tests/ui/waiting.h"
#include "ui/window/main_window.h"

namespace batchwise {
namespace {

constexpr quint32 kF5 = 0xFFC2;  // X keysym

/// The keyboard of a program on Qt's VNC platform. RFC 6143, version 3.3.
class RemoteKeyboard {
 public:
  bool open(quint16 port) {
    socket_.abort();
    socket_.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
    if (!socket_.waitForConnected(1000) || !pass(12)) return false;  // its version
    socket_.write("RFB 003.003\n");
    if (!pass(4)) return false;  // no password
    socket_.write("\1");         // shared
    return pass(24);             // size, format of pixels
  }
  void press(quint32 key) {
    QByteArray message;
    QDataStream out(&message, QIODevice::WriteOnly);
    for (const quint8 down : {quint8{1}, quint8{0}}) out << quint8(4) << down << quint16(0) << key;
    socket_.write(message);
    socket_.flush();
  }

 private:
  bool pass(qint64 bytes) {
    while (socket_.bytesAvailable() < bytes)
      if (!socket_.waitForReadyRead(5000)) return false;
    return socket_.skip(bytes) == bytes;
  }
  QTcpSocket socket_;
};

quint16 freePort() {
  QTcpServer server;
  return server.listen(QHostAddress(QHostAddress::LocalHost)) ? server.serverPort() : 0;
}

/// Writes the demo, made longer: a busy machine must not train it to its end before the next window stops it.
QString longDemo(const QString& folder) {
  const QString file = folder + QStringLiteral("/demo.yaml");
  const LoadedConfig demo = parseConfig(bundledConfig("demo"), "demo", {}, {"max_duration=2000ba"});
  EXPECT_TRUE(writeFileAtomically(file.toStdString(), configToYaml(demo.config, YamlScope::ChangedOnly)).ok());
  return file;
}

/// batchwise-studio as a person starts it, with the demo as draft and runs in their own processes.
class Program {
 public:
  explicit Program(const QString& folder) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* each : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
      environment.insert(QString::fromLatin1(each), folder + QStringLiteral("/home"));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("vnc:size=1366x768:port=%1").arg(port_));
    process_.setProcessEnvironment(environment);
    StudioSettings settings(folder + QStringLiteral("/home/batchwise/studio.ini"));
    settings.setLaunchTarget(QStringLiteral("process"));
    process_.setProcessChannelMode(QProcess::ForwardedChannels);
    process_.start(QCoreApplication::applicationDirPath() + QStringLiteral("/batchwise-studio"),
                   {QStringLiteral("--workspace"), folder + QStringLiteral("/workspace"), QStringLiteral("--config"),
                    longDemo(folder)});
  }

  bool started() {
    return process_.waitForStarted() && test::comesTrue([this] { return keyboard_.open(port_); });
  }
  /// Until it has been accepted: the draft is looked through first.
  bool launch() {
    return test::comesTrue([this] {
      keyboard_.press(kF5);
      return QTest::qWaitFor([this] { return hasChild(); }, 5000);  // one press may be one run
    });
  }
  bool kill() {
    ::kill(static_cast<pid_t>(process_.processId()), SIGKILL);
    return process_.waitForFinished() && process_.exitStatus() == QProcess::CrashExit;
  }

 private:
  bool hasChild() const {
    const std::string id = std::to_string(process_.processId());
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    return children.peek() != std::ifstream::traits_type::eof();
  }

  const quint16 port_ = freePort();
  QProcess process_;
  RemoteKeyboard keyboard_;
};

/// The window on real runs, put together as the program does it.
class Studio {
 public:
  explicit Studio(const QString& folder) : settings_(folder + QStringLiteral("/studio.ini")) {
    settings_.setLaunchTarget(QStringLiteral("process"));
    theme_.setAppearance(Appearance::Light);
    theme_.apply();
    parts_.edit.loadPreset(QStringLiteral("demo"));
    parts_.workspace.open(folder + QStringLiteral("/workspace"));
    window().resize(1366, 768);
    window().show();
  }

  MainWindow& window() { return window_; }
  WorkspacePresenter& workspace() { return parts_.workspace; }
  RunsPresenter& presenter() { return parts_.runs; }
  const RunSummary* run() { return parts_.workspace.runs().at(0); }
  QAction* command(const char* name) {
    return window().findChild<QAction*>(QStringLiteral("command.") + QString::fromLatin1(name));
  }

 private:
  StudioSettings settings_;
  Theme theme_;
  StudioParts parts_{theme_, settings_, [](RunLocation, EventSink& events) { return makeChildRunController(events); },
                     loadTrainer};
  MainWindow window_{parts_};
};

TEST(WindowKillTest, TheRunGoesOnAndTheNextWindowStopsIt) {
  const test::TempFolder temp;
  const QString folder = QString::fromStdString(temp.path().string());
  Program first(folder);
  ASSERT_TRUE(first.started());
  ASSERT_TRUE(first.launch());
  std::shared_ptr<Workspace> store;
  const auto batches = [&]() -> std::int64_t {
    if (!store)
      if (auto opened = Workspace::open((temp / "workspace"), Workspace::Mode::ReadOnly); opened.ok()) store = *opened;
    const auto runs = store ? store->listRuns() : Result<std::vector<RunSummary>>(Error::notFound(""));
    return runs.ok() && !runs->empty() ? runs->front().at.batch : -1;
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return batches() > 0; }, 180'000));
  ASSERT_TRUE(first.kill());
  const std::int64_t atKill = batches();
  EXPECT_TRUE(test::comesTrue([&] { return batches() > atKill + 2; })) << "the run did not go on";

  Studio next(folder);
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&next.window()));
  // Where the first press took longer than the wait for it, there are two runs; the newest is looked at.
  ASSERT_TRUE(test::comesTrue([&] { return next.workspace().runs().size() >= 1 && next.presenter().hasRun(); }))
      << next.workspace().runs().size() << " runs";
  EXPECT_EQ(next.run()->status, RunStatus::Running);
  const std::int64_t shown = next.presenter().selectedView().series.lastBatch();
  EXPECT_TRUE(test::comesTrue([&] { return next.presenter().selectedView().series.lastBatch() > shown; }))
      << "not followed";
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
  ::testing::InitGoogleTest(&argc, argv);
  QApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
