// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>

#include "ui/widgets/window/studio_parts.h"

class QAction;
class QMainWindow;

namespace batchwise {

class CommandPalette;
class HelpWindow;
class ShortcutRegistry;
class WindowActions;

/// The command palette, the list of shortcuts, help on the open page, the manual, and About.
class WindowHelp final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. Create it after all other parts of the window, whose actions it collects.
  WindowHelp(const StudioParts& parts, const WindowActions& actions, QMainWindow& window);

  /// Returns the name of the help page for the open page: "watch".
  std::function<QString()> page;
  /// Returns the commands that change at run time: the saved layouts.
  std::function<QList<QAction*>()> layouts;

  ShortcutRegistry& shortcuts() { return *shortcuts_; }

 Q_SIGNALS:
  void runRequested(const QString& run);
  /// The user wants to see the configuration field with this path.
  void settingRequested(const QString& path);

 private:
  void openPalette();
  void openHelp(const QString& name);
  void openAbout();

  StudioParts parts_;
  QMainWindow& window_;
  ShortcutRegistry* shortcuts_;
  CommandPalette* palette_ = nullptr;  // created at first use, like help_
  HelpWindow* help_ = nullptr;
};

}  // namespace batchwise
