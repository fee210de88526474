// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/alerts_pane.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <set>

#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/table_views.h"

namespace batchwise {

AlertsPane::AlertsPane(AlertsPresenter& alerts, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      alerts_(alerts),
      view_(tableView(this, alerts.model(), theme, AlertModel::IconRole, "alerts", tr("Alerts"))) {
  view_->header()->setStretchLastSection(true);

  auto* tools = new QWidget(this);
  auto* actions =
      named(new QPushButton(tr("What happens then"), tools), "alertActions", {},
            tr("For each kind of alert: nothing more, pause, checkpoint, or stop; and how slow is too slow"));
  auto* menu = new QMenu(actions);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillActions(*menu); });
  actions->setMenu(menu);
  auto* notify = new QCheckBox(tr("Notify on the desktop"), tools);
  notify->setChecked(alerts_.notifies());
  auto* clear = new QToolButton(tools);
  clear->setText(tr("Clear"));
  clear->setFocusPolicy(Qt::TabFocus);
  auto* row = new FlowLayout(tools);
  for (QWidget* widget : {static_cast<QWidget*>(actions), static_cast<QWidget*>(notify), static_cast<QWidget*>(clear)})
    row->addWidget(widget);
  auto* empty =
      textLabel(this, TextLook::Small,
                tr("What needs a look is listed here: values that are not finite, spikes, a level loss, a fall of the "
                   "speed, little memory or disk, and runs that end."));
  empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  column(this, {tools, {empty, 1}, {view_, 1}}, {{8, 4, 8, 4}, 4});

  const auto updateEmptyState = [this, empty, clear] {
    const bool none = alerts_.model().rowCount() == 0;
    clear->setEnabled(!none);
    empty->setVisible(none);
    view_->setVisible(!none);
  };
  connect(&alerts_.model(), &QAbstractItemModel::rowsInserted, this, updateEmptyState);
  connect(&alerts_.model(), &QAbstractItemModel::modelReset, this, updateEmptyState);
  updateEmptyState();
  connect(notify, &QCheckBox::toggled, this, [this](bool on) { alerts_.setNotifies(on); });
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
  const std::pair<AlertAction, QString> choices[] = {{AlertAction::Nothing, tr("Nothing more")},
                                                     {AlertAction::Pause, tr("Pause the run")},
                                                     {AlertAction::Checkpoint, tr("Save a checkpoint")},
                                                     {AlertAction::Stop, tr("Stop and save")}};
  for (const AlertKind kind : kAlertKinds) {
    if (!AlertsPresenter::canAct(kind)) continue;
    auto* own = menu.addMenu(alertKindText(kind));
    std::vector<MenuChoice> actions;
    for (const auto& [action, text] : choices)
      actions.push_back(
          {text, alerts_.action(kind) == action, [this, kind, chosen = action] { alerts_.setAction(kind, chosen); }});
    addChoices(*own, actions);
    if (kind == AlertKind::SlowDown) fillSpeedLimits(*own);
  }
}

void AlertsPane::fillSpeedLimits(QMenu& menu) {
  menu.addSeparator();
  std::set<int> percents = {25, 50, 75, 90};
  percents.insert(alerts_.slowPercent());  // may be any number in the settings file
  std::vector<MenuChoice> limits;
  for (const int percent : percents)
    limits.push_back({tr("Told below %1 % of the usual speed").arg(percent), alerts_.slowPercent() == percent,
                      [this, percent] { alerts_.setSlowPercent(percent); }});
  addChoices(menu, limits);
}

void AlertsPane::setInFront(bool inFront) {
  inFront_ = inFront;
  if (inFront) alerts_.seen();
}

}  // namespace batchwise
