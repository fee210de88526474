// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/layout_commands.h"

#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>

#include "ui/bridge/studio_settings.h"
#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/shortcuts.h"
#include "ui/widgets/window/window_docks.h"

namespace batchwise {
namespace {

constexpr int kMaxNameLength = 60;
constexpr int kSaveMs = 10'000;
constexpr int kVersion = 1;  // of the window's state, see QMainWindow::saveState()

}  // namespace

LayoutCommands::LayoutCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), settings_(parts.settings), views_(views), window_(views.window), askName_([this] {
        return askText(window_, {tr("Save layout"), tr("Name of the layout"), tr("Save"), {}}).value_or(QString());
      }) {
  menu_ = new QMenu(tr("La&youts"), &window_);
  menu_->setObjectName(QStringLiteral("layouts"));
  delete_ = new QMenu(tr("&Delete"), menu_);
  save_ = new QAction(tr("&Save layout as…"), &window_);
  setCommandName(*save_, "save_layout");
  save_->setToolTip(tr("Save the positions and sizes of docks and toolbars under a name"));
  reset_ = new QAction(tr("&Default layout"), &window_);
  setCommandName(*reset_, "reset_layout");
  reset_->setToolTip(tr("Docks and toolbars as at the first start"));
  connect(save_, &QAction::triggered, this, &LayoutCommands::save);
  connect(reset_, &QAction::triggered, this, &LayoutCommands::reset);
  connect(&saveTimer_, &QTimer::timeout, this, &LayoutCommands::saveLast);
  fillMenu();
}

void LayoutCommands::fillMenu() {
  for (QMenu* menu : {menu_, delete_}) {
    for (QAction* action : menu->actions()) {
      menu->removeAction(action);
      // Deleted later: one of them may be the action that is being triggered.
      if (action != save_ && action != reset_ && action != delete_->menuAction()) action->deleteLater();
    }
  }
  for (const QString& name : settings_.layoutNames()) {
    auto* choice = menu_->addAction(escapeMnemonic(name));
    choice->setData(name);
    connect(choice, &QAction::triggered, this, [this, name] { choose(name); });
    connect(delete_->addAction(escapeMnemonic(name)), &QAction::triggered, this, [this, name] {
      settings_.removeLayout(name);
      fillMenu();
    });
  }
  if (!menu_->isEmpty()) menu_->addSeparator();
  menu_->addActions({save_, reset_});
  menu_->addMenu(delete_)->setEnabled(!delete_->isEmpty());
}

QList<QAction*> LayoutCommands::saved() const {
  return menu_->actions().mid(0, delete_->actions().size());
}

void LayoutCommands::restoreLast() {
  first_ = window_.saveState(kVersion);
  const auto last = settings_.layout();
  if (!last || !window_.restoreState(last->state, kVersion)) views_.docks.setDefaultSizes();
  saveTimer_.start(kSaveMs);
}

void LayoutCommands::saveLast() {
  const QByteArray geometry = window_.saveGeometry(), state = window_.saveState(kVersion);
  if (std::exchange(kept_, geometry + state) != geometry + state) settings_.setLayout({geometry, state});
}

void LayoutCommands::save() {
  const QString name = askName_().simplified().left(kMaxNameLength);
  if (name.isEmpty()) return;
  const Confirmation question = {tr("Replace the layout?"), tr("There is already a layout %1.").arg(name),
                                 tr("Its arrangement of docks and toolbars is lost."), tr("Replace")};
  if (settings_.layoutNames().contains(name) && !confirm(window_, question)) return;
  settings_.saveLayout(name, {window_.saveGeometry(), window_.saveState(kVersion)});
  fillMenu();
}

void LayoutCommands::choose(const QString& name) {
  const auto layout = settings_.savedLayout(name);
  if (layout && window_.restoreState(layout->state, kVersion)) return;
  views_.message.showWarning(
      tr("The layout %1 is from another version and cannot be used. Delete it, or save it again.").arg(name));
}

void LayoutCommands::reset() {
  if (!first_.isEmpty()) window_.restoreState(first_, kVersion);
  views_.docks.setDefaultSizes();
}

}  // namespace batchwise
