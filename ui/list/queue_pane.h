// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/list/model_jobs.h"
#include "ui/list/queue_presenter.h"
#include "ui/theme/theme.h"

class QAction;
class QCheckBox;
class QLabel;
class QPushButton;
class QTreeView;
class QTreeWidget;

namespace batchwise {

/// The queue of waiting, training and ended runs, with buttons to start, hold, reorder and remove; while there are any,
/// below it the models to evaluate and judge.
class QueuePane final : public QWidget {
  Q_OBJECT

 public:
  QueuePane(QueuePresenter& queue, ModelJobs& jobs, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The user wants to see this run.
  void runChosen(const QString& run);

 private:
  void makeActions();
  QWidget* makeJobs(const Theme& theme);
  void showJobs();
  void update();
  QString selected() const;

  QueuePresenter& queue_;
  ModelJobs& jobs_;
  QTreeView* view_;
  QWidget* jobsPart_;
  QTreeWidget* jobsView_;
  QPushButton *startJob_, *cancelJob_;
  QString chosen_;  // id of the selected entry, while the rows are reset
  QLabel* state_;
  QPushButton* startOrHold_;
  QCheckBox* onError_;
  QAction *earlier_, *later_, *remove_, *clear_;
  QList<QWidget*> entryWidgets_;  // hidden without entries, so that a low dock has room for the state text
};

}  // namespace batchwise
