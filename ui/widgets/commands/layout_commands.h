// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <functional>

#include "ui/widgets/window/studio_parts.h"

class QAction;
class QMenu;

namespace batchwise {

/// The layout of docks and bars: kept for the next start, also if the process is killed, and named layouts to save,
/// restore and delete.
class LayoutCommands final : public QObject {
  Q_OBJECT

 public:
  LayoutCommands(StudioParts& parts, const WindowViews& views);

  /// Menu of the layouts and their commands; the window owns it.
  QMenu& menu() { return *menu_; }
  /// Returns an action per saved layout, for the command palette; its data is the name.
  QList<QAction*> saved() const;
  /// Restores the layout of the last window. Call it when the window is shown: docks restored before it has its size
  /// would be stretched with it.
  void restoreLast();
  /// Keeps the present layout for the next window.
  void saveLast();
  /// Replaces the dialog that asks for a name; an empty name cancels.
  void setNameDialog(std::function<QString()> ask) { askName_ = std::move(ask); }

 private:
  void fillMenu();
  void save();
  void choose(const QString& name);
  void reset();

  StudioSettings& settings_;
  WindowViews views_;
  QMainWindow& window_;
  QMenu *menu_, *delete_;
  QAction *save_, *reset_;
  QByteArray first_;  // state of the window before the last layout was restored
  QByteArray kept_;   // geometry and state as last saved
  QTimer saveTimer_;
  std::function<QString()> askName_;
};

}  // namespace batchwise
