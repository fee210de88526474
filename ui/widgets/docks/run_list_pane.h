// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSet>
#include <QtCore/QSortFilterProxyModel>
#include <QtWidgets/QWidget>
#include <functional>

#include "core/analysis/filter.h"
#include "ui/presenters/compare_presenter.h"
#include "ui/theme/theme.h"

class QAction;
class QLabel;
class QLineEdit;
class QTreeView;

namespace batchwise {

class FilterChips;

/// The rows that pass a filter, with the colours of the runs that were chosen for comparison.
class ChosenRunsProxy final : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  ChosenRunsProxy(RunListModel& runs, ComparePresenter& compare, QObject* parent = nullptr);

  void setFilter(RunFilter filter);
  /// With what has been read since.
  void filterAnew() { invalidateFilter(); }
  QVariant data(const QModelIndex& index, int role) const override;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  RunListModel& runs_;
  ComparePresenter& compare_;
  RunFilter filter_;
};

/// The runs of the workspace with a filter; one of them may be selected, several chosen for comparison: Space chooses,
/// B makes the baseline, Delete archives. A filter that leaves the selected run out selects no other one.
class RunListPane final : public QWidget {
  Q_OBJECT

 public:
  RunListPane(RunListModel& model, ComparePresenter& compare, const Theme& theme, QWidget* parent = nullptr);

  QString selected() const;
  /// Selects the run if it is there; nothing is told.
  void select(const QString& run);
  /// More for the menu of a run.
  void addCommands(const QList<QAction*>& commands);

 Q_SIGNALS:
  void runSelected(const QString& run);
  void compareWanted();
  void chooseNoneWanted();
  void renameWanted(const QString& run);
  void archiveWanted(const QString& run);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addRunActions();
  void editTags();
  void editNote();
  void chooseColumns();
  void applyFilter();
  void refilter(const std::function<void()>& change);
  void useFilter(const std::string& text);
  void tellCount();
  void sizeColumns();
  void sizeTags();
  void fitColumns();
  void showTags(int first, int last);

  RunListModel& model_;
  ComparePresenter& compare_;
  ChosenRunsProxy proxy_;
  QLineEdit* filter_;
  FilterChips* chips_;
  QTreeView* view_;
  QList<QAction*> columns_;  // all but the name: on for those that the person wants
  QLabel* problem_;          // of the filter
  QLabel* count_;
  QAction* tags_ = nullptr;  // shows the column
  QSet<QAction*> asked_;     // those that the person has shown or hidden
  QString wanted_;           // the run that was selected last, though a filter may hide it
  bool quiet_ = false;       // selection is being set from outside
};

}  // namespace batchwise
