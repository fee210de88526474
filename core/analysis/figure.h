// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "core/analysis/grouping.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/wording.h"

namespace batchwise {

/// Lines to be drawn over one axis. Whoever draws it (window, SVG) draws the layout below, so all pictures are alike.
struct FigureLine {
  std::string label;
  int style = 0;                  ///< see seriesStyle
  Curve points;                   ///< what is not finite is marked and leaves a gap
  Curve ghost;                    ///< drawn faintly under it: the values before smoothing
  std::vector<GroupPoint> group;  ///< instead of points: centre and band
  std::string count = {};         ///< " (n=2)" of a group: written behind the label, which is cut before it
  std::size_t members = 0;        ///< of the group: where fewer have values, its line is drawn apart, as a Part
};
enum class Scale { Linear, Logarithmic };
struct Figure {
  std::string title;
  std::string axisTitle;
  Axis axis = Axis::Tokens;
  Scale yScale = Scale::Linear;
  std::vector<FigureLine> lines;
  std::optional<double> comparedAt;  ///< an upright line at this x: what is right of it was not compared
};

Figure figureOf(const RunComparison& comparison, Scale yScale, const Wording& wording = {});

/// A rectangle and places in units of the picture (pixels), y downward.
struct FigureBox {
  double left = 0, top = 0, right = 0, bottom = 0;
};
struct FigurePoint {
  double x = 0, y = 0;
};
enum class FigureInk { Line, Part, Ghost, Band, Grid };
struct FigurePath {
  FigureInk ink = FigureInk::Line;
  int line = -1;  ///< index into Figure::lines; -1 for the grid
  std::vector<FigurePoint> points;
};
enum class TextPlace { Left, Middle, Right };  ///< where the point is in the text
struct FigureText {
  FigurePoint at;  ///< on the base line
  TextPlace place = TextPlace::Left;
  std::string text;
  int line = -1;  ///< written in its colour; -1: muted
  bool bold = false;
};
struct FigureMark {
  FigurePoint at;  ///< tip of a red triangle: here was a NaN or infinity
  int line = 0;
};
struct FigureLayout {
  FigureBox plot;
  double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;  ///< of the plot's edges; on a log axis of the values themselves
  Scale yScale = Scale::Linear;
  std::vector<FigurePath> paths;  ///< in the order of drawing
  std::vector<FigureText> texts;
  std::vector<FigureMark> marks;
  std::vector<FigurePath> samples;  ///< a piece of each line beside its name

  FigurePoint place(double x, double y) const;
  double xAt(double pixel) const;
};

/// Width of a text in the picture's units.
using TextWidth = std::function<double(const std::string& text, bool bold)>;

/// Lays the figure out in a picture of `width` x `height` with text of `textHeight`. Every extreme value of the data is
/// in the picture: at most four points per column of pixels are drawn, lowest and highest among them. Up to six lines
/// are named at their right ends, more in a list. Names that do not fit are shortened with "…".
FigureLayout layOut(const Figure& figure, double width, double height, double textHeight, const TextWidth& textWidth);

/// Round numbers (1, 2 or 5 times a power of ten apart) inside [low, high], about `wanted` of them.
std::vector<double> roundTicks(double low, double high, int wanted);

}  // namespace batchwise
