// SPDX-License-Identifier: GPL-3.0-or-later
// What helps a person to find things: palette, shortcuts, help, drops, alerts, notes.
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <algorithm>
#include <memory>
#include <thread>

#include "core/base/file.h"
#include "core/store/archive/run_archive.h"
#include "core/store/run_queue.h"
#include "tests/support/small_disk.h"
#include "tests/trackers/event_files.h"
#include "tests/ui/window_fixture.h"
#include "ui/bridge/desktop_session.h"
#include "ui/charts/series_chart.h"
#include "ui/edit/import_window.h"
#include "ui/list/notes_pane.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/shortcuts.h"
#include "ui/runs/chart_grid.h"
#include "ui/runs/event_models.h"
#include "ui/runs/run_series.h"
#include "ui/runs/runs_page.h"
#include "ui/window/command_palette.h"
#include "ui/window/preferences_window.h"
#include "ui/window/run_status_bar.h"
#include "ui/window/window_help.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

QStringList linksOf(const QTextDocument& text) {
  QStringList links;
  for (QTextBlock block = text.begin(); block.isValid(); block = block.next())
    for (const QTextLayout::FormatRange& range : block.textFormats())
      if (range.format.isAnchor()) links << range.format.anchorHref();
  return links;
}

class WindowToolsTest : public test::WindowTest {
 protected:
  template <class Widget>
  Widget* visible() {
    for (Widget* each : window_.findChildren<Widget*>())
      if (each->isVisible()) return each;
    return nullptr;
  }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window_, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window_, &event);
  }
  QAbstractItemModel& alerts() { return *window_.findChild<QAbstractItemView*>(QStringLiteral("alerts"))->model(); }
  static RunNote alertAt(std::int64_t batch, NoteKind kind, const std::string& text) {
    return {NoteLevel::Warning, text, test::rowAt(batch).at, {}, kind, 2, 1};
  }
  QString alert(int row) { return alerts().index(row, AlertModel::TextColumn).data().toString(); }
};

TEST_F(WindowToolsTest, ThePaletteFindsCommandsRunsAndSettings) {
  const std::string id = storeRun("<b>hostile</b>", RunStatus::Stopped);
  awaitRuns(1);
  QTest::keyClick(&window_, Qt::Key_K, Qt::ControlModifier);
  auto* palette = visible<CommandPalette>();
  ASSERT_NE(palette, nullptr);
  auto* search = palette->findChild<QLineEdit*>();
  QTest::keyClicks(search, QStringLiteral("weight decay"));
  ASSERT_GE(palette->found().size(), 1u);
  EXPECT_TRUE(palette->found().front()->detail.contains(QStringLiteral("optimizer.weight_decay")));
  QTest::keyClick(search, Qt::Key_Return);
  EXPECT_TRUE(button("launch")->isVisible());  // the field is on the page Edit
  const auto* help = window_.findChild<QLabel*>(QStringLiteral("help"));
  EXPECT_TRUE(test::comesTrue([&] { return help->text().startsWith(QStringLiteral("Weight decay")); }));
  EXPECT_TRUE(test::comesTrue([&] {
    return window_.focusWidget() != nullptr &&
           window_.focusWidget()->objectName() == QStringLiteral("optimizer.weight_decay");
  }));
  action(QStringLiteral("Find a command"))->trigger();
  QTest::keyClicks(search, QStringLiteral("hostile"));
  ASSERT_EQ(palette->found().size(), 1u);
  EXPECT_EQ(palette->found().front()->title, QStringLiteral("<b>hostile</b>"));
  QTest::keyClick(search, Qt::Key_Return);
  EXPECT_EQ(parts_.selection.run().toStdString(), id);
  action(QStringLiteral("Find a command"))->trigger();
  QTest::keyClicks(search, QStringLiteral("compare"));
  search->clear();
  QTest::keyClicks(search, QStringLiteral("export"));
  EXPECT_GE(palette->found().size(), 4u) << "of the comparison";
  QTest::keyClicks(search, QStringLiteral(" <b>nothing</b>"));
  EXPECT_EQ(palette->found().size(), 0u);
  bool told = false;
  for (const QLabel* label : palette->findChildren<QLabel*>())
    told = told || (label->isVisible() && label->text().contains(QStringLiteral("export <b>nothing</b>")) &&
                    label->textFormat() == Qt::PlainText);
  EXPECT_TRUE(told);
  QTest::keyClick(search, Qt::Key_Escape);
  EXPECT_FALSE(palette->isVisible());
}

TEST_F(WindowToolsTest, ADroppedLogIsFollowedAsARun) {
  const auto folder = folder_ / "logs";
  const auto file = folder / "a" / "events.out.tfevents.1";
  const auto write = [&](int from, int to, float rate) {
    std::string bytes;
    for (int step = from; step < to; ++step)
      bytes += test::scalarRecord("train/loss", step, 4.0F - rate * static_cast<float>(step), 1.7e9 + step);
    test::append(file, bytes);
  };
  write(0, 50, 0.01F);
  drop(QString::fromStdString(folder.string()));
  ASSERT_TRUE(
      test::comesTrue([&] { return workspace_.runs().size() == 1 && workspace_.runs().at(0)->at.batch == 49; }));
  EXPECT_EQ(workspace_.runs().at(0)->name, "a");
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("1 run of ")); }));
  parts_.selection.select(QString::fromStdString(workspace_.runs().at(0)->id));
  const auto losses = [&] { return presenter_.hasRun() ? presenter_.selectedView().series.points("loss").size() : 0; };
  ASSERT_TRUE(test::comesTrue([&] { return losses() == 50; }));
  for (const char* text : {"Resume", "Duplicate the selected", "Duplicate as variant"}) {
    EXPECT_FALSE(action(QString::fromLatin1(text))->isEnabled()) << text;
    EXPECT_TRUE(action(QString::fromLatin1(text))->toolTip().contains(QStringLiteral("TensorBoard"))) << text;
  }
  EXPECT_FALSE(action(QStringLiteral("Pause"))->isEnabled());
  EXPECT_TRUE(action(QStringLiteral("Export the selected"))->isEnabled());
  write(50, 80, 0.01F);
  EXPECT_TRUE(test::comesTrue([&] { return losses() == 80; }));
  write(20, 30, 0.02F);  // killed, and started again
  EXPECT_TRUE(test::comesTrue([&] { return losses() == 30; }));
  EXPECT_EQ(*workspace_.workspace()->setting("import.followed"), "[\"" + folder.string() + "\"]");
  int asked = 0;
  parts_.followed.editNames([&asked](const QString& lines, const QString& problem) -> std::optional<QString> {
    EXPECT_TRUE(lines.contains(QStringLiteral("train/loss = loss\n")) || asked == 1);
    EXPECT_EQ(problem.isEmpty(), asked == 0) << problem.toStdString();
    return ++asked == 1 ? QStringLiteral("nonsense") : QStringLiteral(" a/b=c = loss \n\nlr = lr\n");
  });
  const std::vector<SeriesAlias> wanted = {{"a/b=c", "loss"}, {"lr", "lr"}};
  ASSERT_TRUE(test::comesTrue([&] { return *workspace_.workspace()->seriesAliases() == wanted; }));
  parts_.followed.stop(QString::fromStdString(folder.string()));
  awaitTasks();
  EXPECT_EQ(*workspace_.workspace()->setting("import.followed"), "[]");
}

TEST_F(WindowToolsTest, WhatThePythonPackageLogsIsShownWithoutBeingAskedFor) {
  const auto file = workspace_.workspace()->folder() / "logged/run-1.jsonl";
  test::append(file, R"({"_batchwise":1,"_name":"mine","_state":"running"})"
                     "\n"
                     R"({"_step":0,"loss":3})"
                     "\n");
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
  EXPECT_EQ(workspace_.runs().at(0)->name, "mine");
  test::append(file, R"({"_step":7,"loss":2})"
                     "\n");
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().at(0)->at.batch == 7; }));
  EXPECT_TRUE(parts_.followed.paths().isEmpty());
}

TEST_F(WindowToolsTest, ThePaletteFindsByTheWordsThatPeopleUse) {
  const auto first = [&](const char* search) {
    action(QStringLiteral("Find a command…"))->trigger();
    auto* palette = visible<CommandPalette>();
    palette->findChild<QLineEdit*>()->setText(QString::fromLatin1(search));
    const QString title = palette->found().empty() ? QString() : palette->found().front()->title;
    palette->reject();
    return title;
  };
  EXPECT_EQ(first("gradient clipping"), QStringLiteral("Gradient clip norm"));
  EXPECT_EQ(first("dark"), QStringLiteral("Theme"));
  EXPECT_EQ(first("grid search"), QStringLiteral("Several runs…"));
  EXPECT_EQ(first("early stopping"), QStringLiteral("Early stop: action"));
}

TEST_F(WindowToolsTest, ThePaletteFindsPreferencesHelpPagesAndDisabledCommands) {
  const auto choose = [this](const char* words) {
    action(QStringLiteral("Find a command"))->trigger();
    auto* palette = visible<CommandPalette>();
    auto* search = palette->findChild<QLineEdit*>();
    QTest::keyClicks(search, QString::fromLatin1(words));
    ASSERT_GE(palette->found().size(), 1u) << words;
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_FALSE(palette->isVisible());
  };
  choose("pref text size");
  auto* preferences = visible<PreferencesWindow>();
  ASSERT_NE(preferences, nullptr);
  EXPECT_TRUE(preferences->findChild<QComboBox*>(QStringLiteral("preferenceTextSize"))->isVisible());
  preferences->close();
  choose("help checkp");
  auto* help = visible<HelpWindow>();
  ASSERT_NE(help, nullptr);
  EXPECT_TRUE(help->text().contains(QStringLiteral("heckpoint")));
  help->close();
  choose("command stop and save");
  EXPECT_TRUE(message().text().contains(QStringLiteral("Stop and save"))) << "no run trains: the reason is shown";
  choose("command try the demo");
  EXPECT_EQ(places_.size(), 1u);
}

TEST_F(WindowToolsTest, PreferencesAreWholeAtAnySizeOfText) {
  action(QStringLiteral("Preferences"))->trigger();
  auto* preferences = visible<PreferencesWindow>();
  ASSERT_NE(preferences, nullptr);
  auto* sections = preferences->findChild<QAbstractItemView*>(QStringLiteral("preferenceSections"));
  for (const double scale : {1.0, 2.0}) {
    theme_.setTextScale(scale);
    for (int i = 0; i < sections->model()->rowCount(); ++i) {
      sections->setCurrentIndex(sections->model()->index(i, 0));
      QTest::qWait(20);
      EXPECT_GE(sections->viewport()->width(),
                sections->fontMetrics().horizontalAdvance(sections->currentIndex().data().toString()));
      for (auto* area : preferences->findChildren<QScrollArea*>())
        if (area->isVisible()) test::expectNothingCutOrOverlapping(*area->widget());
    }
  }
}

TEST_F(WindowToolsTest, PreferencesAreStoredAndTakeEffectAtOnce) {
  action(QStringLiteral("Preferences"))->trigger();
  auto* preferences = visible<PreferencesWindow>();
  ASSERT_NE(preferences, nullptr);
  const auto box = [&](const char* name) { return preferences->findChild<QComboBox*>(QString::fromLatin1(name)); };
  box("preferenceTheme")->setCurrentIndex(2);
  EXPECT_EQ(theme_.appearance(), Appearance::Dark);
  EXPECT_EQ(settings_.appearance(), QStringLiteral("dark"));
  const double before = QApplication::font().pointSizeF();
  box("preferenceTextSize")->setCurrentText(QStringLiteral("150 %"));
  EXPECT_GT(QApplication::font().pointSizeF(), before);
  EXPECT_EQ(settings_.textPercent(), 150);
  box("preferenceDevices")->setCurrentIndex(1);
  action(QStringLiteral("New run"))->trigger();
  EXPECT_EQ(edit_.draft().text("devices.use"), QStringLiteral("cpu"));
  auto* failures = preferences->findChild<QCheckBox*>(QStringLiteral("notifyFailure"));
  EXPECT_TRUE(failures->isChecked());
  failures->setChecked(false);
  using Notice = StudioSettings::DesktopNotice;
  EXPECT_FALSE(settings_.notifiesOf(Notice::Failure));
  EXPECT_TRUE(settings_.notifiesOf(Notice::End));
  preferences->findChild<QSpinBox*>(QStringLiteral("preferenceSmoothing"))->setValue(35);
  EXPECT_DOUBLE_EQ(parts_.runs.layout().smoothing, 0.35);
  settings_.setExportFolder(QStringLiteral("/tmp/exports"));
  EXPECT_EQ(settings_.folder(QStringLiteral("chart")), QStringLiteral("/tmp/exports"));
  EXPECT_NE(settings_.folder(QStringLiteral("config")), QStringLiteral("/tmp/exports")) << "it is no export";
  preferences->close();
}

TEST_F(WindowToolsTest, AFileDialogStartsInTheFolderUsedLastAndInNoneThatIsMissing) {
  const QString used = QString::fromStdString(folder_.path().string());
  EXPECT_EQ(settings_.folder(QStringLiteral("model")), StudioSettings::documentsFolder()) << "none was used yet";
  settings_.setFolder(QStringLiteral("chart"), used);
  EXPECT_EQ(settings_.folder(QStringLiteral("chart")), used);
  EXPECT_EQ(settings_.folder(QStringLiteral("model")), used) << "by another dialog";
  settings_.setFolder(QStringLiteral("model"), used + QStringLiteral("/gone"));
  EXPECT_EQ(settings_.folder(QStringLiteral("model")), StudioSettings::documentsFolder());
  EXPECT_EQ(settings_.folder(QStringLiteral("chart")), used);
}

TEST_F(WindowToolsTest, AnUnusualValueOfTheSettingsFileCanBeChosenAgain) {
  settings_.setNewRunDevices(QStringLiteral("cuda:1"));
  action(QStringLiteral("Preferences"))->trigger();
  auto* preferences = visible<PreferencesWindow>();
  ASSERT_NE(preferences, nullptr);
  auto* devices = preferences->findChild<QComboBox*>(QStringLiteral("preferenceDevices"));
  ASSERT_EQ(devices->count(), 4);
  devices->setCurrentIndex(1);
  EXPECT_EQ(settings_.newRunDevices(), QStringLiteral("cpu"));
  devices->setCurrentIndex(3);
  EXPECT_EQ(settings_.newRunDevices(), QStringLiteral("cuda:1"));
  preferences->close();
}

TEST_F(WindowToolsTest, AConfigurationOfAnotherTrainerThatIsDroppedIsShownFirst) {
  const auto file = folder_ / "ds_config.json";
  ASSERT_TRUE(writeFileAtomically(file, R"({"train_batch_size": 48, "gradient_clipping": 0.5})").ok());
  const auto account = [&] { return window_.findChild<ImportWindow*>(); };
  bool shown = false;
  QTimer answer;
  QObject::connect(&answer, &QTimer::timeout, &window_, [&] {
    if (account() == nullptr) return;
    answer.stop();
    shown = account()->imported().has_value();
    account()->accept();
  });
  answer.start(10);
  drop(QString::fromStdString(file.string()));
  EXPECT_TRUE(test::comesTrue([&] { return edit_.draft().config().batch.globalTrainBatchSize == 48; }));
  EXPECT_TRUE(shown);
}

TEST_F(WindowToolsTest, KeysCanBeChangedAndAreKept) {
  auto* registry = window_.findChild<ShortcutRegistry*>();
  ASSERT_NE(registry, nullptr);
  QAction* launch = action(QStringLiteral("Launch"));
  EXPECT_TRUE(launch->toolTip().contains(QStringLiteral("F5")));
  EXPECT_EQ(registry->conflictingAction(QKeySequence(Qt::Key_F6), *launch), action(QStringLiteral("Pause")));
  registry->setKeys(*launch, QKeySequence(Qt::CTRL | Qt::Key_L));
  EXPECT_TRUE(launch->toolTip().contains(QStringLiteral("Ctrl+L")));
  EXPECT_EQ(settings_.shortcut(QStringLiteral("launch")), QStringLiteral("Ctrl+L"));
  MainWindow another(parts_);
  EXPECT_EQ(another.findChild<QAction*>(QStringLiteral("command.launch"))->shortcut(),
            QKeySequence(Qt::CTRL | Qt::Key_L));
  registry->setKeys(*launch, registry->defaultKeys(*launch));
  EXPECT_FALSE(settings_.shortcut(QStringLiteral("launch")).has_value());
}

TEST_F(WindowToolsTest, NoTwoCommandsThatMeetHaveTheSameKeys) {
  auto* registry = window_.findChild<ShortcutRegistry*>();
  EXPECT_GT(registry->actions().size(), 30u);
  for (const QAction* each : registry->actions())
    EXPECT_EQ(registry->conflictingAction(each->shortcut(), *each), nullptr) << each->objectName().toStdString();
}

TEST_F(WindowToolsTest, TheListOfShortcutsIsMadeFromTheActions) {
  action(QStringLiteral("Keyboard shortcuts"))->trigger();
  auto* list = window_.findChild<QTreeWidget*>(QStringLiteral("shortcuts"));
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(static_cast<std::size_t>(list->topLevelItemCount()),
            window_.findChild<ShortcutRegistry*>()->actions().size());
  list->window()->close();
}

TEST_F(WindowToolsTest, HelpOpensAtThePlace) {
  EXPECT_EQ(action(QStringLiteral("Help on this page"))->shortcut(), QKeySequence(Qt::Key_F1));
  const std::pair<const char*, const char*> pages[] = {
      {"edit", "configuration of the next run"}, {"runs", "charts"}, {"checkpoints", "try the model"}};
  for (const auto& [page, words] : pages) {
    openPage(page);
    action(QStringLiteral("Help on this page"))->trigger();
    auto* help = visible<HelpWindow>();
    ASSERT_NE(help, nullptr) << page;
    EXPECT_TRUE(help->text().contains(QString::fromLatin1(words))) << page;
    help->close();
  }
}

TEST_F(WindowToolsTest, EveryPageOfTheManualIsReachedFromItsContents) {
  action(QStringLiteral("Manual"))->trigger();
  auto* help = visible<HelpWindow>();
  ASSERT_NE(help, nullptr);
  auto* text = help->findChild<QTextBrowser*>();
  const QStringList pages = linksOf(*text->document());
  EXPECT_GE(pages.size(), 15);
  for (const QString& page : pages) {
    text->setSource(QUrl(page));  // what a click on the link does
    const QTextBlock title = text->document()->firstBlock();
    EXPECT_EQ(title.blockFormat().headingLevel(), 1) << page.toStdString();
    help->findChild<QPushButton*>(QStringLiteral("helpContents"))->click();
    EXPECT_TRUE(help->text().startsWith(QLatin1String("The manual")));
  }
  help->close();
}

TEST_F(WindowToolsTest, EveryPageCanBeReadInTheDarkAtTwiceTheFont) {
  const std::string id = storeStoppedRun();
  selectStored(id);
  const double fontBefore = QFontInfo(QApplication::font()).pointSizeF();
  theme_.setAppearance(Appearance::Dark);
  theme_.setTextScale(2.0);
  const double small = 2 * 0.8 * fontBefore;  // a notch below the look of small texts
  for (const char* name : {"edit", "checkpoints", "runs"}) {
    openPage(name);
    QWidget* page = window_.findChild<WorkspacePages*>()->openPage();
    const QImage picture = page->grab().toImage();
    int light = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x) light += qGray(picture.pixel(x, y)) > 127 ? 1 : 0;
    EXPECT_LT(light, picture.width() * picture.height() / 4) << name << " has light ground";
    for (const QLabel* label : page->findChildren<QLabel*>()) {
      if (!label->isVisible() || label->text().isEmpty()) continue;
      EXPECT_GE(QFontInfo(label->font()).pointSizeF(), small) << name << ": " << label->text().toStdString();
      if (label->isEnabled()) {
        EXPECT_GE(contrastRatio(label->palette().color(label->foregroundRole()), theme_.colors().window), 4.5)
            << name << ": " << label->text().toStdString();
      }
    }
    for (const auto* each : page->findChildren<QAbstractButton*>()) {
      if (each->visibleRegion().isEmpty()) continue;
      EXPECT_GE(each->visibleRegion().boundingRect().width(), each->minimumSizeHint().width())
          << name << ": " << each->metaObject()->className() << ' ' << each->text().toStdString();
    }
  }
  EXPECT_TRUE(test::comesTrue([&] {
    return !window_.findChild<QToolBar*>()
                ->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"))
                ->isVisible();
  }));
  // The pages leave the list of runs its room.
  auto* list = window_.findChild<QDockWidget*>(QStringLiteral("runsDock"));
  EXPECT_LE(window_.findChild<RunsPage*>()->minimumSizeHint().width() + 24 * window_.fontMetrics().averageCharWidth(),
            window_.width());
  EXPECT_TRUE(list->isVisible());
  const auto nameIsWhole = [&] {
    const auto labels = window_.findChild<RunsPage*>()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [](const QLabel* each) {
      return each->text() == QLatin1String("stopped") && each->width() >= each->sizeHint().width();
    });
  };
  EXPECT_TRUE(test::comesTrue(nameIsWhole));
}

TEST_F(WindowToolsTest, AboutNamesVersionAndLicenses) {
  action(QStringLiteral("About"))->trigger();
  auto* text = window_.findChild<QTreeWidget*>();
  for (QTreeWidget* each : window_.findChildren<QTreeWidget*>())
    if (each->isVisible()) text = each;
  ASSERT_NE(text, nullptr);
  EXPECT_GT(text->topLevelItemCount(), 10);
  text->window()->close();
}

TEST_F(WindowToolsTest, ConfigurationsAndArchivesAreDropped) {
  const auto file = folder_ / "dropped.yaml";
  ASSERT_TRUE(writeFileAtomically(file, "name: dropped\n").ok());
  drop(QString::fromStdString(file.string()));
  EXPECT_TRUE(test::comesTrue([&] { return edit_.draft().text("name") == QStringLiteral("dropped"); }));
  const std::string id = storeStoppedRun();
  const auto archive = folder_ / "run.bwrun";
  ASSERT_TRUE(exportArchive(*workspace_.workspace(), id, {}, archive).ok());
  drop(QString::fromStdString(archive.string()));
  ASSERT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("imported")); }));
  drop(pathOf("studio.ini"));
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("studio.ini")); }));
}

TEST_F(WindowToolsTest, AlertsAreListedAndDoWhatWasChosen) {
  QAbstractItemModelTester tester(&alerts());
  settings_.setAlertAction(QStringLiteral("non_finite"), QStringLiteral("pause"));
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  fake_.publish({test::rowAt(1), test::rowAt(2),
                 alertAt(2, NoteKind::NonFinite, "the gradient of step 2 is not finite"),
                 alertAt(2, NoteKind::Memory, "the memory of cpu:0 is nearly full")});
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 2; }));
  EXPECT_TRUE(alert(0).contains(QStringLiteral("cpu:0")));
  EXPECT_TRUE(alert(1).contains(QStringLiteral("not finite")));
  EXPECT_EQ(fake_.commands, (std::vector<RunCommand>{RunCommand::Pause}));
  EXPECT_EQ(parts_.alerts.unseen(), 2) << "their dock is closed";
  EXPECT_TRUE(button("alertCount")->accessibleName().contains(QLatin1Char('2')));
  EXPECT_TRUE(test::comesTrue([&] {
    const auto& events = window_.findChild<RunsPage*>()->grid().chart(0).content().events;
    return std::any_of(events.begin(), events.end(),
                       [](const ChartEvent& event) { return event.x == 2 && event.text.contains(u"not finite"); });
  }));
  button("alertCount")->click();
  EXPECT_TRUE(test::comesTrue([&] { return parts_.alerts.unseen() == 0; }));
  fake_.finish(RunStatus::Failed, "no memory");
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 3; }));
  EXPECT_TRUE(alert(0).contains(QStringLiteral("no memory")));
  for (int polls = 0; polls < 2; ++polls) {
    workspace_.refresh();
    awaitTasks();
  }
  EXPECT_EQ(alerts().rowCount(), 3) << "nothing is reported twice";
}

TEST_F(WindowToolsTest, ARunThatEndsAsPlannedIsListedButIsNoNewAlert) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  fake_.publish({test::rowAt(1)});
  fake_.finish(RunStatus::Finished);
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 1; }));
  EXPECT_EQ(parts_.alerts.unseen(), 0);
}

TEST_F(WindowToolsTest, TheProgressBarKeepsTheProgressOfTheRunDuringAnEvaluation) {
  auto* status = window_.findChild<RunStatusBar*>();
  const auto* bar = status->findChild<QProgressBar*>();
  TrainingState state;
  state.phase = RunPhase::Training;
  state.batches = 15;
  state.plannedBatches = 30;
  state.activityDone = state.activityTotal = 8;
  status->showProgress(state);
  EXPECT_EQ(2 * bar->value(), bar->maximum());
  state.phase = RunPhase::Starting;
  state.activityDone = 2;
  status->showProgress(state);
  EXPECT_EQ(4 * bar->value(), bar->maximum()) << "of the text that is read";
}

TEST_F(WindowToolsTest, TheStatusBarNeverCutsATime) {
  window_.resize(1366, 768);
  auto* status = window_.findChild<RunStatusBar*>();
  TrainingState state;
  state.phase = RunPhase::Training;
  state.batches = 15;
  state.plannedBatches = 30;
  for (const double seconds : {44.0 * 60 + 44, 100.0 * 3600 - 60, 1e8 * 86400 + 23 * 3600}) {
    state.secondsLeft = seconds;
    status->showProgress(state);
    const QLabel* left = nullptr;
    for (const QLabel* each : status->findChildren<QLabel*>())
      if (each->text().endsWith(QStringLiteral(" left"))) left = each;
    ASSERT_NE(left, nullptr);
    EXPECT_TRUE(test::comesTrue([&] { return left->width() >= left->fontMetrics().horizontalAdvance(left->text()); }))
        << left->text().toStdString();
  }
}

TEST_F(WindowToolsTest, AlertsOfARunInAnotherProcessAreListedFromNowOn) {
  const NewRun run = test::newDemoRun("elsewhere");
  const std::string id = *workspace_.workspace()->createRun(run);
  auto writer = RunWriter::open(workspace_.workspace(), id, {});
  ASSERT_TRUE(writer.ok());
  const auto publish = [&](const RunEvent& event) {
    (*writer)->publish(event);
    ASSERT_TRUE((*writer)->flush().ok());
  };
  awaitRuns(1);
  awaitTasks();
  publish(alertAt(100, NoteKind::Spike, "loss spike: 500"));
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 1; }));
  workspace_.open(workspace_.folder());
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 0 && workspace_.runs().size() == 1; }));
  awaitTasks();
  publish(alertAt(204, NoteKind::Spike, "loss spike: 700"));
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 1; }));
  EXPECT_EQ(alert(0), QStringLiteral("Loss spike: 700"));
  EXPECT_EQ(alerts().index(0, AlertModel::RunColumn).data(), QStringLiteral("elsewhere"));
  publish(alertAt(211, NoteKind::Memory, "the memory of cpu:0 is nearly full"));
  RunFinished end;
  end.status = RunStatus::Failed;
  end.reason = "no memory";
  publish(end);
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 3; }));
  EXPECT_TRUE(alert(0).contains(QStringLiteral("no memory")));
  EXPECT_TRUE(alert(1).contains(QStringLiteral("cpu:0")));
}

TEST_F(WindowToolsTest, AnAlertNamesTheRunThatFailsBeforeItBeginsWhileAnotherTrains) {
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  fake_.publish({test::rowAt(1)});
  ASSERT_TRUE(test::comesTrue([&] { return run_.progress().batches == 1; }));
  TrainingState failed;
  failed.name = QStringLiteral("second");
  RunFinished end;
  end.status = RunStatus::Failed;
  end.reason = "no memory";
  QSignalSpy notices(&parts_.alerts, &AlertsPresenter::notice);
  Q_EMIT run_.finished(failed, end);
  ASSERT_TRUE(test::comesTrue([&] { return alerts().rowCount() == 1; }));
  EXPECT_EQ(alerts().index(0, AlertModel::RunColumn).data(), QStringLiteral("second"));
  ASSERT_EQ(notices.size(), 1);
  EXPECT_EQ(notices[0][0], QStringLiteral("second"));
}

TEST_F(WindowToolsTest, ANoteIsReadAsMarkdownAndNothingIsFetched) {
  const std::string id = storeStoppedRun();
  ASSERT_TRUE(
      workspace_.workspace()
          ->setNote(
              id,
              "# Better\n\nwith *ramp*: <b>plain</b> <img src='file:///etc/passwd'> ![alt](http://127.0.0.1:9/x.png) "
              "![here](/usr/share/pixmaps/x.png) [link](https://example.org)")
          .ok());
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  window_.findChild<QDockWidget*>(QStringLiteral("notesDock"))->show();
  auto* view = window_.findChild<NoteView*>();
  auto* text = window_.findChild<QPlainTextEdit*>(QStringLiteral("note"));
  ASSERT_TRUE(
      test::comesTrue([&] { return view->isVisible() && view->toPlainText().contains(QStringLiteral("Better")); }));
  EXPECT_FALSE(view->toPlainText().contains(QStringLiteral("*ramp*")));
  EXPECT_TRUE(view->toPlainText().contains(QStringLiteral("<b>plain</b>")));  // HTML is text
  EXPECT_EQ(view->document()
                ->resource(QTextDocument::ImageResource, QUrl(QStringLiteral("/usr/share/pixmaps/x.png")))
                .value<QImage>()
                .width(),
            16);
  button("writeNote")->click();
  ASSERT_TRUE(text->isVisible());
  text->setPlainText(QStringLiteral("- one\n- two"));
  button("writeNote")->click();
  EXPECT_TRUE(view->isVisible());
  EXPECT_EQ(view->toPlainText().simplified(), QStringLiteral("one two"));
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().at(0)->note == "- one\n- two"; }));
}

TEST_F(WindowToolsTest, DocksGoBackToTheirPlaces) {
  auto* log = window_.findChild<QDockWidget*>(QStringLiteral("logDock"));
  window_.addDockWidget(Qt::RightDockWidgetArea, log);
  EXPECT_EQ(window_.dockWidgetArea(log), Qt::RightDockWidgetArea);
  action(QStringLiteral("Default layout"))->trigger();
  EXPECT_EQ(window_.dockWidgetArea(log), Qt::BottomDockWidgetArea);
}

TEST_F(WindowToolsTest, WhatWasChangedLastIsStoredThoughTheProgramEndsWhileItsQueueIsBusy) {
  auto parts = std::make_unique<StudioParts>(
      theme_, settings_,
      [this](RunLocation, EventSink& events) { return std::make_unique<test::FakeRunController>(fake_, events); },
      [this]() -> Result<std::shared_ptr<Trainer>> { return {trainer_}; });
  parts->workspace.open(pathOf("other"));
  ASSERT_TRUE(test::comesTrue([&] { return parts->workspace.workspace() != nullptr; }));
  const auto workspace = parts->workspace.workspace();
  ASSERT_TRUE(test::catchesUp(parts->tasks)) << "the layout of the charts has been read";
  const std::string run = *workspace->createRun({});
  parts->tasks.post(
      &parts->workspace,
      [](const std::stop_token& stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        return 0;
      },
      [](int) {});
  parts->workspace.setNote(QString::fromStdString(run), QStringLiteral("look again"));
  parts->workspace.setArchived({QString::fromStdString(run)}, true);
  parts->queue.add({parseConfig(bundledConfig("demo"), "demo", {})});
  parts->runs.savePreset(QStringLiteral("first"));
  parts->runs.savePreset(QStringLiteral("second"));
  parts->edit.loadPreset(QStringLiteral("demo"));
  parts->edit.draft().setText("seed", QStringLiteral("43"));
  parts->edit.saveDraftNow();
  parts.reset();
  EXPECT_EQ(workspace->findRun(run)->summary.note, "look again");
  EXPECT_TRUE(workspace->findRun(run)->summary.archived);
  EXPECT_EQ(RunQueue(workspace).read()->entries.size(), 1u);
  const std::string charts = workspace->setting("charts")->value_or("");
  for (const char* preset : {"first", "second"}) EXPECT_NE(charts.find(preset), std::string::npos) << charts;
  const std::string draft = workspace->setting("draft")->value_or("");
  EXPECT_NE(draft.find("seed: 43"), std::string::npos) << draft;
}

TEST_F(WindowToolsTest, ANoteThatIsBeingWrittenStaysWhenItsRunIsReadAgain) {
  const QString id = QString::fromStdString(storeStoppedRun());
  const QString other = QString::fromStdString(storeRun("other", RunStatus::Stopped));
  awaitRuns(2);
  parts_.selection.select(id);
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.hasRun(); }));
  auto* text = window_.findChild<QPlainTextEdit*>(QStringLiteral("note"));
  text->setPlainText(QStringLiteral("*a* <b>c</b>"));
  Q_EMIT presenter_.selectionChanged();
  EXPECT_EQ(text->toPlainText(), QStringLiteral("*a* <b>c</b>"));
  parts_.selection.select(other);
  EXPECT_TRUE(text->toPlainText().isEmpty());
  parts_.selection.select(id);
  EXPECT_EQ(text->toPlainText(), QStringLiteral("*a* <b>c</b>")) << "the list does not have it yet";
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().find(id)->note == "*a* <b>c</b>"; }));
  EXPECT_EQ(text->toPlainText(), QStringLiteral("*a* <b>c</b>"));
}

TEST_F(WindowToolsTest, ANoteThatIsBeingWrittenIsStoredWhenAnotherWorkspaceIsOpened) {
  const std::string id = storeStoppedRun();
  const auto store = workspace_.workspace();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  auto* text = window_.findChild<QPlainTextEdit*>(QStringLiteral("note"));
  QSignalSpy failed(&workspace_, &WorkspacePresenter::editFailed);
  workspace_.open(pathOf("other"));
  text->setPlainText(QStringLiteral("the last word"));
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.workspace() != store; }));
  awaitTasks();
  EXPECT_EQ(store->findRun(id)->summary.note, "the last word");
  EXPECT_TRUE(failed.isEmpty());
}

TEST_F(WindowToolsTest, AClosingWindowWaitsForTheNoteAndStaysIfItCannotBeSaved) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  auto* text = window_.findChild<QPlainTextEdit*>(QStringLiteral("note"));
  const auto stored = [&] { return workspace_.workspace()->findRun(id)->summary.note; };
  text->setPlainText(QStringLiteral("a first word"));
  EXPECT_FALSE(window_.close()) << "not before it is written";
  ASSERT_TRUE(test::comesTrue([&] { return !window_.isVisible(); }));
  EXPECT_EQ(stored(), "a first word");
  window_.show();
  text->setPlainText(QStringLiteral("the last word"));
  {
    const test::SmallDisk full(0);
    EXPECT_FALSE(window_.close());
    const auto told = [&] { return message().texts().join(QLatin1Char(' ')); };
    EXPECT_TRUE(test::comesTrue([&] { return told().contains(QStringLiteral("as the note cannot be saved")); }))
        << told().toStdString();
    EXPECT_TRUE(window_.isVisible());
  }
  EXPECT_TRUE(window_.close());
  EXPECT_TRUE(test::comesTrue([&] { return stored() == "the last word"; }));
}

TEST_F(WindowToolsTest, AClosingWindowTellsOfTheNextNoteThatCannotBeSavedToo) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  parts_.edit.saveDraftNow();
  awaitTasks();
  auto* text = window_.findChild<QPlainTextEdit*>(QStringLiteral("note"));
  const auto tells = [&] {
    const test::SmallDisk full(0);
    text->setPlainText(text->toPlainText() + QLatin1Char('a'));
    EXPECT_FALSE(window_.close());
    return test::comesTrue(
        [&] { return message().texts().join(u' ').contains(QStringLiteral("the note cannot be saved")); });
  };
  ASSERT_TRUE(tells());
  window_.findChild<NotesPane*>()->saveNow();
  ASSERT_TRUE(test::comesTrue([&] { return !window_.findChild<NotesPane*>()->unsaved(); }));
  message().clear();
  EXPECT_TRUE(tells());
}

TEST_F(WindowToolsTest, AClosingWindowTellsOfTheNextNoteThoughTheDraftIsKnownToFail) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  parts_.edit.saveDraftNow();
  awaitTasks();
  auto* pane = window_.findChild<NotesPane*>();
  auto* text = window_.findChild<QPlainTextEdit*>(QStringLiteral("note"));
  const auto told = [&](const char* what) {
    return test::comesTrue([&] { return message().texts().join(u' ').contains(QLatin1String(what)); });
  };
  {
    const test::SmallDisk full(0);
    parts_.edit.draft().setText("seed", QStringLiteral("43"));
    text->setPlainText(QStringLiteral("a word"));
    EXPECT_FALSE(window_.close());
    ASSERT_TRUE(told("as the draft and the note cannot be saved"));
  }
  pane->saveNow();
  ASSERT_TRUE(test::comesTrue([&] { return !pane->unsaved(); }));
  ASSERT_TRUE(parts_.edit.saveFailed());
  message().clear();
  const test::SmallDisk full(0);
  text->setPlainText(QStringLiteral("another word"));
  EXPECT_FALSE(window_.close());
  EXPECT_TRUE(told("the note cannot be saved"));
}

TEST_F(WindowToolsTest, ANoteThatTheStoreChangesIsSaved) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  auto* pane = window_.findChild<NotesPane*>();
  window_.findChild<QPlainTextEdit*>(QStringLiteral("note"))->setPlainText(QStringLiteral("a\u0001b"));
  EXPECT_TRUE(pane->unsaved());
  pane->saveNow();
  EXPECT_TRUE(test::comesTrue([&] { return !pane->unsaved(); }));
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().find(QString::fromStdString(id))->note == "ab"; }));
}

TEST_F(WindowToolsTest, ASignalClosesTheWindowThoughTheNoteCannotBeSaved) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  window_.findChild<QPlainTextEdit*>(QStringLiteral("note"))->setPlainText(QStringLiteral("a word"));
  const test::SmallDisk full(0);
  window_.closeWhenSaved();
  EXPECT_FALSE(window_.isVisible());
}

TEST_F(WindowToolsTest, WhoClosesTwiceBeforeTheNoteIsWrittenIsAskedOnce) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  LaunchRequest request;
  request.resumeRun = id;
  run_.launch(request);
  ASSERT_TRUE(run_.busyInThisProcess());
  parts_.selection.select(QString::fromStdString(id));
  window_.findChild<QPlainTextEdit*>(QStringLiteral("note"))->setPlainText(QStringLiteral("a word"));
  int asked = 0;
  window_.setClosingQuestion([&] {
    EXPECT_LT(++asked, 2);
    EXPECT_TRUE(test::catchesUp(tasks_)) << "the note is written while the question is open";
    return ClosingChoice::Cancel;
  });
  EXPECT_FALSE(window_.close());
  EXPECT_FALSE(window_.close());
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(window_.isVisible());
}

TEST_F(WindowToolsTest, AFileWhoseEndingIsLeftOutIsNotReplacedUnasked) {
  ASSERT_TRUE(writeFileAtomically(folder_ / "loss.csv", "kept").ok());
  bool asked = false;
  const auto save = [&](const char* name, int answer) {
    asked = false;
    QTimer answers;
    QObject::connect(&answers, &QTimer::timeout, &window_, [&] {
      QWidget* open = QApplication::activeModalWidget();
      if (auto* question = qobject_cast<QMessageBox*>(open)) {
        asked = question->text().contains(QStringLiteral("loss.csv"));
        question->buttons().at(answer)->click();
      } else if (auto* dialog = qobject_cast<QDialog*>(open)) {
        dialog->accept();
      }
    });
    answers.start(20);
    return askForFileToWrite(window_, {QStringLiteral("Save"), QString::fromStdString((folder_ / name).string()),
                                       QStringLiteral("Values (*.csv);;All files (*)")});
  };
  EXPECT_TRUE(save("loss", 1).isEmpty()) << "canceled";
  EXPECT_TRUE(asked);
  EXPECT_EQ(save("loss", 0), pathOf("loss.csv"));
  EXPECT_TRUE(asked);
  EXPECT_EQ(save("rate", 1), pathOf("rate.csv"));
  EXPECT_FALSE(asked);
}

TEST_F(WindowToolsTest, DevicesShowTheNewestMemory) {
  auto* view = window_.findChild<QAbstractItemView*>(QStringLiteral("devices"));
  QAbstractItemModelTester tester(view->model());
  QTest::mouseClick(button("tryDemo"), Qt::LeftButton);
  beginRun();
  fake_.publish({test::rowAt(1)});
  ASSERT_TRUE(test::comesTrue([&] { return view->model()->rowCount() == 1; }));
  EXPECT_EQ(view->model()->index(0, DeviceModel::PeakColumn).data().toString(), QStringLiteral("1.5 GiB"));
}

TEST(SingleWindowTest, TheSecondStartRaisesTheFirst) {
  test::TempFolder folder;
  const QString workspace = QString::fromStdString(folder.path().string());
  EXPECT_FALSE(SingleWindow::raiseExisting(workspace, {}));
  SingleWindow first;
  QString asked = QStringLiteral("nothing");
  QObject::connect(&first, &SingleWindow::raiseRequested, [&](const QString& config) { asked = config; });
  first.listenFor(workspace);
  EXPECT_TRUE(SingleWindow::raiseExisting(workspace + QStringLiteral("/."), QStringLiteral("/a b.yaml")));
  EXPECT_TRUE(test::comesTrue([&] { return asked == QStringLiteral("/a b.yaml"); }));
}

TEST(SingleWindowTest, OfTwoThatStartAtTheSameMomentTheFirstIsAsked) {
  test::TempFolder folder;
  const QString workspace = QString::fromStdString(folder.path().string());
  SingleWindow first;
  int asked = 0;
  QObject::connect(&first, &SingleWindow::raiseRequested, [&] { ++asked; });
  first.listenFor(workspace);
  {
    SingleWindow second;
    second.listenFor(workspace);
    EXPECT_TRUE(SingleWindow::raiseExisting(workspace, {}));
    EXPECT_TRUE(test::comesTrue([&] { return asked == 1; }));
  }
  EXPECT_TRUE(SingleWindow::raiseExisting(workspace, {})) << "nor does the second take it away when it goes";
}

}  // namespace
}  // namespace batchwise
