// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/presenters/queue_presenter.h"
#include "ui/theme/theme.h"

class QAction;
class QCheckBox;
class QLabel;
class QPushButton;
class QToolButton;
class QTreeView;

namespace batchwise {

/// The queue: what waits, trains and has ended, with start and hold, earlier and later, remove.
class QueuePane final : public QWidget {
  Q_OBJECT

 public:
  QueuePane(QueuePresenter& queue, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The person wants to see this run.
  void runChosen(const QString& run);

 private:
  void makeActions();
  QAction* makeAction(const char* name, const QString& text, const QKeySequence& keys);
  void update();
  QString selected() const;

  QueuePresenter& queue_;
  QTreeView* view_;
  QString chosen_;  // id of the entry, while the rows change places
  QLabel* state_;
  QPushButton* go_;
  QCheckBox* onError_;
  QAction *earlier_, *later_, *remove_, *clear_;
  QList<QWidget*> ofEntries_;  // shown while there are entries: a low dock has room for its sentence else
};

}  // namespace batchwise
