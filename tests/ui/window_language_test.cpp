// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German: every page, nothing left in English, nothing cut; and the files of translations themselves.
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QXmlStreamReader>
#include <QtGui/QAction>
#include <QtWidgets/QLabel>

#include "tests/ui/window_fixture.h"
#include "ui/bridge/language.h"
#include "ui/models/field_labels.h"
#include "ui/models/queue_model.h"
#include "ui/widgets/commands/archive_commands.h"
#include "ui/widgets/shell/window_shell.h"
#include "ui/widgets/watch/chart_grid.h"

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
    window().resize(1366, 768);
    window().show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window()));
  }
  void speak(const QString& itself, const QString& name) {
    for (QAction* each : window().findChildren<QAction*>())
      if (each->text() == itself) each->trigger();
    ASSERT_TRUE(test::comesTrue([&] { return language_.name() == name; }));
    window().resize(1366, 768);
  }
  MainWindow& window() { return holder_.window(); }
  QAbstractItemModel& model(const char* view) {
    return *window().findChild<QAbstractItemView*>(QString::fromLatin1(view))->model();
  }
  QString cell(const char* view, int row, int column) { return model(view).index(row, column).data().toString(); }
  QAction* command(const char* name) {
    return window().findChild<QAction*>(QStringLiteral("command.") + QString::fromLatin1(name));
  }
  Language language_;
  WindowShell holder_{parts_, language_};
};

TEST_F(WindowLanguageTest, TheWindowIsMadeAnewInGerman) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  watch_.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return watch_.hasRun() && workspace_.runs().rowCount() == 1; }));
  edit_.draft().setText("seed", QStringLiteral("41"));
  speak(QStringLiteral("Deutsch"), QStringLiteral("de"));
  EXPECT_EQ(settings_.language(), QStringLiteral("de"));
  EXPECT_EQ(edit_.draft().text("seed"), QStringLiteral("41"));
  auto* runs = window().findChild<QAbstractItemView*>(QStringLiteral("runs"));
  runs->setCurrentIndex(runs->model()->index(0, 0));
  QTest::keyClick(runs, Qt::Key_Space);  // there is something to compare
  const std::pair<const char*, const char*> pages[] = {
      {"Bearbeiten", "edit"}, {"Beobachten", "watch"}, {"Vergleichen", "compare"}, {"Checkpoints", "checkpoints"}};
  const auto open = [&](const char* title) {
    for (QAction* each : window().findChildren<QAction*>())
      if (each->text().remove(QLatin1Char('&')) == QString::fromUtf8(title) && each->isCheckable()) each->trigger();
  };
  for (const auto& [title, name] : pages) {
    open(title);
    QTest::qWait(300);
    EXPECT_TRUE(window().grab().save(
        QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/german-%1.png").arg(QString::fromLatin1(name))));
    EXPECT_LE(window().minimumSizeHint().width(), 1366) << name;
  }
  theme_.setTextScale(2.0);
  for (const auto& [title, name] : pages) {
    open(title);
    EXPECT_TRUE(test::comesTrue([&] { return window().minimumSizeHint().width() <= 1366; })) << name;
  }
  theme_.setTextScale(1.0);
}

TEST_F(WindowLanguageTest, QueueAlertsAndWhatCanBeUndoneStayWithAnotherLanguage) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1; }));
  command("page_edit")->trigger();
  edit_.draft().setText("seed", QStringLiteral("41"));
  for (const char* name : {"first", "second"}) {
    edit_.draft().setText("name", QString::fromLatin1(name));
    command("enqueue")->trigger();
  }
  ASSERT_TRUE(test::comesTrue([&] { return model("queue").rowCount() == 2; }));
  window().findChild<QAbstractButton*>(QStringLiteral("queueGo"))->click();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 1; }));
  const std::string training = beginRun();
  MetricsRow row = test::rowAt(1);
  row.loss = std::nan("");
  fake_.publish({row});
  ASSERT_TRUE(test::comesTrue([&] { return model("alerts").rowCount() == 1; }));
  ASSERT_TRUE(test::comesTrue([&] { return cell("queue", 0, QueueModel::StateColumn) == QStringLiteral("Running"); }));
  watch_.select(QString::fromStdString(training));
  ASSERT_TRUE(test::comesTrue([&] { return watch_.hasRun(); }));
  fake_.publish({RunNote{NoteLevel::Warning, "told live, and not in the store yet", row.at}});
  ASSERT_TRUE(test::comesTrue(
      [&] { return watch_.log().plainText().contains(QStringLiteral("told live"), Qt::CaseInsensitive); }));

  speak(QStringLiteral("Deutsch"), QStringLiteral("de"));
  ASSERT_EQ(model("alerts").rowCount(), 1);
  ASSERT_EQ(model("queue").rowCount(), 2);
  EXPECT_EQ(cell("queue", 0, QueueModel::StateColumn), QStringLiteral("Läuft"));
  EXPECT_TRUE(watch_.log().plainText().contains(QStringLiteral("told live"), Qt::CaseInsensitive));
  ASSERT_EQ(watch_.view().alerts.size(), 1u);
  EXPECT_TRUE(watch_.view().alerts[0].text.startsWith(QStringLiteral("Warnung:")))
      << watch_.view().alerts[0].text.toStdString();
  command("page_edit")->trigger();
  EXPECT_TRUE(command("undo")->text().contains(QStringLiteral("Änderung"))) << command("undo")->text().toStdString();
  command("undo")->trigger();
  EXPECT_EQ(edit_.draft().text("name"), QStringLiteral("demo"));  // typed without a pause: one step
  EXPECT_TRUE(window().grab().save(QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/german-switched.png")));

  fake_.finish(RunStatus::Finished);
  std::ignore = workspace_.workspace()->markDeadRuns();
  ASSERT_TRUE(test::comesTrue([&] { return fake_.requests.size() == 2; }));  // the queue goes on
  EXPECT_EQ(cell("queue", 1, QueueModel::StateColumn), QStringLiteral("Fertig"));
  EXPECT_EQ(model("alerts").rowCount(), 2);  // the run's end, and nothing told twice
  window().findChild<QAbstractButton*>(QStringLiteral("queueGo"))->click();
  fake_.finish(RunStatus::Stopped);
  ASSERT_TRUE(test::comesTrue([&] { return !run_.busy(); }));
  speak(QStringLiteral("English"), QStringLiteral("en"));
  EXPECT_EQ(model("queue").rowCount(), 2);
}

TEST_F(WindowLanguageTest, TheOfferAndTheShownPartStayWithAnotherLanguage) {
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  watch_.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return watch_.hasRun() && workspace_.runs().rowCount() == 1; }));
  ASSERT_TRUE(test::comesTrue([&] { return window().findChild<ChartGrid*>()->view().shown().high > 12'431; }));
  window().findChild<ChartGrid*>()->showPart({12'410, 12'420});
  speak(QStringLiteral("Deutsch"), QStringLiteral("de"));
  EXPECT_TRUE(test::comesTrue([&] {
    return window().findChild<ChartGrid*>()->view().shown() == AxisRange{12'410, 12'420};
  }));
  speak(QStringLiteral("English"), QStringLiteral("en"));
  window().findChild<ArchiveCommands*>()->archive(QString::fromStdString(id));
  speak(QStringLiteral("Deutsch"), QStringLiteral("de"));
  EXPECT_TRUE(window().findChild<MessageBar*>()->text().contains(QStringLiteral("im Archiv")));
  for (QAbstractButton* each : window().findChild<MessageBar*>()->findChildren<QAbstractButton*>())
    if (each->text() == QStringLiteral("Rückgängig")) each->click();
  EXPECT_TRUE(test::comesTrue([&] { return workspace_.runs().rowCount() == 1 && !workspace_.runs().at(0)->archived; }));
}

}  // namespace
}  // namespace batchwise
