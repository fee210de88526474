// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/analysis/axis_ticks.h"
#include "core/analysis/run_labels.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxEndLabels = 6;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

std::string tickText(double value, const Figure& figure, bool ofX) {
  if (value == 0) return "0";
  if (!ofX) return std::abs(value) >= 1e4 ? formatCount(value) : formatValue(value);
  return figure.axis == Axis::Time ? formatDuration(value) : formatCount(value);
}

/// "Loss (nats per masked token), mean ± std, smoothed 0.9".
std::string titleOf(const ComparisonOptions& options, const SeriesNames& names) {
  std::string title = names.series(options.metric), unit = names.unit(options.metric);
  if (unit.empty()) unit = seriesUnit(options.metric);
  if (!unit.empty()) title += " (" + unit + ")";
  if (!options.groupBy.empty()) {
    title += ", " + std::string(choiceName(options.center));
    if (options.band != Band::None) title += " ± " + std::string(choiceName(options.band));
  }
  if (options.smoothing > 0) title += ", " + formatText("smoothed {}", formatValue(options.smoothing));
  return title;
}

/// Returns " (n=3)", or " (n=3→1)" if fewer runs remain for more than 2 % of the line at its end.
std::string countText(const ComparedLine& line) {
  constexpr double kGoodPart = 0.02;
  const std::string all = std::to_string(line.counted.size());
  const auto& points = line.group;
  const auto whole = std::find_if(points.rbegin(), points.rend(),
                                  [&](const GroupPoint& point) { return point.count == line.counted.size(); });
  const double until = points.empty() ? 0 : whole == points.rend() ? points.front().x : whole->x;
  const bool ends = points.empty() || points.back().x - until <= kGoodPart * (points.back().x - points.front().x);
  return " (n=" + all + (ends ? "" : "→" + std::to_string(points.back().count)) + ")";
}

/// Downsamples the points of one line within one pixel column.
class PixelColumn {
 public:
  /// Returns false and does nothing if the point is in another column.
  bool add(const FigurePoint& point) {
    if (count_ == 0) {
      left_ = std::floor(point.x);
    } else if (point.x < left_ || point.x >= left_ + 1) {
      return false;
    }
    if (count_ < few_.size()) few_[count_] = point;
    if (count_ == 0 || point.y < low_.point.y) low_ = {point, count_};
    if (count_ == 0 || point.y > high_.point.y) high_ = {point, count_};
    last_ = point;
    ++count_;
    return true;
  }

  /// Appends the first, lowest, highest and last point in their order, or all if there are at most four. Clears the
  /// column.
  void moveInto(std::vector<FigurePoint>& path) {
    if (count_ <= few_.size()) {
      path.insert(path.end(), few_.begin(), few_.begin() + static_cast<std::ptrdiff_t>(count_));
    } else {
      const bool falls = high_.number < low_.number;
      const FigurePoint &before = falls ? high_.point : low_.point, &after = falls ? low_.point : high_.point;
      path.insert(path.end(), {few_.front(), before, after, last_});
    }
    count_ = 0;
  }

 private:
  struct Numbered {
    FigurePoint point;
    std::size_t number = 0;
  };
  std::array<FigurePoint, 4> few_;
  std::size_t count_ = 0;
  double left_ = 0;  // edge of the column
  Numbered low_, high_;
  FigurePoint last_;
};

class FigureLayouter {
 public:
  FigureLayouter(const Figure& figure, double width, double height, double textHeight, const TextWidth& textWidth)
      : figure_(figure), width_(width), height_(height), em_(textHeight), textWidth_(textWidth) {}

  FigureLayout make() {
    layout_.yScale = figure_.yScale;
    chooseRanges();
    choosePlot();
    drawGrid();
    for (std::size_t i = 0; i < figure_.lines.size(); ++i) drawBand(static_cast<int>(i));
    for (std::size_t i = 0; i < figure_.lines.size(); ++i)
      drawCurve(static_cast<int>(i), figure_.lines[i].unsmoothed, FigurePathKind::Unsmoothed);
    for (std::size_t i = 0; i < figure_.lines.size(); ++i) drawLine(static_cast<int>(i));
    if (figure_.lines.size() > kMaxEndLabels)
      placeList();
    else
      placeAtEnds();
    return std::move(layout_);
  }

 private:
  bool isLog() const { return figure_.yScale == Scale::Logarithmic; }
  bool shown(double y) const { return std::isfinite(y) && (!isLog() || y > 0); }

  void chooseRanges() {
    Range x, y;
    const auto add = [&](double atX, double value) {
      x.include(atX);
      if (shown(value)) y.include(value);
    };
    for (const FigureLine& line : figure_.lines) {
      for (const Curve* curve : {&line.points, &line.unsmoothed})
        for (const CurvePoint& point : *curve) add(point.x, point.y);
      for (const GroupPoint& point : line.group)
        for (const double value : {point.low, point.center, point.high}) add(point.x, value);
    }
    if (x.empty()) x = {0, 1};
    if (y.empty()) y = isLog() ? Range{0.1, 1} : Range{0, 1};
    layout_.xLow = std::min(0.0, x.low);
    layout_.xHigh = x.high > layout_.xLow ? x.high : layout_.xLow + 1;
    if (isLog()) {
      const double room = std::max(std::log10(y.high / y.low) * 0.04, 0.02);
      layout_.yLow = y.low * std::pow(10, -room);
      layout_.yHigh = y.high * std::pow(10, room);
    } else {
      const double room = y.high > y.low ? (y.high - y.low) * 0.04 : std::max(std::abs(y.high) * 0.05, 1e-12);
      layout_.yLow = y.low - room;
      layout_.yHigh = y.high + room;
    }
  }

  void choosePlot() {
    yTicks_ = axisTicks({.low = layout_.yLow,
                         .high = layout_.yHigh,
                         .wanted = static_cast<int>(height_ / (em_ * 5)) + 1,
                         .logarithmic = isLog()});
    double left = 0, right = 0;
    for (const double tick : yTicks_) left = std::max(left, textWidth_(tickText(tick, figure_, false), false));
    for (const FigureLine& line : figure_.lines) right = std::max(right, textWidth_(line.label + line.count, false));
    const double sample = figure_.lines.empty() ? 0 : 2 * em_;
    nameRoom_ = figure_.lines.empty() ? 0 : std::min(right + 1, width_ * 0.3 - sample);
    chooseNames();
    layout_.plot = {left + em_, em_ * 2.2, width_ - nameRoom_ - sample - em_ * 1.2, height_ - em_ * 3.2};
    layout_.plot.right = std::max(layout_.plot.right, layout_.plot.left + 1);
    layout_.plot.bottom = std::max(layout_.plot.bottom, layout_.plot.top + 1);
  }

  /// Shortens the labels to the room that the longest count leaves, so that no two become equal.
  void chooseNames() {
    double count = 0;
    std::vector<std::string> labels;
    for (const FigureLine& line : figure_.lines) {
      labels.push_back(line.label);
      if (!line.count.empty()) count = std::max(count, textWidth_(line.count, false));
    }
    names_ =
        elidedLabels(labels, [&](const std::string& text) { return textWidth_(text, false) <= nameRoom_ - count; });
  }

  void drawGrid() {
    const FigureBox& plot = layout_.plot;
    layout_.texts.push_back({{plot.left, em_ * 1.1}, TextAnchor::Left, figure_.title, -1, true});
    for (const double tick : yTicks_) {
      const double y = layout_.place(layout_.xLow, tick).y;
      layout_.paths.push_back({FigurePathKind::Grid, -1, {{plot.left, y}, {plot.right, y}}});
      layout_.texts.push_back(
          {{plot.left - em_ * 0.5, y + em_ * 0.35}, TextAnchor::Right, tickText(tick, figure_, false), -1, false});
    }
    for (const double tick : xTicks()) {
      const double x = layout_.place(tick, layout_.yLow).x;
      layout_.texts.push_back(
          {{x, plot.bottom + em_ * 1.3}, TextAnchor::Middle, tickText(tick, figure_, true), -1, false});
    }
    layout_.paths.push_back({FigurePathKind::Grid, -1, {{plot.left, plot.bottom}, {plot.right, plot.bottom}}});
    if (figure_.comparedAt && *figure_.comparedAt < layout_.xHigh) {
      const double x = layout_.place(*figure_.comparedAt, layout_.yLow).x;
      layout_.paths.push_back({FigurePathKind::Grid, -1, {{x, plot.top}, {x, plot.bottom}}});
    }
    layout_.texts.push_back(
        {{(plot.left + plot.right) / 2, plot.bottom + em_ * 2.7}, TextAnchor::Middle, figure_.axisTitle, -1, false});
  }

  std::vector<double> xTicks() const {
    return axisTicks({.low = layout_.xLow,
                      .high = layout_.xHigh,
                      .wanted = std::max(2, static_cast<int>((layout_.plot.right - layout_.plot.left) / (em_ * 8))),
                      .unit = figure_.axis == Axis::Time ? durationTickUnit(layout_.xHigh) : 1});
  }

  void drawBand(int index) {
    std::vector<FigurePoint> upper, lower;
    const auto close = [&] {
      if (upper.size() > 1) {
        upper.insert(upper.end(), lower.rbegin(), lower.rend());
        layout_.paths.push_back({FigurePathKind::Band, index, upper});
      }
      upper.clear();
      lower.clear();
    };
    for (const GroupPoint& point : figure_.lines[static_cast<std::size_t>(index)].group) {
      if (!shown(point.high)) {
        close();
        continue;
      }
      upper.push_back(layout_.place(point.x, point.high));
      lower.push_back(layout_.place(point.x, shown(point.low) ? point.low : layout_.yLow));
    }
    close();
  }

  /// Draws parts where runs of the group have ended thin, extended to the neighboring points to avoid gaps.
  void drawLine(int index) {
    const FigureLine& line = figure_.lines[static_cast<std::size_t>(index)];
    if (line.group.empty()) {
      drawCurve(index, line.points, FigurePathKind::Line);
      return;
    }
    const auto isPart = [&](const GroupPoint& point) { return point.count < line.members; };
    for (auto from = line.group.begin(); from != line.group.end();) {
      const bool part = isPart(*from);
      const auto to =
          std::find_if(from, line.group.end(), [&](const GroupPoint& point) { return isPart(point) != part; });
      Curve center;
      const auto take = [&](const GroupPoint& point) { center.push_back({point.x, point.center}); };
      if (part && from != line.group.begin() && shown(std::prev(from)->center)) take(*std::prev(from));
      std::for_each(from, to, take);
      if (part && to != line.group.end() && shown(to->center)) take(*to);
      drawCurve(index, center, part ? FigurePathKind::Part : FigurePathKind::Line);
      from = to;
    }
  }

  /// Draws the first, lowest, highest and last point per pixel column; values that cannot be shown interrupt the line.
  void drawCurve(int index, const Curve& curve, FigurePathKind kind) {
    FigurePath path{kind, index, {}};
    PixelColumn column;
    const auto end = [&] {
      column.moveInto(path.points);
      if (path.points.size() == 1) path.points.push_back({path.points[0].x + 0.5, path.points[0].y});
      if (!path.points.empty()) layout_.paths.push_back(path);
      path.points.clear();
    };
    const double perX = (layout_.plot.right - layout_.plot.left) / (layout_.xHigh - layout_.xLow);
    const double perY = (layout_.plot.bottom - layout_.plot.top) / (layout_.yHigh - layout_.yLow);
    for (const CurvePoint& point : curve) {
      if (!shown(point.y)) {
        end();
        if (kind != FigurePathKind::Unsmoothed && !std::isfinite(point.y)) mark(index, point.x);
        continue;
      }
      const FigurePoint at = isLog() ? layout_.place(point.x, point.y)
                                     : FigurePoint{layout_.plot.left + (point.x - layout_.xLow) * perX,
                                                   layout_.plot.bottom - (point.y - layout_.yLow) * perY};
      if (!column.add(at)) {
        column.moveInto(path.points);
        column.add(at);
      }
    }
    end();
  }

  /// Adds a triangle unless the line has one nearby.
  void mark(int index, double x) {
    const FigurePoint at{layout_.place(x, layout_.yHigh).x, layout_.plot.top};
    if (!layout_.marks.empty() && layout_.marks.back().line == index && at.x - layout_.marks.back().at.x < em_ * 0.4)
      return;
    layout_.marks.push_back({at, index});
  }

  void placeList() {
    const double step = std::min(em_ * 1.5, (height_ - em_) / static_cast<double>(figure_.lines.size()));
    for (std::size_t i = 0; i < figure_.lines.size(); ++i)
      placeName(static_cast<int>(i), layout_.plot.top + step * (static_cast<double>(i) + 0.5));
  }

  void placeName(int line, double y) {
    const double x = layout_.plot.right + em_ * 0.6;
    const auto place = static_cast<std::size_t>(line);
    layout_.samples.push_back({FigurePathKind::Line, line, {{x, y - em_ * 0.3}, {x + em_ * 1.5, y - em_ * 0.3}}});
    layout_.texts.push_back(
        {{x + em_ * 1.9, y}, TextAnchor::Left, names_[place] + figure_.lines[place].count, line, false});
  }

  /// Places labels at the last shown points, moved apart where they overlap.
  void placeAtEnds() {
    struct Name {
      int line;
      double y;
    };
    std::vector<Name> names;
    for (std::size_t i = 0; i < figure_.lines.size(); ++i) {
      const auto last = std::find_if(layout_.paths.rbegin(), layout_.paths.rend(), [&](const FigurePath& path) {
        return (path.kind == FigurePathKind::Line || path.kind == FigurePathKind::Part) &&
               path.line == static_cast<int>(i);
      });
      names.push_back({static_cast<int>(i), last == layout_.paths.rend() ? layout_.plot.top : last->points.back().y});
    }
    std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
    const auto count = static_cast<double>(names.size());
    const double step = std::min(em_ * 1.3, (height_ - em_) / std::max(1.0, count));
    const double all = step * (count - 1);
    // More labels than fit the height of the plot also use the space above and below it.
    const double highest = std::max(em_ * 0.5, std::min(layout_.plot.top, layout_.plot.bottom - all));
    double limit = highest;
    for (Name& name : names) limit = (name.y = std::max(name.y, limit)) + step;
    limit = std::max(layout_.plot.bottom, highest + all);
    for (std::size_t i = names.size(); i-- > 0; limit = names[i].y - step) names[i].y = std::min(names[i].y, limit);
    for (const Name& name : names) placeName(name.line, name.y + em_ * 0.35);
  }

  const Figure& figure_;
  double width_, height_, em_;
  const TextWidth& textWidth_;
  std::vector<double> yTicks_;
  double nameRoom_ = 0;
  std::vector<std::string> names_;  // labels as drawn
  FigureLayout layout_;
};

}  // namespace

FigurePoint FigureLayout::place(double x, double y) const {
  const bool log = yScale == Scale::Logarithmic;
  const double part = log ? std::log(y / yLow) / std::log(yHigh / yLow) : (y - yLow) / (yHigh - yLow);
  return {plot.left + (x - xLow) / (xHigh - xLow) * (plot.right - plot.left),
          plot.bottom - part * (plot.bottom - plot.top)};
}

Figure figureOf(const RunComparison& comparison, Scale yScale, const SeriesNames& names) {
  Figure figure;
  figure.title = titleOf(comparison.options, names);
  const Axis axis = comparison.options.axis;
  figure.axisTitle = axis == Axis::Time ? "training time" : axisText(axis);
  figure.axis = axis;
  figure.yScale = yScale;
  if (comparison.end && !comparison.end->allEqual) figure.comparedAt = comparison.end->x;
  for (const ComparedLine& line : comparison.lines) {
    const ComparedRun& first = comparison.runs[line.members.front()];
    FigureLine drawn{line.label, line.style, {}, {}, line.group};
    if (!comparison.options.groupBy.empty()) {
      drawn.count = countText(line);
      drawn.members = line.counted.size();
    } else {
      drawn.points = first.smooth;
      if (comparison.options.smoothing > 0) drawn.unsmoothed = first.raw;
    }
    figure.lines.push_back(std::move(drawn));
  }
  return figure;
}

FigureLayout layoutFigure(const Figure& figure, double width, double height, double textHeight,
                          const TextWidth& textWidth) {
  return FigureLayouter(figure, width, height, textHeight, textWidth).make();
}

}  // namespace batchwise
