// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "core/analysis/figure.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Draws a figure by its layout, in the colors of the theme. The line under the mouse, or under its name, is
/// emphasized, and a card lists all values at that position. Arrow keys move the position.
class CompareChart final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareChart(const Theme& theme, QWidget* parent = nullptr);

  void setFigure(Figure figure);
  const Figure& figure() const { return figure_; }
  /// Emphasizes a line, for example on selection of its table row; -1: none.
  void emphasize(int line);
  /// Fades the lines that are not kept, until the next setFigure(). Empty: all are kept.
  void setKept(std::vector<bool> lines);
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void layOutAgain();
  int lineAt(QPointF place) const;
  void drawPaths(QPainter& painter) const;
  void drawTexts(QPainter& painter) const;
  void drawCard(QPainter& painter) const;
  QColor colorOf(int line) const;
  double opacityOf(int line) const;
  void moveCursor(double x);

  const Theme& theme_;
  Figure figure_;
  FigureLayout layout_;
  int hovered_ = -1;
  std::vector<bool> kept_;
  double cursor_ = -1;  // in pixels; below 0: none
};

}  // namespace batchwise
