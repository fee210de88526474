// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/flow_layout.h"

#include <algorithm>
#include <iterator>

namespace batchwise {
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
