// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "core/analysis/figure.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Draws a figure as its layout says, in the colours of the theme. The line under the mouse, or its name, stands out,
/// and a card tells all values at that place. Arrow keys move the place.
class CompareChart final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareChart(const Theme& theme, QWidget* parent = nullptr);

  void setFigure(Figure figure);
  const Figure& figure() const { return figure_; }
  /// Lets a line stand out, as a table beside does.
  void emphasise(int line);
  /// Lines that are not kept are faint; kept until the next figure. Empty: all are.
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
