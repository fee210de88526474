// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/desk/tool_row.h"

#include <QtCore/QEvent>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "ui/widgets/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kToolGap = 4;

}  // namespace

ToolRow::ToolRow(QWidget* parent) : QWidget(parent), more_(new QToolButton(this)), menu_(new QMenu(more_)) {
  named(more_, "moreTools", tr("More tools"), tr("Tools that do not fit here"));
  more_->setText(QStringLiteral("»"));
  more_->setMenu(menu_);
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ToolRow::add(QWidget* control, QAction* action, int rank) {
  control->setParent(this);
  tools_.push_back({control, action, rank});
  setTabOrder(tools_.size() > 1 ? tools_[tools_.size() - 2].control : static_cast<QWidget*>(this), control);
  setTabOrder(control, more_);
}

QToolButton* ToolRow::addButton(QAction* action, int rank) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::TabFocus);
  add(button, action, rank);
  return button;
}

int ToolRow::widthOf(const QWidget& control) const {
  // The style leaves no room between the text and the arrow beside it.
  const auto* button = qobject_cast<const QToolButton*>(&control);
  const bool hasArrow = button != nullptr && button->popupMode() == QToolButton::MenuButtonPopup;
  return (hasArrow ? kToolGap * 2 : 0) +
         std::max(control.minimumWidth(), std::min(control.sizeHint().width(), control.maximumWidth()));
}

QSize ToolRow::sizeHint() const {
  QSize size(0, more_->sizeHint().height());
  for (const Tool& tool : tools_)
    size = {size.width() + widthOf(*tool.control) + kToolGap,
            std::max(size.height(), tool.control->sizeHint().height())};
  return size;
}

QSize ToolRow::minimumSizeHint() const {
  return {more_->sizeHint().width(), sizeHint().height()};
}

void ToolRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

bool ToolRow::event(QEvent* event) {
  const bool resized = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange || event->type() == QEvent::Show) {
    updateGeometry();
    fit();
  }
  return resized;
}

/// Hides what does not fit, by rank.
void ToolRow::fit() {
  int needed = sizeHint().width() - kToolGap;
  std::vector<Tool*> byRank;
  for (Tool& tool : tools_) {
    tool.hidden = false;
    byRank.push_back(&tool);
  }
  std::stable_sort(byRank.begin(), byRank.end(), [](const Tool* a, const Tool* b) { return a->rank > b->rank; });
  const bool all = needed <= width();
  if (!all) needed += kToolGap + more_->sizeHint().width();
  for (Tool* tool : byRank) {
    if (needed <= width()) break;
    tool->hidden = true;
    needed -= widthOf(*tool->control) + kToolGap;
  }
  menu_->clear();
  for (const Tool& tool : tools_)
    if (tool.hidden) menu_->addAction(tool.action);
  more_->setVisible(!all);
  place();
}

void ToolRow::place() {
  int x = 0;
  for (const Tool& tool : tools_) {
    tool.control->setVisible(!tool.hidden);
    if (tool.hidden) continue;
    tool.control->setGeometry(x, 0, widthOf(*tool.control), height());
    x += widthOf(*tool.control) + kToolGap;
  }
  more_->setGeometry(x, 0, more_->sizeHint().width(), height());
}

}  // namespace batchwise
