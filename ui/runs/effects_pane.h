// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QStringList>
#include <QtWidgets/QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/setting_effects.h"
#include "ui/runs/run_axis.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QTreeWidget;

namespace batchwise {

/// The metric of compared runs over one setting, as points, or over two, as a heatmap: a cell for each pair of values
/// with the mean over its runs, the better the stronger its color. Its tool tips name the runs.
class SweepPlot final : public QWidget {
  Q_OBJECT

 public:
  explicit SweepPlot(const Theme& theme, QWidget* parent = nullptr);

  /// Null: shows nothing.
  void setComparison(std::shared_ptr<const RunComparison> comparison);
  /// Different settings by their paths; `second` empty: points over `first`.
  void setSettings(const QString& first, const QString& second);
  QSize minimumSizeHint() const override { return {fontMetrics().height() * 12, fontMetrics().height() * 6}; }

  /// Returns the position of a run in pixels: of its point, or of the center of its cell; nothing if it has no value.
  std::optional<QPointF> positionOf(std::size_t run) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// Different values of a setting, in the order of the axis, and that of each run.
  struct Levels {
    std::vector<QString> texts;
    std::vector<double> places;
    std::vector<int> ofRun;  // -1: no value
  };
  static Levels levelsOf(const RunAxis& axis);
  void readAxes();
  bool isHeatmap() const { return second_.has_value(); }
  bool hasValue(std::size_t run) const;
  QRectF plotRect() const;
  QRectF cellAt(int column, int row) const;
  void drawPoints(QPainter& painter) const;
  void drawCell(QPainter& painter, int column, int row) const;
  void drawFrame(QPainter& painter) const;
  QString textAt(QPointF place) const;

  const Theme& theme_;
  std::shared_ptr<const RunComparison> comparison_;
  QString firstPath_, secondPath_;
  std::optional<RunAxis> first_, second_, metric_;
  Levels columns_, rows_;
};

/// Which setting mattered among compared runs: the metric over one or two settings, and how strongly each is correlated
/// with it once the others are taken into account.
class EffectsPane final : public QWidget {
  Q_OBJECT

 public:
  explicit EffectsPane(const Theme& theme, QWidget* parent = nullptr);

  /// Null: shows nothing.
  void setComparison(const std::shared_ptr<const RunComparison>& comparison);

 private:
  QWidget* makeChoices();
  void sizeTable();
  void fillFirst();
  void fillSecond();
  void fillTable(const RunComparison& comparison);
  void showChosen();

  QStringList fields_;  // in which the runs differ
  SweepPlot* plot_;
  QComboBox *first_, *second_;
  QTreeWidget* table_;
  QLabel* about_;
};

}  // namespace batchwise
