// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QStringList>
#include <QtWidgets/QScrollArea>

class QAction;
class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace batchwise {

class Theme;

/// Page of a workspace without runs: introduces the program, offers the ways to a first run, and lists workspaces used
/// before.
class WelcomePage final : public QScrollArea {
  Q_OBJECT

 public:
  explicit WelcomePage(const Theme& theme, QWidget* parent = nullptr);

  /// Disables what makes runs, while none can be launched.
  void setLaunchEnabled(bool enabled);
  /// Offers configurations to start from, in a menu.
  void setRecipes(const QList<QAction*>& recipes);
  /// Folders of other workspaces, newest first; the first five are shown.
  void setRecent(const QStringList& folders);

 Q_SIGNALS:
  void textRequested();
  void modelRequested();
  void demoRequested();
  void runsRequested();
  void fileRequested();
  void workspaceRequested();
  void recentRequested(const QString& folder);

 private:
  QPushButton* addWay(QGridLayout& ways, const char* name, const QString& title, const QString& description);
  void updateSizes();
  void updateIcons();

  const Theme& theme_;
  QWidget* middle_;
  QPushButton *text_, *model_, *demo_, *runs_, *ramps_, *recipes_;
  QVBoxLayout* recent_;
};

}  // namespace batchwise
