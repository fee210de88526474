// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspace_pages.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QBoxLayout>
#include <algorithm>

#include "ui/parts/shortcuts.h"
#include "ui/theme/theme.h"

namespace batchwise {

WorkspacePages::WorkspacePages(const Theme& theme, QWidget* parent)
    : QStackedWidget(parent), theme_(theme), group_(new QActionGroup(this)) {
  connect(&theme, &Theme::changed, this, &WorkspacePages::recolor);
}

void WorkspacePages::addPage(QWidget* page, const PageTitle& title) {
  addWidget(page);
  const auto keys = QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + actions_.size()));
  auto* action = new QAction(title.text, this);
  action->setShortcut(keys);
  setCommandName(*action, (QByteArray("page_") + title.name).constData());
  names_.push_back(QString::fromLatin1(title.name));
  toolTips_.push_back(title.toolTip);
  action->setCheckable(true);
  action->setData(QVariant::fromValue(page));
  group_->addAction(action);
  connect(action, &QAction::triggered, this, [this, page] { open(page); });
  actions_.push_back(action);
  icons_.push_back(title.icon);
  action->setIcon(theme_.icon(title.icon));
  updateToolTips();
  if (open_ == nullptr) open(page);
}

void WorkspacePages::updateToolTips() {
  for (qsizetype i = 0; i < actions_.size(); ++i) actions_[i]->setToolTip(withShortcut(toolTips_[i], *actions_[i]));
}

void WorkspacePages::setPlaceholder(QWidget* page, QWidget* placeholder) {
  addWidget(placeholder);
  replaced_ = page;
  placeholder_ = placeholder;
  showOpen();
}

void WorkspacePages::setWorkspaceEmpty(bool empty) {
  empty_ = empty;
  showOpen();
}

void WorkspacePages::open(QWidget* page) {
  if (open_ == page) return;
  open_ = page;
  showOpen();
  for (QAction* action : actions_) action->setChecked(action->data().value<QWidget*>() == page);
  Q_EMIT opened();
}

QString WorkspacePages::openName() const {
  return names_[indexOf(open_)];
}

void WorkspacePages::showOpen() {
  setCurrentWidget(empty_ && open_ == replaced_ && placeholder_ != nullptr ? placeholder_ : open_);
  updateGeometry();
}

QSize WorkspacePages::minimumSizeHint() const {
  return currentWidget() == nullptr ? QSize() : currentWidget()->minimumSizeHint();
}

void WorkspacePages::recolor() {
  for (qsizetype i = 0; i < actions_.size(); ++i) actions_[i]->setIcon(theme_.icon(icons_[i]));
}

}  // namespace batchwise
