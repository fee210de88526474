// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/layouts.h"

#include <QtGui/QScreen>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QStyle>
#include <algorithm>

namespace batchwise {
namespace {

template <typename Box>
Box* filled(QWidget* parent, std::initializer_list<Cell> cells, const Gaps& gaps) {
  auto* box = new Box(parent);
  if (gaps.margins.left() >= 0) box->setContentsMargins(gaps.margins);
  if (gaps.spacing >= 0) box->setSpacing(gaps.spacing);
  for (const Cell& cell : cells) {
    if (cell.widget != nullptr)
      box->addWidget(cell.widget, cell.stretch, cell.alignment);
    else if (cell.layout != nullptr)
      box->addLayout(cell.layout, cell.stretch);
    else
      box->addStretch(cell.stretch);
  }
  return box;
}

}  // namespace

QHBoxLayout* row(QWidget* parent, std::initializer_list<Cell> cells, const Gaps& gaps) {
  return filled<QHBoxLayout>(parent, cells, gaps);
}

namespace {

/// The part of the screen that leaves space for a title bar.
QRect screenRoom(const QWidget& window) {
  const int title = window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window);
  return window.screen()->availableGeometry().adjusted(0, 0, 0, -title);
}

}  // namespace

void resizeWithinScreen(QWidget& window, const QSize& wanted) {
  window.resize(wanted.boundedTo(screenRoom(window).size()));
}

void keepWithinScreen(QWidget& window) {
  if (window.isMaximized() || window.isFullScreen()) return;
  resizeWithinScreen(window, window.size());
  const QRect room = screenRoom(window);
  window.move(std::clamp(window.x(), room.left(), room.right() + 1 - window.width()),
              std::clamp(window.y(), room.top(), room.bottom() + 1 - window.height()));
}

void fillScrollArea(QScrollArea& area, QWidget* content) {
  area.setWidgetResizable(true);
  area.setFrameShape(QFrame::NoFrame);
  area.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area.setWidget(content);
}

QVBoxLayout* column(QWidget* parent, std::initializer_list<Cell> cells, const Gaps& gaps) {
  return filled<QVBoxLayout>(parent, cells, gaps);
}

}  // namespace batchwise
