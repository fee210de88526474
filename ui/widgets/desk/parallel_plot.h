// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Maps numbers to positions on an axis: linearly, or logarithmically if they are positive and span more than a factor
/// of 50.
struct NumberScale {
  double low = 0, high = 1;  ///< at the positions 0 and 1; low < high
  bool log = false;

  /// Returns the scale of the finite numbers; a single number lies in the middle.
  static NumberScale fromNumbers(const std::vector<double>& numbers);
  /// Returns the position, outside [0, 1] for numbers beyond the axis; -inf for numbers <= 0 on a logarithmic axis.
  double positionOf(double number) const;
  double numberAt(double place) const;
};

/// Parses texts that are all numbers, or all Times of one unit; otherwise returns nothing. A list of one ("[80ba]") is
/// read as its element.
std::optional<std::vector<double>> axisNumbers(const std::vector<std::string>& texts);

/// Parallel coordinates: one vertical axis per field in which the runs differ and one for the metric, one line per run.
/// Numbers, and Times of one unit, are placed by value, logarithmically if they span more than a factor of 50; texts in
/// sorted order.
/// Dragging along an axis sets its brush: the runs that pass through all brushes are kept. A click on the axis removes
/// its brush. A brush is a range of values, not of pixels: it keeps the same runs when the axis gets another scale.
class ParallelPlot final : public QWidget {
  Q_OBJECT

 public:
  explicit ParallelPlot(const Theme& theme, QWidget* parent = nullptr);

  /// Null: shows nothing.
  void setComparison(std::shared_ptr<const RunComparison> comparison);
  QSize minimumSizeHint() const override;

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
  struct VerticalAxis {
    QString key;  // of the field or the metric: a brush stays while there is such an axis
    QString title, about;
    std::vector<QString> texts;        // per run
    std::vector<double> numbers;       // per run, NaN: no value; empty on an axis of texts
    std::vector<double> places;        // per run, 0 at the bottom, 1 at the top; NaN: no value
    std::optional<NumberScale> scale;  // only on an axis of numbers
    void placeNumbers(std::vector<double> of);
    void placeTexts();
  };
  struct Brush {
    std::optional<std::pair<double, double>> numbers;  // lowest and highest; nothing if drawn on an axis of texts
    std::set<QString> texts;                           // those inside when it was drawn
  };
  void addField(const FieldRow& row);
  void addMetric();
  QRectF axesRect() const;
  double xOf(std::size_t axis) const;
  std::optional<std::size_t> axisAt(QPointF place) const;
  const VerticalAxis* axisOf(const QString& key) const;
  Brush brushBetween(const VerticalAxis& axis, double low, double high) const;
  static bool isIn(const Brush& brush, const VerticalAxis& axis, std::size_t run);
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
  std::vector<VerticalAxis> axes_;
  std::map<QString, Brush> brushes_;  // by key of the axis
  struct Drag {
    QString key;      // of the axis
    double from = 0;  // in pixels
    bool moved = false;
  };
  std::optional<Drag> drag_;
  int hovered_ = -1;
};

}  // namespace batchwise
