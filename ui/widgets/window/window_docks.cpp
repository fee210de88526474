// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/window_docks.h"

#include <QtGui/QAction>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QTreeView>

#include "ui/bridge/desktop_notification.h"
#include "ui/models/device_model.h"
#include "ui/widgets/docks/alerts_pane.h"
#include "ui/widgets/docks/log_pane.h"
#include "ui/widgets/docks/notes_pane.h"
#include "ui/widgets/docks/queue_pane.h"
#include "ui/widgets/docks/run_list_pane.h"
#include "ui/widgets/parts/dock_title.h"
#include "ui/widgets/parts/icon_delegate.h"
#include "ui/widgets/window/retained_state.h"

namespace batchwise {

WindowDocks::WindowDocks(const StudioParts& parts, RetainedState& retained, QMainWindow& window)
    : QObject(&window), parts_(parts), retained_(retained), window_(window) {
  runs_ = new RunListPane(parts_.workspace.runs(), retained.comparing, parts_.theme, &window);
  runsDock_ = add(tr("Runs"), "runsDock", runs_, Qt::LeftDockWidgetArea);
  logDock_ =
      add(tr("Log"), "logDock", new LogPane(parts_.watch.log(), parts_.theme, &window), Qt::BottomDockWidgetArea);
  makeQueue();
  makeAlerts();
  makeNotes();
  makeDevices();
  for (QDockWidget* dock : {queueDock_, alertsDock_, notesDock_, devicesDock_}) window.tabifyDockWidget(logDock_, dock);
  logDock_->raise();
  window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
}

QDockWidget* WindowDocks::add(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, &window_);
  dock->setObjectName(QString::fromLatin1(name));
  dock->setWidget(content);
  dock->setTitleBarWidget(new DockTitle(parts_.theme, *dock));
  window_.addDockWidget(area, dock);
  return dock;
}

void WindowDocks::makeQueue() {
  auto* pane = new QueuePane(retained_.queue, parts_.theme, &window_);
  queueDock_ = add(tr("Queue"), "queueDock", pane, Qt::BottomDockWidgetArea);
  connect(pane, &QueuePane::runChosen, this, &WindowDocks::runChosen);
  connect(&retained_.queue, &QueuePresenter::changed, this, &WindowDocks::updateQueueTitle);
}

void WindowDocks::makeAlerts() {
  auto* pane = new AlertsPane(retained_.alerts, parts_.theme, &window_);
  alertsDock_ = add(tr("Alerts"), "alertsDock", pane, Qt::BottomDockWidgetArea);
  connect(pane, &AlertsPane::runChosen, this, &WindowDocks::runChosen);
  connect(alertsDock_, &QDockWidget::visibilityChanged, pane, &AlertsPane::setInFront);
  connect(&retained_.alerts, &AlertsPresenter::notice, this, showDesktopNotification);
  connect(&retained_.alerts, &AlertsPresenter::unseenChanged, this, &WindowDocks::updateAlertsTitle);
}

void WindowDocks::updateQueueTitle() {
  const auto waiting = static_cast<int>(retained_.queue.waiting());
  queueDock_->setWindowTitle(waiting > 0 ? tr("Queue: %n waiting", nullptr, waiting) : tr("Queue"));
}

void WindowDocks::updateAlertsTitle() {
  const int unseen = retained_.alerts.unseen();
  alertsDock_->setWindowTitle(unseen > 0 ? tr("Alerts: %n new", nullptr, unseen) : tr("Alerts"));
  showDesktopBadge(unseen);
}

void WindowDocks::syncWithPresenters() {
  updateQueueTitle();
  updateAlertsTitle();
  notes_->setRun(parts_.watch.selected());
  refreshDevices();
}

void WindowDocks::makeNotes() {
  notes_ = new NotesPane(parts_.workspace.runs(), &window_);
  notesDock_ = add(tr("Note"), "notesDock", notes_, Qt::BottomDockWidgetArea);
  connect(notes_, &NotesPane::noteChanged, &retained_.comparing, &ComparePresenter::setNote);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, notes_,
          [this] { notes_->setRun(parts_.watch.selected()); });
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, notes_, &NotesPane::readNote);
}

void WindowDocks::makeDevices() {
  deviceModel_ = new DeviceModel(this);
  auto* view = new QTreeView(&window_);
  view->setModel(deviceModel_);
  view->setObjectName(QStringLiteral("devices"));
  view->setAccessibleName(tr("Memory of the devices of the selected run"));
  view->setItemDelegate(new IconDelegate(parts_.theme, DeviceModel::IconRole, view));
  view->setRootIsDecorated(false);
  view->setMinimumHeight(1);
  view->setFrameShape(QFrame::NoFrame);
  view->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->header()->setStretchLastSection(false);
  devicesDock_ = add(tr("Devices"), "devicesDock", view, Qt::BottomDockWidgetArea);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, &WindowDocks::refreshDevices);
}

void WindowDocks::saveNotes() {
  notes_->saveNow();
}

void WindowDocks::refreshDevices() {
  deviceModel_->update(parts_.watch.view().series);
}

QList<QAction*> WindowDocks::toggles() const {
  QList<QAction*> actions;
  for (const QDockWidget* dock : {runsDock_, logDock_, queueDock_, alertsDock_, notesDock_, devicesDock_})
    actions << dock->toggleViewAction();
  return actions;
}

void WindowDocks::setDefaultSizes() {
  const QFontMetrics metrics = window_.fontMetrics();
  const int unit = metrics.horizontalAdvance(QLatin1Char('x'));
  window_.resizeDocks({runsDock_}, {std::min(52 * unit, window_.width() * 3 / 10)}, Qt::Horizontal);
  window_.resizeDocks({logDock_}, {std::min(12 * metrics.height(), window_.height() / 4)}, Qt::Vertical);
}

void WindowDocks::showQueue() {
  queueDock_->show();
  queueDock_->raise();
}

void WindowDocks::showLog() {
  logDock_->show();
  logDock_->raise();
}

}  // namespace batchwise
