// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <vector>

#include "ui/charts/chart_content.h"
#include "ui/charts/chart_legend.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// The legend of several charts, in at most two rows.
class LegendStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit LegendStrip(const Theme& theme, QWidget* parent = nullptr);

  /// Shows the names of the named lines of the charts, each once. No content: no legend.
  void setCharts(const std::vector<const ChartContent*>& charts);
  /// Fades the entries of other lines, if there is one of this name.
  void setEmphasized(const QString& name);
  /// Returns the height for a width; 0 without lines.
  int heightForWidth(int width) const override;

 Q_SIGNALS:
  /// The mouse has come to the entry of a line of this name, or (empty) left it.
  void lineHovered(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  ChartLegend legendFor(int width) const;

  const Theme& theme_;
  ChartContent content_;  // lines without values
  QString emphasized_;
};

}  // namespace batchwise
