// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_legend.h"

#include <gtest/gtest.h>

#include <QtCore/QSet>

namespace batchwise {
namespace {

const char* const kLong = "bert-base-wikipedia-ramp-from-8-to-64-budget-1600-lr-5e-4-warmup-0.06-seed-";

ChartContent runs(int count, const QString& stem) {
  ChartContent content;
  for (int i = 0; i < count; ++i) {
    ChartLine line;
    line.name = stem + QString::number(i);
    line.color = i;
    line.points = {{0, 1.0 * i}, {100, 1.0 * i}};
    content.lines.push_back(std::move(line));
  }
  return content;
}

QFontMetricsF metrics() {
  return QFontMetricsF(QFont());
}

ChartLegend legendOf(const ChartContent& content, QSizeF size) {
  return chartLegend(content, size, metrics(), 30);
}

TEST(ElidedApartTest, NamesStayDifferentAndFitTheirWidth) {
  const QStringList names = {QString(175, QLatin1Char('x')), QString(174, QLatin1Char('x')) + QLatin1Char('y'),
                             QStringLiteral("a")};
  for (double width = 40; width < 800; width *= 1.3) {
    const QStringList texts = elidedApart(names, width, metrics());
    EXPECT_EQ(QSet<QString>(texts.begin(), texts.end()).size(), names.size()) << width;
    EXPECT_EQ(texts.back(), names.back());
    for (const QString& text : texts) EXPECT_LE(metrics().horizontalAdvance(text), width) << text.toStdString();
  }
}

TEST(ChartLegendTest, ShortNamesOfFewLinesStandAtTheirEnds) {
  const ChartLegend legend = legendOf(runs(6, QStringLiteral("r")), {900, 400});
  EXPECT_EQ(legend.place, ChartLegend::Place::Right);
  EXPECT_EQ(legend.entries.size(), 6u);
  EXPECT_LE(legend.width, 150);
  EXPECT_EQ(legend.height, 0);
}

TEST(ChartLegendTest, ManyOrLongNamesStandAbove) {
  EXPECT_EQ(legendOf(runs(7, QStringLiteral("r")), {900, 400}).place, ChartLegend::Place::Above);
  EXPECT_EQ(legendOf(runs(2, QString::fromLatin1(kLong)), {900, 400}).place, ChartLegend::Place::Above);
  EXPECT_EQ(legendOf(ChartContent(), {900, 400}).place, ChartLegend::Place::None);
}

TEST(ChartLegendTest, TakesAtMostASixthAndStaysInside) {
  for (const int count : {1, 3, 8, 20, 100})
    for (const QSizeF size : {QSizeF(260, 160), QSizeF(420, 240), QSizeF(1000, 500)}) {
      const ChartLegend legend = legendOf(runs(count, QString::fromLatin1(kLong)), size);
      EXPECT_LE(legend.height, std::max(size.height() / 6, metrics().height()));
      QSet<QString> texts;
      for (const ChartLegend::Entry& entry : legend.entries) {
        EXPECT_GE(entry.box.left(), 0);
        EXPECT_LE(entry.box.right(), size.width()) << count << " " << size.width();
        EXPECT_LE(entry.box.bottom(), 30 + legend.height + 0.01);
        texts << entry.text;
      }
      EXPECT_EQ(texts.size(), static_cast<qsizetype>(legend.entries.size()));
      EXPECT_FALSE(legend.entries.empty());
      const auto left = count - static_cast<int>(legend.entries.size());
      EXPECT_EQ(legend.more, left > 0 ? QStringLiteral("+%1 more").arg(left) : QString());
      EXPECT_LE(legend.moreBox.right(), size.width());
    }
}

TEST(ChartLegendTest, LinesOfOneNameAndColorShareAnEntry) {
  ChartContent content = runs(2, QStringLiteral("r"));
  content.lines[1].name = content.lines[0].name;
  EXPECT_EQ(legendOf(content, {900, 400}).entries.size(), 2u);
  content.lines[1].color = content.lines[0].color;
  EXPECT_EQ(legendOf(content, {900, 400}).entries.size(), 1u);
}

TEST(LegendCacheTest, FollowsNamesAndSize) {
  LegendCache cache;
  const ChartContent content = runs(3, QStringLiteral("r"));
  EXPECT_EQ(cache.update(content, {900, 400}, metrics(), 30).place, ChartLegend::Place::Right);
  EXPECT_EQ(cache.update(content, {100, 400}, metrics(), 30).place, ChartLegend::Place::Above);
  EXPECT_EQ(cache.update(runs(9, QStringLiteral("r")), {900, 400}, metrics(), 30).entries.size(), 9u);
}

}  // namespace
}  // namespace batchwise
