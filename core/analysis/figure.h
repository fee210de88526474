// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/group_curve.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/run_series_reader.h"

namespace batchwise {

/// A line of a figure.
struct FigureLine {
  std::string label;
  int style = 0;                  ///< index for seriesStyle()
  Curve points;                   ///< NaN and infinity are marked and interrupt the line
  Curve unsmoothed;               ///< values before smoothing, drawn faintly
  std::vector<GroupPoint> group;  ///< center and band of a group, instead of points
  std::string count = {};         ///< " (n=2)" for a group: follows the label and is never truncated
};
enum class Scale { Linear, Logarithmic };
/// A comparison as drawn on the command line and in reports.
struct Figure {
  std::string title;
  std::string axisTitle;
  Axis axis = Axis::Tokens;
  Scale yScale = Scale::Linear;
  std::vector<FigureLine> lines;
  std::optional<double> comparedAt;  ///< position of a vertical line; values right of it were not compared
};

/// Returns the positions of the lowest and highest point of each column of width 1 in x, in their order; y may be
/// infinite, but not NaN. For points that are drawn once: the charts of the window ask the blocks of a LongSeries.
std::vector<std::size_t> extremesOfColumns(std::span<const CurvePoint> points);

Figure figureOf(const RunComparison& comparison, Scale yScale, const SeriesNames& names = {});

/// Returns the figure as an SVG document of the given size on a white background, with a list of the lines at the
/// right. Draws at most two points per pixel column, the lowest and highest, so extremes stay visible. Shortens long
/// labels, never to equal ones. Uses SVG Tiny 1.2 only. Texts are escaped.
std::string figureSvg(const Figure& figure, double widthCm, double heightCm);

}  // namespace batchwise
