// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German: every page, nothing left in English, nothing cut; and the files of translations themselves.
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QXmlStreamReader>
#include <QtGui/QAction>
#include <QtWidgets/QComboBox>

#include "tests/ui/window_fixture.h"
#include "ui/bridge/language.h"
#include "ui/models/labels.h"
#include "ui/models/record_models.h"
#include "ui/widgets/commands/run_list_commands.h"

namespace batchwise {
namespace {

struct Untranslated {
  QStringList sources;
  int messages = 0;
};

/// Messages without a translation, or with one that lacks a placeholder of its source.
Untranslated look(const QString& path) {
  Untranslated found;
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&file);
  QString source;
  bool vanished = false;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == QLatin1String("source")) {
      source = xml.readElementText();
      ++found.messages;
    } else if (xml.name() == QLatin1String("translation")) {
      const auto type = xml.attributes().value(QLatin1String("type"));
      vanished = type == QLatin1String("vanished") || type == QLatin1String("obsolete");
      if (type == QLatin1String("unfinished")) found.sources << source;
      const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
      for (const char* place : {"%1", "%2", "%3", "%4"})
        if (!vanished && source.contains(QLatin1String(place)) && !text.contains(QLatin1String(place)))
          found.sources << source;
    }
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return found;
}

/// A copy of the translation with what the sources hold now.
QString updated(const QString& language, const test::TempFolder& folder) {
  const QString root = QString::fromStdString(test::sourceRoot().string());
  const QString copy = QString::fromStdString((folder / (language.toStdString() + ".ts")).string());
  EXPECT_TRUE(QFile::copy(root + QStringLiteral("/resources/i18n/batchwise_%1.ts").arg(language), copy));
  QStringList arguments{QStringLiteral("-silent"),      QStringLiteral("-locations"), QStringLiteral("none"),
                        QStringLiteral("-no-obsolete"), QStringLiteral("-I"),         root};
  if (language == QLatin1String("en")) arguments << QStringLiteral("-pluralonly");
  arguments << root + QStringLiteral("/ui") << root + QStringLiteral("/app/studio") << QStringLiteral("-ts") << copy;
  QProcess lupdate;
  lupdate.setProcessChannelMode(QProcess::MergedChannels);
  lupdate.start(QStringLiteral(BATCHWISE_LUPDATE), arguments);
  EXPECT_TRUE(lupdate.waitForFinished(120'000));
  EXPECT_EQ(lupdate.exitCode(), 0) << lupdate.readAll().toStdString();
  return copy;
}

TEST(TranslationTest, NoStringOfTheSourcesIsLeftUntranslated) {
  const test::TempFolder folder;
  for (const char* language : {"de", "en"}) {
    const Untranslated found = look(updated(QString::fromLatin1(language), folder));
    EXPECT_TRUE(found.sources.isEmpty()) << "ninja translations_update takes these into resources/i18n/batchwise_"
                                         << language << ".ts, to be translated there: "
                                         << found.sources.join(QStringLiteral(" | ")).toStdString();
    EXPECT_GT(found.messages, language == std::string("de") ? 600 : 10) << language;
  }
}

TEST(TranslationTest, EveryFieldHasItsHelpAndUnitInGerman) {
  Language language;
  language.setLanguage(QStringLiteral("de"));
  for (const Field& field : configSchema()) {
    const bool same = fieldHelp(field).toStdString() == field.help;
    EXPECT_TRUE(field.help.empty() || !same) << field.path << ": to be translated in batchwise_fields_de.ts";
    EXPECT_EQ(field.unit.empty(), fieldUnit(field).isEmpty()) << field.path;
  }
  EXPECT_EQ(fieldUnit(*findField("batch.global_train_batch_size")), QStringLiteral("Beispiele"));
  language.setLanguage(QStringLiteral("en"));
}

class WindowLanguageTest : public test::StudioTest {
 protected:
  ~WindowLanguageTest() override { language_.setLanguage(QStringLiteral("en")); }

  void SetUp() override {
    StudioTest::SetUp();
    start();
  }
  /// A window in the language of the settings, as at a start of the program.
  void start() {
    window_.reset();
    language_.setLanguage(settings_.language());
    window_ = std::make_unique<MainWindow>(parts_);
    window_->setClosingQuestion([this] { return closing_; });
    window_->resize(1366, 768);
    window_->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
  }
  /// Chooses a language by its own name in the preferences.
  void choose(const QString& itself) {
    command("preferences")->trigger();
    auto* box = window_->findChild<QComboBox*>(QStringLiteral("preferenceLanguage"));
    ASSERT_NE(box, nullptr);
    ASSERT_GE(box->findText(itself), 0);
    box->setCurrentIndex(box->findText(itself));
  }
  /// Chooses a language and restarts.
  void chooseAndRestart(const QString& itself) {
    choose(itself);
    window_->findChild<QAbstractButton*>(QStringLiteral("restartNow"))->click();
  }
  QAbstractItemModel& model(const char* view) {
    return *window_->findChild<QAbstractItemView*>(QString::fromLatin1(view))->model();
  }
  QString cell(const char* view, int row, int column) { return model(view).index(row, column).data().toString(); }
  QAction* command(const char* name) {
    return window_->findChild<QAction*>(QStringLiteral("command.") + QString::fromLatin1(name));
  }
  Language language_;
  ClosingChoice closing_ = ClosingChoice::Cancel;
  std::unique_ptr<MainWindow> window_;
};

TEST_F(WindowLanguageTest, TheChosenLanguageIsSavedAndSpokenByTheNextStart) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  desk_.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun() && workspace_.runs().rowCount() == 1; }));
  edit_.draft().setText("seed", QStringLiteral("41"));
  choose(QStringLiteral("Deutsch"));
  EXPECT_EQ(settings_.language(), QStringLiteral("de"));
  EXPECT_TRUE(window_->isVisible());
  EXPECT_FALSE(window_->restartRequested());
  EXPECT_EQ(command("launch")->text(), QStringLiteral("&Launch")) << "this window keeps its language";
  start();
  EXPECT_EQ(edit_.draft().text("seed"), QStringLiteral("41"));
  auto* runs = window_->findChild<QAbstractItemView*>(QStringLiteral("runs"));
  runs->setCurrentIndex(runs->model()->index(0, 0));
  QTest::keyClick(runs, Qt::Key_Space);  // there is something to compare
  const char* const pages[] = {"edit", "runs", "checkpoints"};
  const auto open = [&](const char* name) { command((std::string("page_") + name).c_str())->trigger(); };
  for (const char* name : pages) {
    open(name);
    QTest::qWait(300);
    EXPECT_TRUE(window_->grab().save(
        QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/german-%1.png").arg(QString::fromLatin1(name))));
    EXPECT_LE(window_->minimumSizeHint().width(), 1366) << name;
  }
  theme_.setTextScale(2.0);
  for (const char* name : pages) {
    open(name);
    EXPECT_TRUE(test::comesTrue([&] { return window_->minimumSizeHint().width() <= 1366; })) << name;
  }
  theme_.setTextScale(1.0);
}

TEST_F(WindowLanguageTest, ARestartComesBackToThePageTheRunAndTheDraft) {
  storeRun("older", RunStatus::Stopped);
  const std::string older = storeStoppedRun();
  storeRun("newest", RunStatus::Stopped);
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 3; }));
  desk_.select(QString::fromStdString(older));
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun(); }));
  const QStringList ticked = {QString::fromStdString(older), QString::fromStdString(workspace_.runs().at(0)->id)};
  parts_.comparing.setRuns(ticked);
  command("page_checkpoints")->trigger();
  edit_.draft().setText("seed", QStringLiteral("41"));
  chooseAndRestart(QStringLiteral("Deutsch"));
  ASSERT_TRUE(test::comesTrue([&] { return !window_->isVisible(); }));
  EXPECT_TRUE(window_->restartRequested());
  const MainWindow::View view = window_->view();
  EXPECT_EQ(view.page, QStringLiteral("checkpoints"));
  EXPECT_EQ(view.run, QString::fromStdString(older));
  EXPECT_EQ(view.ticked, ticked);

  awaitTasks();  // the draft is on its way to the store
  language_.setLanguage(settings_.language());
  StudioParts next(
      theme_, settings_, [](RunLocation, EventSink&) -> std::unique_ptr<RunController> { return nullptr; },
      [this]() -> Result<std::shared_ptr<Trainer>> { return {trainer_}; });
  MainWindow window(next);
  next.edit.loadNew();
  window.restore(view);
  next.workspace.open(workspace_.folder());
  EXPECT_TRUE(test::comesTrue([&] { return next.desk.selected() == view.run && next.desk.hasRun(); }));
  EXPECT_EQ(window.view().page, view.page);
  EXPECT_TRUE(test::comesTrue([&] { return next.workspace.runs().rowCount() == 3; }));
  EXPECT_EQ(next.comparing.view().runs, ticked) << "the baseline, too";
  EXPECT_TRUE(test::comesTrue([&] { return next.edit.draft().text("seed") == QStringLiteral("41"); }));
  EXPECT_EQ(window.findChild<QAction*>(QStringLiteral("command.page_runs"))->text().remove(QLatin1Char('&')),
            QStringLiteral("Läufe"));
}

TEST_F(WindowLanguageTest, ARestartAsksAboutARunAsAnyCloseDoes) {
  command("launch")->trigger();
  EXPECT_TRUE(fake_.requests.empty()) << "the page with what would be launched opens first";
  command("launch")->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  beginRun();
  chooseAndRestart(QStringLiteral("Deutsch"));
  QTest::qWait(50);
  EXPECT_TRUE(window_->isVisible());
  EXPECT_FALSE(window_->restartRequested()) << "the user stays";
  choose(QStringLiteral("English"));
  closing_ = ClosingChoice::StopAndSave;
  chooseAndRestart(QStringLiteral("Deutsch"));
  fake_.finish(RunStatus::Stopped);
  ASSERT_TRUE(test::comesTrue([&] { return !window_->isVisible(); }));
  EXPECT_TRUE(window_->restartRequested());
}

TEST_F(WindowLanguageTest, QueueAlertsLogAndUndoSpeakTheLanguageOfTheStart) {
  settings_.setLanguage(QStringLiteral("de"));
  start();
  storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  command("page_edit")->trigger();
  edit_.draft().setText("seed", QStringLiteral("41"));
  edit_.draft().setText("name", QStringLiteral("first"));
  EXPECT_TRUE(command("undo")->text().contains(QStringLiteral("Änderung"))) << command("undo")->text().toStdString();
  command("enqueue")->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return model("queue").rowCount() == 1; }));
  window_->findChild<QAbstractButton*>(QStringLiteral("queueGo"))->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  const std::string training = beginRun();
  MetricsRow row = test::rowAt(1);
  row.loss = std::nan("");
  fake_.publish({row});
  ASSERT_TRUE(test::comesTrue([&] { return model("alerts").rowCount() == 1; }));
  EXPECT_TRUE(test::comesTrue([&] { return cell("queue", 0, QueueModel::StateColumn) == QStringLiteral("Läuft"); }));
  desk_.select(QString::fromStdString(training));
  ASSERT_TRUE(test::comesTrue([&] { return desk_.hasRun(); }));
  fake_.publish({RunNote{NoteLevel::Warning, "told live, and not in the store yet", row.at}});
  ASSERT_TRUE(test::comesTrue(
      [&] { return desk_.log().plainText().contains(QStringLiteral("told live"), Qt::CaseInsensitive); }));
  ASSERT_EQ(desk_.selectedView().alerts.size(), 1u);
  EXPECT_TRUE(desk_.selectedView().alerts[0].text.startsWith(QStringLiteral("Warnung:")))
      << desk_.selectedView().alerts[0].text.toStdString();
  EXPECT_TRUE(window_->grab().save(QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/german-switched.png")));
  fake_.finish(RunStatus::Finished);
  std::ignore = workspace_.workspace()->markDeadRuns();
  EXPECT_TRUE(test::comesTrue([&] { return cell("queue", 0, QueueModel::StateColumn) == QStringLiteral("Fertig"); }));
}

TEST_F(WindowLanguageTest, AnArchivedRunCanBeBroughtBackInGerman) {
  settings_.setLanguage(QStringLiteral("de"));
  start();
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  window_->findChild<RunListCommands*>()->archive({QString::fromStdString(id)});
  EXPECT_TRUE(window_->findChild<MessageBar*>()->text().contains(QStringLiteral("im Archiv")));
  for (QAbstractButton* each : window_->findChild<MessageBar*>()->findChildren<QAbstractButton*>())
    if (each->text() == QStringLiteral("Rückgängig")) each->click();
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1 && !workspace_.runs().at(0)->archived; }));
}

}  // namespace
}  // namespace batchwise
