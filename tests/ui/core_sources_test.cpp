// SPDX-License-Identifier: GPL-3.0-or-later
// Every message in the sources of core that a window may show has a German pattern.
#include <gtest/gtest.h>

#include <QtCore/QDirIterator>
#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtCore/QXmlStreamReader>

#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

const QString kRoot = QString::fromStdString(test::sourceRoot().string());

/// The string literals of a C++ source, those that stand side by side joined; comments and raw strings are left out.
QStringList literalsOf(const QString& source) {
  static const QRegularExpression token(
      QStringLiteral(
          R"re(//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|#include[^\n]*|'(?:\\.|[^'\\\n])'|"((?:\\.|[^"\\])*)")re"),
      QRegularExpression::DotMatchesEverythingOption);
  QStringList found;
  qsizetype endOfLast = -1;
  for (auto all = token.globalMatch(source); all.hasNext();) {
    const auto match = all.next();
    if (match.capturedStart(1) < 0) continue;
    const QString text = match.captured(1).replace(QStringLiteral("\\\""), QStringLiteral("\""));
    const bool joined = endOfLast >= 0 && source.mid(endOfLast, match.capturedStart() - endOfLast).trimmed().isEmpty();
    if (joined)
      found.back() += text;
    else
      found << text;
    endOfLast = match.capturedEnd();
  }
  return found;
}

/// The part of a literal that reads as prose: three words or more. Names of settings before it are no words; SQL is
/// none.
QString proseOf(const QString& literal) {
  static const QRegularExpression setting(QStringLiteral(R"(^[\w.\[\]-]+: )")),
      word(QStringLiteral(R"(\b[a-z]{2,}\b)")),
      sql(QStringLiteral(R"(\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WHERE|FROM|ORDER BY)\b)"));
  // Markup, SQLite's own, a command, a formula; lines of a file.
  static const QRegularExpression noWords(QStringLiteral(R"(^(<|\*|batchwise |log\()|\\n$)"));
  if (literal.contains(noWords)) return {};
  QString text = literal;
  text.remove(setting);
  static const QRegularExpression edges(QStringLiteral(R"(^[ ']+|[ ']+$)"));
  text.remove(edges);
  int words = 0;
  for (auto all = word.globalMatch(text); all.hasNext(); all.next()) ++words;
  return words >= 3 && text.split(QLatin1Char(' ')).size() >= 3 && !text.contains(sql) ? text : QString();
}

/// The sources of the patterns, with a mark where something is filled in.
QString patterns(const QString& language) {
  QFile file(kRoot + QStringLiteral("/resources/i18n/batchwise_core_%1.ts").arg(language));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  static const QRegularExpression place(QStringLiteral("[%#]\\d"));
  QString all;
  QXmlStreamReader xml(&file);
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("source"))
      all += xml.readElementText().replace(place, QStringLiteral("\x02")) + QLatin1Char('\x01');
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return all;
}

/// Sources whose texts no window shows: the declarations of fields (their help is translated by itself), the listings
/// of the command line, SQL, drawings, and a made-up text.
bool shownByNoWindow(const QString& path) {
  static const QRegularExpression others(
      QStringLiteral("fields_|config/reference|batch/preview|demo|sqlite|sql_|analysis/svg"));
  return path.contains(others);
}

TEST(CoreMessagesTest, EveryMessageOfTheSourcesHasGermanWords) {
  const QString known = patterns(QStringLiteral("de"));
  QStringList missing;
  int checked = 0;
  for (const char* folder : {"base", "time", "config", "schedule", "batch", "guard", "data", "store", "checkpoint",
                             "dist", "train", "run", "analysis", "exchange"}) {
    QDirIterator files(kRoot + QStringLiteral("/core/") + QString::fromLatin1(folder), {QStringLiteral("*.cpp")},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (shownByNoWindow(file.fileName().mid(kRoot.size()))) continue;
      ASSERT_TRUE(file.open(QIODevice::ReadOnly));
      for (const QString& literal : literalsOf(QString::fromUtf8(file.readAll()))) {
        const QString prose = proseOf(literal);
        if (prose.isEmpty()) continue;
        ++checked;
        if (!known.contains(prose)) missing << file.fileName().mid(kRoot.size() + 1) + QStringLiteral(": ") + prose;
      }
    }
  }
  EXPECT_TRUE(missing.isEmpty()) << "to be added to resources/i18n/batchwise_core_de.ts:\n"
                                 << missing.join(QLatin1Char('\n')).toStdString();
  EXPECT_GT(checked, 600);
}

TEST(CoreMessagesTest, WhatHasOtherWordsInTheEnglishWindowIsStillSaid) {
  const QStringList english = patterns(QStringLiteral("en")).split(QLatin1Char('\x01'), Qt::SkipEmptyParts);
  const QString german = patterns(QStringLiteral("de"));
  EXPECT_GT(english.size(), 20);
  for (const QString& source : english)
    EXPECT_TRUE(german.contains(source + QLatin1Char('\x01'))) << "core says it no more: " << source.toStdString();
}

}  // namespace
}  // namespace batchwise
