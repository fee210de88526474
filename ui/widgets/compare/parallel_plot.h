// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Parallel coordinates: one upright axis per field in which the runs differ and one for the metric, one line per run.
/// Numbers are placed by value, logarithmically if they span more than a factor of 50; texts in order.
class ParallelPlot final : public QWidget {
  Q_OBJECT

 public:
  explicit ParallelPlot(const Theme& theme, QWidget* parent = nullptr);

  /// Null: nothing.
  void setComparison(std::shared_ptr<const RunComparison> comparison);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Upright {
    QString title;
    std::vector<QString> texts;  // per run
    std::vector<double> places;  // per run, 0 at the bottom to 1; NaN: no value
  };
  void addField(const FieldRow& row);
  void addMetric();
  QPointF placeOf(std::size_t upright, std::size_t run) const;

  const Theme& theme_;
  std::shared_ptr<const RunComparison> comparison_;
  std::vector<Upright> uprights_;
  int hovered_ = -1;
};

}  // namespace batchwise
