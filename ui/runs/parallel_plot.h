// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ui/runs/run_axis.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Parallel coordinates: one vertical axis per field in which the runs differ and one for the metric, one line per run.
/// Numbers, and Times of one unit, are placed by value, see NumberScale; texts in sorted order.
/// Dragging along an axis sets its brush: the runs that pass through all brushes are kept. A click on the axis removes
/// its brush. A brush is a range of values, not of pixels: it keeps the same runs when the axis gets another scale. It
/// ends when other runs are compared.
class ParallelPlot final : public QWidget {
  Q_OBJECT

 public:
  explicit ParallelPlot(const Theme& theme, QWidget* parent = nullptr);

  /// Null: shows nothing.
  void setComparison(std::shared_ptr<const RunComparison> comparison);
  bool hasBrushes() const { return !brushes_.empty(); }
  /// Keeps all runs again.
  void removeBrushes();
  QSize minimumSizeHint() const override { return {fontMetrics().height() * 12, fontMetrics().height() * 5}; }

  /// Returns the position of a run on an axis in pixels; y is NaN without a value.
  QPointF positionOf(std::size_t axis, std::size_t run) const;

 Q_SIGNALS:
  /// For each run, whether it passes through every brush.
  void kept(const std::vector<bool>& runs);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Brush {
    std::optional<std::pair<double, double>> numbers;  // lowest and highest; nothing if drawn on an axis of texts
    std::set<QString> texts;                           // those inside when it was drawn
  };
  QRectF axesRect() const;
  double xOf(std::size_t axis) const;
  std::optional<std::size_t> axisAt(QPointF place) const;
  const RunAxis* axisOf(const QString& key) const;
  Brush brushBetween(const RunAxis& axis, double low, double high) const;
  static bool isIn(const Brush& brush, const RunAxis& axis, std::size_t run);
  bool passes(std::size_t run) const;
  void dropStaleBrushes();
  void emitKept();
  void drawLines(QPainter& painter) const;
  void drawAxis(QPainter& painter, std::size_t axis) const;
  void drawBrush(QPainter& painter, std::size_t axis, const Brush& brush) const;
  void drawLabels(QPainter& painter, std::size_t axis, double spacing) const;
  int runAt(QPointF place) const;

  const Theme& theme_;
  std::shared_ptr<const RunComparison> comparison_;
  std::vector<RunAxis> axes_;
  std::map<QString, Brush> brushes_;  // by key of the axis: a brush stays while there is such an axis
  struct Drag {
    QString key;      // of the axis
    double from = 0;  // in pixels
    bool moved = false;
  };
  std::optional<Drag> drag_;
  int hovered_ = -1;
};

}  // namespace batchwise
