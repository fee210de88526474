// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSortFilterProxyModel>
#include <QtWidgets/QWidget>

#include "ui/models/run_list_model.h"
#include "ui/theme/theme.h"

class QLabel;
class QLineEdit;
class QTreeView;

namespace batchwise {

/// The runs of the workspace with a filter; one of them may be selected.
class RunListPane final : public QWidget {
  Q_OBJECT

 public:
  RunListPane(RunListModel& model, const Theme& theme, QWidget* parent = nullptr);

  QString selected() const;
  /// Selects the run if it is there; nothing is told.
  void select(const QString& run);

 Q_SIGNALS:
  void runSelected(const QString& run);

 private:
  void chooseColumns();
  void tellCount();
  void sizeColumns();

  RunListModel& model_;
  QSortFilterProxyModel proxy_;
  QLineEdit* filter_;
  QTreeView* view_;
  QLabel* count_;
  bool quiet_ = false;  // selection is being set from outside
};

}  // namespace batchwise
