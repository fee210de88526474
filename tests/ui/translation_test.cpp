// SPDX-License-Identifier: GPL-3.0-or-later
// The English plural forms of the window's texts.
#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QXmlStreamReader>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

/// Texts with a number that have no plural forms yet.
QStringList unfinished(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&file);
  QStringList sources;
  QString source;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == QLatin1String("source")) source = xml.readElementText();
    if (xml.name() == QLatin1String("translation") &&
        xml.attributes().value(QLatin1String("type")) == QLatin1String("unfinished"))
      sources << source;
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_FALSE(source.isEmpty());
  return sources;
}

TEST(TranslationTest, EveryTextWithANumberHasItsPlural) {
  const test::TempFolder folder;
  const QString root = QString::fromStdString(test::sourceRoot().string());
  const QString copy = QString::fromStdString((folder / "en.ts").string());
  ASSERT_TRUE(QFile::copy(root + QStringLiteral("/resources/i18n/batchwise_en.ts"), copy));
  QProcess lupdate;
  lupdate.setProcessChannelMode(QProcess::MergedChannels);
  lupdate.start(QStringLiteral(BATCHWISE_LUPDATE),
                {QStringLiteral("-silent"), QStringLiteral("-locations"), QStringLiteral("none"),
                 QStringLiteral("-no-obsolete"), QStringLiteral("-pluralonly"), QStringLiteral("-I"), root,
                 root + QStringLiteral("/ui"), root + QStringLiteral("/app/studio"), QStringLiteral("-ts"), copy});
  ASSERT_TRUE(lupdate.waitForFinished(120'000));
  ASSERT_EQ(lupdate.exitCode(), 0) << lupdate.readAll().toStdString();
  const QStringList missing = unfinished(copy);
  EXPECT_TRUE(missing.isEmpty()) << "ninja translations_update takes these into resources/i18n/batchwise_en.ts, where "
                                    "their forms are filled in: "
                                 << missing.join(QStringLiteral(" | ")).toStdString();
}

TEST(TranslationTest, OneIsSaidInTheSingular) {
  const auto text = [](int count) {
    return QCoreApplication::translate("DeskCharts", "smoothed over about %n global batch(es)", nullptr, count);
  };
  EXPECT_EQ(text(1), QStringLiteral("smoothed over about 1 global batch"));
  EXPECT_EQ(text(2), QStringLiteral("smoothed over about 2 global batches"));
}

}  // namespace
}  // namespace batchwise
