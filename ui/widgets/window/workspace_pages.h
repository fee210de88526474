// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtWidgets/QStackedWidget>

class QAction;
class QActionGroup;

namespace batchwise {

class Theme;

/// How a page is called and found.
struct PageTitle {
  const char* name;  ///< of its command, stays the same in every language
  QString text;      ///< with its mnemonic
  QString toolTip;   ///< what is on it; the key is added
  QString icon;      ///< name of an icon of the theme
};

/// The pages of the window, one of which is open. Each has an action, reached by Ctrl+1, Ctrl+2, … in the order of
/// adding. Another page may stand in for one of them while the workspace has nothing to show.
class WorkspacePages final : public QStackedWidget {
  Q_OBJECT

 public:
  explicit WorkspacePages(const Theme& theme, QWidget* parent = nullptr);

  /// Adds a page; the first one is open.
  void addPage(QWidget* page, const PageTitle& title);
  /// Shows `standIn` in place of `page` while there is nothing to show.
  void setStandIn(QWidget* page, QWidget* standIn);
  void setNothingToShow(bool nothing);

  void open(QWidget* page);
  /// The page that is open, also while another one stands in for it.
  QWidget* openPage() const { return open_; }
  /// Writes the keys into the tooltips, after they have changed.
  void tellKeys();
  /// One per page, checkable, for menus and tool bars.
  QList<QAction*> pageActions() const { return actions_; }
  /// Of the page that is shown: a wide page does not squeeze the list of runs beside the others.
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void opened();

 private:
  void showOpen();
  void recolor();

  const Theme& theme_;
  QActionGroup* group_;
  QList<QAction*> actions_;
  QStringList icons_, toolTips_;
  QWidget* open_ = nullptr;
  QWidget *replaced_ = nullptr, *standIn_ = nullptr;
  bool nothing_ = true;
};

}  // namespace batchwise
