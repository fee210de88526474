// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_docks.h"

#include <QtCore/QEvent>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include "ui/bridge/desktop_session.h"
#include "ui/list/notes_pane.h"
#include "ui/list/queue_pane.h"
#include "ui/list/run_list_pane.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"
#include "ui/parts/table_views.h"
#include "ui/runs/alerts_pane.h"
#include "ui/runs/event_models.h"
#include "ui/theme/theme.h"
#include "ui/window/studio_parts.h"

namespace batchwise {

namespace {

/// Title bar of a dock with buttons to float and to close it. Its font follows the font of the application; the style's
/// own title bar keeps the font size of the program's start. Mouse events on the title are left to the dock.
class DockTitle final : public QWidget {
 public:
  DockTitle(const Theme& theme, QDockWidget& dock)
      : QWidget(&dock),
        theme_(theme),
        title_(new ElidedLabel(this)),
        float_(flatButton(this, WindowDocks::tr("Detach from the window, or attach again"))),
        close_(flatButton(this, WindowDocks::tr("Close; reopen it in the View menu"))) {
    for (QToolButton* button : {float_, close_})
      button->setFocusPolicy(Qt::NoFocus);  // the View menu has the shortcuts
    title_->setText(dock.windowTitle());
    row(this, {{title_, 1}, float_, close_}, {{4, 2, 2, 2}, 2});
    connect(&dock, &QDockWidget::windowTitleChanged, title_, &QLabel::setText);
    connect(float_, &QToolButton::clicked, &dock, [&dock] { dock.setFloating(!dock.isFloating()); });
    connect(close_, &QToolButton::clicked, &dock, &QDockWidget::close);
    connect(&theme, &Theme::changed, this, &DockTitle::updateIcons);
    updateIcons();
  }

 private:
  void updateIcons() {
    const int side = title_->fontMetrics().height() * 3 / 4;
    float_->setIcon(theme_.icon(QStringLiteral("float")));
    close_->setIcon(theme_.icon(QStringLiteral("close")));
    for (QToolButton* button : {float_, close_}) button->setIconSize({side, side});
  }

  const Theme& theme_;
  ElidedLabel* title_;
  QToolButton *float_, *close_;
};

}  // namespace

WindowDocks::WindowDocks(StudioParts& parts, QMainWindow& window) : QObject(&window), parts_(parts), window_(window) {
  window.installEventFilter(this);
  runs_ = new RunListPane(parts_.workspace, parts.selection, parts_.settings, parts_.theme, &window);
  connect(&parts.comparing, &ComparePresenter::changed, runs_, [this] {
    const ComparePresenter& compared = parts_.comparing;
    runs_->setCompared(compared.series(), compared.options().groupBy == kGroupByExperiment);
  });
  runsDock_ = add(tr("Runs table"), "runsDock", runs_, Qt::LeftDockWidgetArea);
  makeLog();
  makeQueue();
  makeAlerts();
  makeNotes();
  makeDevices();
  for (QDockWidget* dock : {queueDock_, alertsDock_, notesDock_, devicesDock_}) window.tabifyDockWidget(logDock_, dock);
  for (QDockWidget* dock : {logDock_, queueDock_, alertsDock_, notesDock_, devicesDock_}) dock->hide();
  window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  connect(&parts_.theme, &Theme::changed, this, [this] {  // to a larger text
    if (runsDock_->isVisible() && !runsDock_->isFloating() && runsDock_->width() < widthOfRuns())
      window_.resizeDocks({runsDock_}, {widthOfRuns()}, Qt::Horizontal);
  });
}

QDockWidget* WindowDocks::add(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, &window_);
  dock->setObjectName(QString::fromLatin1(name));
  dock->setWidget(content);
  dock->setTitleBarWidget(new DockTitle(parts_.theme, *dock));
  setCommandName(*dock->toggleViewAction(), name);
  window_.addDockWidget(area, dock);
  connect(dock, &QDockWidget::visibilityChanged, content,
          [dock, content](bool seen) { content->setEnabled(seen || !dock->isVisible()); });
  return dock;
}

/// Qt keeps docks behind others, and tab bars without tabs, visible beyond the edge of the window: the keyboard must
/// not get there.
bool WindowDocks::eventFilter(QObject* watched, QEvent* event) {
  auto* made = event->type() == QEvent::ChildPolished ? static_cast<QChildEvent*>(event)->child() : nullptr;
  if (auto* bar = qobject_cast<QTabBar*>(made)) {
    bar->setAccessibleName(tr("Open panes"));
    bar->installEventFilter(this);
  }
  auto* moved = event->type() == QEvent::Move ? qobject_cast<QTabBar*>(watched) : nullptr;
  if (moved != nullptr)
    moved->setFocusPolicy(window_.rect().intersects(moved->geometry()) ? Qt::TabFocus : Qt::NoFocus);
  return QObject::eventFilter(watched, event);
}

/// The log scrolls to new rows unless the user has scrolled away.
void WindowDocks::makeLog() {
  LogModel& model = parts_.runs.log();
  auto* view = tableView(&window_, model, parts_.theme, "log", tr("Log of the selected run"));
  view->header()->setSectionResizeMode(LogModel::TextColumn, QHeaderView::Stretch);
  view->header()->setStretchLastSection(true);
  view->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* copy = new QAction(tr("Copy the log"), view);
  connect(copy, &QAction::triggered, this, [&model] { QGuiApplication::clipboard()->setText(model.plainText()); });
  view->addAction(copy);
  logDock_ = add(tr("Log"), "logDock", view, Qt::BottomDockWidgetArea);
  logDock_->toggleViewAction()->setShortcut(QKeySequence(Qt::Key_F9));
  connect(logDock_, &QDockWidget::visibilityChanged, view, [this, view](bool visible) {
    if (visible && logAtEnd_) view->scrollToBottom();
  });
  connect(&model, &QAbstractItemModel::rowsAboutToBeInserted, view, [this, view] {
    const auto* bar = view->verticalScrollBar();
    if (view->isVisible()) logAtEnd_ = bar->value() >= bar->maximum() - 2;
  });
  connect(&model, &QAbstractItemModel::rowsInserted, view, [this, view] {
    if (logAtEnd_) view->scrollToBottom();
  });
}

void WindowDocks::makeQueue() {
  auto* pane = new QueuePane(parts_.queue, parts_.modelJobs, parts_.theme, &window_);
  queueDock_ = add(tr("Queue"), "queueDock", pane, Qt::BottomDockWidgetArea);
  connect(pane, &QueuePane::runChosen, this, &WindowDocks::runChosen);
}

void WindowDocks::makeAlerts() {
  auto* pane = new AlertsPane(parts_.alerts, parts_.theme, &window_);
  alertsDock_ = add(tr("Alerts"), "alertsDock", pane, Qt::BottomDockWidgetArea);
  connect(pane, &AlertsPane::runChosen, this, &WindowDocks::runChosen);
  connect(alertsDock_, &QDockWidget::visibilityChanged, pane, &AlertsPane::setInFront);
  connect(&parts_.alerts, &AlertsPresenter::notice, this, showDesktopNotification);
  connect(pane, &AlertsPane::notificationsRequested, this, &WindowDocks::notificationsRequested);
  connect(&parts_.alerts, &AlertsPresenter::unseenChanged, this, [this] { showDesktopBadge(parts_.alerts.unseen()); });
}

void WindowDocks::makeNotes() {
  notes_ = new NotesPane(parts_.workspace.runs(), parts_.selection, &window_);
  notesDock_ = add(tr("Note"), "notesDock", notes_, Qt::BottomDockWidgetArea);
  connect(notes_, &NotesPane::noteChanged, &parts_.workspace, &WorkspacePresenter::setNote);
  connect(&parts_.workspace, &WorkspacePresenter::noteStored, notes_, &NotesPane::setStored);
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, notes_, &NotesPane::readNote);
  connect(&parts_.workspace, &WorkspacePresenter::closing, notes_, &NotesPane::saveNow);
}

void WindowDocks::makeDevices() {
  deviceModel_ = new DeviceModel(this);
  auto* view =
      tableView(&window_, *deviceModel_, parts_.theme, "devices", tr("Memory of the devices of the selected run"));
  devicesDock_ = add(tr("Devices"), "devicesDock", view, Qt::BottomDockWidgetArea);
  connect(&parts_.runs, &RunsPresenter::selectionChanged, this, &WindowDocks::refreshDevices);
}

void WindowDocks::refreshDevices() {
  deviceModel_->update(parts_.runs.selectedView().series);
}

QList<QAction*> WindowDocks::toggles() const {
  QList<QAction*> actions;
  for (const QDockWidget* dock : {runsDock_, logDock_, queueDock_, alertsDock_, notesDock_, devicesDock_})
    actions << dock->toggleViewAction();
  return actions;
}

void WindowDocks::setDefaultSizes() {
  window_.resizeDocks({runsDock_}, {widthOfRuns()}, Qt::Horizontal);
  window_.resizeDocks({logDock_}, {std::min(12 * window_.fontMetrics().height(), window_.height() / 3)}, Qt::Vertical);
}

/// Names and evaluation losses have room, also of large text, which needs more of the window.
int WindowDocks::widthOfRuns() const {
  const int unit = window_.fontMetrics().horizontalAdvance(QLatin1Char('x'));
  const int most = std::max(window_.width() / 3, std::min(46 * unit, window_.width() - 46 * unit));
  return std::min(58 * unit, most);
}

void WindowDocks::bringForward(QDockWidget* dock) {
  dock->show();
  dock->raise();
}

void WindowDocks::toggleLog() {
  const bool isSeen = logDock_->isVisible() && !logDock_->visibleRegion().isEmpty();
  isSeen ? logDock_->hide() : showLog();
}

}  // namespace batchwise
