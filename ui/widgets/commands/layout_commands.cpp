// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/layout_commands.h"

#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>

#include "ui/bridge/studio_settings.h"
#include "ui/widgets/parts/ask_text.h"
#include "ui/widgets/parts/shortcut_registry.h"

namespace batchwise {
namespace {

constexpr int kMaxNameLength = 60;

/// Escapes `&`, which marks a mnemonic in menus.
QString escapeMnemonic(QString name) {
  return name.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

}  // namespace

LayoutCommands::LayoutCommands(StudioSettings& settings, int version, QMainWindow& window)
    : QObject(&window), settings_(settings), version_(version), window_(window), askName_([this] {
        return askUser();
      }) {
  menu_ = new QMenu(tr("La&youts"), &window);
  menu_->setObjectName(QStringLiteral("layouts"));
  delete_ = new QMenu(tr("&Delete"), menu_);
  save_ = new QAction(tr("&Save layout as…"), &window);
  setCommandName(*save_, "save_layout");
  save_->setToolTip(tr("Keep the places and sizes of docks and bars under a name"));
  reset_ = new QAction(tr("&First layout"), &window);
  setCommandName(*reset_, "reset_layout");
  reset_->setToolTip(tr("Docks and bars as they were at the first start"));
  connect(save_, &QAction::triggered, this, &LayoutCommands::save);
  connect(reset_, &QAction::triggered, this, &LayoutCommands::reset);
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

void LayoutCommands::recordInitial(std::function<void()> setSizes) {
  first_ = window_.saveState(version_);
  setDefaultSizes_ = std::move(setSizes);
}

void LayoutCommands::save() {
  const QString name = askName_().simplified().left(kMaxNameLength);
  if (name.isEmpty()) return;
  settings_.saveLayout(name, {window_.saveGeometry(), window_.saveState(version_)});
  fillMenu();
}

void LayoutCommands::choose(const QString& name) {
  const auto layout = settings_.savedLayout(name);
  if (layout && window_.restoreState(layout->state, version_)) return;
  Q_EMIT failed(tr("The layout %1 is of another version and cannot be used. Delete it or save it anew.").arg(name));
}

void LayoutCommands::reset() {
  if (!first_.isEmpty()) window_.restoreState(first_, version_);
  if (setDefaultSizes_) setDefaultSizes_();
}

QString LayoutCommands::askUser() {
  return askText(window_, {tr("Save layout"), tr("Name of the layout"), tr("Save"), {}}).value_or(QString());
}

}  // namespace batchwise
