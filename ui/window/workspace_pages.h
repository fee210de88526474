// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QStringList>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QStackedWidget>

#include "ui/theme/theme.h"

class QAction;
class QActionGroup;
class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace batchwise {

class WindowActions;

/// Name, texts and icon of a page.
struct PageTitle {
  const char* name;  ///< of its help page; its command is "page_" and this
  QString text;      ///< with a mnemonic
  QString toolTip;   ///< what the page shows; the shortcut is appended
  QString icon;      ///< name of an icon of the theme
};

/// The pages of the window, one of which is open. Each has an action with the shortcut Ctrl+1, Ctrl+2, … in the order
/// of adding. A placeholder can replace one of them while the workspace is empty.
class WorkspacePages final : public QStackedWidget {
  Q_OBJECT

 public:
  explicit WorkspacePages(const Theme& theme, QWidget* parent = nullptr);

  /// Adds a page; the first one is open.
  void addPage(QWidget* page, const PageTitle& title);
  /// Shows `placeholder` in place of `page` while the workspace is empty.
  void setPlaceholder(QWidget* page, QWidget* placeholder);
  void setWorkspaceEmpty(bool empty);

  void open(QWidget* page);
  /// Returns the open page, also while the placeholder is shown.
  QWidget* openPage() const { return open_; }
  /// Returns the name of the open page.
  QString openName() const { return QString::fromLatin1(titles_[indexOf(open_)].name); }
  /// Updates the tooltips after shortcuts have changed.
  void updateToolTips();
  /// One per page, checkable, for menus and tool bars.
  QList<QAction*> pageActions() const { return actions_; }
  /// Of the visible page only: a wide hidden page must not shrink the run list beside it.
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void opened();

 private:
  void showOpen();
  void recolor() {
    for (qsizetype i = 0; i < actions_.size(); ++i) actions_[i]->setIcon(theme_.icon(titles_[i].icon));
  }

  const Theme& theme_;
  QActionGroup* group_;
  QList<QAction*> actions_;
  QList<PageTitle> titles_;
  QWidget* open_ = nullptr;
  QWidget *replaced_ = nullptr, *placeholder_ = nullptr;
  bool empty_ = true;
};

/// Page of a workspace without runs: introduces the program, offers the actions that lead to a first run, and lists
/// workspaces used before.
class WelcomePage final : public QScrollArea {
  Q_OBJECT

 public:
  WelcomePage(const WindowActions& actions, const Theme& theme, QWidget* parent = nullptr);

  /// Disables what makes runs, while none can be launched.
  void setLaunchEnabled(bool enabled);
  /// Folders of other workspaces, newest first; the first five are shown.
  void setRecent(const QStringList& folders);

 Q_SIGNALS:
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
