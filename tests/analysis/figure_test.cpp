// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/figure.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include "core/analysis/axis_ticks.h"
#include "core/analysis/text_table.h"
#include "core/base/file.h"
#include "core/base/random.h"
#include "tests/analysis/special_numbers.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Points of the polylines and polygons of a drawing that have this attribute.
std::vector<std::vector<CurvePoint>> shapes(const std::string& svg, const std::string& attribute) {
  std::vector<std::vector<CurvePoint>> found;
  std::istringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t points = line.find("points=\"");
    if (points == std::string::npos || line.find(attribute) == std::string::npos) continue;
    std::istringstream numbers(line.substr(points + 8));
    std::vector<CurvePoint>& shape = found.emplace_back();
    char comma = 0;
    for (CurvePoint point; numbers >> point.x >> comma >> point.y;) shape.push_back(point);
  }
  return found;
}

const char* const kLines = "stroke-width=\"1.75\"";  // lines, and their samples in the list behind them

struct Label {
  double x = 0, y = 0;
  std::string text;
};
/// Texts in the colors of lines: the list at the right.
std::vector<Label> labels(const std::string& svg) {
  std::vector<Label> found;
  const std::regex pattern("<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" text-anchor=\"start\"[^>]*normal[^>]*>([^<]*)<");
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at)
    found.push_back({std::stod((*at)[1]), std::stod((*at)[2]), (*at)[3]});
  return found;
}

Figure noisyFigure(int lines, int points) {
  Figure figure;
  figure.title = "loss";
  for (int line = 0; line < lines; ++line) {
    FigureLine one{"run " + std::to_string(line), line, {}, {}, {}};
    for (int i = 0; i < points; ++i) {
      const double noise =
          static_cast<double>(randomBits(static_cast<std::uint64_t>(line), static_cast<std::uint64_t>(i)) >> 11) *
          0x1p-53;
      one.points.push_back({static_cast<double>(i), noise + line});
    }
    figure.lines.push_back(std::move(one));
  }
  return figure;
}

TEST(FigureTest, EveryExtremeIsInThePictureWithFewPoints) {
  Figure figure = noisyFigure(2, 100'000);
  figure.lines[0].points[31'234].y = -50;
  figure.lines[1].points[77'777].y = 99;
  const auto lines = shapes(figureSvg(figure, 24, 12), kLines);
  ASSERT_EQ(lines.size(), 4U);
  double lowest = 1e9, highest = -1e9;
  for (const std::size_t i : {0, 1}) {
    EXPECT_LE(lines[i].size(), 2U * 910);
    for (const CurvePoint& point : lines[i]) {
      lowest = std::min(lowest, point.y);
      highest = std::max(highest, point.y);
    }
  }
  const double height = 12 * 96 / 2.54, plot = height - 5.4 * 11;
  EXPECT_NEAR(highest - lowest, plot / 1.08, 0.1) << "from -50 to 99, with room above and below";
}

TEST(FigureTest, WhatIsNotFiniteLeavesAGapAndAMark) {
  Figure figure;
  figure.lines = {{"a", 0, {{0, 1}, {1, 2}, {2, kNan}, {3, 4}, {4, kInf}, {5, 3}, {6, 2}}, {}, {}}};
  const std::string svg = figureSvg(figure, 16, 9);
  EXPECT_EQ(shapes(svg, kLines).size(), 3U + 1);
  EXPECT_EQ(shapes(svg, "fill=\"#B3261E\"").size(), 2U);
}

TEST(FigureTest, ALogAxisShowsPositiveValuesOnly) {
  Figure figure;
  figure.yScale = Scale::Logarithmic;
  figure.lines = {{"a", 0, {{0, 0}, {1, 1e-3}, {2, -5}, {3, 0.1}, {4, 10}}, {}, {}}};
  const std::string svg = figureSvg(figure, 16, 9);
  const auto lines = shapes(svg, kLines);
  ASSERT_EQ(lines.size(), 2U + 1);
  ASSERT_EQ(lines[1].size(), 2U);
  EXPECT_NEAR(lines[0][0].y - lines[1][0].y, lines[1][0].y - lines[1][1].y, 0.02) << "equal factors";
  EXPECT_TRUE(shapes(svg, "fill=\"#B3261E\"").empty());
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(FigureTest, NamesNeverMeetAndStayInside) {
  for (const int lines : {1, 2, 6, 7, 20}) {
    const auto names = labels(figureSvg(noisyFigure(lines, 50), 20, 12));
    ASSERT_EQ(names.size(), static_cast<std::size_t>(lines));
    for (std::size_t i = 1; i < names.size(); ++i) EXPECT_GE(names[i].y - names[i - 1].y, 11) << lines;
    EXPECT_LE(names.back().y, 12 * 96 / 2.54) << lines;
  }
}

TEST(FigureTest, NoTwoLabelsAreEqualAtAnySize) {
  Figure figure = noisyFigure(3, 5);
  const std::string longText(80, 'x');
  for (std::size_t i = 0; i < 3; ++i) figure.lines[i].label = longText + std::to_string(i) + longText;
  for (const double width : {3.0, 8.0, 24.0, 80.0}) {
    std::set<std::string> texts;
    for (const Label& label : labels(figureSvg(figure, width, 8))) texts.insert(label.text);
    EXPECT_EQ(texts.size(), 3U) << width;
  }
}

TEST(FigureTest, ALongNameOfAGroupIsCutBetweenCharactersBeforeTheNumberOfItsMembers) {
  Figure figure = noisyFigure(1, 5);
  figure.lines[0].label.clear();
  for (int i = 0; i < 200; ++i) figure.lines[0].label += "ä";
  figure.lines[0].count = " (n=12)";
  const auto names = labels(figureSvg(figure, 16, 9));
  ASSERT_EQ(names.size(), 1U);
  EXPECT_THAT(names[0].text, HasSubstr("ä…ä"));
  EXPECT_TRUE(names[0].text.ends_with("ä (n=12)")) << names[0].text;
}

TEST(FigureTest, AnEmptyFigureHasAFrameOnly) {
  const std::string svg = figureSvg({}, 8, 5);
  EXPECT_FALSE(shapes(svg, "#DADDE3").empty());
  EXPECT_TRUE(shapes(svg, kLines).empty());
}

TEST(FigureTest, GroupsAreBandsWithoutPlacesWhereNobodyKnowsTheSpread) {
  Figure figure;
  figure.lines = {
      {"g", 0, {}, {}, {{0, 2, 1, 3, 2}, {1, 2, 1, 3, 2}, {2, 2, kNan, kNan, 1}, {3, 2, 1, 3, 2}, {4, 2, 1, 3, 2}}}};
  const std::string svg = figureSvg(figure, 16, 9);
  EXPECT_EQ(shapes(svg, "fill-opacity").size(), 2U);
  EXPECT_EQ(shapes(svg, kLines).size(), 1U + 1);
}

TEST(SvgTest, HoldsTextsAsPlainTextOnAWhiteGround) {
  Figure figure = noisyFigure(2, 20);
  figure.lines[0].label = "<script>&\"";
  figure.title = "</title><script>";
  const std::string svg = figureSvg(figure, 16, 9);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(svg, HasSubstr("width=\"16.00cm\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"#FFFFFF\""));
  EXPECT_THAT(svg, HasSubstr("stroke=\"#1A225A\""));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(TextTableTest, WhatLatexReadsIsAscii) {
  const TextTable table{{{"run", false}, {"vs baseline", true}},
                        {{"base → 2 × “a”…", "−1.7 ± 0.4 %, better"}, {"x ≤ 3·y", "–"}, {"-5", "1e-5"}}};
  const std::string text = tableText(table, TableFormat::Latex, "± of n = 2 & 3 runs.");
  for (const char letter : text) EXPECT_GT(letter, 0) << text;
  EXPECT_THAT(text,
              HasSubstr("\\begin{table}\n\\centering\n\\caption{$\\pm$ of n = 2 \\& 3 runs.}\n\\begin{tabular}{lr}\n"));
  EXPECT_THAT(text, HasSubstr("base $\\rightarrow$ 2 $\\times$ ``a''\\ldots{} & $-$1.7 $\\pm$ 0.4 \\%, better \\\\\n"));
  EXPECT_THAT(text, HasSubstr("x $\\le$ 3$\\cdot$y & -- \\\\\n-5 & 1e-5 \\\\\n")) << "a name is no number";
  EXPECT_TRUE(text.ends_with("\\hline\n\\end{tabular}\n\\end{table}\n"));
}

TEST(TextTableTest, WhatIsWrittenForLatexCompiles) {
  const TextTable table{{{"run", false}, {"loss", true}, {"vs baseline", true}},
                        {{"[low] größe_1", "nan", "diverged"},
                         {"*best 100% #3 & {x} ~^\\ $5 a--b---c `q` ''r'' <1|2>", "-0.5", "−1.7 ± 0.4 %, better"},
                         {"", "inf", "–"}}};
  const std::string text = tableText(table, TableFormat::Latex, "Means of n runs: n = 1, 3. ± is the 95 % interval…");
  EXPECT_THAT(text, HasSubstr("\n{}[low] "));
  EXPECT_THAT(text, HasSubstr("\n{}*best "));
  EXPECT_THAT(text, HasSubstr("a-{}-b-{}-{}-c \\textasciigrave{}q\\textasciigrave{} '{}'r'{}'"));
  if (std::system("command -v pdflatex > /dev/null") != 0) return;
  const TempFolder folder;
  const std::string file = "\\documentclass{article}\n\\begin{document}\n" + text + "\\end{document}\n";
  ASSERT_TRUE(writeFileAtomically(folder / "table.tex", file).ok());
  const std::string command =
      "cd '" + folder.path().string() + "' && pdflatex -draftmode -interaction=nonstopmode -halt-on-error ";
  EXPECT_EQ(std::system((command + "table.tex > out.txt 2>&1").c_str()), 0) << readFile(folder / "out.txt").value();
}

TEST(TextTableTest, EscapesForEachForm) {
  const TextTable table{{{"run", false}, {"loss", true}},
                        {{"=HYPERLINK(1)", "-0.5"}, {"a,\"b\"\nc", "2"}, {"x_1 & 50% | <b>", ""}, {"short"}}};
  EXPECT_EQ(tableText(table, TableFormat::Csv),
            "run,loss\r\n'=HYPERLINK(1),-0.5\r\n\"a,\"\"b\"\"\nc\",2\r\nx_1 & 50% | <b>,\r\nshort,\r\n");
  EXPECT_EQ(tableText(table, TableFormat::Markdown),
            "| run | loss |\n| --- | ---: |\n| =HYPERLINK(1) | -0.5 |\n| a,\"b\" c | 2 |\n| x\\_1 \\& 50% \\| \\<b\\> "
            "|  |\n| short |  |\n");
  EXPECT_EQ(tableText(table, TableFormat::Latex),
            "\\begin{tabular}{lr}\n\\hline\nrun & loss \\\\\n\\hline\n=HYPERLINK(1) & $-$0.5 \\\\\na,\"b\" c & 2 \\\\\n"
            "x\\_1 \\& 50\\% $|$ $<$b$>$ &  \\\\\nshort &  \\\\\n\\hline\n\\end{tabular}\n");
  EXPECT_THAT(tableHtml(table), HasSubstr("<td>x_1 &amp; 50% | &lt;b&gt;</td>"));
  EXPECT_EQ(escapeMarkup(std::string("a\x01\0b", 4)),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
}

TEST(RoundTicksTest, AreRoundAndInside) {
  EXPECT_THAT(axisTicks({.low = 0, .high = 10, .wanted = 5}), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 5.2, .wanted = 4}), ElementsAre(2, 4));
  EXPECT_THAT(axisTicks({.low = 3, .high = 3, .wanted = 4}), IsEmpty());
}

TEST(NiceTicksTest, AreRoundNumbersInsideTheRange) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 3.1, .wanted = 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(axisTicks({.low = 0, .high = kInf, .wanted = 5}), IsEmpty());
}

TEST(AxisTicksTest, MoreAreTriedWhereFewComeOut) {
  EXPECT_THAT(axisTicks({.low = 10.2, .high = 12.9, .wanted = 2}), ElementsAre(12));
  EXPECT_THAT(axisTicks({.low = 10.2, .high = 12.9, .wanted = 2, .fewest = 2}), ElementsAre(11, 12));
}

TEST(AxisTicksTest, AUnitMakesItsMultiplesRound) {
  EXPECT_THAT(axisTicks({.low = 0, .high = 600, .wanted = 5, .unit = durationTickUnit(600)}),
              ElementsAre(0, 120, 240, 360, 480, 600));
}

TEST(AxisTicksTest, ALogarithmicAxisHasPowersOfTenAndWhatFitsBetween) {
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 120, .wanted = 7, .logarithmic = true}),
              ElementsAre(1, 2, 5, 10, 20, 50, 100));
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 120, .wanted = 4, .logarithmic = true}), ElementsAre(1, 10, 100));
  EXPECT_THAT(axisTicks({.low = 1, .high = 4, .wanted = 3, .logarithmic = true}), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace batchwise::test
