// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/list/queue_presenter.h"
#include "ui/theme/theme.h"

class QAction;
class QCheckBox;
class QLabel;
class QPushButton;
class QToolButton;
class QTreeView;

namespace batchwise {

/// The queue of waiting, training and ended runs, with buttons to start, hold, reorder and remove.
class QueuePane final : public QWidget {
  Q_OBJECT

 public:
  QueuePane(QueuePresenter& queue, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The user wants to see this run.
  void runChosen(const QString& run);

 private:
  void makeActions();
  void update();
  QString selected() const;

  QueuePresenter& queue_;
  QTreeView* view_;
  QString chosen_;  // id of the selected entry, while the rows are reset
  QLabel* state_;
  QPushButton* startOrHold_;
  QCheckBox* onError_;
  QAction *earlier_, *later_, *remove_, *clear_;
  QList<QWidget*> entryWidgets_;  // hidden without entries, so that a low dock has room for the state text
};

}  // namespace batchwise
