// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtCore/QStringList>
#include <QtGui/QFontMetricsF>
#include <QtWidgets/QWidget>
#include <utility>
#include <vector>

#include "ui/charts/chart_content.h"
#include "ui/theme/theme.h"

namespace batchwise {

inline constexpr double kChartMargin =
    8;  ///< pixels at the sides of the title, the rows, a card and the note below a picture
inline constexpr double kSwatchWidth = 18;  ///< pixels of line before a label, enough for a dash
inline constexpr double kSwatchGap = 5;     ///< between swatch and label

/// Labels of the lines of a chart, with swatches.
struct ChartLegend {
  enum class Place {
    None,
    Right,  ///< each at the right end of its line
    Above,  ///< in rows between title and plot
  };
  struct Entry {
    std::size_t line = 0;  ///< index of its first line in the content
    QString text;
    QRectF box;  ///< swatch and text; set by placeAtEnds() if Right
    bool operator==(const Entry&) const = default;
  };

  Place place = Place::None;
  std::vector<Entry> entries;
  QString more;  ///< "+3 more" if some do not fit; empty: all fit
  QRectF moreBox;
  double width = 0;   ///< right of the plot, if Right
  double height = 0;  ///< above the plot, if Above
};

/// Returns the legend of a chart of `size`: at the right end of up to six lines if the names take at most a sixth of
/// the width, else above the plot, from `top` on, in at most a sixth of the height (at least one row). There names are
/// shortened, see elidedApart(). Lines of the same name and color share an entry. Pure.
ChartLegend chartLegend(const ChartContent& content, QSizeF size, const QFontMetricsF& metrics, double top);

/// Returns the legend in rows of an area of `size`. Names are shortened if then all fit, else readable. Pure.
ChartLegend rowLegend(const ChartContent& content, QSizeF size, const QFontMetricsF& metrics);

/// Keeps the legend of one chart until its names, size or font change; none if it stands elsewhere.
class LegendCache {
 public:
  const ChartLegend& update(const ChartContent& content, QSizeF size, const QFontMetricsF& metrics, double top);

 private:
  std::vector<ChartLegend::Entry> whole_;
  QSizeF size_;
  QFontMetricsF metrics_{QFont()};
  ChartLegend legend_;
};

/// Shortens each name to `width` pixels, see elided() in core/analysis/run_labels.h.
QStringList elidedApart(const QStringList& names, double width, const QFontMetricsF& metrics);

/// The legend of several charts, in at most two rows.
class LegendStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit LegendStrip(const Theme& theme, QWidget* parent = nullptr);

  /// Shows the names of the named lines of the charts, each once. No content: no legend.
  void setCharts(const std::vector<const ChartContent*>& charts);
  /// Fades the entries of other lines, if there is one of this name.
  void setEmphasized(const QString& name) {
    if (std::exchange(emphasized_, name) != name) update();
  }
  /// Returns the height for a width; 0 without lines.
  int heightForWidth(int width) const override;

 Q_SIGNALS:
  /// The mouse has come to the entry of a line of this name, or (empty) left it.
  void lineHovered(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent*) override { Q_EMIT lineHovered({}); }

 private:
  ChartLegend legendFor(int width) const;

  const Theme& theme_;
  ChartContent content_;  // lines without values
  QString emphasized_;
};

}  // namespace batchwise
