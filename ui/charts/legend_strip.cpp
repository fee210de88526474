// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/legend_strip.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/chart_painter.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kMostRows = 2;
constexpr int kBelow = 4;  // pixels below the rows

/// Returns the look of a line, without its values.
ChartLine sampleOf(const ChartLine& line) {
  ChartLine sample;
  sample.name = line.name;
  sample.legend = line.legend;
  sample.kind = line.kind;
  sample.color = line.color;
  sample.points.append(0, 0);
  return sample;
}

bool looksAlike(const ChartLine& a, const ChartLine& b) {
  return a.name == b.name && a.legend == b.legend && a.kind == b.kind && a.color == b.color;
}

}  // namespace

LegendStrip::LegendStrip(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMouseTracking(true);
  setAccessibleName(tr("Legend"));
}

void LegendStrip::setCharts(const std::vector<const ChartContent*>& charts) {
  std::vector<ChartLine> lines;
  for (const ChartContent* chart : charts)
    for (const ChartLine& line : chart->lines) {
      const bool isListed = std::ranges::any_of(
          lines, [&line](const ChartLine& other) { return other.legendLabel() == line.legendLabel(); });
      if (!line.name.isEmpty() && !line.points.empty() && !isListed) lines.push_back(sampleOf(line));
    }
  if (std::ranges::equal(lines, content_.lines, looksAlike)) return;
  content_.lines = std::move(lines);
  update();
}

void LegendStrip::setEmphasized(const QString& name) {
  if (std::exchange(emphasized_, name) != name) update();
}

ChartLegend LegendStrip::legendFor(int width) const {
  const QFontMetricsF metrics(theme_.smallFont());
  return rowLegend(content_, {static_cast<double>(width), kMostRows * metrics.height()}, metrics);
}

int LegendStrip::heightForWidth(int width) const {
  return content_.lines.empty() ? 0 : static_cast<int>(std::ceil(legendFor(width).height)) + kBelow;
}

void LegendStrip::paintEvent(QPaintEvent*) {
  const ChartTitle spec;
  const PlotFrame frame;
  const DrawnChart drawn;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintLegend(painter, legendFor(width()), {spec, content_, frame, theme_, size(), drawn, nullptr, emphasized_});
}

void LegendStrip::mouseMoveEvent(QMouseEvent* event) {
  const ChartLegend legend = legendFor(width());
  const auto entry = std::ranges::find_if(
      legend.entries, [event](const ChartLegend::Entry& each) { return each.box.contains(event->position()); });
  const QString name = entry == legend.entries.end() ? QString() : content_.lines[entry->line].name;
  setToolTip(entry == legend.entries.end() ? QString() : plainToolTip(content_.lines[entry->line].legendLabel()));
  if (name != emphasized_) Q_EMIT lineHovered(name);
}

void LegendStrip::leaveEvent(QEvent*) {
  Q_EMIT lineHovered({});
}

}  // namespace batchwise
