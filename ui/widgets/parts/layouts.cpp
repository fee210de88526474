// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/layouts.h"

#include <QtWidgets/QScrollArea>

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
