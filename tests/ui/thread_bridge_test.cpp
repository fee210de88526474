// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/thread_bridge.h"

#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtTest/QTest>
#include <chrono>
#include <memory>
#include <semaphore>
#include <thread>

#include "tests/support/test_environment.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/waiting.h"
#include "ui/bridge/studio_settings.h"

namespace batchwise {
namespace {

TEST(RunBridgeTest, DeliversAllInOrderInTheThreadOfTheWindow) {
  RunBridge bridge;
  std::vector<std::int64_t> batches;
  int deliveries = 0;
  QObject::connect(&bridge, &RunBridge::arrived, &bridge, [&](const std::vector<RunEvent>& events) {
    EXPECT_EQ(QThread::currentThread(), QCoreApplication::instance()->thread());
    ++deliveries;
    for (const RunEvent& event : events) batches.push_back(std::get<MetricsRow>(event).at.batch);
  });
  std::thread([&] {
    for (int batch = 0; batch < 5000; ++batch) bridge.publish(test::rowAt(batch));
  }).join();
  ASSERT_TRUE(test::comesTrue([&] { return batches.size() == 5000; }));
  EXPECT_EQ(deliveries, 1) << "events that wait together come together";
  for (std::size_t i = 0; i < batches.size(); ++i) ASSERT_EQ(batches[i], static_cast<std::int64_t>(i));
}

TEST(TaskQueueTest, WorksElsewhereAndAnswersHere) {
  TaskQueue tasks;
  QObject context;
  std::vector<int> answers;
  for (int i = 0; i < 3; ++i) {
    tasks.post(
        &context, [i] { return std::pair(i, std::this_thread::get_id()); },
        [&](std::pair<int, std::thread::id> result) {
          EXPECT_NE(result.second, std::this_thread::get_id());
          answers.push_back(result.first);
        });
  }
  ASSERT_TRUE(test::comesTrue([&] { return answers.size() == 3; }));
  EXPECT_EQ(answers, (std::vector<int>{0, 1, 2}));
}

TEST(TaskQueueTest, DropsAnswersThatNobodyWaitsFor) {
  TaskQueue tasks;
  bool answered = false, later = false;
  {
    auto context = std::make_unique<QObject>();
    tasks.post(
        context.get(), [] { return 1; }, [&](int) { answered = true; });
  }
  tasks.post(
      &tasks, [] { return 2; }, [&](int) { later = true; });
  ASSERT_TRUE(test::comesTrue([&] { return later; }));
  EXPECT_FALSE(answered);
}

/// Work that lasts until its queue ends.
int workUntilStopped(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::yield();
  return 0;
}

TEST(TaskQueueTest, WhatSavesIsRunAtTheEndInOrderAndTheRestIsDropped) {
  std::vector<int> ran;
  {
    TaskQueue tasks;
    const auto post = [&](int number, TaskQueue::AtEnd atEnd) {
      tasks.post(
          &tasks, [&ran, number] { return ran.emplace_back(number); },
          [](int) { ADD_FAILURE() << "there is nobody left to answer to"; }, atEnd);
    };
    tasks.post(&tasks, &workUntilStopped, [](int) {});
    post(1, TaskQueue::AtEnd::Drop);
    post(2, TaskQueue::AtEnd::Run);
    post(3, TaskQueue::AtEnd::Drop);
    post(4, TaskQueue::AtEnd::Run);
  }
  EXPECT_EQ(ran, (std::vector<int>{2, 4}));
}

TEST(TaskQueueTest, AProgramThatExitsWaitsForWhatSavesButNotForWhatHangs) {
  using namespace std::chrono_literals;
  bool saved = false;
  std::binary_semaphore begun(0), hangs(0);
  TaskQueue good, hanging;
  good.post(&good, &workUntilStopped, [](int) {});
  good.post(
      &good, [&saved] { return saved = true; }, [](bool) {}, TaskQueue::AtEnd::Run);
  EXPECT_TRUE(good.finish(1min));
  EXPECT_TRUE(saved);
  hanging.post(
      &hanging,
      [&begun, &hangs] {
        begun.release();
        hangs.acquire();
        return 0;
      },
      [](int) {});
  begun.acquire();
  EXPECT_FALSE(hanging.finish(50ms));
  hangs.release();
}

TEST(StudioSettingsTest, RemembersAndForgets) {
  const test::TempFolder folder;
  const QString file = QString::fromStdString((folder / "studio.ini").string());
  {
    StudioSettings settings(file);
    EXPECT_EQ(settings.appearance(), QStringLiteral("system"));
    EXPECT_EQ(settings.textPercent(), 100);
    settings.setAppearance(QStringLiteral("dark"));
    for (int i = 0; i < 12; ++i) settings.setWorkspace(QStringLiteral("/w%1").arg(i));
    settings.setWorkspace(QStringLiteral("/w5"));
    settings.setLayout({QByteArray("geometry"), QByteArray("state")});
  }
  StudioSettings again(file);
  EXPECT_EQ(again.appearance(), QStringLiteral("dark"));
  EXPECT_EQ(again.workspace(), QStringLiteral("/w5"));
  EXPECT_EQ(again.recentWorkspaces().size(), 8);
  EXPECT_EQ(again.recentWorkspaces().count(QStringLiteral("/w5")), 1);
  ASSERT_TRUE(again.layout().has_value());
  EXPECT_EQ(again.layout()->state, QByteArray("state"));
  again.reset();
  EXPECT_EQ(again.appearance(), QStringLiteral("system"));
  EXPECT_FALSE(again.layout().has_value());
}

TEST(StudioSettingsTest, OnAGpuARunHasItsOwnProcessUnlessTheUserChoosesOtherwise) {
  const test::TempFolder folder;
  const QString file = QString::fromStdString((folder / "studio.ini").string());
  EXPECT_EQ(StudioSettings(file, 0).launchTarget(), QStringLiteral("program"));
  EXPECT_EQ(StudioSettings(file, 2).launchTarget(), QStringLiteral("process"));
  StudioSettings(file, 2).setLaunchTarget(QStringLiteral("program"));
  EXPECT_EQ(StudioSettings(file, 2).launchTarget(), QStringLiteral("program"));
}

}  // namespace
}  // namespace batchwise
