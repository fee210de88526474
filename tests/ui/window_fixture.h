// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <QtTest/QTest>
#include <QtWidgets/QtWidgets>  // tests of windows touch widgets of all kinds
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <tuple>

#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/recording/run_writer.h"
#include "tests/support/test_environment.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/waiting.h"
#include "ui/parts/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/studio_parts.h"
#include "ui/window/workspace_pages.h"

namespace batchwise::test {

/// Expects that each visible direct child of `page` keeps clear of the others, and that labels have room for all their
/// lines.
inline void expectNothingCutOrOverlapping(const QWidget& page) {
  QList<QWidget*> parts = page.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  parts.removeIf([](const QWidget* one) { return !one->isVisible(); });
  ASSERT_FALSE(parts.isEmpty());
  const auto isWhole = [](const QWidget* one) {
    const auto* label = qobject_cast<const QLabel*>(one);
    return label == nullptr || !label->wordWrap() || one->height() >= one->heightForWidth(one->width());
  };
  const auto overlap = [&] {
    for (const QWidget* one : parts)
      for (const QWidget* other : parts)
        if (one != other && one->isVisible() && other->isVisible() && one->geometry().intersects(other->geometry()))
          return one->objectName() + QStringLiteral(" and ") + other->objectName();
    return QString();
  };
  std::ignore = QTest::qWaitFor([&] { return std::ranges::all_of(parts, isWhole) && overlap().isEmpty(); });
  EXPECT_TRUE(std::ranges::all_of(parts, isWhole));
  EXPECT_EQ(overlap().toStdString(), "");
}

/// A run with the demo settings that can be created.
inline NewRun newDemoRun(const std::string& name, std::int64_t plannedBatches = 0) {
  NewRun run;
  run.name = name;
  run.configYaml = run.resolvedYaml = bundledConfig("demo");
  run.plannedBatches = plannedBatches;
  return run;
}

/// What a window is put together from, on an empty workspace, with a controller and a trainer that compute nothing.
class StudioTest : public ::testing::Test {
 protected:
  StudioTest() {
    theme_.setAppearance(Appearance::Light);
    theme_.apply();
    edit_.loadPreset(QStringLiteral("demo"));
    workspace_.open(QString::fromStdString((folder_ / "workspace").string()));
  }

  void SetUp() override {
    ASSERT_TRUE(comesTrue([&] { return workspace_.synced(); }));
  }

  void TearDown() override {
    theme_.setTextScale(1.0);  // the font of the application outlives the window
    std::ignore = QTest::qWaitFor([&] { return !run_.busy(); }, 200);
  }

  /// Until all that is on its way to the store, or from it, has arrived.
  void awaitTasks() { ASSERT_TRUE(catchesUp(tasks_)); }

  /// A file in the folder of this test.
  QString pathOf(const char* name) const { return QString::fromStdString((folder_ / name).string()); }

  /// Selects a run that the list may not have yet, and waits until it is read.
  void selectStored(const std::string& run) {
    workspace_.refresh();
    parts_.selection.select(QString::fromStdString(run));
    ASSERT_TRUE(comesTrue([&] { return presenter_.hasRun() && !workspace_.runs().all().empty(); }));
  }

  /// Until the list has this many runs.
  void awaitRuns(int count) {
    workspace_.refresh();
    ASSERT_TRUE(comesTrue([&] { return workspace_.runs().size() == count; }));
  }

  /// A run in the store, and its first events.
  std::string beginRun() {
    const NewRun run = newDemoRun("demo", 400);
    const std::string id = *workspace_.workspace()->createRun(run);
    RunStarted started;
    started.run = id;
    started.name = "demo";
    started.plannedBatches = 400;
    auto writer = RunWriter::open(workspace_.workspace(), id, {});
    EXPECT_TRUE(writer.ok());
    fake_.writers.push_back(std::move(*writer));
    fake_.publish({started});
    return id;
  }

  /// A run that was stopped after a checkpoint at global batch 12,400, with a small file.
  std::string storeStoppedRun() { return storeRun("stopped", RunStatus::Stopped); }

  /// Ends as told; Interrupted: its writer gives it up.
  std::string storeRun(const std::string& name, RunStatus end) {
    const NewRun run = newDemoRun(name, 20'000);
    auto workspace = workspace_.workspace();
    const std::string id = *workspace->createRun(run);
    auto writer = RunWriter::open(workspace, id, {});
    EXPECT_TRUE(writer.ok());
    RunStarted started;
    started.run = id;
    started.plannedBatches = 20'000;
    for (const RunEvent& event : std::vector<RunEvent>{started, rowAt(12'400)}) (*writer)->publish(event);
    addCheckpoint(**writer, 12'000);
    addCheckpoint(**writer, 12'400);
    (*writer)->publish(rowAt(12'431));
    RunFinished finished;
    finished.status = end;
    finished.at = rowAt(12'431).at;
    if (end != RunStatus::Interrupted) (*writer)->publish(finished);
    EXPECT_TRUE((*writer)->flush().ok());
    return id;
  }

  void addCheckpoint(RunWriter& writer, std::int64_t batch) {
    CheckpointRecord record;
    record.id = newRecordId();
    record.at = rowAt(batch).at;
    record.at.step = batch;
    record.file = "checkpoints/" + record.id + ".ckpt";
    record.reason = CheckpointReason::Interval;
    record.verified = true;
    record.createdMs = 1'780'000'000'000 + batch;
    auto file = CheckpointWriter::create(workspace_.workspace()->folder() / record.file, 64);
    ASSERT_TRUE(file.ok());
    const std::array<std::byte, 64> bytes{};
    ASSERT_TRUE(file->add({"model/weight", "bytes", {}, 64}, bytes).ok());
    ASSERT_TRUE(file->finish({}).ok());
    record.bytes = 64;
    ASSERT_TRUE(writer.addCheckpoint(record).ok());
    CheckpointSaved saved;
    saved.id = record.id;
    saved.at = record.at;
    saved.bytes = record.bytes;
    saved.reason = record.reason;
    writer.publish(saved);
  }

  TempFolder folder_;
  FakeRun fake_;
  std::vector<RunLocation> places_;
  Theme theme_;
  StudioSettings settings_{QString::fromStdString((folder_ / "studio.ini").string()), /*gpus=*/0};
  std::shared_ptr<FakeTrainer> trainer_ = std::make_shared<FakeTrainer>();
  StudioParts parts_{theme_, settings_,
                     [this](RunLocation place, EventSink& events) {
                       places_.push_back(place);
                       return std::make_unique<FakeRunController>(fake_, events);
                     },
                     [this]() -> Result<std::shared_ptr<Trainer>> { return {trainer_}; }};
  TaskQueue &tasks_ = parts_.tasks, &slow_ = parts_.slow;
  WorkspacePresenter& workspace_ = parts_.workspace;
  RunPresenter& run_ = parts_.run;
  RunsPresenter& presenter_ = parts_.runs;
  EditPresenter& edit_ = parts_.edit;
  ResumePresenter& resume_ = parts_.resume;
  CheckpointsPresenter& checkpoints_ = parts_.checkpoints;
};

/// The whole window on these parts.
class WindowTest : public StudioTest {
 protected:
  WindowTest() {
    window_.resize(1366, 768);
    window_.show();
  }

  void SetUp() override {
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_));
    StudioTest::SetUp();
  }

  void TearDown() override {
    window_.setClosingQuestion([] { return ClosingChoice::Cancel; });
    StudioTest::TearDown();
  }

  QAbstractButton* button(const char* name) { return window_.findChild<QAbstractButton*>(QString::fromLatin1(name)); }
  QAction* action(const QString& text) {
    for (QAction* each : window_.findChildren<QAction*>())
      if (each->text().remove(QLatin1Char('&')).startsWith(text)) return each;
    return nullptr;
  }
  /// A launch waits for the plan of the draft; this waits first, so that it acts at once.
  void launchWithPlan() {
    ASSERT_TRUE(comesTrue([&] { return edit_.isPreviewCurrent(); }));
    action(QStringLiteral("Launch"))->trigger();
  }
  MessageBar& message() { return *window_.findChild<MessageBar*>(); }
  /// The visible button of the message whose words begin so; null if there is none.
  QAbstractButton* offered(const char* words) {
    for (QAbstractButton* each : message().findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text().startsWith(QString::fromUtf8(words))) return each;
    return nullptr;
  }
  void takeOffer(const char* words) {
    ASSERT_NE(offered(words), nullptr) << message().text().toStdString();
    QTest::mouseClick(offered(words), Qt::LeftButton);
  }
  /// Presses the button with `words` of the question that `ask` leads to; returns the texts of the question.
  QString questionAfter(const QString& words, const std::function<void()>& ask) {
    QString asked;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &window_, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      poll.stop();
      asked = box->text() + box->informativeText();
      for (QAbstractButton* each : box->buttons())
        if (each->text().contains(words)) return each->click();
      ADD_FAILURE() << "no button '" << words.toStdString() << "'";
      box->reject();
    });
    poll.start(10);
    ask();
    EXPECT_TRUE(comesTrue([&] { return !asked.isEmpty(); })) << words.toStdString();
    return asked;
  }
  QLineEdit* lineNamed(const char* accessibleName) {
    for (QLineEdit* each : window_.findChildren<QLineEdit*>())
      if (each->accessibleName() == QString::fromUtf8(accessibleName)) return each;
    return nullptr;
  }
  /// Chooses from a menu that is made when it opens.
  void chooseFrom(const char* menuName, const QString& text) {
    auto* menu = window_.findChild<QMenu*>(QString::fromUtf8(menuName));
    Q_EMIT menu->aboutToShow();
    for (QAction* each : menu->actions())
      if (each->text() == text) each->trigger();
  }
  void openPage(const char* name) {
    window_.findChild<QAction*>(QStringLiteral("command.page_") + QString::fromLatin1(name))->trigger();
    QTest::qWait(50);
  }

  MainWindow window_{parts_};
};

}  // namespace batchwise::test
