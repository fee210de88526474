// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/analysis/axis_ticks.h"
#include "core/analysis/run_labels.h"
#include "core/analysis/text_table.h"
#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

constexpr double kUnitsPerCm = 96 / 2.54;  // CSS pixels
constexpr double kTextHeight = 11;
constexpr const char* kText = "#1A1D23";
constexpr const char* kMuted = "#5B6472";
constexpr const char* kGrid = "#DADDE3";
constexpr const char* kBad = "#B3261E";

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

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
std::string countNote(const ComparedLine& line, const std::vector<GroupPoint>& points) {
  constexpr double kGoodPart = 0.02;
  const std::string all = std::to_string(line.counted.size());
  const auto whole = std::find_if(points.rbegin(), points.rend(),
                                  [&](const GroupPoint& point) { return point.count == line.counted.size(); });
  const double until = points.empty() ? 0 : whole == points.rend() ? points.front().x : whole->x;
  const bool ends = points.empty() || points.back().x - until <= kGoodPart * (points.back().x - points.front().x);
  return " (n=" + all + (ends ? "" : "→" + std::to_string(points.back().count)) + ")";
}

/// Approximate text width for Helvetica and DejaVu; there is no font to measure here.
double widthOf(const std::string& text) {
  double ems = 0;
  for (const char c : text) {
    if (isUtf8Continuation(c)) continue;
    const bool narrow = std::string_view("iljtf.,:;|!'()[] ").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || static_cast<unsigned char>(c) >= 0xE0;
    ems += narrow ? 0.36 : wide ? 0.8 : 0.6;
  }
  return ems * kTextHeight;
}

std::string number(double value) {
  return formatDecimals(value, 2);
}

std::string pointsAttribute(const Curve& pixels) {
  return " points=\"" +
         joined(pixels, " ", [](const CurvePoint& point) { return number(point.x) + "," + number(point.y); }) +
         "\"/>\n";
}

/// Writes a figure in pixels, y downward.
class FigureWriter {
 public:
  FigureWriter(const Figure& figure, double width, double height) : figure_(figure), width_(width), height_(height) {}

  std::string write() {
    chooseRanges();
    choosePlot();
    addGrid();
    for (const FigureLine& line : figure_.lines) addBand(line);
    for (const FigureLine& line : figure_.lines)
      addCurve(line.unsmoothed, strokeOf(line) + " stroke-width=\"1\" stroke-opacity=\"0.25\"");
    for (const FigureLine& line : figure_.lines) addLine(line);
    addLegend();
    return std::move(svg_);
  }

 private:
  bool isLog() const { return figure_.yScale == Scale::Logarithmic; }
  bool isShown(double y) const { return std::isfinite(y) && (!isLog() || y > 0); }
  double scaled(double y) const { return isLog() ? std::log(y) : y; }
  CurvePoint place(double x, double y) const {
    return {left_ + (x - x_.low) / (x_.high - x_.low) * (right_ - left_),
            bottom_ - (scaled(y) - scaled(y_.low)) / (scaled(y_.high) - scaled(y_.low)) * (bottom_ - top_)};
  }

  void chooseRanges() {
    const auto add = [&](double x, double y) {
      x_.include(x);
      if (isShown(y)) y_.include(y);
    };
    for (const FigureLine& line : figure_.lines) {
      for (const Curve* curve : {&line.points, &line.unsmoothed})
        for (const CurvePoint& point : *curve) add(point.x, point.y);
      for (const GroupPoint& point : line.group)
        for (const double value : {point.low, point.center, point.high}) add(point.x, value);
    }
    if (x_.empty()) x_ = {0, 1};
    if (y_.empty()) y_ = isLog() ? Range{0.1, 1} : Range{0, 1};
    x_.low = std::min(0.0, x_.low);
    x_.high = x_.high > x_.low ? x_.high : x_.low + 1;
    if (isLog()) {
      const double room = std::max(std::log10(y_.high / y_.low) * 0.04, 0.02);
      y_ = {y_.low * std::pow(10, -room), y_.high * std::pow(10, room)};
    } else {
      const double room = y_.high > y_.low ? (y_.high - y_.low) * 0.04 : std::max(std::abs(y_.high) * 0.05, 1e-12);
      y_ = {y_.low - room, y_.high + room};
    }
  }

  /// Places the plot between the numbers at its left and the list of lines at its right.
  void choosePlot() {
    yTicks_ = axisTicks({.low = y_.low,
                         .high = y_.high,
                         .wanted = static_cast<int>(height_ / (kTextHeight * 5)) + 1,
                         .logarithmic = isLog()});
    double numbers = 0, names = 0, count = 0;
    std::vector<std::string> labels;
    for (const double tick : yTicks_) numbers = std::max(numbers, widthOf(yTickText(tick)));
    for (const FigureLine& line : figure_.lines) {
      labels.push_back(line.label);
      names = std::max(names, widthOf(line.label + line.count));
      count = std::max(count, widthOf(line.count));
    }
    const double sample = figure_.lines.empty() ? 0 : 2 * kTextHeight;
    const double room = figure_.lines.empty() ? 0 : std::min(names + 1, width_ * 0.3 - sample);
    labels_ = elided(labels, [&](const std::string& text) { return widthOf(text) <= room - count; });
    left_ = numbers + kTextHeight;
    right_ = std::max(left_ + 1, width_ - room - sample - kTextHeight * 1.2);
    top_ = kTextHeight * 2.2;
    bottom_ = std::max(top_ + 1, height_ - kTextHeight * 3.2);
  }

  static std::string yTickText(double value) {
    if (value == 0) return "0";
    return std::abs(value) >= 1e4 ? formatCount(value) : formatValue(value);
  }
  std::string xTickText(double value) const {
    if (value == 0) return "0";
    return figure_.axis == Axis::Time ? formatDuration(value) : formatCount(value);
  }

  void addText(double x, double y, const std::string& text, const char* anchor, const std::string& color = kMuted,
               const char* weight = "normal") {
    svg_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\" fill=\"" + color +
            "\" font-weight=\"" + weight + "\">" + escapeMarkup(text) + "</text>\n";
  }
  void addPolyline(const Curve& pixels, const std::string& stroke) {
    svg_ += "<polyline fill=\"none\" stroke-linejoin=\"round\"" + stroke + pointsAttribute(pixels);
  }
  static std::string strokeOf(const FigureLine& line) {
    return std::string(" stroke=\"") + seriesStyle(line.style).color + "\"";
  }
  static std::string dashesOf(const FigureLine& line) {
    return seriesStyle(line.style).dashed ? " stroke-dasharray=\"6 3\"" : "";
  }

  void addGrid() {
    const std::string stroke = std::string(" stroke-width=\"1\" stroke=\"") + kGrid + "\"";
    addText(left_, kTextHeight * 1.1, figure_.title, "start", kText, "bold");
    for (const double tick : yTicks_) {
      const double y = place(x_.low, tick).y;
      addPolyline({{left_, y}, {right_, y}}, stroke);
      addText(left_ - kTextHeight * 0.5, y + kTextHeight * 0.35, yTickText(tick), "end");
    }
    const auto xTicks = axisTicks({.low = x_.low,
                                   .high = x_.high,
                                   .wanted = std::max(2, static_cast<int>((right_ - left_) / (kTextHeight * 8))),
                                   .unit = figure_.axis == Axis::Time ? durationTickUnit(x_.high) : 1});
    for (const double tick : xTicks)
      addText(place(tick, y_.low).x, bottom_ + kTextHeight * 1.3, xTickText(tick), "middle");
    addPolyline({{left_, bottom_}, {right_, bottom_}}, stroke);
    if (figure_.comparedAt && *figure_.comparedAt < x_.high) {
      const double x = place(*figure_.comparedAt, y_.low).x;
      addPolyline({{x, top_}, {x, bottom_}}, stroke);
    }
    addText((left_ + right_) / 2, bottom_ + kTextHeight * 2.7, figure_.axisTitle, "middle");
  }

  void addBand(const FigureLine& line) {
    Curve upper, lower;
    const auto close = [&] {
      if (upper.size() > 1) {
        upper.insert(upper.end(), lower.rbegin(), lower.rend());
        svg_ += std::string("<polygon stroke=\"none\" fill-opacity=\"0.18\" fill=\"") + seriesStyle(line.style).color +
                "\"" + pointsAttribute(upper);
      }
      upper.clear();
      lower.clear();
    };
    for (const GroupPoint& point : line.group) {
      if (!isShown(point.high)) {
        close();
        continue;
      }
      upper.push_back(place(point.x, point.high));
      lower.push_back(place(point.x, isShown(point.low) ? point.low : y_.low));
    }
    close();
  }

  void addLine(const FigureLine& line) {
    Curve curve = line.points;
    for (const GroupPoint& point : line.group) curve.push_back({point.x, point.center});
    addCurve(curve, strokeOf(line) + " stroke-width=\"1.75\"" + dashesOf(line));
    double last = -kTextHeight;  // marks apart from each other
    for (const CurvePoint& point : curve) {
      const double x = place(point.x, y_.high).x;
      if (std::isfinite(point.y) || x - last < kTextHeight * 0.4) continue;
      last = x;
      svg_ += std::string("<polygon fill=\"") + kBad + "\"" +
              pointsAttribute({{x, top_ + 6}, {x - 4, top_}, {x + 4, top_}});
    }
  }

  /// Values that cannot be shown interrupt the line.
  void addCurve(const Curve& curve, const std::string& stroke) {
    Curve piece;
    const auto close = [&] {
      if (piece.size() == 1) piece.push_back({piece[0].x + 0.5, piece[0].y});
      Curve kept;
      for (const std::size_t at : extremesOfColumns(piece)) kept.push_back(piece[at]);
      if (!kept.empty()) addPolyline(kept, stroke);
      piece.clear();
    };
    for (const CurvePoint& point : curve) isShown(point.y) ? piece.push_back(place(point.x, point.y)) : close();
    close();
  }

  void addLegend() {
    const double step =
        std::min(kTextHeight * 1.5, (height_ - kTextHeight) / std::max(1.0, static_cast<double>(figure_.lines.size())));
    const double x = right_ + kTextHeight * 0.6;
    for (std::size_t i = 0; i < figure_.lines.size(); ++i) {
      const FigureLine& line = figure_.lines[i];
      const double y = top_ + step * (static_cast<double>(i) + 0.5), middle = y - kTextHeight * 0.3;
      addPolyline({{x, middle}, {x + kTextHeight * 1.5, middle}},
                  strokeOf(line) + " stroke-width=\"1.75\"" + dashesOf(line));
      addText(x + kTextHeight * 1.9, y, labels_[i] + line.count, "start", seriesStyle(line.style).color);
    }
  }

  const Figure& figure_;
  double width_, height_;
  Range x_, y_;
  double left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;  // of the plot
  std::vector<double> yTicks_;
  std::vector<std::string> labels_;  // shortened
  std::string svg_;
};

}  // namespace

std::vector<std::size_t> extremesOfColumns(std::span<const CurvePoint> points) {
  std::vector<std::size_t> kept;
  for (auto from = points.begin(); from != points.end();) {
    const auto to = std::find_if(from, points.end(), [column = std::floor(from->x)](const CurvePoint& point) {
      return std::floor(point.x) != column;
    });
    const auto [low, high] =
        std::minmax_element(from, to, [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    kept.push_back(static_cast<std::size_t>(std::min(low, high) - points.begin()));
    if (low != high) kept.push_back(static_cast<std::size_t>(std::max(low, high) - points.begin()));
    from = to;
  }
  return kept;
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
    FigureLine drawn{line.label, line.style, {}, {}, {}};
    if (!comparison.options.groupBy.empty()) {
      drawn.group = groupCurve(comparison, line);
      drawn.count = countNote(line, drawn.group);
    } else {
      drawn.points = smoothedCurve(comparison, first);
      if (comparison.options.smoothing > 0)
        for (const MeasuredPoint& point : first.curve) drawn.unsmoothed.push_back({point.x, point.y});
    }
    figure.lines.push_back(std::move(drawn));
  }
  return figure;
}

std::string figureSvg(const Figure& figure, double widthCm, double heightCm) {
  const double width = widthCm * kUnitsPerCm, height = heightCm * kUnitsPerCm;
  return "<!-- Generator: Batchwise -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.2\" "
         "baseProfile=\"tiny\" width=\"" +
         number(widthCm) + "cm\" height=\"" + number(heightCm) + "cm\" viewBox=\"0 0 " + number(width) + " " +
         number(height) + "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"" +
         number(kTextHeight) + "\">\n<title>" + escapeMarkup(figure.title) + "</title>\n<rect width=\"" +
         number(width) + "\" height=\"" + number(height) + "\" fill=\"#FFFFFF\"/>\n" +
         FigureWriter(figure, width, height).write() + "</svg>\n";
}

}  // namespace batchwise
