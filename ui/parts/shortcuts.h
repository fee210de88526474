// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QKeySequence>
#include <QtWidgets/QWidget>
#include <vector>

class QAction;
class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace batchwise {

class StudioSettings;

/// Gives `action` a stable, untranslated command name such as "launch". Only named actions are listed as shortcuts and
/// in the command palette.
void setCommandName(QAction& action, const char* name);

/// Returns a new action of `list`, which owns it; its keys work while the list has the keyboard focus.
QAction* addListAction(QWidget& list, const char* name, const QString& text, const QKeySequence& keys);

/// Returns the text of `action` without its mnemonic marker.
QString commandText(const QAction& action);

/// Returns `text` followed by the action's shortcut: "Start training (F5)".
QString withShortcut(const QString& text, const QAction& action);

/// Shortcuts of all named actions of a window: the defaults, and the user's changes, which the settings store. GUI
/// thread.
class ShortcutRegistry final : public QObject {
  Q_OBJECT

 public:
  /// Collects every named action below `window` and applies its stored shortcut.
  ShortcutRegistry(QWidget& window, StudioSettings& settings);

  /// In the order of creation.
  const std::vector<QAction*>& actions() const { return actions_; }
  QKeySequence defaultKeys(const QAction& action) const;
  /// Returns the command that uses `keys` already where `action` is active; null if there is none.
  QAction* conflictingAction(const QKeySequence& keys, const QAction& action) const;
  /// Sets and stores a shortcut; empty keys: none. The default is not stored.
  void setKeys(QAction& action, const QKeySequence& keys);

 Q_SIGNALS:
  void changed();

 private:
  StudioSettings& settings_;
  std::vector<QAction*> actions_;
  std::vector<QKeySequence> defaults_;
};

/// List of every command with its shortcut, which can be changed.
class ShortcutEditor final : public QWidget {
  Q_OBJECT

 public:
  ShortcutEditor(ShortcutRegistry& registry, QWidget* parent);

 private:
  void fill();
  void showSelected();
  void applyKeys();
  QAction* selected() const;

  ShortcutRegistry& registry_;
  QLineEdit* search_;
  QTreeWidget* list_;
  QKeySequenceEdit* keys_;
  QLabel* problem_;
  QPushButton *clear_, *reset_;
};

}  // namespace batchwise
