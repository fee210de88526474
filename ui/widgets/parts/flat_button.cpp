// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/flat_button.h"

#include <QtWidgets/QToolButton>

namespace batchwise {

QToolButton* flatButton(QWidget* parent, const QString& name) {
  auto* button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setToolTip(name);
  button->setAccessibleName(name);
  return button;
}

}  // namespace batchwise
