// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/shortcuts.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QAction>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QKeySequenceEdit>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QWidget>
#include <algorithm>

#include "ui/bridge/studio_settings.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

const QString kPrefix = QStringLiteral("command.");

QString nameOf(const QAction& action) {
  return action.objectName().mid(kPrefix.size());
}

bool actsEverywhere(const QAction& action) {
  return action.shortcutContext() == Qt::WindowShortcut || action.shortcutContext() == Qt::ApplicationShortcut;
}

}  // namespace

void setCommandName(QAction& action, const char* name) {
  action.setObjectName(kPrefix + QString::fromLatin1(name));
}

QAction* addListAction(QWidget& list, const char* name, const QString& text, const QKeySequence& keys) {
  auto* action = new QAction(text, &list);
  setCommandName(*action, name);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  list.addAction(action);
  return action;
}

QString commandText(const QAction& action) {
  QString text = action.text();
  text.remove(QLatin1Char('&'));
  return text;
}

QString withShortcut(const QString& text, const QAction& action) {
  const QString keys = action.shortcut().toString(QKeySequence::NativeText);
  return keys.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, keys);
}

ShortcutRegistry::ShortcutRegistry(QWidget& window, StudioSettings& settings) : QObject(&window), settings_(settings) {
  for (QAction* action : window.findChildren<QAction*>()) {
    if (!action->objectName().startsWith(kPrefix)) continue;
    actions_.push_back(action);
    defaults_.push_back(action->shortcut());
    if (const auto kept = settings_.shortcut(nameOf(*action))) action->setShortcut(QKeySequence(*kept));
  }
}

QKeySequence ShortcutRegistry::defaultKeys(const QAction& action) const {
  const auto found = std::find(actions_.begin(), actions_.end(), &action);
  return found == actions_.end() ? QKeySequence() : defaults_[static_cast<std::size_t>(found - actions_.begin())];
}

QAction* ShortcutRegistry::conflictingAction(const QKeySequence& keys, const QAction& action) const {
  if (keys.isEmpty()) return nullptr;
  for (QAction* other : actions_) {
    const bool meets = actsEverywhere(*other) || actsEverywhere(action) || other->parent() == action.parent();
    if (other != &action && meets && other->shortcut() == keys) return other;
  }
  return nullptr;
}

void ShortcutRegistry::setKeys(QAction& action, const QKeySequence& keys) {
  action.setShortcut(keys);
  if (keys == defaultKeys(action))
    settings_.removeShortcut(nameOf(action));
  else
    settings_.setShortcut(nameOf(action), keys.toString(QKeySequence::PortableText));
  Q_EMIT changed();
}

namespace {

enum Column { kCommand, kKeys, kWhere };

QString scopeText(const QAction& action) {
  return action.shortcutContext() == Qt::WindowShortcut ? ShortcutEditor::tr("Whole window")
                                                        : ShortcutEditor::tr("List or chart with the focus");
}

}  // namespace

ShortcutEditor::ShortcutEditor(ShortcutRegistry& registry, QWidget* parent)
    : QWidget(parent),
      registry_(registry),
      search_(searchLine(this, "shortcutSearch", tr("Search commands"))),
      list_(new QTreeWidget(this)),
      keys_(new QKeySequenceEdit(this)),
      problem_(textLabel(this, TextLook::Bad)),
      clear_(new QPushButton(tr("Clear"), this)),
      reset_(new QPushButton(tr("Reset"), this)) {
  list_->setColumnCount(3);
  list_->setHeaderLabels({tr("Command"), tr("Shortcut"), tr("Scope")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  named(list_, "shortcuts", tr("Commands and their shortcuts"));
  list_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  keys_->setAccessibleName(tr("New shortcut of the selected command"));
  auto* word = new QLabel(tr("New shortcut"), this);
  word->setBuddy(keys_);
  problem_->setMinimumHeight(2 * fontMetrics().height());  // nothing moves when there is a problem
  problem_->setAlignment(Qt::AlignTop);
  for (QPushButton* button : {clear_, reset_}) button->setAutoDefault(false);
  column(this, {search_, {list_, 1}, row(nullptr, {word, {keys_, 1}, clear_, reset_}), problem_});
  connect(search_, &QLineEdit::textChanged, this, &ShortcutEditor::fill);
  connect(list_, &QTreeWidget::currentItemChanged, this, &ShortcutEditor::showSelected);
  connect(keys_, &QKeySequenceEdit::keySequenceChanged, this, &ShortcutEditor::applyKeys);
  connect(clear_, &QPushButton::clicked, this, [this] { keys_->setKeySequence({}); });
  connect(reset_, &QPushButton::clicked, this, [this] {
    if (const QAction* action = selected()) keys_->setKeySequence(registry_.defaultKeys(*action));
  });
  fill();
}

void ShortcutEditor::fill() {
  const QAction* before = selected();
  {
    const QSignalBlocker quiet(list_);
    list_->clear();
    for (QAction* action : registry_.actions()) {
      const QString text = commandText(*action);
      if (!text.contains(search_->text().trimmed(), Qt::CaseInsensitive)) continue;
      auto* item =
          new QTreeWidgetItem(list_, {text, action->shortcut().toString(QKeySequence::NativeText), scopeText(*action)});
      item->setData(kCommand, Qt::UserRole, QVariant::fromValue(static_cast<QObject*>(action)));
      if (action == before) list_->setCurrentItem(item);
    }
  }
  if (list_->currentItem() == nullptr) list_->setCurrentItem(list_->topLevelItem(0));
  showSelected();
}

QAction* ShortcutEditor::selected() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item == nullptr ? nullptr : qobject_cast<QAction*>(item->data(kCommand, Qt::UserRole).value<QObject*>());
}

void ShortcutEditor::showSelected() {
  const QAction* action = selected();
  const QSignalBlocker quiet(keys_);
  keys_->setKeySequence(action == nullptr ? QKeySequence() : action->shortcut());
  for (QWidget* widget : {static_cast<QWidget*>(keys_), static_cast<QWidget*>(clear_), static_cast<QWidget*>(reset_)})
    widget->setEnabled(action != nullptr);
  problem_->clear();
}

void ShortcutEditor::applyKeys() {
  QAction* action = selected();
  if (action == nullptr) return;
  const QKeySequence keys = keys_->keySequence();
  if (const QAction* other = registry_.conflictingAction(keys, *action)) {
    problem_->setText(tr("%1 is already the shortcut of “%2”. Choose another one, or change that shortcut first.")
                          .arg(keys.toString(QKeySequence::NativeText), commandText(*other)));
    return;
  }
  problem_->clear();
  registry_.setKeys(*action, keys);
  list_->currentItem()->setText(kKeys, keys.toString(QKeySequence::NativeText));
}

}  // namespace batchwise
