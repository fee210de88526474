// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtWidgets/QDialog>
#include <vector>

#include "ui/window/studio_parts.h"

class QTextBrowser;

namespace batchwise {

class CommandPalette;
class PreferencesWindow;
class ShortcutRegistry;

/// The built-in manual in the language of the window. Stays open beside the window.
class HelpWindow final : public QDialog {
  Q_OBJECT

 public:
  explicit HelpWindow(QWidget* parent);

  /// Name of the page that links to all others.
  static QString contents() { return QStringLiteral("index"); }

  /// Shows a page of resources/help by its name without ".md", for example "runs".
  void showPage(const QString& name);
  QString text() const;

  /// A page of the manual.
  struct Page {
    QString name, title;
    QString sections;  ///< their titles
  };
  /// Returns the pages that contents() links to, in its order.
  static std::vector<Page> pages();

 private:
  QTextBrowser* text_;
};

/// The command palette, the preferences, help on the open page, the manual, and About.
class WindowHelp final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. Create it after all other parts of the window, whose actions it collects.
  WindowHelp(StudioParts& parts, const WindowViews& views);

  ShortcutRegistry& shortcuts() { return *shortcuts_; }
  /// Opens the preferences at a control; empty: at the first section.
  void openPreferences(const QString& control = {});

 Q_SIGNALS:
  /// The user wants to see this run.
  void runRequested(const QString& run);

 private:
  void openPalette();
  PreferencesWindow& preferences();
  void openHelp(const QString& name);
  void openAbout();
  /// Enters this window into the desktop's menu of applications, or takes it away again.
  void changeApplicationsMenu(bool wanted);

  StudioParts& parts_;
  WindowViews views_;
  ShortcutRegistry* shortcuts_;
  CommandPalette* palette_ = nullptr;  // created at first use, like help_
  HelpWindow* help_ = nullptr;
  PreferencesWindow* preferences_ = nullptr;
};

}  // namespace batchwise
