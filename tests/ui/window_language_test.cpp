// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German: every page, nothing left in English, nothing cut; and the files of translations themselves.
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QXmlStreamReader>
#include <QtGui/QAction>
#include <QtWidgets/QLabel>

#include "tests/ui/window_fixture.h"
#include "ui/bridge/language.h"
#include "ui/models/field_words.h"
#include "ui/widgets/window_holder.h"

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
  QStringList arguments{QStringLiteral("-silent"), QStringLiteral("-locations"), QStringLiteral("none"),
                        QStringLiteral("-no-obsolete"), QStringLiteral("-I"), root};
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
    EXPECT_TRUE(found.sources.isEmpty())
        << "ninja translations_update takes these into resources/i18n/batchwise_" << language
        << ".ts, to be translated there: " << found.sources.join(QStringLiteral(" | ")).toStdString();
    EXPECT_GT(found.messages, language == std::string("de") ? 600 : 10) << language;
  }
}

TEST(TranslationTest, EveryFieldHasItsHelpAndUnitInGerman) {
  Language language;
  language.use(QStringLiteral("de"));
  for (const Field& field : configSchema()) {
    const bool same = fieldHelp(field).toStdString() == field.help;
    EXPECT_TRUE(field.help.empty() || !same) << field.path << ": to be translated in batchwise_fields_de.ts";
    EXPECT_EQ(field.unit.empty(), fieldUnit(field).isEmpty()) << field.path;
  }
  EXPECT_EQ(fieldUnit(*findField("batch.global_train_batch_size")), QStringLiteral("Beispiele"));
  language.use(QStringLiteral("en"));
}

class WindowLanguageTest : public test::WindowTest {
 protected:
  ~WindowLanguageTest() override { language_.use(QStringLiteral("en")); }
  Language language_;
};

TEST_F(WindowLanguageTest, TheWindowIsMadeAnewInGerman) {
  window_.hide();
  WindowHolder holder({theme_, settings_, workspace_, run_, watch_, edit_, resume_, checkpoints_}, language_);
  holder.window().resize(1366, 768);
  holder.window().show();
  const std::string id = storeStoppedRun();
  workspace_.refresh();
  watch_.select(QString::fromStdString(id));
  ASSERT_TRUE(QTest::qWaitFor([&] { return watch_.hasRun() && workspace_.runs().rowCount() == 1; }, 8000));
  edit_.draft().setText("seed", QStringLiteral("41"));
  for (QAction* each : holder.window().findChildren<QAction*>())
    if (each->text() == QLatin1String("Deutsch")) each->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return language_.name() == QLatin1String("de"); }));
  EXPECT_EQ(settings_.language(), QStringLiteral("de"));
  EXPECT_EQ(edit_.draft().text("seed"), QStringLiteral("41"));
  holder.window().resize(1366, 768);
  const std::pair<const char*, const char*> pages[] = {
      {"Bearbeiten", "edit"}, {"Beobachten", "watch"}, {"Vergleichen", "compare"}, {"Checkpoints", "checkpoints"}};
  for (const auto& [title, name] : pages) {
    for (QAction* each : holder.window().findChildren<QAction*>())
      if (each->text().remove(QLatin1Char('&')) == QString::fromUtf8(title) && each->isCheckable()) each->trigger();
    QTest::qWait(300);
    EXPECT_TRUE(holder.window().grab().save(
        QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/german-%1.png").arg(QString::fromLatin1(name))));
    EXPECT_LE(holder.window().minimumSizeHint().width(), 1366) << name;
  }
}

}  // namespace
}  // namespace batchwise
