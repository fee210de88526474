// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window_actions.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QToolBar>

#include "ui/theme/theme.h"
#include "ui/widgets/appearance_menu.h"

namespace batchwise {

WindowActions::WindowActions(const Theme& theme, QMainWindow& window)
    : QObject(&window), theme_(theme), window_(window) {
  newDemo = make(tr("&New run"), QKeySequence(Qt::CTRL | Qt::Key_N), QStringLiteral("new-run"));
  newDemo->setToolTip(tr("Configure a run, beginning from the demo preset (Ctrl+N)"));
  newFile = make(tr("New run from a &file…"), QKeySequence(Qt::CTRL | Qt::Key_O), QStringLiteral("file"));
  newSelected = make(tr("New run from the &selected one"), QKeySequence(Qt::CTRL | Qt::Key_D));
  openWorkspace =
      make(tr("Open &workspace…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), QStringLiteral("folder"));
  quit = make(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
  launch = make(tr("&Launch"), QKeySequence(Qt::Key_F5), QStringLiteral("launch"));
  pause = make(tr("&Pause"), QKeySequence(Qt::Key_F6), QStringLiteral("pause"));
  stopAfterBatch = make(tr("Stop after the &global batch"), {});
  stop = make(tr("&Stop and save"), QKeySequence(Qt::SHIFT | Qt::Key_F5), QStringLiteral("stop-save"));
  abort = make(tr("Stop &without saving"), {});
  resume = make(tr("&Resume"), QKeySequence(Qt::Key_F7), QStringLiteral("resume"));
  auto* places = new QActionGroup(this);
  inThisProgram = make(tr("Train in &this program"), {});
  inThisProgram->setToolTip(tr("Ends when the window is closed. One run at a time; the next ones get their own process"));
  inOwnProcess = make(tr("Train in its &own process"), {});
  inOwnProcess->setToolTip(tr("Goes on when the window is closed, and the window survives whatever happens to the run"));
  for (QAction* place : {inThisProgram, inOwnProcess}) {
    place->setCheckable(true);
    places->addAction(place);
  }
  about = make(tr("&About Batchwise"), {});
  connect(&theme, &Theme::changed, this, &WindowActions::recolor);
}

QAction* WindowActions::make(const QString& text, const QKeySequence& keys, const QString& icon) {
  auto* made = new QAction(text, &window_);
  made->setShortcut(keys);
  if (!icon.isEmpty()) icons_[made] = icon;
  return made;
}

void WindowActions::place(const Places& places, Theme& theme, StudioSettings& settings) {
  auto* file = window_.menuBar()->addMenu(tr("&File"));
  file->addActions({newDemo, newFile, newSelected});
  file->addSeparator();
  file->addAction(openWorkspace);
  file->addMenu(places.recentWorkspaces);
  file->addSeparator();
  file->addAction(quit);
  auto* run = window_.menuBar()->addMenu(tr("&Run"));
  run->setToolTipsVisible(true);
  run->addActions({launch, resume});
  run->addSeparator();
  run->addActions({pause, stopAfterBatch, stop, abort});
  run->addSeparator();
  run->addActions({inThisProgram, inOwnProcess});
  auto* view = window_.menuBar()->addMenu(tr("&View"));
  view->addActions(places.pages);
  view->addSeparator();
  view->addActions(places.docks);
  view->addSeparator();
  addAppearanceChoices(*view, theme, settings);
  window_.menuBar()->addMenu(tr("&Help"))->addAction(about);
  placeInToolBar(places);
  recolor();
}

void WindowActions::placeInToolBar(const Places& places) {
  tools_ = window_.addToolBar(tr("Tools"));
  tools_->setObjectName(QStringLiteral("tools"));
  tools_->setMovable(false);
  tools_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  tools_->addActions({newDemo, launch, pause, stop, resume});
  auto* space = new QWidget(tools_);
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  tools_->addWidget(space);
  tools_->addActions(places.pages);
  tools_->setContextMenuPolicy(Qt::PreventContextMenu);
}

void WindowActions::recolor() {
  for (const auto& [action, icon] : icons_) action->setIcon(theme_.icon(icon));
  const int side = std::max(16, window_.fontMetrics().height());
  tools_->setIconSize({side, side});
}

}  // namespace batchwise
