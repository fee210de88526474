// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration of the next run in the window: undone, kept over a kill, duplicated, swept, queued, and why Launch
// is off.
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <algorithm>
#include <functional>

#include "core/base/file.h"
#include "tests/support/small_disk.h"
#include "tests/ui/window_fixture.h"
#include "ui/edit/config_form.h"
#include "ui/edit/edit_page.h"
#include "ui/edit/field_values.h"
#include "ui/edit/import_window.h"
#include "ui/edit/preview_pane.h"
#include "ui/edit/section_table.h"
#include "ui/edit/sweep_window.h"
#include "ui/edit/yaml_editor.h"
#include "ui/list/record_models.h"
#include "ui/parts/display_text.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/studio_parts.h"

namespace batchwise {
namespace {

class WindowEditTest : public test::WindowTest {
 protected:
  QLineEdit* line(const char* path) { return window_.findChild<QLineEdit*>(QString::fromLatin1(path)); }
  void openEdit() {
    action(QStringLiteral("New run"))->trigger();
    // Made after the form.
    EXPECT_TRUE(test::comesTrue([&] { return window_.findChild<QLabel*>(QStringLiteral("previewedRun")) != nullptr; }));
  }
  void type(QLineEdit* into, const QString& text) {
    into->setFocus();
    into->selectAll();
    QTest::keyClicks(into, text);
  }
  QString changes() { return window_.findChild<QLabel*>(QStringLiteral("changes"))->text(); }
  QAbstractItemModel& queue() { return *window_.findChild<QAbstractItemView*>(QStringLiteral("queue"))->model(); }
  void queueRuns(std::initializer_list<const char*> names) {
    openEdit();
    for (const char* name : names) {
      edit_.draft().setText("name", QString::fromLatin1(name));
      action(QStringLiteral("Add to the queue"))->trigger();
    }
    ASSERT_TRUE(test::comesTrue([&] { return queue().rowCount() == static_cast<int>(names.size()); }));
  }
  QString queued(int row, int column) { return queue().index(row, column).data().toString(); }
};

TEST_F(WindowEditTest, TabComesToTheButtonsAfterTheFormAndThePlan) {
  openEdit();
  const auto follows = [](QWidget* first, const QWidget* second) {
    for (QWidget* each = first; each != first->window(); each = each->nextInFocusChain())
      if (each == second) return true;
    return false;
  };
  for (const char* path : {"name", "launch.tags"}) EXPECT_TRUE(follows(line(path), button("launch"))) << path;
  EXPECT_TRUE(follows(window_.findChild<QWidget*>(QStringLiteral("planStages")), button("launch")));
  EXPECT_TRUE(follows(button("enqueue"), button("launch")));
  EXPECT_TRUE(follows(button("sweep"), line("name"))) << "the search stands above the form";
}

TEST_F(WindowEditTest, TabGoesFromSettingToSettingAndAKeyResetsTheOneInUse) {
  openEdit();
  const QString before = line("seed")->text();
  type(line("seed"), QStringLiteral("41"));
  QTest::keyClick(line("seed"), Qt::Key_R, Qt::ControlModifier);
  EXPECT_EQ(line("seed")->text(), before);
  type(line("seed"), QStringLiteral("41"));
  QTest::keyClick(line("seed"), Qt::Key_Tab);
  ASSERT_NE(QApplication::focusWidget(), nullptr);
  EXPECT_NE(findField(QApplication::focusWidget()->objectName().toStdString()), nullptr)
      << "the next setting, and not the button that resets this one";
}

TEST_F(WindowEditTest, OneStackUndoesFormTextAndReset) {
  openEdit();
  const QString before = edit_.draft().text("seed");
  const QString precision = edit_.draft().text("precision");
  type(line("seed"), QStringLiteral("41"));
  EXPECT_EQ(edit_.draft().text("seed"), QStringLiteral("41"));
  edit_.draft().setText("precision", QStringLiteral("bf16"));
  edit_.draft().setYaml(edit_.draft().yaml() + QStringLiteral("lr_scaling: {method: linear}\n"));
  edit_.draft().reset("seed");
  // The keys of a line that is being typed into act on the whole draft.
  line("name")->setFocus();
  QTest::keyClick(line("name"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(edit_.draft().text("seed"), QStringLiteral("41"));
  QTest::keyClick(line("name"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(edit_.draft().text("lr_scaling.method"), QStringLiteral("none"));
  QTest::keyClick(line("name"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(edit_.draft().text("precision"), precision);
  QTest::keyClick(line("name"), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(edit_.draft().text("seed"), before);
  EXPECT_EQ(line("seed")->text(), before);
  QTest::keyClick(line("name"), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(line("seed")->text(), QStringLiteral("41"));
}

TEST_F(WindowEditTest, WhatIsTypedIntoTheTextIsTakenBeforeItIsUndone) {
  openEdit();
  auto* tabs = window_.findChild<EditPage*>()->findChild<QTabWidget*>();
  tabs->setCurrentIndex(1);
  auto* editor = window_.findChild<YamlEditor*>();
  auto* text = window_.findChild<QWidget*>(QStringLiteral("yaml"));
  const QString before = editor->text();
  text->setFocus();
  QTest::keyClick(text, Qt::Key_End, Qt::ControlModifier);
  QTest::keyClicks(text, QStringLiteral("precision: bf16"));
  QTest::keyClick(text, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(editor->text(), before);
  action(QStringLiteral("Redo"))->trigger();
  EXPECT_EQ(edit_.draft().text("precision"), QStringLiteral("bf16"));
}

TEST_F(WindowEditTest, HelpStandsAtOnePlaceAndNoFieldMoves) {
  openEdit();
  auto* help = window_.findChild<QLabel*>(QStringLiteral("help"));
  const auto placeOf = [&](const char* path) { return line(path)->mapTo(&window_, QPoint()); };
  const QPoint before = placeOf("optimizer.lr");
  line("max_duration")->setFocus();
  EXPECT_TRUE(help->text().startsWith(QStringLiteral("Length of the run"))) << help->text().toStdString();
  EXPECT_EQ(placeOf("optimizer.lr"), before);
  line("seed")->setFocus();
  EXPECT_TRUE(help->text().startsWith(QStringLiteral("Random seed")));
  EXPECT_EQ(placeOf("optimizer.lr"), before);
}

TEST_F(WindowEditTest, ASearchWithoutAResultSaysSoAndCanBeCleared) {
  openEdit();
  QLineEdit* search = lineNamed("Find a setting");
  ASSERT_NE(search, nullptr);
  search->setText(QStringLiteral("zzz"));
  auto* nothing = window_.findChild<QWidget*>(QStringLiteral("nothingFound"));
  ASSERT_TRUE(nothing->isVisible());
  EXPECT_EQ(nothing->findChild<QLabel*>()->text(), QStringLiteral("No field found for “zzz”"));
  nothing->findChild<QPushButton*>()->click();
  EXPECT_TRUE(search->text().isEmpty());
  EXPECT_FALSE(nothing->isVisible());
}

TEST_F(WindowEditTest, TextThatCannotBeReadIsNotReplacedByFormOrSweep) {
  openEdit();
  auto* page = window_.findChild<EditPage*>();
  auto* note = window_.findChild<QLabel*>(QStringLiteral("unreadText"));
  ASSERT_NE(note, nullptr);
  EXPECT_FALSE(note->isVisible());
  const QString broken = edit_.draft().yaml() + QStringLiteral("optimzer: {lr: 1}\n");
  edit_.draft().setYaml(broken);
  EXPECT_TRUE(note->isVisible());
  EXPECT_TRUE(note->text().contains(QStringLiteral("under YAML")));
  EXPECT_FALSE(line("seed")->isEnabled());
  EXPECT_FALSE(button("sweep")->isEnabled());
  page->editSweep({});  // as the command palette does
  EXPECT_EQ(window_.findChild<SweepWindow*>(), nullptr);
  EXPECT_EQ(page->findChild<QTabWidget*>()->currentIndex(), 1) << "where it can be corrected";
  auto* editor = window_.findChild<YamlEditor*>();
  ASSERT_FALSE(editor->marks().empty());
  EXPECT_FALSE(editor->fixesAt(editor->marks().front().issue.line).empty());
  editor->showNextProblem();
  EXPECT_EQ(edit_.draft().yaml(), broken);
  page->findChild<QTabWidget*>()->setCurrentIndex(0);
  action(QStringLiteral("Undo"))->trigger();
  EXPECT_FALSE(note->isVisible());
  EXPECT_TRUE(line("seed")->isEnabled());
  EXPECT_TRUE(button("sweep")->isEnabled());
}

TEST_F(WindowEditTest, AnotherConfigurationCanBeUndoneToo) {
  openEdit();
  edit_.draft().setText("seed", QStringLiteral("41"));
  openEdit();
  EXPECT_NE(edit_.draft().text("seed"), QStringLiteral("41"));
  action(QStringLiteral("Undo"))->trigger();
  EXPECT_EQ(edit_.draft().text("seed"), QStringLiteral("41"));
}

TEST_F(WindowEditTest, TheDraftIsThereAgainAfterAKill) {
  openEdit();
  edit_.draft().setText("seed", QStringLiteral("41"));
  edit_.draft().setText("optimizer.lr", QStringLiteral("fast"));
  auto workspace = workspace_.workspace();
  const auto isKept = [&] { return workspace->setting("draft")->value_or("").find("fast") != std::string::npos; };
  ASSERT_TRUE(test::comesTrue(isKept));
  // Another program that opens the workspace; this one is never told that it ends.
  TaskQueue tasks;
  EditPresenter again(tasks);
  again.loadPreset(QStringLiteral("demo"));
  again.storeDraftIn(workspace);
  ASSERT_TRUE(test::comesTrue([&] { return again.draft().text("seed") == QStringLiteral("41"); }));
  EXPECT_EQ(again.draft().text("optimizer.lr"), QStringLiteral("fast"));
  EXPECT_FALSE(again.draft().error("optimizer.lr").isEmpty());
  EXPECT_EQ(again.draft().parent(), QStringLiteral("demo"));
  EXPECT_EQ(again.draft().changedFields(), (std::vector<std::string>{"seed", "optimizer.lr"}));
}

TEST_F(WindowEditTest, AClosingWindowWritesADraftAgainThatCouldNotBeWritten) {
  openEdit();
  QSignalSpy written(&edit_, &EditPresenter::draftWritten);
  const auto fail = [&](const char* seed) {
    edit_.draft().setText("seed", QString::fromLatin1(seed));
    edit_.saveDraftNow();
    ASSERT_TRUE(written.wait());
    ASSERT_TRUE(edit_.saveFailed());
  };
  const auto saved = [&] { return workspace_.workspace()->setting("draft")->value_or(""); };
  {
    const test::SmallDisk full(0);
    ASSERT_NO_FATAL_FAILURE(fail("43"));
    EXPECT_FALSE(window_.close());
    ASSERT_TRUE(written.wait());
    EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("as the draft")); }));
    EXPECT_TRUE(window_.isVisible());
    EXPECT_TRUE(window_.close()) << "without the draft";
    ASSERT_TRUE(written.wait());
    window_.show();
    ASSERT_NO_FATAL_FAILURE(fail("44"));
  }
  EXPECT_FALSE(window_.close()) << "not before it is written";
  EXPECT_TRUE(test::comesTrue([&] { return !window_.isVisible(); }));
  EXPECT_NE(saved().find("seed: 44"), std::string::npos);
}

TEST_F(WindowEditTest, ADraftIsNotSavedIntoAWorkspaceThatWasOnlyOpened) {
  openEdit();
  edit_.draft().setText("seed", QStringLiteral("43"));
  edit_.saveDraftNow();
  awaitTasks();
  const auto other = Workspace::open(folder_ / "other");
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE((*other)->saveSetting("draft", "of the other").ok());
  edit_.storeDraftIn(*other);
  edit_.saveDraftNow();
  awaitTasks();
  EXPECT_EQ((*other)->setting("draft")->value_or(""), "of the other");
}

TEST_F(WindowEditTest, AKeptDraftIsOneUndoAwayFromTheFileThatWasAskedFor) {
  openEdit();
  edit_.draft().setText("seed", QStringLiteral("43"));
  edit_.saveDraftNow();
  awaitTasks();
  const auto file = folder_ / "asked.yaml";
  ASSERT_TRUE(writeFileAtomically(file, "name: asked\nseed: 5\n").ok());
  TaskQueue tasks;
  EditPresenter again(tasks);
  DraftHistory history(again.draft());
  again.loadFile(QString::fromStdString(file.string()));
  ASSERT_TRUE(test::comesTrue([&] { return again.draft().parent() == QStringLiteral("asked.yaml"); }));
  again.storeDraftIn(workspace_.workspace());
  ASSERT_TRUE(test::comesTrue([&] { return history.stack().canUndo(); }));
  EXPECT_EQ(again.draft().text("seed"), QStringLiteral("5"));
  history.stack().undo();
  EXPECT_EQ(again.draft().text("seed"), QStringLiteral("43"));
}

TEST_F(WindowEditTest, ADuplicateOrAFileIsThereAgainThoughNothingWasEdited) {
  TaskQueue tasks;
  const auto restored = [&] {
    edit_.saveDraftNow();
    awaitTasks();
    EditPresenter again(tasks);
    again.loadPreset(QStringLiteral("demo"));
    QSignalSpy arrived(&again, &EditPresenter::draftRestored);
    again.storeDraftIn(workspace_.workspace());
    test::comesTrue([&] { return !arrived.isEmpty() || again.isPreviewCurrent(); });
    return again.draft().parent();
  };
  openEdit();
  const auto file = folder_ / "own.yaml";
  ASSERT_TRUE(writeFileAtomically(file, "name: own\nseed: 5\n").ok());
  edit_.loadFile(toQt(file.string()));
  ASSERT_TRUE(test::comesTrue([&] { return edit_.draft().parent() == QStringLiteral("own.yaml"); }));
  EXPECT_EQ(restored(), QStringLiteral("own.yaml"));
  edit_.loadRun(*workspace_.workspace()->findRun(storeStoppedRun()), QStringLiteral("stopped-2"));
  EXPECT_EQ(restored(), QStringLiteral("stopped"));
}

TEST_F(WindowEditTest, AFileThatIsMissingIsNamedOnce) {
  QSignalSpy failed(&edit_, &EditPresenter::failed);
  edit_.loadFile(QStringLiteral("/no/such.yaml"));
  ASSERT_TRUE(test::comesTrue([&] { return failed.size() == 1; }));
  const QString text = failed.front().front().toString();
  EXPECT_EQ(text.count(QStringLiteral("/no/such.yaml")), 1) << text.toStdString();
  EXPECT_FALSE(text.contains(QStringLiteral("demo"))) << text.toStdString();
}

TEST_F(WindowEditTest, ADuplicateTellsInWhatItDiffers) {
  openEdit();
  EXPECT_EQ(changes(), QStringLiteral("Same settings as the preset demo"));
  selectStored(storeStoppedRun());
  QTest::keyClick(&window_, Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(button("launch")->isVisible());
  EXPECT_EQ(edit_.draft().text("name"), QStringLiteral("stopped-2"));
  EXPECT_EQ(changes(), QStringLiteral("Same settings as stopped"));
  edit_.draft().setText("optimizer.lr", QStringLiteral("3e-3"));
  EXPECT_EQ(changes(), QStringLiteral("Differs from stopped in 1 setting: Peak learning rate"));
  edit_.draft().setText("batch.rampup.duration", QStringLiteral("0.25dur"));
  edit_.draft().setText("batch.rampup.initial_global_train_batch_size", QStringLiteral("8"));
  edit_.draft().setText("batch.device_train_microbatch_size", QStringLiteral("8"));
  EXPECT_TRUE(changes().startsWith(QStringLiteral("Differs from stopped in 4 settings")));
  ASSERT_TRUE(test::comesTrue([&] { return !edit_.preview().plan.stages.empty(); }));
}

TEST_F(WindowEditTest, TheRunIsNamedAsTheStoreWillNameIt) {
  storeRun("ramp", RunStatus::Stopped);
  workspace_.refresh();
  openEdit();
  edit_.draft().setText("name", QStringLiteral("ramp"));
  const auto* ready = window_.findChild<QLabel*>(QStringLiteral("readiness"));
  EXPECT_TRUE(test::comesTrue([&] { return ready->text().contains(QStringLiteral("ramp-2")); }))
      << ready->text().toStdString();
  storeRun("ramp", RunStatus::Stopped);
  workspace_.refresh();
  EXPECT_TRUE(test::comesTrue([&] { return ready->text().contains(QStringLiteral("ramp-3")); }))
      << ready->text().toStdString();
  const std::string third = storeRun("ramp", RunStatus::Stopped);
  EXPECT_EQ(workspace_.workspace()->findRun(third)->summary.name, "ramp-3");
}

TEST_F(WindowEditTest, ARenamedRunIsDuplicatedByItsNewName) {
  const std::string id = storeStoppedRun();
  selectStored(id);
  ASSERT_TRUE(workspace_.workspace()->renameRun(id, "renamed").ok());
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.selectedView().detail.summary.name == "renamed"; }));
  QTest::keyClick(&window_, Qt::Key_D, Qt::ControlModifier);
  EXPECT_EQ(edit_.draft().text("name"), QStringLiteral("renamed-2"));
}

TEST_F(WindowEditTest, APreviewBesideErrorsSaysThatItIsOfTheLastValidSettings) {
  openEdit();
  ASSERT_TRUE(test::comesTrue([&] { return edit_.preview().estimates.memory.has_value(); }));
  auto* outdated = window_.findChild<QLabel*>(QStringLiteral("outdatedPreview"));
  EXPECT_FALSE(outdated->isVisible());
  edit_.draft().setText("optimizer.lr", QStringLiteral("fast"));
  EXPECT_TRUE(test::comesTrue([&] { return outdated->isVisible(); }));
  edit_.draft().setText("optimizer.lr", QStringLiteral("2e-3"));
  EXPECT_TRUE(test::comesTrue([&] { return !outdated->isVisible(); }));
}

TEST_F(WindowEditTest, AStepThatIsTooLargeIsAWarningAndNoObstacle) {
  openEdit();
  edit_.draft().setText("devices.use", QStringLiteral("cpu"));
  edit_.draft().setText("devices.memory_limit", QStringLiteral("16MiB"));
  ASSERT_TRUE(test::comesTrue([&] { return !edit_.findings().empty(); }));
  EXPECT_TRUE(button("launch")->isEnabled());
  EXPECT_EQ(edit_.findings().front().field, "batch.device_train_microbatch_size");
}

TEST_F(WindowEditTest, LaunchSaysWhatTheMachineLacksAndWhatWouldDo) {
  openEdit();
  edit_.draft().setYaml(QStringLiteral("data: {train: [nowhere/*.txt]}\nmax_duration: 9ba\n"));
  ASSERT_TRUE(test::comesTrue([&] { return !edit_.findings().empty(); }));
  EXPECT_FALSE(button("launch")->isEnabled());
  EXPECT_TRUE(button("launch")->toolTip().contains(QStringLiteral("nowhere")));
  EXPECT_TRUE(button("launch")->toolTip().contains(QStringLiteral("Remedy")));
  EXPECT_FALSE(action(QStringLiteral("Launch"))->isEnabled());
}

TEST_F(WindowEditTest, TheDemoStartsWhateverTheDraftBeforeItLacks) {
  edit_.draft().setYaml(QStringLiteral("data: {train: [nowhere/*.txt]}\nmax_duration: 9ba\n"));
  ASSERT_TRUE(test::comesTrue([&] { return !edit_.blockingProblem().isEmpty(); }));
  ASSERT_TRUE(test::comesTrue([&] { return button("tryDemo")->isVisible() && button("tryDemo")->isEnabled(); }));
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  ASSERT_EQ(fake_.requests.size(), 1u);
  EXPECT_EQ(fake_.requests[0].config.config.data.format, TextFormat::Demo);
}

TEST_F(WindowEditTest, ACellThatIsBeingEditedIsTakenByTheLaunch) {
  openEdit();
  edit_.draft().setYaml(
      QStringLiteral("data: {format: demo}\nmax_duration: 90ba\nscheduler: {name: chain, parts: [{name: constant, "
                     "duration: 9ba}, {name: linear, duration: rest}]}\n"));
  ASSERT_TRUE(edit_.draft().ready());
  window_.findChild<EditPage*>()->showSetting("scheduler.parts");
  auto* cells = window_.findChild<ConfigForm*>()->editor("scheduler.parts")->table()->findChild<QTableWidget*>();
  ASSERT_TRUE(test::comesTrue([&] { return cells->isVisible(); }));
  cells->editItem(cells->item(0, 1));
  auto* cell = cells->findChild<QLineEdit*>();
  ASSERT_NE(cell, nullptr);
  ASSERT_TRUE(test::comesTrue([&] { return cell->hasFocus(); }));
  cell->setText(QStringLiteral("20ba"));
  action(QStringLiteral("Launch"))->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  const SchedulerConfig& scheduler = fake_.requests[0].config.config.scheduler;
  ASSERT_EQ(scheduler.parts.size(), 2u);
  ASSERT_TRUE(scheduler.parts[0].length.has_value());
  EXPECT_EQ(scheduler.parts[0].length->text(), "20ba");
}

TEST_F(WindowEditTest, AnotherTrainersFileBecomesTheDraftOnceItsAccountWasSeen) {
  const auto file = folder_ / "peer.json";
  ASSERT_TRUE(writeFileAtomically(file, R"({"train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 4,
                                            "steps_per_print": 10})")
                  .ok());
  auto* commands = window_.findChild<NewRunCommands*>();
  const auto open = [&](const std::function<void(ImportWindow&)>& answer) {
    bool answered = false;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &window_, [&] {
      auto* account = window_.findChild<ImportWindow*>();
      if (account == nullptr || !account->isVisible()) return;
      poll.stop();
      answered = true;
      answer(*account);
    });
    poll.start(10);
    commands->editExternalConfig(QString::fromStdString(file.string()));
    ASSERT_TRUE(test::comesTrue([&] { return answered && window_.findChild<ImportWindow*>() == nullptr; }));
  };
  openEdit();
  const TrainConfig before = edit_.draft().config();
  open([](ImportWindow& account) { account.reject(); });
  EXPECT_EQ(edit_.draft().config(), before);
  open([](ImportWindow& account) {
    auto* rows = account.findChild<QTreeWidget*>(QStringLiteral("importAccount"));
    EXPECT_EQ(rows->findItems(QStringLiteral("steps_per_print = 10"), Qt::MatchRecursive).size(), 1);
    account.findChild<QComboBox*>(QStringLiteral("importFormat"))->setCurrentIndex(1);
    EXPECT_EQ(account.imported().has_value(),
              account.findChild<QPushButton*>(QStringLiteral("importUse"))->isEnabled());
    account.findChild<QComboBox*>(QStringLiteral("importFormat"))->setCurrentIndex(0);
    account.findChild<QSpinBox*>(QStringLiteral("importDevices"))->setValue(2);
    account.findChild<QPushButton*>(QStringLiteral("importUse"))->click();
  });
  EXPECT_EQ(edit_.draft().config().batch.globalTrainBatchSize, 64);
  EXPECT_EQ(edit_.draft().text("batch.device_train_microbatch_size"), QStringLiteral("8"));
  EXPECT_EQ(edit_.draft().parent(), QStringLiteral("peer.json"));
}

TEST_F(WindowEditTest, AFileThatWouldTrainAnotherModelIsImportedPartlyOnly) {
  ImportWindow account(QStringLiteral("mosaic.yaml"), "max_duration: 1ep\nseed: 3\nmodel: {name: mosaic_bert}\n",
                       theme_, &window_);
  auto* use = account.findChild<QPushButton*>(QStringLiteral("importUse"));
  EXPECT_FALSE(account.imported().has_value());
  EXPECT_FALSE(use->isEnabled());
  const auto labels = account.findChildren<QLabel*>();
  const auto says = [&](const char* words) {
    return std::ranges::any_of(labels,
                               [&](const QLabel* label) { return label->text().contains(QLatin1String(words)); });
  };
  EXPECT_TRUE(says("mosaic_bert"));
  EXPECT_TRUE(says("A partial import takes the rest"));
  EXPECT_FALSE(says("--"));
  account.findChild<QCheckBox*>(QStringLiteral("importPartly"))->setChecked(true);
  ASSERT_TRUE(account.imported().has_value());
  EXPECT_TRUE(use->isEnabled());
  auto* rows = account.findChild<QTreeWidget*>(QStringLiteral("importAccount"));
  EXPECT_EQ(rows->topLevelItem(0)->text(0), QStringLiteral("Not theirs: 1"));
  EXPECT_EQ(rows->topLevelItem(0)->child(0)->text(0), QStringLiteral("model.name = mosaic_bert"));
}

TEST_F(WindowEditTest, SeveralValuesMakeAGridWithACountBeforeTheLaunch) {
  QAbstractItemModelTester tester(&queue());
  openEdit();
  type(line("optimizer.lr"), QStringLiteral("1e-3, 2e-3"));
  edit_.draft().setText("seed", QStringLiteral("1, 2, 3"));
  EXPECT_EQ(edit_.draft().runs(), 6);
  EXPECT_EQ(button("launch")->text(), QStringLiteral("Launch 6 runs"));
  EXPECT_TRUE(edit_.draft().yaml().contains(QStringLiteral("[1, 2, 3]")));
  auto* which = window_.findChild<QLabel*>(QStringLiteral("previewedRun"));
  EXPECT_TRUE(
      test::comesTrue([&] { return which->text().startsWith(QStringLiteral("The preview shows run 1 of 6")); }));
  auto* runs = window_.findChild<QAbstractItemView*>(QStringLiteral("planRuns"));
  ASSERT_TRUE(test::comesTrue([&] { return runs->model()->rowCount() == 7; }));
  runs->setCurrentIndex(runs->model()->index(6, 0));
  EXPECT_TRUE(test::comesTrue([&] {
    return which->text().startsWith(QStringLiteral("The preview shows run 6 of 6")) &&
           which->text().contains(QStringLiteral("Random seed 3"));
  }));
  QTest::mouseClick(button("launch"), Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return queue().rowCount() == 6 && fake_.requests.size() == 1; }));
  EXPECT_EQ(fake_.requests[0].config.config.seed, 1);
  EXPECT_TRUE(queued(5, QueueModel::NameColumn).contains(QStringLiteral("seed=3")));
}

TEST_F(WindowEditTest, ThePlanOfASweepWithARampOverprintsNothingWhateverTheHeight) {
  openEdit();
  for (const auto& [path, values] :
       std::vector<std::pair<const char*, const char*>>{{"batch.device_train_microbatch_size", "4"},
                                                        {"batch.rampup.initial_global_train_batch_size", "8"},
                                                        {"batch.rampup.duration", "30ba, 40ba, 50ba"},
                                                        {"optimizer.lr", "1e-3, 2e-3"},
                                                        {"seed", "17, 18"}})
    edit_.draft().setText(path, QString::fromLatin1(values));
  auto* pane = window_.findChild<PreviewPane*>();
  auto* runs = pane->findChild<QAbstractItemView*>(QStringLiteral("planRuns"));
  auto* facts = pane->findChild<QWidget*>(QStringLiteral("planFacts"));
  ASSERT_TRUE(test::comesTrue([&] { return runs->model()->rowCount() == 13 && facts->isVisible(); }));
  runs->setCurrentIndex(runs->model()->index(2, 0));
  for (const int height : {900, 860, 820, 780, 740, 700, 660, 620}) {
    SCOPED_TRACE(height);
    window_.resize(1366, height);
    QTest::qWait(30);
    test::expectNothingCutOrOverlapping(*pane->widget());
    test::expectNothingCutOrOverlapping(*facts);
    EXPECT_GE(pane->widget()->height(), pane->widget()->layout()->totalMinimumHeightForWidth(pane->widget()->width()));
  }
  window_.resize(1366, 820);
}

TEST_F(WindowEditTest, ALongLabelLeavesTheTextOfItsWarningTwoThirds) {
  WarningList list;
  list.resize(300, 200);
  list.show();
  list.setWarnings({{"lr_scaling.reference_batch_size", "is not what it was"},
                    {"batch.rampup.initial_global_train_batch_size", "is large"}});
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&list));
  for (const auto& [width, scale] :
       {std::pair(300, 1.0), std::pair(700, 1.0), std::pair(400, 1.0), std::pair(400, 2.0)}) {
    list.resize(width, 200);
    theme_.setTextScale(scale);
    QTest::qWait(20);
    for (const auto* field : list.findChildren<QToolButton*>(QStringLiteral("warningField"))) {
      const QString text = field->text();
      EXPECT_FALSE(text.isEmpty());
      for (const QString& line : text.split(u'\n'))
        EXPECT_TRUE(!line.contains(u' ') || field->fontMetrics().horizontalAdvance(line) <= width / 3)
            << line.toStdString();
    }
  }
}

TEST_F(WindowEditTest, AnExperimentIsMadeInTheSweepEditorAndQueuedWithAnUndo) {
  openEdit();
  edit_.draft().setText("experiment", QStringLiteral("ramp"));
  QTest::mouseClick(button("sweep"), Qt::LeftButton);
  auto* sweep = window_.findChild<SweepWindow*>();
  ASSERT_NE(sweep, nullptr);
  QTest::mouseClick(sweep->findChild<QPushButton*>(QStringLiteral("sweepAdd")), Qt::LeftButton);
  const auto fields = sweep->findChildren<QComboBox*>(QStringLiteral("sweepField"));
  const auto values = sweep->findChildren<QLineEdit*>(QStringLiteral("sweepValues"));
  ASSERT_EQ(values.size(), 2);
  fields[1]->setCurrentIndex(fields[1]->findData(QStringLiteral("variant")));
  EXPECT_NE(values[0]->accessibleName(), values[1]->accessibleName()) << "they name their fields";
  type(values[0], QStringLiteral("1..3 x3"));
  type(values[1], QStringLiteral("short, long"));
  auto* summary = sweep->findChild<QLabel*>(QStringLiteral("sweepSummary"));
  ASSERT_TRUE(test::comesTrue([&] { return summary->text().startsWith(QStringLiteral("6 runs")); }));
  EXPECT_EQ(edit_.draft().runs(), 1) << "only Apply changes the draft";
  sweep->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
  EXPECT_EQ(edit_.draft().config().experiment, "ramp");
  EXPECT_EQ(button("launch")->text(), QStringLiteral("Launch 6 runs"));
  auto* runs = window_.findChild<QAbstractItemView*>(QStringLiteral("planRuns"));
  EXPECT_TRUE(test::comesTrue([&] { return runs->model()->rowCount() == 7; })) << "the total and six runs";
  QTest::mouseClick(button("enqueue"), Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return queue().rowCount() == 6; }));
  EXPECT_EQ(queued(0, QueueModel::ExperimentColumn), QStringLiteral("ramp · short"));
  ASSERT_TRUE(test::comesTrue([&] { return offered("Undo") != nullptr; }));
  takeOffer("Undo");
  EXPECT_TRUE(test::comesTrue([&] { return queue().rowCount() == 0; }));
}

TEST_F(WindowEditTest, EnterTakesTheOnlySettingThatIsFound) {
  openEdit();
  window_.findChild<EditPage*>()->editSweep("seed");
  auto* sweep = window_.findChild<SweepWindow*>();
  ASSERT_NE(sweep, nullptr);
  auto* field = sweep->findChild<FieldChoice*>(QStringLiteral("sweepField"));
  for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Tab}) {
    field->setFocus();
    field->lineEdit()->selectAll();
    QTest::keyClicks(field->lineEdit(), QStringLiteral("gradient clip"));
    EXPECT_EQ(field->path(), "");
    QWidget* popup = QApplication::activePopupWidget();
    QTest::keyClick(popup == nullptr ? field->lineEdit() : popup, key);
    EXPECT_EQ(field->path(), "optimizer.grad_clip_norm");
    EXPECT_TRUE(sweep->isVisible()) << "Enter has not accepted the dialog";
  }
  field->lineEdit()->selectAll();
  QTest::keyClicks(field->lineEdit(), QStringLiteral("batch"));
  QTest::keyClick(field->lineEdit(), Qt::Key_Tab);
  EXPECT_EQ(field->path(), "") << "several are found";
}

TEST_F(WindowEditTest, NoRampAgainstARampNeedsNoOtherInitialSize) {
  openEdit();
  edit_.draft().setText("batch.rampup.initial_global_train_batch_size", QStringLiteral("4"));
  window_.findChild<EditPage*>()->editSweep("batch.rampup.duration");
  auto* sweep = window_.findChild<SweepWindow*>();
  ASSERT_NE(sweep, nullptr);
  auto* together = sweep->findChild<QCheckBox*>(QStringLiteral("sweepTogether"));
  EXPECT_FALSE(together->isEnabled()) << "there is no other field";
  auto* ok = sweep->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
  auto* summary = sweep->findChild<QLabel*>(QStringLiteral("sweepSummary"));
  type(sweep->findChild<QLineEdit*>(QStringLiteral("sweepValues")), QStringLiteral("none, soon"));
  EXPECT_TRUE(summary->text().contains(QStringLiteral("soon")) && !ok->isEnabled()) << summary->text().toStdString();
  type(sweep->findChild<QLineEdit*>(QStringLiteral("sweepValues")), QStringLiteral("none, 15ba"));
  EXPECT_EQ(summary->text(), QStringLiteral("2 runs"));
  ok->click();
  const auto runs = edit_.draft().loadedRuns();
  ASSERT_EQ(runs.size(), 2u);
  for (const LoadedConfig& run : runs) EXPECT_TRUE(run.ok());
  EXPECT_FALSE(runs[0].config.batch.rampup.enabled());
  EXPECT_TRUE(runs[1].config.batch.rampup.enabled());
}

TEST_F(WindowEditTest, WhatWasFoundAboutAnOlderDraftIsForgottenWhileTheDraftIsNotValid) {
  openEdit();
  edit_.draft().setText("data.format", QStringLiteral("text"));
  edit_.draft().setText("data.train", QStringLiteral("/nowhere/text.txt"));
  ASSERT_TRUE(test::comesTrue([&] { return !edit_.findings().empty(); }));
  edit_.draft().setText("optimizer.lr", QStringLiteral("fast"));
  EXPECT_TRUE(test::comesTrue([&] { return edit_.findings().empty(); }));
}

TEST_F(WindowEditTest, AnotherConfigurationIsShownWhole) {
  openEdit();
  QLineEdit* search = lineNamed("Find a setting");
  ASSERT_NE(search, nullptr);
  search->setText(QStringLiteral("ramp"));
  edit_.draft().setText("seed", QStringLiteral("5"));
  EXPECT_EQ(search->text(), QStringLiteral("ramp")) << "an edit is not another configuration";
  edit_.loadPreset(QStringLiteral("demo"));
  EXPECT_TRUE(search->text().isEmpty());
}

TEST_F(WindowEditTest, AQueueThatIsNotStartedSaysSoAndIsStartedThere) {
  openEdit();
  QTest::mouseClick(button("enqueue"), Qt::LeftButton);
  auto* start = button("startQueue");
  ASSERT_TRUE(test::comesTrue([&] { return start->isVisible(); }));
  EXPECT_EQ(button("queueCount")->text(), QStringLiteral("Queue: 1 waiting, not started"));
  QTest::mouseClick(start, Qt::LeftButton);
  EXPECT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_FALSE(start->isVisible());
  EXPECT_FALSE(button("queueCount")->text().contains(QStringLiteral("not started")));
}

TEST_F(WindowEditTest, AStoppedQueueWithOtherRunsIsNotStartedWithoutAQuestion) {
  openEdit();
  QTest::mouseClick(button("enqueue"), Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return queue().rowCount() == 1 && parts_.queue.waiting() == 1; }));
  edit_.draft().setText("seed", QStringLiteral("1, 2"));
  const auto launchAnd = [&](int answer) {
    ASSERT_TRUE(test::comesTrue([&] { return edit_.isPreviewCurrent(); }));
    bool asked = false;
    QTimer::singleShot(0, &window_, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(box, nullptr);
      asked = box->text().contains(QStringLiteral("1 other run"));
      box->buttons().at(answer)->click();
    });
    QTest::mouseClick(button("launch"), Qt::LeftButton);
    EXPECT_TRUE(asked);
  };
  launchAnd(1);
  awaitTasks();
  EXPECT_EQ(queue().rowCount(), 1) << "canceled";
  EXPECT_TRUE(fake_.requests.empty());
  launchAnd(0);
  EXPECT_TRUE(test::comesTrue([&] { return queue().rowCount() == 3 && fake_.requests.size() == 1; }));
}

TEST_F(WindowEditTest, ANewRunHasTheTextAndTheModelOfTheLastOne) {
  const std::string text = (folder_ / "own.txt").string();
  ASSERT_TRUE(writeFileAtomically(text, "Some text.").ok());
  NewRun run;
  run.name = "own";
  run.configYaml =
      "name: own\nmax_duration: 7ep\nmodel: {preset: mini}\ndata: {format: text, train: ['" + text + "']}\n";
  run.resolvedYaml = run.configYaml;
  auto writer = RunWriter::open(workspace_.workspace(), *workspace_.workspace()->createRun(run), {});
  ASSERT_TRUE(writer.ok());
  RunFinished finished;
  finished.status = RunStatus::Finished;
  (*writer)->publish(finished);
  ASSERT_TRUE((*writer)->flush().ok());
  const TrainConfig& config = edit_.draft().config();
  ASSERT_TRUE(test::comesTrue([&] {
    edit_.loadNew();
    return !config.data.train.empty();
  }));
  EXPECT_EQ(config.data.train, std::vector<std::string>{text});
  EXPECT_EQ(config.model.preset, ModelPreset::Mini);
  EXPECT_NE(config.maxDuration.text(), "7ep") << "the other settings are those of the demo";
  EXPECT_TRUE(config.name.empty());
  edit_.setRuns(workspace_.workspace(), {});
  edit_.loadNew();
  EXPECT_EQ(edit_.draft().config().data.format, TextFormat::Demo);
}

TEST_F(WindowEditTest, TheQueueTrainsOneRunAfterTheOther) {
  openEdit();
  edit_.draft().setText("name", QStringLiteral("<b>first</b>"));
  QTest::mouseClick(button("enqueue"), Qt::LeftButton);
  edit_.draft().setText("name", QStringLiteral("second"));
  QTest::mouseClick(button("enqueue"), Qt::LeftButton);
  ASSERT_TRUE(test::comesTrue([&] { return queue().rowCount() == 2; }));
  EXPECT_TRUE(fake_.requests.empty());  // nobody has started the queue
  auto* list = window_.findChild<QAbstractItemView*>(QStringLiteral("queue"));
  list->setCurrentIndex(queue().index(1, 0));
  action(QStringLiteral("Move up"))->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return queued(0, QueueModel::NameColumn) == QStringLiteral("second"); }));
  button("queueGo")->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_EQ(fake_.requests[0].config.config.name, "second");
  beginRun();
  ASSERT_TRUE(test::comesTrue([&] { return queued(0, QueueModel::StateColumn) == QStringLiteral("Running"); }));
  fake_.finish(RunStatus::Finished);
  std::ignore = workspace_.workspace()->markDeadRuns();
  ASSERT_TRUE(test::comesTrue([&] { return queued(1, QueueModel::StateColumn) == QStringLiteral("Finished"); }));
  EXPECT_EQ(queued(0, QueueModel::NameColumn), QStringLiteral("<b>first</b>")) << "what has ended stands below";
}

TEST_F(WindowEditTest, EachQuickMoveInTheQueueCounts) {
  queueRuns({"first", "second", "third"});
  auto* list = window_.findChild<QAbstractItemView*>(QStringLiteral("queue"));
  list->setCurrentIndex(queue().index(2, 0));
  for (int i = 0; i < 2; ++i) action(QStringLiteral("Move up"))->trigger();  // before the queue is read again
  awaitTasks();
  ASSERT_TRUE(test::comesTrue([&] { return queued(2, QueueModel::NameColumn) == QStringLiteral("second"); }));
  EXPECT_EQ(queued(0, QueueModel::NameColumn), QStringLiteral("third"));
}

TEST_F(WindowEditTest, AFailureHoldsTheQueueAndSaysWhy) {
  queueRuns({"first", "second"});
  button("queueGo")->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  fake_.finish(RunStatus::Failed, "no memory");
  ASSERT_TRUE(test::comesTrue([&] { return queued(1, QueueModel::StateColumn) == QStringLiteral("Failed"); }));
  QTest::qWait(1200);  // more than one look at the queue
  EXPECT_EQ(fake_.requests.size(), 1u);
  button("queueGo")->click();
  EXPECT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 2; }));
}

TEST_F(WindowEditTest, AStartOfTheQueueOutlastsAnOlderReadOfIt) {
  queueRuns({"first", "second"});
  button("queueGo")->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  fake_.finish(RunStatus::Failed, "no memory");
  ASSERT_TRUE(test::comesTrue([&] { return !parts_.queue.pauseReason().isEmpty(); }));
  test::Gate gate(tasks_, &workspace_);
  Q_EMIT workspace_.refreshed();  // reads the queue, which is still held
  parts_.queue.start();
  gate.open();
  EXPECT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 2; }));
}

TEST_F(WindowEditTest, TheQueueLeavesTheRunThatIsBeingStudied) {
  const QString studied = QString::fromStdString(storeStoppedRun());
  parts_.selection.select(studied);
  queueRuns({"first", "second", "third"});
  button("queueGo")->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  EXPECT_EQ(parts_.selection.run(), studied) << "nothing has ended here yet";
  const QString first = QString::fromStdString(beginRun());
  ASSERT_TRUE(test::comesTrue([&] { return run_.trains(first); }));
  parts_.selection.select(first);
  fake_.finish(RunStatus::Finished);
  std::ignore = workspace_.workspace()->markDeadRuns();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 2; }));
  EXPECT_EQ(parts_.selection.run(), first) << "what is watched never changes by itself";
  const QString second = QString::fromStdString(beginRun());
  ASSERT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("The queue has started")); }));
  EXPECT_EQ(parts_.selection.run(), first);
  takeOffer("Show");
  EXPECT_EQ(parts_.selection.run(), second);
  parts_.selection.select(studied);
  fake_.finish(RunStatus::Failed, "no memory");
  ASSERT_TRUE(test::comesTrue([&] { return !run_.busy(); }));
  ASSERT_TRUE(test::comesTrue([&] { return !parts_.queue.isStarted(); }));
  button("queueGo")->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 3; }));
  EXPECT_EQ(parts_.selection.run(), studied);
}

}  // namespace
}  // namespace batchwise
