// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/svg.h"

#include <cstdio>

#include "core/analysis/text_table.h"

namespace batchwise {
namespace {

constexpr double kUnitsPerCm = 96 / 2.54;  // CSS pixels
constexpr double kTextHeight = 11;
constexpr const char* kText = "#1A1D23";
constexpr const char* kMuted = "#5B6472";
constexpr const char* kGrid = "#DADDE3";
constexpr const char* kBad = "#B3261E";

/// Approximate text width for Helvetica and DejaVu; there is no font to measure here.
double estimatedWidth(const std::string& text, bool bold) {
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // UTF-8 continuation byte
    const bool narrow = std::string_view("iljtf.,:;|!'()[] ").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || static_cast<unsigned char>(c) >= 0xE0;
    ems += narrow ? 0.36 : wide ? 0.8 : 0.6;
  }
  return ems * kTextHeight * (bold ? 1.08 : 1);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string pointList(const FigurePath& path) {
  std::string list;
  for (const FigurePoint& point : path.points)
    list += (list.empty() ? "" : " ") + number(point.x) + "," + number(point.y);
  return list;
}

std::string pathSvg(const FigurePath& path, const Figure& figure) {
  if (path.kind == FigurePathKind::Grid)
    return "<polyline fill=\"none\" stroke=\"" + std::string(kGrid) + "\" stroke-width=\"1\" points=\"" +
           pointList(path) + "\"/>\n";
  const SeriesStyle style = seriesStyle(figure.lines[static_cast<std::size_t>(path.line)].style);
  if (path.kind == FigurePathKind::Band)
    return "<polygon stroke=\"none\" fill=\"" + std::string(style.color) + "\" fill-opacity=\"0.18\" points=\"" +
           pointList(path) + "\"/>\n";
  const bool unsmoothed = path.kind == FigurePathKind::Unsmoothed;
  return "<polyline fill=\"none\" stroke=\"" + std::string(style.color) + "\" stroke-width=\"" +
         (path.kind == FigurePathKind::Line ? "1.75" : "1") + "\" stroke-linejoin=\"round\"" +
         (unsmoothed ? " stroke-opacity=\"0.25\"" : "") +
         (style.dashed && !unsmoothed ? " stroke-dasharray=\"6 3\"" : "") + " points=\"" + pointList(path) + "\"/>\n";
}

std::string textSvg(const FigureText& text, const Figure& figure) {
  const char* anchor = text.place == TextAnchor::Left ? "start" : text.place == TextAnchor::Middle ? "middle" : "end";
  const std::string color = text.line >= 0 ? seriesStyle(figure.lines[static_cast<std::size_t>(text.line)].style).color
                            : text.bold    ? kText
                                           : kMuted;
  return "<text x=\"" + number(text.at.x) + "\" y=\"" + number(text.at.y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"" + color + "\"" + (text.bold ? " font-weight=\"bold\"" : "") + ">" + escapeMarkup(text.text) +
         "</text>\n";
}

std::string markSvg(const FigureMark& mark) {
  const double x = mark.at.x, y = mark.at.y;
  return "<polygon fill=\"" + std::string(kBad) + "\" points=\"" + number(x) + "," + number(y + 6) + " " +
         number(x - 4) + "," + number(y) + " " + number(x + 4) + "," + number(y) + "\"/>\n";
}

}  // namespace

std::string figureSvg(const Figure& figure, double widthCm, double heightCm) {
  const double width = widthCm * kUnitsPerCm, height = heightCm * kUnitsPerCm;
  const FigureLayout layout = layoutFigure(figure, width, height, kTextHeight, estimatedWidth);
  std::string svg =
      "<!-- Generator: Batchwise -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.2\" baseProfile=\"tiny\" "
      "width=\"" +
      number(widthCm) + "cm\" height=\"" + number(heightCm) + "cm\" viewBox=\"0 0 " + number(width) + " " +
      number(height) + "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"" +
      number(kTextHeight) + "\">\n" + "<title>" + escapeMarkup(figure.title) + "</title>\n<rect width=\"" +
      number(width) + "\" height=\"" + number(height) + "\" fill=\"#FFFFFF\"/>\n";
  for (const FigurePath& path : layout.paths) svg += pathSvg(path, figure);
  for (const FigurePath& path : layout.samples) svg += pathSvg(path, figure);
  for (const FigureMark& mark : layout.marks) svg += markSvg(mark);
  for (const FigureText& text : layout.texts) svg += textSvg(text, figure);
  return svg + "</svg>\n";
}

}  // namespace batchwise
