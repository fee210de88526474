// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/presenters/alerts_presenter.h"
#include "ui/theme/theme.h"

class QMenu;
class QTreeView;

namespace batchwise {

/// The alerts, and what is to happen for each kind.
class AlertsPane final : public QWidget {
  Q_OBJECT

 public:
  AlertsPane(AlertsPresenter& alerts, const Theme& theme, QWidget* parent = nullptr);

  /// Whether a person can see it: its dock may be open behind others.
  void setInFront(bool inFront);

 Q_SIGNALS:
  /// The person wants to see the run of an alert.
  void runChosen(const QString& run);

 private:
  void fillActions(QMenu& menu);
  void fillSpeedLimits(QMenu& menu);

  AlertsPresenter& alerts_;
  QTreeView* view_;
  bool inFront_ = false;
};

}  // namespace batchwise
