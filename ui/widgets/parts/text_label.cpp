// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/text_label.h"

#include <QtWidgets/QLabel>

namespace batchwise {

QLabel* textLabel(QWidget* parent, TextLook look) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  Theme::setLook(label, look);
  return label;
}

}  // namespace batchwise
