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

/// Named layouts of docks and bars: save, restore, delete, and return to the initial one.
class LayoutCommands final : public QObject {
  Q_OBJECT

 public:
  /// `version`: of the window state, see QMainWindow::saveState().
  LayoutCommands(StudioSettings& settings, int version, QMainWindow& window);

  /// Menu of the layouts and their commands; the window owns it.
  QMenu& menu() { return *menu_; }
  /// Returns an action per saved layout, for the command palette; its data is the name.
  QList<QAction*> saved() const;
  /// Stores the present state as the initial layout, before another one is restored. `setSizes` sets its dock sizes.
  void recordInitial(std::function<void()> setSizes);
  /// Replaces the dialog that asks for a name; an empty name cancels.
  void setNameDialog(std::function<QString()> ask) { askName_ = std::move(ask); }

 Q_SIGNALS:
  void failed(const QString& what);

 private:
  void fillMenu();
  void save();
  void choose(const QString& name);
  void reset();
  QString askUser();

  StudioSettings& settings_;
  const int version_;
  QMainWindow& window_;
  QMenu *menu_, *delete_;
  QAction *save_, *reset_;
  QByteArray first_;
  std::function<void()> setDefaultSizes_;
  std::function<QString()> askName_;
};

}  // namespace batchwise
