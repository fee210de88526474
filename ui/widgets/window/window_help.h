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
class ShortcutBook;
class WindowActions;

/// What helps a person to find things: the palette, the list of shortcuts, help at the place, and about.
class WindowHelp final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. To be made when all parts of the window are there.
  WindowHelp(const StudioParts& parts, const WindowActions& actions, QMainWindow& window);

  /// Name of the page of help for what is open: "watch".
  std::function<QString()> page;
  /// Commands that come and go: the saved layouts.
  std::function<QList<QAction*>()> layouts;

  ShortcutBook& shortcuts() { return *shortcuts_; }

 Q_SIGNALS:
  void runWanted(const QString& run);
  /// The field of the configuration with this path is to be shown.
  void settingWanted(const QString& path);

 private:
  void openPalette();
  void openHelp(const QString& name);
  void openAbout();

  StudioParts parts_;
  QMainWindow& window_;
  ShortcutBook* shortcuts_;
  CommandPalette* palette_ = nullptr;  // made at the first use, as the others
  HelpWindow* help_ = nullptr;
};

}  // namespace batchwise
