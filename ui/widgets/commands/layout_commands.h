// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <functional>

class QAction;
class QMainWindow;
class QMenu;

namespace batchwise {

class StudioSettings;

/// Places and sizes of docks and bars under names that a person gives: saved, chosen, deleted, and the first one again.
class LayoutCommands final : public QObject {
  Q_OBJECT

 public:
  /// `version`: that of the window's state.
  LayoutCommands(StudioSettings& settings, int version, QMainWindow& window);

  /// Layouts, and what can be done with them; belongs to the window.
  QMenu& menu() { return *menu_; }
  /// Each saved layout as a command, for the palette; its data is the name.
  QList<QAction*> saved() const;
  /// The layout to go back to: as it is now, before another one was restored.
  void keepFirst(std::function<void()> setSizes);
  /// Replaces the question for a name; empty: none.
  void setNaming(std::function<QString()> ask) { askName_ = std::move(ask); }

 Q_SIGNALS:
  void failed(const QString& what);

 private:
  void fillMenu();
  void save();
  void choose(const QString& name);
  void reset();
  QString askPerson();

  StudioSettings& settings_;
  const int version_;
  QMainWindow& window_;
  QMenu *menu_, *delete_;
  QAction *save_, *reset_;
  QByteArray first_;
  std::function<void()> setFirstSizes_;
  std::function<QString()> askName_;
};

}  // namespace batchwise
