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

/// The rows that pass a filter; runs chosen for comparison are marked with their line style.
class ChosenRunsProxy final : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  ChosenRunsProxy(RunListModel& runs, ComparePresenter& compare, QObject* parent = nullptr);

  void setFilter(RunFilter filter);
  /// Filters again, after more configurations have been read.
  void reapplyFilter() { invalidateFilter(); }
  QVariant data(const QModelIndex& index, int role) const override;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  RunListModel& runs_;
  ComparePresenter& compare_;
  RunFilter filter_;
};

/// The runs of the workspace with a filter. One may be selected, several chosen for comparison: Space chooses, B sets
/// the baseline, Delete archives. If a filter hides the selected run, no other one gets selected.
class RunListPane final : public QWidget {
  Q_OBJECT

 public:
  RunListPane(RunListModel& model, ComparePresenter& compare, const Theme& theme, QWidget* parent = nullptr);

  QString selected() const;
  /// Selects the run if it is listed; emits nothing.
  void select(const QString& run);
  /// Adds actions to the context menu of a run.
  void addCommands(const QList<QAction*>& commands);

 Q_SIGNALS:
  void runSelected(const QString& run);
  void compareRequested();
  void clearChoiceRequested();
  void renameRequested(const QString& run);
  void archiveRequested(const QString& run);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addRunActions();
  void editTags();
  void editNote();
  void makeColumnActions();
  void applyFilter();
  void refilter(const std::function<void()>& change);
  void useFilter(const std::string& text);
  void updateCount();
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
  QList<QAction*> columns_;  // show and hide the columns, all but the name
  QLabel* problem_;          // error of the filter
  QLabel* count_;
  QAction* tags_ = nullptr;  // of the tags column
  QSet<QAction*> userSet_;   // of columns that the user has shown or hidden
  QString lastSelected_;     // id of the run selected last, though a filter may hide it
  bool quiet_ = false;       // the selection is being set by the program
};

}  // namespace batchwise
