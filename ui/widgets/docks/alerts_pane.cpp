// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/alerts_pane.h"

#include <QtGui/QActionGroup>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>
#include <set>

#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/icon_delegate.h"
#include "ui/widgets/parts/text_label.h"

namespace batchwise {

AlertsPane::AlertsPane(AlertsPresenter& alerts, const Theme& theme, QWidget* parent)
    : QWidget(parent), alerts_(alerts), view_(new QTreeView(this)) {
  view_->setModel(&alerts_.model());
  view_->setObjectName(QStringLiteral("alerts"));
  view_->setAccessibleName(tr("Alerts"));
  view_->setItemDelegate(new IconDelegate(theme, AlertModel::IconRole, view_));
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setMinimumHeight(1);
  view_->setFrameShape(QFrame::NoFrame);
  view_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->header()->setStretchLastSection(true);

  auto* tools = new QWidget(this);
  auto* actions = new QPushButton(tr("What happens then"), tools);
  actions->setObjectName(QStringLiteral("alertActions"));
  actions->setToolTip(tr("For each kind of alert: nothing more, pause, checkpoint, or stop; and how slow is too slow"));
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
  auto* empty = textLabel(this, TextLook::Small);
  empty->setText(
      tr("What needs a look is listed here: values that are not finite, spikes, a level loss, a fall of the "
         "speed, little memory or disk, and runs that end."));
  empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  layout->addWidget(tools);
  layout->addWidget(empty, 1);
  layout->addWidget(view_, 1);

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
    auto* group = new QActionGroup(own);
    for (const auto& [action, text] : choices) {
      auto* item = own->addAction(text);
      item->setCheckable(true);
      item->setChecked(alerts_.action(kind) == action);
      group->addAction(item);
      connect(item, &QAction::triggered, this, [this, kind, chosen = action] { alerts_.setAction(kind, chosen); });
    }
    if (kind == AlertKind::SlowDown) fillSpeedLimits(*own);
  }
}

void AlertsPane::fillSpeedLimits(QMenu& menu) {
  menu.addSeparator();
  std::set<int> percents = {25, 50, 75, 90};
  percents.insert(alerts_.slowPercent());  // may be any number in the settings file
  auto* group = new QActionGroup(&menu);
  for (const int percent : percents) {
    auto* item = menu.addAction(tr("Told below %1 % of the usual speed").arg(percent));
    item->setCheckable(true);
    item->setChecked(alerts_.slowPercent() == percent);
    group->addAction(item);
    connect(item, &QAction::triggered, this, [this, percent] { alerts_.setSlowPercent(percent); });
  }
}

void AlertsPane::setInFront(bool inFront) {
  inFront_ = inFront;
  if (inFront) alerts_.seen();
}

}  // namespace batchwise
