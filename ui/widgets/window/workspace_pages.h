// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

class QAction;
class QActionGroup;
class QBoxLayout;
class QPushButton;

namespace batchwise {

class Theme;

/// Page of a workspace without runs: introduces the program and offers to start the first run.
class WelcomePage final : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(const Theme& theme, QWidget* parent = nullptr);

  /// Disabled while no run can be launched.
  void setDemoEnabled(bool enabled);

 Q_SIGNALS:
  void demoRequested();
  void fileRequested();
  void workspaceRequested();

 private:
  QPushButton* demo_;
};

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
  QString openName() const;
  /// Opens the page with this name, if there is one.
  void openNamed(const QString& name);
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
  void recolor();

  const Theme& theme_;
  QActionGroup* group_;
  QList<QAction*> actions_;
  QStringList names_, icons_, toolTips_;
  QWidget* open_ = nullptr;
  QWidget *replaced_ = nullptr, *placeholder_ = nullptr;
  bool empty_ = true;
};

/// Pages with a message at their lower edge. Nothing under the mouse moves when a message appears or disappears: while
/// the mouse is over the pages, the message overlays their lowest part; it gets space of its own once the mouse leaves
/// the pages, for example to the message, or the user presses Tab. If the mouse is where the message would appear, it
/// appears at the upper edge.
class PageArea final : public QWidget {
  Q_OBJECT

 public:
  /// Both become its children.
  PageArea(QWidget& pages, QWidget& message, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int messageHeight() const;
  void chooseEdge();
  void messageChanged();
  /// Reserves space for the message, or releases it.
  void reserveSpace();
  void placeMessage();

  QWidget& pages_;
  QWidget& message_;
  QWidget* reserved_;  // space reserved under the message
  QBoxLayout* layout_;
  bool above_ = false;
};

}  // namespace batchwise
