// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/alerts_pane.h"

#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include "ui/parts/dialogs.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"

namespace batchwise {

AlertsPane::AlertsPane(AlertsPresenter& alerts, const Theme& theme, QWidget* parent)
    : QWidget(parent), alerts_(alerts), view_(tableView(this, alerts.model(), theme, "alerts", tr("Alerts"))) {
  view_->header()->setStretchLastSection(true);

  auto* tools = new QWidget(this);
  auto* actions =
      named(new QPushButton(tr("Alert actions"), tools), "alertActions", {}, tr("Action for each kind of alert"));
  auto* menu = new QMenu(actions);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillActions(*menu); });
  actions->setMenu(menu);
  auto* notify = textButton(tools, "alertNotifications", tr("Notifications…"),
                            tr("Choose which events send a desktop notification"));
  auto* clear = textButton(tools, "clearAlerts", tr("Clear"));
  auto* row = new FlowLayout(tools);
  for (QWidget* widget : {static_cast<QWidget*>(actions), static_cast<QWidget*>(notify), static_cast<QWidget*>(clear)})
    row->addWidget(widget);
  auto* empty =
      textLabel(this, TextLook::Small,
                tr("Alerts are listed here: values that are not finite, spikes, a loss that no longer falls, lost "
                   "speed, little memory or disk space, and runs that end."));
  empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* content = new QStackedLayout;
  content->addWidget(empty);
  content->addWidget(view_);
  column(this, {tools, {content, 1}}, {{8, 4, 8, 4}, 4});

  const auto updateEmptyState = [this, content, clear] {
    const bool none = alerts_.model().rowCount() == 0;
    clear->setEnabled(!none);
    content->setCurrentIndex(none ? 0 : 1);
  };
  connect(&alerts_.model(), &QAbstractItemModel::rowsInserted, this, updateEmptyState);
  connect(&alerts_.model(), &QAbstractItemModel::modelReset, this, updateEmptyState);
  updateEmptyState();
  connect(notify, &QToolButton::clicked, this, &AlertsPane::notificationsRequested);
  connect(clear, &QToolButton::clicked, &alerts_.model(), &AlertModel::clear);
  connect(&alerts_, &AlertsPresenter::unseenChanged, this, [this] {
    if (inFront_ && alerts_.unseen() > 0) alerts_.seen();
  });
  connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    const QString run = index.data(AlertModel::RunRole).toString();
    if (!run.isEmpty()) Q_EMIT runChosen(run);
  });
}

void AlertsPane::fillActions(QMenu& menu) {
  menu.clear();
  const std::pair<AlertAction, QString> choices[] = {{AlertAction::Nothing, tr("Only show")},
                                                     {AlertAction::Pause, tr("Pause the run")},
                                                     {AlertAction::Checkpoint, tr("Save a checkpoint")},
                                                     {AlertAction::Stop, tr("Stop and save")}};
  for (const AlertKind kind : AlertsPresenter::kWithActions) {
    auto* own = menu.addMenu(alertKindText(kind));
    std::vector<MenuChoice> actions;
    for (const auto& [action, text] : choices)
      actions.push_back(
          {text, alerts_.action(kind) == action, [this, kind, chosen = action] { alerts_.setAction(kind, chosen); }});
    addChoices(*own, actions);
  }
}

void AlertsPane::setInFront(bool inFront) {
  inFront_ = inFront;
  if (inFront) alerts_.seen();
}

}  // namespace batchwise
