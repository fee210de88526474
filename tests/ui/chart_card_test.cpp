// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_card.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

std::shared_ptr<const XAxisMap> tokensPerBatch(double tokens, int batches) {
  LongSeries rows;
  for (int batch = 1; batch <= batches; ++batch) rows.append(batch, tokens * batch);
  return std::make_shared<const XAxisMap>(rows);
}

/// Two runs over tokens; the second has twice as many per global batch, and ends earlier on the axis.
ChartContent twoRuns() {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  for (const int run : {0, 1}) {
    ChartLine line;
    line.name = QStringLiteral("run %1").arg(run);
    line.color = run;
    const int batches = run == 0 ? 100 : 20;
    for (int batch = 1; batch <= batches; ++batch) line.points.append(batch, run + 1.0 / batch);
    line.map = tokensPerBatch(run == 0 ? 10 : 20, batches);
    content.lines.push_back(std::move(line));
  }
  content.dataEnd = content.xHigh = 1000;
  content.events = {{400, QStringLiteral("checkpoint"), QStringLiteral("saved")}};
  return content;
}

ChartCard cardAt(const ChartContent& content, double x) {
  return chartCard(content, ValueFormat::Plain, QStringLiteral("Loss"), x, 5);
}

TEST(ChartCardTest, TellsEachRunAtItsOwnBatchInDescendingOrder) {
  const ChartCard card = cardAt(twoRuns(), 400);
  ASSERT_EQ(card.rows.size(), 2u);
  EXPECT_EQ(card.rows[0].name, QStringLiteral("run 1"));
  EXPECT_EQ(card.rows[0].value, QStringLiteral("1.050"));
  EXPECT_EQ(card.rows[0].color, 1);
  EXPECT_EQ(card.rows[1].value, QStringLiteral("0.02500"));
  EXPECT_EQ(card.events, QStringList{QStringLiteral("saved")});
  EXPECT_EQ(card.texts(),
            (QStringList{QStringLiteral("Token 400"), QStringLiteral("Loss"), QStringLiteral("run 1  1.050"),
                         QStringLiteral("run 0  0.02500"), QStringLiteral("saved")}));
}

TEST(ChartCardTest, ARunHasNoValueBehindItsEnd) {
  const ChartCard card = cardAt(twoRuns(), 800);
  ASSERT_EQ(card.rows.size(), 1u);
  EXPECT_EQ(card.rows[0].name, QStringLiteral("run 0"));
  EXPECT_TRUE(card.events.isEmpty());
  EXPECT_TRUE(cardAt(twoRuns(), 1500).rows.empty());
}

TEST(ChartCardTest, AnOldEvaluationTellsWhereItWas) {
  ChartContent content = twoRuns();
  content.lines[0].kind = LineKind::Points;
  content.lines[0].points = {{20, 3}};
  EXPECT_EQ(cardAt(content, 300).rows.back().value, QStringLiteral("3.000 (Token 200)"));
  EXPECT_EQ(cardAt(content, 200).rows.back().value, QStringLiteral("3.000"));
}

TEST(ChartCardTest, TheCursorGoesToTheNearestPointAndTheCardTellsItsValue) {
  ChartContent content;
  ChartLine line;
  line.name = QStringLiteral("training");
  for (int batch = 1; batch <= 30; ++batch) line.points.append(batch, batch);
  content.lines.push_back(line);
  content.dataEnd = 30;
  content.xHigh = 100;
  const auto placeOf = [&](double x) { return nearestPlace(content, {0, 100}, x); };
  EXPECT_EQ(placeOf(16.9), 17);
  EXPECT_EQ(placeOf(16.4), 16);
  EXPECT_EQ(placeOf(0.1), 1) << "there is no batch before the first";
  EXPECT_EQ(cardAt(content, placeOf(16.9)).texts(),
            (QStringList{QStringLiteral("Batch 17"), QStringLiteral("Loss"), QStringLiteral("training  17.00")}));
  EXPECT_EQ(placeOf(68.6), 69) << "behind the newest value";
  EXPECT_EQ(nearestPlace(content, {0, 16.8}, 16.7), 16) << "not outside of what is shown";
  EXPECT_NEAR(nearestPlace(twoRuns(), {0, 1000}, 46), 50, 1e-9) << "of the run that has one there";
}

TEST(ChartCardTest, UnnamedLinesAreNotOnIt) {
  ChartContent content = twoRuns();
  content.lines[0].name.clear();
  content.lines[1].derived = true;
  const ChartCard card = cardAt(content, 200);
  ASSERT_EQ(card.rows.size(), 1u);
  EXPECT_EQ(card.rows[0].name, QStringLiteral("run 1, smoothed"));
  EXPECT_TRUE(ChartCard().empty());
}

}  // namespace
}  // namespace batchwise
