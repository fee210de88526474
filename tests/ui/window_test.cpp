// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest/QSignalSpy>
#include <algorithm>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/backups.h"
#include "core/store/journal/journal.h"
#include "core/store/workspace_folder.h"
#include "tests/support/small_disk.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/series_chart.h"
#include "ui/edit/config_form.h"
#include "ui/window/resume_commands.h"
#include "ui/window/workspace_commands.h"

namespace batchwise {
namespace {

using test::WindowTest;

TEST_F(WindowTest, TheDemoStartsByOneClick) {
  QAbstractButton* demo = button("tryDemo");
  ASSERT_NE(demo, nullptr);
  ASSERT_TRUE(test::comesTrue([&] { return demo->isVisible() && demo->isEnabled(); }));
  QTest::mouseClick(demo, Qt::LeftButton);
  ASSERT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(fake_.requests[0].config.config, loadConfig("demo").config);
  EXPECT_EQ(fake_.requests[0].workspace, workspace_.workspace()->folder());
  EXPECT_TRUE(run_.busy());
}

TEST_F(WindowTest, TheFormIsMadeWhenItIsShownFirst) {
  EXPECT_TRUE(window_.findChildren<ConfigForm*>().empty()) << "a start of the window does not wait for it";
  action(QStringLiteral("New run"))->trigger();
  ASSERT_EQ(window_.findChildren<ConfigForm*>().size(), 1);
  EXPECT_TRUE(window_.findChildren<ConfigForm*>().front()->isVisible());
}

TEST_F(WindowTest, LaunchOnTheEditPageStartsWhatWasTyped) {
  action(QStringLiteral("New run"))->trigger();
  edit_.draft().setText("max_duration", QStringLiteral("9ba"));
  QAbstractButton* launch = button("launch");
  ASSERT_TRUE(launch->isVisible());
  QTest::mouseClick(launch, Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
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
  ASSERT_TRUE(
      test::comesTrue([&] { return presenter_.hasRun() && presenter_.selectedView().series.lastBatch() == 50; }));
  EXPECT_EQ(parts_.selection.run().toStdString(), id);
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
  ASSERT_TRUE(test::comesTrue([&] {
    const auto charts = window_.findChildren<SeriesChart*>();  // those without values are taken away
    return std::count_if(charts.begin(), charts.end(),
                         [](SeriesChart* chart) { return chart->isVisible() && chart->drawnPoints() > 0; }) == 5;
  }));
  EXPECT_GE(presenter_.log().rowCount(), 1);
}

TEST_F(WindowTest, AFailedStartIsToldAndTheFormIsThereAgain) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  fake_.finish(RunStatus::Failed, "the trainer cannot be loaded");
  ASSERT_TRUE(test::comesTrue([&] { return message().isVisible(); }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("trainer cannot be loaded")));
  EXPECT_TRUE(button("launch")->isVisible());
  EXPECT_TRUE(button("launch")->isEnabled());
}

TEST_F(WindowTest, AFailureTellsWhatToDoAndHasTheButtonForIt) {
  const auto fails = [&](const std::string& run, const std::string& checkpoint, const Error& why) {
    message().clear();
    LaunchRequest request;
    request.resumeRun = run;
    ASSERT_TRUE(run_.launch(request));
    RunStarted started;
    started.run = run;
    started.name = "stopped";
    RunFinished end = failedRun(why);
    end.lastCheckpoint = checkpoint;
    fake_.publish({started, end});
    fake_.ended();
    ASSERT_TRUE(test::comesTrue([&] { return message().isVisible() && !run_.busy(); }));
  };
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  fails(id, "ab12", {ErrorCode::OutOfMemory, "step 7: CUDA out of memory. Tried to allocate 2.00 GiB", {}});
  EXPECT_TRUE(message().text().contains(QStringLiteral("Activation checkpointing"))) << message().text().toStdString();
  takeOffer("Resume…");
  ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<ResumeDialog*>() != nullptr; }));
  delete window_.findChild<ResumeDialog*>();

  const NewRun fresh = test::newDemoRun("bare");
  fails(*workspace_.workspace()->createRun(fresh), "", Error::notFound("no file matches the pattern '/corpus/*.txt'"));
  EXPECT_TRUE(message().text().contains(QStringLiteral("Training text"))) << message().text().toStdString();
  takeOffer("Duplicate the run");
  EXPECT_TRUE(test::comesTrue([&] { return edit_.draft().text("name") == QStringLiteral("bare-2"); }));

  fails(id, "ab12", {ErrorCode::Internal, "something that nobody has thought of", {}});
  auto* log = window_.findChild<QDockWidget*>(QStringLiteral("logDock"));
  log->hide();
  takeOffer("Show the log");
  EXPECT_TRUE(log->isVisible());
  EXPECT_EQ(parts_.selection.run().toStdString(), id);
  EXPECT_TRUE(message().isVisible()) << "it is read beside the log";
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
  EXPECT_TRUE(test::comesTrue([&] { return !window_.isVisible(); }));
}

TEST_F(WindowTest, WhileARunThatHangsIsSavedTheNextCloseAsksAgain) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  window_.setClosingQuestion([] { return ClosingChoice::StopAndSave; });
  window_.close();
  int asked = 0;
  window_.setSavingQuestion([&] {
    ++asked;
    return SavingChoice::Wait;
  });
  window_.close();
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(window_.isVisible());
  window_.setSavingQuestion([] { return SavingChoice::CloseAnyway; });
  window_.close();
  EXPECT_FALSE(window_.isVisible());
  EXPECT_TRUE(run_.busyInThisProcess());
}

TEST_F(WindowTest, TheQuestionWhileARunIsSavedGoesAwayWithTheRun) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  window_.setClosingQuestion([] { return ClosingChoice::StopAndSave; });
  window_.close();
  QTimer::singleShot(0, &window_, [this] {
    auto* box = window_.findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(box->text().contains(QStringLiteral("saves a checkpoint")));
    fake_.finish(RunStatus::Stopped);
  });
  window_.close();  // asks, until the run has ended
  EXPECT_TRUE(test::comesTrue([&] { return !window_.isVisible(); }));
}

TEST_F(WindowTest, ARenewedMessageIsTheNewestAndTheListOfAllIsNeverOfBefore) {
  MessageBar& bar = message();
  bar.showMessage(NoteLevel::Error, QStringLiteral("One"), {}, QStringLiteral("first"));
  bar.showMessage(NoteLevel::Error, QStringLiteral("Two"));
  bar.showMessage(NoteLevel::Error, QStringLiteral("One again"), {}, QStringLiteral("first"));
  EXPECT_EQ(bar.text(), QStringLiteral("One again"));
  const auto list = [&]() -> QWidget* {
    for (auto* each : bar.findChildren<QWidget*>(QStringLiteral("allMessages")))
      if (each->isVisible()) return each;
    return nullptr;
  };
  const auto openAll = [&] {
    for (auto* each : bar.findChildren<QToolButton*>())
      if (each->text().contains(QStringLiteral("more"))) each->click();
  };
  openAll();
  ASSERT_NE(list(), nullptr);
  bool wasOpen = true;
  bar.add({NoteLevel::Error, QStringLiteral("Offer"), {}, {}, {QStringLiteral("Take")}, [&](int) {
             wasOpen = list() != nullptr;
           }});
  EXPECT_EQ(list(), nullptr) << "it lacks the offer";
  openAll();
  ASSERT_NE(list(), nullptr);
  list()->findChild<QPushButton*>()->click();
  EXPECT_FALSE(wasOpen);
}

TEST_F(WindowTest, ARunThatCannotGoOnSaysSoUntilItDoes) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  const auto waits = [](const char* reason) {
    return RunNote{
        NoteLevel::Error, formatText("training waits and resumes by itself: {}", reason), {}, {}, NoteKind::Waiting};
  };
  fake_.publish({test::rowAt(1), waits("the disk is full")});
  ASSERT_TRUE(test::comesTrue([&] { return message().isVisible(); }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("disk is full")));
  EXPECT_EQ(run_.progress().activity, QStringLiteral("Waiting"));
  EXPECT_FALSE(run_.progress().secondsLeft.has_value()) << "nobody knows";
  QTimer::singleShot(0, &window_, [this] {
    auto* box = window_.findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(box->text().contains(QStringLiteral("demo is waiting")));
    EXPECT_TRUE(box->informativeText().contains(QStringLiteral("disk is full")));
    box->reject();
  });
  EXPECT_FALSE(ClosingGuard(run_, {}, window_).mayClose());
  message().showMessage(NoteLevel::Info, QStringLiteral("Written to a file"));
  EXPECT_TRUE(message().text().contains(QStringLiteral("disk is full"))) << "what is only good to know waits";
  EXPECT_TRUE(message().texts().contains(QStringLiteral("Written to a file")));
  fake_.publish({test::rowAt(2)});
  EXPECT_TRUE(test::comesTrue([&] { return !message().isVisible(); }));
  EXPECT_EQ(run_.progress().activity, QStringLiteral("Training"));
  fake_.publish({waits("again"), RunNote{NoteLevel::Info, "training resumes", {}, {}, NoteKind::Resumed}});
  EXPECT_TRUE(test::comesTrue([&] { return run_.progress().blockedReason.isEmpty(); }));
  fake_.publish({RunNote{NoteLevel::Error, "checkpoint 7 was not saved: it is damaged", {}}, test::rowAt(3)});
  ASSERT_TRUE(test::comesTrue([&] { return run_.progress().batches == 3; }));
  EXPECT_TRUE(message().isVisible() && message().text().contains(QStringLiteral("was not saved")))
      << "it trains on, and yet a person is to read that";
}

TEST_F(WindowTest, RunsAreReadWhileTheDiskIsTooFullForAJournal) {
  const std::filesystem::path far = folder_ / "far", here = workspace_.workspace()->folder();
  const std::string id = newRecordId();
  const NewRun run = test::newDemoRun("far away");
  for (const auto& folder : {far, here}) std::filesystem::create_directories(folder / "runs");
  {
    auto journal = JournalWriter::create(far, id, run, {});
    ASSERT_TRUE(journal.ok());
    (*journal)->publish(test::rowAt(1));
    ASSERT_TRUE((*journal)->flush().ok());
  }
  const QString told = QStringLiteral("may be out of date");
  QSignalSpy failed(&workspace_, &WorkspacePresenter::failed), refreshed(&workspace_, &WorkspacePresenter::refreshed);
  {
    const test::SmallDisk disk(4096);  // less than the database has already
    std::filesystem::rename(journalFile(far, id), journalFile(here, id));
    ASSERT_TRUE(test::comesTrue([&] { return !workspace_.syncProblem().isEmpty(); }));
    EXPECT_TRUE(message().texts().join(QLatin1Char(' ')).contains(told));
    refreshed.clear();
    EXPECT_TRUE(test::comesTrue([&] { return !refreshed.isEmpty(); }));
    EXPECT_FALSE(workspace_.syncProblem().isEmpty());
    EXPECT_TRUE(failed.isEmpty()) << "the workspace can be used";
  }
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
  EXPECT_FALSE(message().texts().join(QLatin1Char(' ')).contains(told));
}

/// With the journal of a run elsewhere, whose import takes long.
class LongImportTest : public test::WindowTest {
 protected:
  static constexpr int kRows = 100'000;

  void SetUp() override {
    WindowTest::SetUp();
    store_ = workspace_.workspace();
    const std::filesystem::path folder = store_->folder();
    std::filesystem::create_directories(folder / "runs");
    std::filesystem::create_directories(folder_ / "far" / "runs");
    const NewRun begun = test::newDemoRun("far away");
    {
      auto journal = JournalWriter::create(folder_ / "far", far_, begun, {});
      ASSERT_TRUE(journal.ok());
      for (int batch = 1; batch <= kRows; ++batch) (*journal)->publish(test::rowAt(batch));
      ASSERT_TRUE((*journal)->flush().ok());
    }
    std::filesystem::rename(journalFile(folder_ / "far", far_), journalFile(folder, far_));
  }
  std::int64_t imported() const {
    const auto run = store_->findRun(far_);
    return run.ok() ? run->summary.at.batch : 0;
  }
  bool begins() {
    return test::comesTrue([this] { return imported() > 0; });
  }

  std::shared_ptr<Workspace> store_;

 private:
  const std::string far_ = newRecordId();
};

TEST_F(LongImportTest, DelaysNoChart) {
  const std::string run = storeStoppedRun();
  ASSERT_TRUE(begins());
  parts_.selection.select(QString::fromStdString(run));
  ASSERT_TRUE(
      test::comesTrue([&] { return presenter_.hasRun() && presenter_.selectedView().detail.summary.id == run; }));
  EXPECT_LT(imported(), kRows) << "it was read after the import";
  EXPECT_TRUE(test::comesTrue([&] { return imported() == kRows; })) << "which went on";
}

TEST_F(LongImportTest, EndsWhenAnotherWorkspaceIsOpened) {
  ASSERT_TRUE(begins());
  workspace_.open(pathOf("other"));
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.workspace() != store_ && workspace_.synced(); }));
  EXPECT_LT(imported(), kRows) << "the imports of the other one do not wait for it";
  workspace_.open(QString::fromStdString(store_->folder().string()));
  EXPECT_TRUE(test::comesTrue([&] { return imported() == kRows; })) << "it goes on";
  EXPECT_EQ(workspace_.syncProblem(), QString());
}

TEST_F(WindowTest, AFileWaitsForAWorkspace) {
  const auto config = folder_ / "train.conf", other = folder_ / "other.yaml";
  ASSERT_TRUE(writeFileAtomically(config, "name: of-any-ending\n").ok());
  ASSERT_TRUE(writeFileAtomically(other, "name: of-yaml\n").ok());
  StudioParts parts(
      theme_, settings_,
      [this](RunLocation, EventSink& events) { return std::make_unique<test::FakeRunController>(fake_, events); },
      [this]() -> Result<std::shared_ptr<Trainer>> { return {trainer_}; });
  MainWindow window(parts);
  const auto loads = [&](const char* name) {
    return test::comesTrue([&] { return parts.edit.draft().text("name") == QLatin1String(name); });
  };
  const auto* reports = window.findChild<MessageBar*>();
  window.openConfig(QString::fromStdString(config.string()));
  parts.workspace.open(QStringLiteral("/proc/nowhere"));
  ASSERT_TRUE(test::comesTrue([&] { return !reports->texts().isEmpty(); }));
  EXPECT_TRUE(reports->texts().join(QLatin1Char('\n')).contains(QStringLiteral("train.conf"))) << "it is not forgotten";
  parts.workspace.open(pathOf("another"));
  EXPECT_TRUE(loads("of-any-ending")) << parts.edit.draft().text("name").toStdString();
  window.openFile(QString::fromStdString(other.string()));
  EXPECT_TRUE(loads("of-yaml"));
}

TEST_F(WindowTest, AWorkspaceThatHasGoneIsNotMadeAnew) {
  const QString gone = pathOf("unmounted");
  QSignalSpy failed(&workspace_, &WorkspacePresenter::switchFailed);
  window_.findChild<WorkspaceCommands*>()->switchTo(gone);
  ASSERT_TRUE(test::comesTrue([&] { return failed.count() == 1; }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("unmounted")));
  EXPECT_TRUE(message().text().contains(QStringLiteral("This one stays open"))) << message().text().toStdString();
  EXPECT_FALSE(QFileInfo::exists(gone));
}

TEST_F(WindowTest, ADamagedWorkspaceIsRestoredByAButton) {
  const std::filesystem::path folder = folder_ / "damaged", file = folder / kDatabaseName;
  {
    const auto store = Workspace::open(folder);
    ASSERT_TRUE(store.ok()) << store.error().text();
    const NewRun run = test::newDemoRun("back again");
    ASSERT_TRUE((*store)->createRun(run).ok());
    ASSERT_TRUE(backUpWorkspace(folder, Workspace::systemClock().wallMs()).ok());
  }
  std::string bytes = *readFile(file);
  for (std::size_t at = 2 * 4096; at < bytes.size(); at += 4096) bytes.replace(at, 2000, 2000, '\xa5');
  ASSERT_TRUE(writeFileAtomically(file, bytes).ok());
  const QString name = QString::fromStdString(folder.string());
  window_.findChild<WorkspaceCommands*>()->switchTo(name);
  ASSERT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("is damaged")); }));
  EXPECT_NE(workspace_.folder(), name) << "the other one stays open";
  QSignalSpy refreshed(&workspace_, &WorkspacePresenter::refreshed);
  ASSERT_TRUE(test::comesTrue([&] { return refreshed.size() > 1; }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("is damaged"))) << "the offer outlives the polls of that one";
  takeOffer("Restore");
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.folder() == name; }));
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
  const QString told = message().texts().join(QLatin1Char(' '));
  EXPECT_TRUE(told.contains(QStringLiteral("was restored"))) << told.toStdString();
  EXPECT_TRUE(told.contains(QStringLiteral("Restored the backup of"))) << told.toStdString();
}

TEST_F(WindowTest, AmongOtherFilesAWorkspaceIsMadeOnlyForWhoWantsIt) {
  const QString folder = pathOf("texts");
  ASSERT_TRUE(QDir().mkpath(folder));
  ASSERT_TRUE(writeFileAtomically(folder_ / "texts/input.txt", "a text\n").ok());
  const auto answer = [&](const QString& words) {
    questionAfter(words, [&] { window_.findChild<WorkspaceCommands*>()->openFolder(folder); });
  };
  answer(QStringLiteral("Cancel"));
  awaitTasks();
  EXPECT_FALSE(holdsWorkspace(folder.toStdString()));
  answer(QStringLiteral("Create a workspace here"));
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.folder() == folder; }));
  EXPECT_TRUE(holdsWorkspace(folder.toStdString()));
}

TEST_F(WindowTest, TitlesOfDocksGrowWithTheTextAndTheirButtonsWork) {
  window_.show();
  auto* dock = window_.findChild<QDockWidget*>(QStringLiteral("logDock"));
  dock->show();
  const int low = dock->titleBarWidget()->height();
  theme_.setTextScale(2.0);
  EXPECT_TRUE(test::comesTrue([&] { return dock->titleBarWidget()->height() > 1.5 * low; }));
  const auto buttons = dock->titleBarWidget()->findChildren<QToolButton*>();
  ASSERT_EQ(buttons.size(), 2);
  buttons[0]->click();
  EXPECT_TRUE(dock->isFloating());
  buttons[0]->click();
  EXPECT_FALSE(dock->isFloating());
  buttons[1]->click();
  EXPECT_FALSE(dock->isVisible());
}

TEST_F(WindowTest, NothingIsWiderThanASmallScreenAtTwiceTheFont) {
  for (const double scale : {1.0, 2.0}) {
    theme_.setTextScale(scale);
    for (const char* page : {"Edit", "Runs", "Checkpoints"}) {
      action(QString::fromLatin1(page))->trigger();
      QTest::qWait(50);
      const auto fits = [&] {
        const QSize least = window_.minimumSizeHint();
        return least.width() <= 1366 && least.height() <= 768;
      };
      EXPECT_TRUE(test::comesTrue(fits)) << page << " at " << scale << ": " << window_.minimumSizeHint().width()
                                         << " x " << window_.minimumSizeHint().height();
    }
  }
}

TEST_F(WindowTest, TheDarkAppearanceIsTakenAtOnce) {
  action(QStringLiteral("Dark"))->trigger();
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), themeColors(ColorScheme::Dark).window);
  EXPECT_EQ(settings_.appearance(), QStringLiteral("dark"));
}

}  // namespace
}  // namespace batchwise
