// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "ui/theme/theme.h"
#include "ui/widgets/compare/number_scale.h"

namespace batchwise {

/// Parallel coordinates: one upright axis per field in which the runs differ and one for the metric, one line per run.
/// Numbers, and Times of one unit, are placed by value, logarithmically if they span more than a factor of 50; texts in
/// order. A stretch of an axis that is drawn with the mouse keeps the runs that pass through it; a click on the axis
/// lets all pass again. A stretch is of values, not of pixels: it keeps the same runs when the axis gets another scale.
class ParallelPlot final : public QWidget {
  Q_OBJECT

 public:
  explicit ParallelPlot(const Theme& theme, QWidget* parent = nullptr);

  /// Null: nothing.
  void setComparison(std::shared_ptr<const RunComparison> comparison);
  QSize minimumSizeHint() const override;

  std::size_t axisCount() const { return uprights_.size(); }
  /// Of a run on an axis, in pixels; y is NaN without a value.
  QPointF placeOf(std::size_t upright, std::size_t run) const;

 Q_SIGNALS:
  /// For each run whether it passes through every stretch.
  void kept(const std::vector<bool>& runs);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Upright {
    QString key;  // what it is of: a stretch stays while there is such an axis
    QString title, about;
    std::vector<QString> texts;        // per run
    std::vector<double> numbers;       // per run, NaN: no value; empty on an axis of texts
    std::vector<double> places;        // per run, 0 at the bottom to 1; NaN: no value
    std::optional<NumberScale> scale;  // of the numbers
    void placeNumbers(std::vector<double> of);
    void placeTexts();
  };
  struct Stretch {
    std::optional<std::pair<double, double>> numbers;  // lowest and highest; nothing if drawn on an axis of texts
    std::set<QString> texts;                           // those in it when it was drawn
  };
  void addField(const FieldRow& row);
  void addMetric();
  QRectF lane() const;
  double xOf(std::size_t upright) const;
  std::optional<std::size_t> axisAt(QPointF place) const;
  const Upright* axisOf(const QString& key) const;
  Stretch stretchBetween(const Upright& upright, double low, double high) const;
  static bool isIn(const Stretch& stretch, const Upright& upright, std::size_t run);
  bool passes(std::size_t run) const;
  void forgetWhatIsGone();
  void tellKept();
  void drawLines(QPainter& painter) const;
  void drawAxis(QPainter& painter, std::size_t upright) const;
  void drawStretch(QPainter& painter, std::size_t upright, const Stretch& stretch) const;
  void drawLabels(QPainter& painter, std::size_t upright, double spacing) const;
  int runAt(QPointF place) const;

  const Theme& theme_;
  std::shared_ptr<const RunComparison> comparison_;
  std::vector<Upright> uprights_;
  std::map<QString, Stretch> stretches_;  // by the axis' key
  struct Drawing {
    QString key;      // of the axis
    double from = 0;  // in pixels
    bool moved = false;
  };
  std::optional<Drawing> drawing_;
  int hovered_ = -1;
};

}  // namespace batchwise
