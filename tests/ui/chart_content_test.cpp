// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_content.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::shared_ptr<const XAxisMap> tokensPerBatch(double tokens) {
  LongSeries rows;
  for (int batch = 1; batch <= 4; ++batch) rows.append(batch, tokens * batch);
  return std::make_shared<const XAxisMap>(rows);
}

ChartLine lineOf(const char* name, LongSeries points, std::shared_ptr<const XAxisMap> map, int color = 0) {
  ChartLine line;
  line.name = QString::fromLatin1(name);
  line.points = std::move(points);
  line.map = std::move(map);
  line.color = color;
  return line;
}

std::vector<std::string> headsOf(const TextTable& table) {
  std::vector<std::string> heads;
  for (const auto& column : table.columns) heads.push_back(column.title);
  return heads;
}

TEST(ChartRowsTest, RunsOverAnAxisHaveOneRowPerPlaceOnIt) {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("a", {{1, 5}, {2, 4}}, tokensPerBatch(100)),
                   lineOf("b", {{1, 6}, {2, 3}}, tokensPerBatch(200), 1)};
  const TextTable table = ChartRows(content, {}).next(100);
  EXPECT_EQ(headsOf(table), (std::vector<std::string>{"Tokens", "a", "b"}));
  EXPECT_EQ(table.rows, (Rows{{"100", "5", ""}, {"200", "4", "6"}, {"400", "", "3"}}));
  EXPECT_EQ(ChartRows(content, AxisRange{150, 250}).next(100).rows, (Rows{{"200", "4", "6"}}));
}

TEST(ChartRowsTest, LinesOfOneRunTellItsGlobalBatchesToo) {
  const auto map = tokensPerBatch(100);
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("a", {{1, 5}, {2, 4}}, map), lineOf("b", {{2, 3}}, map)};
  const TextTable table = ChartRows(content, {}).next(100);
  EXPECT_EQ(headsOf(table), (std::vector<std::string>{"Global batches", "Tokens", "a", "b"}));
  EXPECT_EQ(table.rows, (Rows{{"1", "100", "5", ""}, {"2", "200", "4", "3"}}));
}

TEST(ChartRowsTest, ALineWithoutAMapLiesOnTheAxisAlready) {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("a", {{1, 5}}, tokensPerBatch(100)), lineOf("difference", {{50, 1}, {100, 2}}, nullptr)};
  EXPECT_EQ(ChartRows(content, {}).next(100).rows, (Rows{{"50", "", "1"}, {"100", "5", "2"}}));
}

TEST(ChartRowsTest, TheValuesBehindSmoothedLinesAreNamedForTheirRuns) {
  ChartContent content;
  for (const int run : {0, 1}) {
    content.lines.push_back(lineOf("", {{1, 5}}, nullptr, run));
    content.lines.back().kind = LineKind::Raw;
    content.lines.push_back(lineOf(run == 0 ? "a" : "b", {{1, 5}}, nullptr, run));
    content.lines.back().derived = true;
  }
  EXPECT_EQ(
      headsOf(ChartRows(content, {}).next(1)),
      (std::vector<std::string>{"Global batches", "a, every value", "a, smoothed", "b, every value", "b, smoothed"}));
}

TEST(ChartRowsTest, ABandHasAColumnForEachEdge) {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("group", {{100, 5}}, nullptr, 3)};
  content.bands = {{3, {{100, 4}}, {{100, 6}}}};
  const TextTable table = ChartRows(content, {}).next(100);
  EXPECT_EQ(headsOf(table), (std::vector<std::string>{"Tokens", "group", "group, lower bound", "group, upper bound"}));
  EXPECT_EQ(table.rows, (Rows{{"100", "5", "4", "6"}}));
}

TEST(XAxisMapTest, ManyValuesAreMappedAsOneByOne) {
  LongSeries rows;
  for (int batch = 1; batch <= 1000; ++batch) rows.append(batch, batch < 500 ? 10 * batch : 5000);
  const XAxisMap map(rows);
  std::vector<double> places;
  for (int i = -3; i < 700; ++i) places.push_back(i * 10.3);
  const std::vector<double> batches = map.batchesAt(places);
  ASSERT_EQ(batches.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(batches[i], map.batchAt(places[i])) << places[i];
}

}  // namespace
}  // namespace batchwise
