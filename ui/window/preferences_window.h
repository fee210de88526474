// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <vector>

#include "ui/parts/dialogs.h"

class QComboBox;
class QFormLayout;
class QListWidget;
class QMenu;
class QStackedWidget;

namespace batchwise {

class ShortcutRegistry;
class StudioSettings;
class Theme;
class WindowActions;
struct StudioParts;

/// Adds a submenu with the appearances: system, light, dark. All must outlive it.
void addAppearanceMenu(QMenu& menu, Theme& theme, StudioSettings& settings);

/// The preferences, in sections: appearance, defaults, notifications, folders, shortcuts. A change is stored and takes
/// effect at once. Stays open beside the window.
class PreferencesWindow final : public QDialog {
  Q_OBJECT

 public:
  PreferencesWindow(StudioParts& parts, const WindowActions& actions, ShortcutRegistry& shortcuts, QWidget* parent);

  /// A preference, for the command palette.
  struct Entry {
    QString title, section;
    QString control;  ///< for openAt()
  };
  const std::vector<Entry>& entries() const { return entries_; }
  /// Opens with the keyboard focus on a control; empty: on the list of sections.
  void openAt(const QString& control = {});

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QFormLayout* addSection(const QString& title);
  void addEntry(const QString& title, QWidget* control, const char* name);
  void addRow(QFormLayout& form, const QString& label, QWidget* control, const char* name, const QString& help = {});
  QComboBox* addChoice(QFormLayout& form, const QString& label, const char* name,
                       std::function<std::vector<MenuChoice>()> choices, const QString& help = {});
  void addFolder(QFormLayout& form, const QString& label, const char* name, const QString& none,
                 std::function<QString()> get, std::function<void(const QString&)> set);
  void addPath(QFormLayout& form, const QString& label, const char* name, std::function<QString()> path);
  void makeAppearance();
  void makeDefaults();
  void makeNotifications();
  void makeFolders();
  void makeShortcuts(ShortcutRegistry& shortcuts);
  std::vector<MenuChoice> placeChoices() const;
  std::vector<MenuChoice> deviceChoices() const;

  StudioParts& parts_;
  const WindowActions& actions_;
  QListWidget* sections_;
  QStackedWidget* pages_;
  std::vector<Entry> entries_;
  std::vector<std::function<void()>> refreshers_;  // of controls whose values may change elsewhere
};

}  // namespace batchwise
