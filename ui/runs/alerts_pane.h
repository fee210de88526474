// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/runs/alerts_presenter.h"
#include "ui/theme/theme.h"

class QMenu;
class QTreeView;

namespace batchwise {

/// List of the alerts, with a menu for the action to take on each kind.
class AlertsPane final : public QWidget {
  Q_OBJECT

 public:
  AlertsPane(AlertsPresenter& alerts, const Theme& theme, QWidget* parent = nullptr);

  /// Sets whether the user can see the pane: its dock may be open behind others. While visible, alerts count as seen.
  void setInFront(bool inFront);

 Q_SIGNALS:
  /// The user wants to see the run of an alert.
  void runChosen(const QString& run);
  /// The user wants to choose which desktop notifications there are.
  void notificationsRequested();

 private:
  void fillActions(QMenu& menu);

  AlertsPresenter& alerts_;
  QTreeView* view_;
  bool inFront_ = false;
};

}  // namespace batchwise
