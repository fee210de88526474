// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/series_names.h"

namespace batchwise {

/// A line of a figure.
struct FigureLine {
  std::string label;
  int style = 0;                  ///< index for seriesStyle()
  Curve points;                   ///< NaN and infinity are marked and interrupt the line
  Curve unsmoothed;               ///< values before smoothing, drawn faintly
  std::vector<GroupPoint> group;  ///< center and band of a group, instead of points
  std::string count = {};         ///< " (n=2)" for a group: follows the label and is never truncated
  std::size_t members = 0;        ///< of the group; the line is drawn as Part where fewer have values
};
enum class Scale { Linear, Logarithmic };
struct Figure {
  std::string title;
  std::string axisTitle;
  Axis axis = Axis::Tokens;
  Scale yScale = Scale::Linear;
  std::vector<FigureLine> lines;
  std::optional<double> comparedAt;  ///< position of a vertical line; values right of it were not compared
};

Figure figureOf(const RunComparison& comparison, Scale yScale, const SeriesNames& names = {});

/// Rectangle in picture units (pixels), y downward.
struct FigureBox {
  double left = 0, top = 0, right = 0, bottom = 0;
};
struct FigurePoint {
  double x = 0, y = 0;
};
enum class FigurePathKind { Line, Part, Unsmoothed, Band, Grid };
struct FigurePath {
  FigurePathKind kind = FigurePathKind::Line;
  int line = -1;  ///< index into Figure::lines; -1: grid
  std::vector<FigurePoint> points;
};
enum class TextAnchor { Left, Middle, Right };  ///< position of the anchor point in the text
struct FigureText {
  FigurePoint at;  ///< on the baseline
  TextAnchor place = TextAnchor::Left;
  std::string text;
  int line = -1;  ///< uses the color of this line; -1: muted
  bool bold = false;
};
struct FigureMark {
  FigurePoint at;  ///< tip of the triangle that marks a NaN or infinity
  int line = 0;
};
struct FigureLayout {
  FigureBox plot;
  double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;  ///< values at the edges of the plot
  Scale yScale = Scale::Linear;
  std::vector<FigurePath> paths;  ///< in drawing order
  std::vector<FigureText> texts;
  std::vector<FigureMark> marks;
  std::vector<FigurePath> samples;  ///< legend lines beside the labels

  FigurePoint place(double x, double y) const;
};

/// Measures a text in picture units.
using TextWidth = std::function<double(const std::string& text, bool bold)>;

/// Computes the drawing of a figure of `width` x `height` with text of `textHeight`; window and SVG draw the same
/// layout. Draws at most four points per pixel column, among them the lowest and highest, so extremes stay visible.
/// Labels up to six lines at their right ends, more in a list; shortens long labels with "…", never to equal ones.
FigureLayout layoutFigure(const Figure& figure, double width, double height, double textHeight,
                          const TextWidth& textWidth);

}  // namespace batchwise
