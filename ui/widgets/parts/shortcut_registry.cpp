// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/shortcut_registry.h"

#include <QtGui/QAction>
#include <QtWidgets/QWidget>
#include <algorithm>

#include "ui/bridge/studio_settings.h"

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

}  // namespace batchwise
