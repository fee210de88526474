// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QKeySequence>
#include <vector>

class QAction;
class QWidget;

namespace batchwise {

class StudioSettings;

/// Makes an action one that the list of shortcuts shows, under a name that stays: "run.launch".
void nameCommand(QAction& action, const char* name);

/// What a person reads of an action: its text without the mark of its letter.
QString commandText(const QAction& action);

/// `text` with the action's keys behind it: "Start training (F5)".
QString withKeys(const QString& text, const QAction& action);

/// The keys of all named actions of a window: their defaults, and what the person has set instead, which the settings
/// keep. GUI thread.
class ShortcutBook final : public QObject {
  Q_OBJECT

 public:
  /// Takes every action below `window` that has a name, and gives it the keys that were kept for it.
  ShortcutBook(QWidget& window, StudioSettings& settings);

  /// In the order in which they were made.
  const std::vector<QAction*>& actions() const { return actions_; }
  QKeySequence defaultKeys(const QAction& action) const;
  /// The command that these keys reach already where `action` is in use; null if none does.
  QAction* takenBy(const QKeySequence& keys, const QAction& action) const;
  /// Empty keys: none. The default is not kept.
  void setKeys(QAction& action, const QKeySequence& keys);

 Q_SIGNALS:
  void changed();

 private:
  StudioSettings& settings_;
  std::vector<QAction*> actions_;
  std::vector<QKeySequence> defaults_;
};

}  // namespace batchwise
