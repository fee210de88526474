// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <QtCore/QElapsedTimer>
#include <QtCore/QJsonArray>
#include <QtCore/QThread>
#include <filesystem>
#include <functional>

#include "tests/support/test_environment.h"
#include "tests/ui/desktop/desktop.h"

namespace batchwise::test {

constexpr const char* kLength = "30000ba";  // longer than any test

inline QString text(const QJsonObject& run, const char* key) {
  return run[QLatin1String(key)].toString();
}
inline std::int64_t batches(const QJsonObject& run) {
  return run[QStringLiteral("ba")].toInteger();
}

/// The real program on a display of its own, and what came of its runs.
class DesktopTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Desktop::missing().toStdString(), "") << "not installed; packaging/debian-packages.txt has it";
    std::filesystem::create_directories(elsewhere_);
    ASSERT_TRUE(desktop_.open()) << "no X server";
  }
  void TearDown() override {
    if (HasFailure()) desktop_.takePicture(QStringLiteral("failed-") + QString::fromLatin1(testName()));
  }
  static const char* testName() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

  void start() { ASSERT_TRUE(desktop_.startProgram(QString::fromStdString(elsewhere_.string()))); }
  void picture(const char* what) {
    desktop_.takePicture(QString::fromLatin1(testName()) + QLatin1Char('-') + QLatin1String(what));
  }

  /// Waits until `fits` holds for the run, or the newest one if `id` is empty; the run as it is then.
  QJsonObject awaitRun(const QString& id, const std::function<bool(const QJsonObject&)>& fits) {
    QElapsedTimer watch;
    watch.start();
    QJsonObject last;
    while (!watch.hasExpired(Desktop::kLimitMs)) {
      for (const QJsonObject& run : desktop_.runs()) {
        if (!id.isEmpty() && text(run, "id") != id) continue;
        if (fits(run)) return run;
        last = run;
        break;
      }
      QThread::msleep(100);
    }
    ADD_FAILURE() << "waited in vain for run '" << id.toStdString() << "': " << text(last, "status").toStdString()
                  << " at " << batches(last) << " ba, " << text(last, "reason").toStdString();
    return {};
  }
  QJsonObject awaitTraining(const QString& id, std::int64_t beyond) {
    return awaitRun(id, [beyond](const QJsonObject& run) {
      return text(run, "status") == QLatin1String("running") && batches(run) > beyond;
    });
  }
  QJsonObject stop(const QString& id) {
    EXPECT_TRUE(desktop_.click(QStringLiteral("Stop and save")));
    return awaitRun(id, [](const QJsonObject& run) { return text(run, "status") == QLatin1String("stopped"); });
  }
  /// The store may know earlier than the window that a run has stopped: until then Resume says that it is training.
  bool openDialog() {
    constexpr int kTries = 12, kWaitMs = 5000;
    for (int i = 0; i < kTries; ++i) {
      if (!desktop_.click(QStringLiteral("Resume…"))) return false;
      if (desktop_.await(QStringLiteral("resumeNow"), kWaitMs)) return true;
    }
    return false;
  }
  qsizetype segments(const QString& id) {
    return desktop_.ask({QStringLiteral("runs"), QStringLiteral("show"), id})[QStringLiteral("segments")]
        .toArray()
        .size();
  }
  void setField(const char* path, const QString& value) {
    ASSERT_TRUE(desktop_.enter(QStringLiteral("Find a setting"), QString::fromLatin1(path))) << path;
    ASSERT_TRUE(desktop_.enter(QString::fromLatin1(path), value)) << path;
  }
  void chooseField(const char* path, const char* value) {
    ASSERT_TRUE(desktop_.enter(QStringLiteral("Find a setting"), QString::fromLatin1(path))) << path;
    ASSERT_TRUE(desktop_.click(QString::fromLatin1(path))) << path;
    ASSERT_TRUE(desktop_.click(QString::fromLatin1(value))) << value;
  }
  void openMenu(const char* menu, const QString& command) {
    ASSERT_TRUE(desktop_.click(QString::fromLatin1(menu))) << menu;
    ASSERT_TRUE(desktop_.click(command)) << command.toStdString();
  }
  void chooseFile(const std::filesystem::path& file) {
    ASSERT_TRUE(desktop_.enter(QStringLiteral("fileNameEdit"), QString::fromStdString(file.string())));
    ASSERT_TRUE(desktop_.key(QStringLiteral("Return")));
  }

  /// What every way into the form has to lead to: a run that can be stopped and resumed. Its state at the end.
  QJsonObject launchStopResume() {
    if (!desktop_.click(QStringLiteral("launch"))) ADD_FAILURE() << "cannot be launched";
    return stopResume();
  }
  QJsonObject stopResume() {
    const QJsonObject training = awaitTraining({}, 3);
    const QString id = text(training, "id");
    if (id.isEmpty()) return {};
    const QJsonObject stopped = stop(id);
    EXPECT_TRUE(openDialog());
    EXPECT_TRUE(desktop_.click(QStringLiteral("resumeNow")));
    awaitTraining(id, batches(stopped) + 2);
    const QJsonObject end = stop(id);
    EXPECT_EQ(segments(id), 2);
    return end;
  }
  /// Of the configuration that the run was launched with.
  std::string configOf(const QJsonObject& run) {
    return desktop_
        .ask({QStringLiteral("runs"), QStringLiteral("show"), text(run, "id")})[QStringLiteral("resolved_config")]
        .toString()
        .toStdString();
  }

  const TempFolder folder_;
  const std::filesystem::path elsewhere_ = folder_ / "elsewhere";  // where the program is started
  const std::filesystem::path texts_ = folder_ / "mein Text";
  Desktop desktop_{QString::fromStdString(folder_.path().string())};
};

}  // namespace batchwise::test
