// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/layout_commands.h"

#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>

#include "ui/bridge/studio_settings.h"
#include "ui/widgets/parts/ask_text.h"
#include "ui/widgets/parts/shortcut_book.h"

namespace batchwise {
namespace {

constexpr int kLongestName = 60;

/// A name as a menu shows it: no letter of it is a mark for a key.
QString inMenu(QString name) {
  return name.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

}  // namespace

LayoutCommands::LayoutCommands(StudioSettings& settings, int version, QMainWindow& window)
    : QObject(&window), settings_(settings), version_(version), window_(window), askName_([this] {
        return askPerson();
      }) {
  menu_ = new QMenu(tr("La&youts"), &window);
  menu_->setObjectName(QStringLiteral("layouts"));
  delete_ = new QMenu(tr("&Delete"), menu_);
  save_ = new QAction(tr("&Save layout as…"), &window);
  nameCommand(*save_, "save_layout");
  save_->setToolTip(tr("Keep the places and sizes of docks and bars under a name"));
  reset_ = new QAction(tr("&First layout"), &window);
  nameCommand(*reset_, "reset_layout");
  reset_->setToolTip(tr("Docks and bars as they were at the first start"));
  connect(save_, &QAction::triggered, this, &LayoutCommands::save);
  connect(reset_, &QAction::triggered, this, &LayoutCommands::reset);
  fillMenu();
}

void LayoutCommands::fillMenu() {
  for (QMenu* menu : {menu_, delete_}) {
    for (QAction* action : menu->actions()) {
      menu->removeAction(action);
      // One of them may be what is being done.
      if (action != save_ && action != reset_ && action != delete_->menuAction()) action->deleteLater();
    }
  }
  for (const QString& name : settings_.layoutNames()) {
    auto* choice = menu_->addAction(inMenu(name));
    choice->setData(name);
    connect(choice, &QAction::triggered, this, [this, name] { choose(name); });
    connect(delete_->addAction(inMenu(name)), &QAction::triggered, this, [this, name] {
      settings_.forgetLayout(name);
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

void LayoutCommands::keepFirst(std::function<void()> setSizes) {
  first_ = window_.saveState(version_);
  setFirstSizes_ = std::move(setSizes);
}

void LayoutCommands::save() {
  const QString name = askName_().simplified().left(kLongestName);
  if (name.isEmpty()) return;
  settings_.saveLayout(name, {window_.saveGeometry(), window_.saveState(version_)});
  fillMenu();
}

void LayoutCommands::choose(const QString& name) {
  const auto layout = settings_.layoutNamed(name);
  if (layout && window_.restoreState(layout->state, version_)) return;
  Q_EMIT failed(tr("The layout %1 is of another version and cannot be used. Delete it or save it anew.").arg(name));
}

void LayoutCommands::reset() {
  if (!first_.isEmpty()) window_.restoreState(first_, version_);
  if (setFirstSizes_) setFirstSizes_();
}

QString LayoutCommands::askPerson() {
  return askText(window_, {tr("Save layout"), tr("Name of the layout"), tr("Save"), {}}).value_or(QString());
}

}  // namespace batchwise
