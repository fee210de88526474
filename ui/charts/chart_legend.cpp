// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_legend.h"

#include <QtCore/QSet>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/analysis/run_labels.h"
#include "ui/charts/chart_painter.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxAtEnds = 6;
constexpr double kMaxShare = 1.0 / 6;  // of the width or height of the chart
constexpr double kAtEndsMargin = 14;   // pixels between plot, labels and the right edge
constexpr double kSpacing = 14;        // pixels between entries
constexpr int kFewestCharacters = 11;  // of a shortened label

bool allDiffer(const QStringList& texts) {
  return QSet<QString>(texts.begin(), texts.end()).size() == texts.size();
}

double entryWidth(double label) {
  return kSwatchWidth + kSwatchGap + label;
}

double widest(const QStringList& texts, const QFontMetricsF& metrics) {
  double width = 0;
  for (const QString& text : texts) width = std::max(width, metrics.horizontalAdvance(text));
  return width;
}

/// Room of the rows above the plot.
struct RowArea {
  double top, width;
  int rows;
  const QFontMetricsF& metrics;
};

/// Places boxes in rows of equal height.
class RowFlow {
 public:
  explicit RowFlow(const RowArea& area) : area_(area) {}

  /// Returns the place of a box, none if the rows are full. `reserved`: pixels to keep free in the last row.
  std::optional<QRectF> place(double width, double reserved = 0) {
    const bool isLast = row_ + 1 == area_.rows;
    const bool fits = x_ == 0 || x_ + width + (isLast ? reserved : 0) <= area_.width;
    if (!fits && isLast) return std::nullopt;
    if (!fits) {
      ++row_;
      x_ = 0;
    }
    const QRectF box(kChartMargin + x_, area_.top + row_ * area_.metrics.height(), width, area_.metrics.height());
    x_ += width + kSpacing;
    return box;
  }
  int rows() const { return row_ + 1; }

 private:
  const RowArea& area_;
  int row_ = 0;
  double x_ = 0;
};

using LegendEntries = std::vector<ChartLegend::Entry>;

QStringList textsOf(const LegendEntries& entries) {
  QStringList texts;
  for (const ChartLegend::Entry& entry : entries) texts << entry.text;
  return texts;
}

QString moreText(std::size_t count) {
  return QObject::tr("+%1 more").arg(count);
}

/// Places as many entries as fit with labels of at most `width`, and the number of the others.
ChartLegend inRows(const LegendEntries& whole, const RowArea& area, double width, double reserved) {
  ChartLegend legend;
  legend.place = ChartLegend::Place::Above;
  RowFlow flow(area);
  const double most = std::min(width, area.width - reserved - entryWidth(0));
  const QStringList texts = elidedApart(textsOf(whole), most, area.metrics);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const QString& text = texts[static_cast<qsizetype>(i)];
    const auto box = flow.place(entryWidth(area.metrics.horizontalAdvance(text)), reserved);
    if (!box) break;
    legend.entries.push_back({whole[i].line, text, *box});
  }
  if (const std::size_t left = whole.size() - legend.entries.size(); left > 0) {
    legend.more = moreText(left);
    legend.moreBox = flow.place(area.metrics.horizontalAdvance(legend.more)).value_or(QRectF());
  }
  legend.height = flow.rows() * area.metrics.height();
  return legend;
}

/// Shortens labels until all fit, but not below a few characters: then leaves entries out.
ChartLegend above(const LegendEntries& whole, const RowArea& area) {
  const double least = kFewestCharacters * area.metrics.averageCharWidth();
  double width = std::max(least, std::min(widest(textsOf(whole), area.metrics), area.width - entryWidth(0)));
  ChartLegend legend = inRows(whole, area, width, 0);
  while (!legend.more.isEmpty() && width > least) {
    width = std::max(least, 0.88 * width);
    legend = inRows(whole, area, width, 0);
  }
  if (legend.more.isEmpty()) return legend;
  return inRows(whole, area, width, area.metrics.horizontalAdvance(moreText(whole.size())) + kSpacing);
}

/// Returns an entry with its whole name for each label.
LegendEntries wholeEntries(const ChartContent& content) {
  LegendEntries entries;
  const auto isListed = [&](const ChartLine& line) {
    return std::ranges::any_of(entries, [&](const ChartLegend::Entry& entry) {
      return entry.text == line.legendLabel() && content.lines[entry.line].color == line.color;
    });
  };
  for (std::size_t i = 0; i < content.lines.size(); ++i) {
    const ChartLine& line = content.lines[i];
    if (!line.name.isEmpty() && !line.points.empty() && !isListed(line)) entries.push_back({i, line.legendLabel(), {}});
  }
  return entries;
}

bool fitsAtEnds(const LegendEntries& entries, QSizeF size, double width, const QFontMetricsF& metrics) {
  const double height = static_cast<double>(entries.size()) * metrics.height();
  return entries.size() <= kMaxAtEnds && width <= kMaxShare * size.width() && height <= size.height() / 2 &&
         allDiffer(textsOf(entries));
}

ChartLegend layOut(const LegendEntries& whole, QSizeF size, const QFontMetricsF& metrics, double top) {
  if (whole.empty()) return {};
  const double width = entryWidth(widest(textsOf(whole), metrics)) + kAtEndsMargin;
  if (fitsAtEnds(whole, size, width, metrics)) return {ChartLegend::Place::Right, whole, {}, {}, width, 0};
  const int rows = std::max(1, static_cast<int>(kMaxShare * size.height() / metrics.height()));
  return above(whole, {top, size.width() - 2 * kChartMargin, rows, metrics});
}

}  // namespace

QStringList elidedApart(const QStringList& names, double width, const QFontMetricsF& metrics) {
  return toQt(
      elided(fromQt(names), [&](const std::string& one) { return metrics.horizontalAdvance(toQt(one)) <= width; }));
}

ChartLegend chartLegend(const ChartContent& content, QSizeF size, const QFontMetricsF& metrics, double top) {
  return layOut(wholeEntries(content), size, metrics, top);
}

ChartLegend rowLegend(const ChartContent& content, QSizeF size, const QFontMetricsF& metrics) {
  const int rows = std::max(1, static_cast<int>(size.height() / metrics.height()));
  const RowArea area{0, size.width() - 2 * kChartMargin, rows, metrics};
  const LegendEntries whole = wholeEntries(content);
  ChartLegend legend = above(whole, area);
  if (legend.more.isEmpty()) return legend;
  const double readable = 2 * kFewestCharacters * metrics.averageCharWidth();
  return inRows(whole, area, readable, metrics.horizontalAdvance(moreText(whole.size())) + kSpacing);
}

const ChartLegend& LegendCache::update(const ChartContent& content, QSizeF size, const QFontMetricsF& metrics,
                                       double top) {
  LegendEntries whole = content.legendElsewhere ? LegendEntries() : wholeEntries(content);
  if (whole != whole_ || size != size_ || metrics != metrics_) legend_ = layOut(whole, size, metrics, top);
  whole_ = std::move(whole);
  size_ = size;
  metrics_ = metrics;
  return legend_;
}

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

}  // namespace batchwise
