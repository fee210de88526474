// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/layouts.h"

#include <QtGui/QScreen>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QStyle>
#include <algorithm>
#include <iterator>

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

namespace {

constexpr int kFlowGap = 8;

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
  for (QLayoutItem* item : items_) delete item;
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item != nullptr) items_.erase(items_.begin() + index);
  return item;
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
  return size;
}

void FlowLayout::setGeometry(const QRect& area) {
  QLayout::setGeometry(area);
  place(area, Placing::Move);
}

int FlowLayout::place(const QRect& area, Placing placing) const {
  std::vector<QLayoutItem*> shown;
  std::copy_if(items_.begin(), items_.end(), std::back_inserter(shown),
               [](QLayoutItem* item) { return !item->isEmpty(); });
  int y = area.y();
  for (std::size_t first = 0; first < shown.size();) {
    std::size_t end = first;
    int x = area.x(), height = 0;
    do {
      const QSize size = shown[end]->sizeHint();
      if (end > first && x + size.width() > area.right() + 1) break;
      x += size.width() + kFlowGap;
      height = std::max(height, size.height());
    } while (++end < shown.size());
    x = area.x();
    for (; first < end; ++first) {
      const int width = shown[first]->sizeHint().width();
      if (placing == Placing::Move) shown[first]->setGeometry({x, y, width, height});  // same height for the whole row
      x += width + kFlowGap;
    }
    y += height + kFlowGap;
  }
  return std::max(0, y - kFlowGap - area.y());
}

}  // namespace batchwise
