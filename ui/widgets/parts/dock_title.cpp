// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/dock_title.h"

#include <QtWidgets/QDockWidget>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>

#include "ui/theme/theme.h"
#include "ui/widgets/parts/elided_label.h"
#include "ui/widgets/parts/flat_button.h"

namespace batchwise {

DockTitle::DockTitle(const Theme& theme, QDockWidget& dock)
    : QWidget(&dock), theme_(theme), dock_(dock), title_(new ElidedLabel(this)) {
  float_ = flatButton(this, tr("Take it out of the window, or back"));
  close_ = flatButton(this, tr("Close; the View menu brings it back"));
  for (QToolButton* button : {float_, close_}) button->setFocusPolicy(Qt::NoFocus);  // the View menu has the shortcuts
  title_->setText(dock.windowTitle());
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 2, 2, 2);
  layout->setSpacing(2);
  layout->addWidget(title_, 1);
  layout->addWidget(float_);
  layout->addWidget(close_);
  connect(&dock, &QDockWidget::windowTitleChanged, title_, &QLabel::setText);
  connect(float_, &QToolButton::clicked, this, [this] { dock_.setFloating(!dock_.isFloating()); });
  connect(close_, &QToolButton::clicked, &dock, &QDockWidget::close);
  connect(&theme, &Theme::changed, this, &DockTitle::updateIcons);
  updateIcons();
}

void DockTitle::updateIcons() {
  const int side = title_->fontMetrics().height() * 3 / 4;
  float_->setIcon(theme_.icon(QStringLiteral("float")));
  close_->setIcon(theme_.icon(QStringLiteral("close")));
  for (QToolButton* button : {float_, close_}) button->setIconSize({side, side});
}

}  // namespace batchwise
