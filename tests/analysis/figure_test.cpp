// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/figure.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/analysis/report.h"
#include "core/analysis/text_table.h"
#include "core/base/file.h"
#include "core/base/random.h"
#include "tests/analysis/special_numbers.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;
using testing::Not;

double tenPerLetter(const std::string& text, bool) {
  return 7.0 * static_cast<double>(text.size());
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
  const FigureLayout layout = layoutFigure(figure, 900, 500, 12, tenPerLetter);
  double lowest = 1e9, highest = -1e9;
  std::size_t points = 0;
  for (const FigurePath& path : layout.paths) {
    if (path.kind != FigurePathKind::Line) continue;
    points += path.points.size();
    for (const FigurePoint& point : path.points) {
      lowest = std::min(lowest, point.y);
      highest = std::max(highest, point.y);
    }
  }
  EXPECT_NEAR(highest, layout.place(0, -50).y, 1e-9);
  EXPECT_NEAR(lowest, layout.place(0, 99).y, 1e-9);
  EXPECT_LE(points, 2U * 4 * 901);
  EXPECT_GE(lowest, layout.plot.top);
  EXPECT_LE(highest, layout.plot.bottom);
}

TEST(FigureTest, WhatIsNotFiniteLeavesAGapAndAMark) {
  Figure figure;
  figure.lines = {{"a", 0, {{0, 1}, {1, 2}, {2, kNan}, {3, 4}, {4, kInf}, {5, 3}, {6, 2}}, {}, {}}};
  const FigureLayout layout = layoutFigure(figure, 600, 400, 12, tenPerLetter);
  std::size_t pieces = 0;
  for (const FigurePath& path : layout.paths) pieces += path.kind == FigurePathKind::Line;
  EXPECT_EQ(pieces, 3U);
  ASSERT_EQ(layout.marks.size(), 2U);
  EXPECT_NEAR(layout.marks[0].at.x, layout.place(2, 1).x, 1e-9);
}

TEST(FigureTest, ALogAxisShowsPositiveValuesOnly) {
  Figure figure;
  figure.yScale = Scale::Logarithmic;
  figure.lines = {{"a", 0, {{0, 0}, {1, 1e-3}, {2, -5}, {3, 10}, {4, 100}}, {}, {}}};
  const FigureLayout layout = layoutFigure(figure, 600, 400, 12, tenPerLetter);
  for (const FigurePath& path : layout.paths)
    for (const FigurePoint& point : path.points) EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y));
  EXPECT_TRUE(layout.marks.empty());
  EXPECT_GT(layout.yLow, 0);
  EXPECT_NEAR(layout.place(0, std::sqrt(layout.yLow * layout.yHigh)).y, (layout.plot.top + layout.plot.bottom) / 2,
              1e-9);
}

TEST(FigureTest, NamesNeverMeetAndStayInside) {
  for (const int lines : {1, 2, 6, 7, 20}) {
    const Figure figure = noisyFigure(lines, 50);
    const FigureLayout layout = layoutFigure(figure, 800, 400, 12, tenPerLetter);
    std::vector<double> places;
    for (const FigureText& text : layout.texts) {
      if (text.line < 0) continue;
      places.push_back(text.at.y);
      EXPECT_LE(text.at.x + tenPerLetter(text.text, false), 800) << lines;
      EXPECT_LE(text.at.y, 400) << lines;
    }
    ASSERT_EQ(places.size(), static_cast<std::size_t>(lines));
    std::sort(places.begin(), places.end());
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 12) << lines;
    EXPECT_EQ(layout.samples.size(), static_cast<std::size_t>(lines));
  }
}

TEST(FigureTest, ALowFigureStillNamesEachLine) {
  const double height = 100, em = 12;  // the plot is about three names high
  const FigureLayout layout = layoutFigure(noisyFigure(6, 50), 600, height, em, tenPerLetter);
  std::vector<double> heights;
  for (const FigureText& text : layout.texts)
    if (text.line >= 0) heights.push_back(text.at.y);
  ASSERT_EQ(heights.size(), 6U);
  std::sort(heights.begin(), heights.end());
  EXPECT_GE(heights.front(), em * 0.7);
  EXPECT_LE(heights.back(), height);
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], em);
}

TEST(FigureTest, ALongNameIsShortenedBetweenCharacters) {
  Figure figure = noisyFigure(1, 5);
  figure.lines[0].label.clear();
  for (int i = 0; i < 200; ++i) figure.lines[0].label += "ä";
  for (const FigureText& text : layoutFigure(figure, 600, 400, 12, tenPerLetter).texts) {
    if (text.line != 0) continue;
    EXPECT_THAT(text.text, HasSubstr("ä…ä"));
    EXPECT_EQ((text.text.size() - 3) % 2, 0U) << "no half letter";
  }
}

TEST(FigureTest, NoTwoLabelsAreEqualAtAnySize) {
  Figure figure = noisyFigure(3, 5);
  const std::string longText(80, 'x');
  for (std::size_t i = 0; i < 3; ++i) figure.lines[i].label = longText + std::to_string(i) + longText;
  for (const double width : {120.0, 300.0, 900.0, 3000.0}) {
    std::set<std::string> labels;
    for (const FigureText& text : layoutFigure(figure, width, 300, 12, tenPerLetter).texts)
      if (text.line >= 0) labels.insert(text.text);
    EXPECT_EQ(labels.size(), 3U) << width;
  }
}

TEST(FigureTest, AnEmptyFigureHasAFrameOnly) {
  const FigureLayout layout = layoutFigure({}, 300, 200, 12, tenPerLetter);
  for (const FigurePath& path : layout.paths) EXPECT_EQ(path.kind, FigurePathKind::Grid);
}

TEST(FigureTest, GroupsAreBandsWithoutPlacesWhereNobodyKnowsTheSpread) {
  Figure figure;
  figure.lines = {
      {"g", 0, {}, {}, {{0, 2, 1, 3, 2}, {1, 2, 1, 3, 2}, {2, 2, kNan, kNan, 1}, {3, 2, 1, 3, 2}, {4, 2, 1, 3, 2}}}};
  std::size_t bands = 0, lines = 0;
  for (const FigurePath& path : layoutFigure(figure, 600, 400, 12, tenPerLetter).paths) {
    bands += path.kind == FigurePathKind::Band;
    lines += path.kind == FigurePathKind::Line;
  }
  EXPECT_EQ(bands, 2U);
  EXPECT_EQ(lines, 1U);
}

TEST(FigureTest, AThinPartOfAGroupMeetsTheLineBesideIt) {
  Figure figure;
  FigureLine group{
      "g", 0, {}, {}, {{0, 2, 1, 3, 2}, {1, 3, 1, 3, 2}, {2, 1, 1, 1, 1}, {3, 2, 1, 3, 2}, {4, 2, 1, 3, 2}}};
  group.members = 2;
  figure.lines = {group};
  const FigureLayout layout = layoutFigure(figure, 600, 400, 12, tenPerLetter);
  std::vector<FigurePath> drawn;
  for (const FigurePath& path : layout.paths)
    if (path.kind == FigurePathKind::Line || path.kind == FigurePathKind::Part) drawn.push_back(path);
  ASSERT_EQ(drawn.size(), 3U);
  EXPECT_EQ(drawn[1].kind, FigurePathKind::Part);
  ASSERT_EQ(drawn[1].points.size(), 3U) << "one point of its own, and those beside it";
  for (const auto& [thin, thick] : {std::pair(drawn[1].points.front(), drawn[0].points.back()),
                                    std::pair(drawn[1].points.back(), drawn[2].points.front())}) {
    EXPECT_DOUBLE_EQ(thin.x, thick.x);
    EXPECT_DOUBLE_EQ(thin.y, thick.y);
  }
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
  EXPECT_EQ(svg.find("nan"), std::string::npos);
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

TEST(FigureTest, ALongNameOfAGroupIsCutBeforeTheNumberOfItsMembers) {
  Figure figure;
  figure.lines = {{std::string(200, 'w'), 0, {{0, 1}, {1, 2}}, {}, {}, " (n=12)"}};
  const FigureLayout layout = layoutFigure(figure, 800, 300, 10, tenPerLetter);
  const auto name =
      std::find_if(layout.texts.begin(), layout.texts.end(), [](const FigureText& text) { return text.line == 0; });
  ASSERT_NE(name, layout.texts.end());
  EXPECT_TRUE(name->text.ends_with("w (n=12)")) << name->text;
  EXPECT_THAT(name->text, HasSubstr("w…w"));
  EXPECT_LE(name->at.x + tenPerLetter(name->text, false), 800);
}

}  // namespace
}  // namespace batchwise::test
