// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractItemModel>
#include <QtCore/QStringList>
#include <QtCore/QTimer>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/filter.h"
#include "core/analysis/run_labels.h"
#include "ui/list/run_columns.h"
#include "ui/list/run_list.h"
#include "ui/list/selection.h"

namespace batchwise {

/// The runs that pass a filter, sorted; with grouped seeds a tree, in which runs that differ in the seed only are the
/// children of one row with mean and spread of their figures. Only finished runs count in these, of each seed the
/// newest one; evaluations of several evaluation sets have no mean. The state is that of the least finished run.
/// Columns are those of Column, then those that columnOf() has added. Numbers of a column have the same unit and number
/// of decimals. While it is held, as long as the pointer is over its rows, they keep their order, and new runs are rows
/// of their own behind them. GUI thread.
class RunsTable final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column {
    NameColumn,
    StateColumn,
    EvalLossColumn,
    BestLossColumn,
    BestBatchColumn,
    LossColumn,
    ProgressColumn,
    SpeedColumn,
    TokensColumn,
    DurationColumn,
    CreatedColumn,
    TagsColumn,
    ColumnCount
  };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString; empty for a group
    StyleRole,                  ///< int, style of a ticked run, for seriesStyle(); name column only
    BaselineRole,               ///< bool: the run is the baseline; name column only
    DoneRole,                   ///< double in [0, 1]; progress column only
    ArchivedRole,               ///< bool: all runs of the row are archived
    SectionRole,                ///< bool: sorted by evaluation set, the row above was measured on another one
  };
  /// Runs that tick() ticks at most: charts of more cannot be read.
  static constexpr int kMostTicked = 50;

  /// All must outlive the table.
  RunsTable(RunList& runs, RunFacts& facts, Selection& selection, QObject* parent = nullptr);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Ticks or unticks the runs of the row, as tick(); other data cannot be set.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  /// Rows without a value come last in either order, those that are not finite before them; runs that are equal, newest
  /// first.
  void sort(int column, Qt::SortOrder order) override;

  void setFilter(RunFilter filter);
  void setGrouped(bool grouped);
  void setHeld(bool held) {
    if (held != std::exchange(held_, held) && !held) arrange();
  }

  /// Returns the column with this key, adding it if needed; -1 if the key has no meaning.
  int columnOf(const QString& key);
  const RunColumn& column(int at) const { return columns_[static_cast<std::size_t>(at)]; }
  /// Every column that can be shown, with those of the scores among the series.
  std::vector<RunColumn> offered() const;
  void setSeries(const QStringList& series) { series_ = series; }
  /// Keys of the first settings in which the ticked runs differ.
  QStringList differingSettings() const;

  /// Number of runs that pass the filter.
  int shown() const { return static_cast<int>(places_.size()); }
  /// Their ids, in the order of the rows.
  QStringList shownRuns() const;
  /// Ids of the runs of these rows, members for groups; without duplicates, in the order of the rows.
  QStringList runsAt(const QModelIndexList& rows) const;
  /// Returns an invalid index if the filter hides the run.
  QModelIndex indexOf(const QString& run) const;

  Qt::CheckState tickState(const QStringList& runs) const;
  /// Ticks the runs for charts and comparison; unticks them if all are ticked. Of several, ticks only as many as make
  /// kMostTicked and emits tickLimited(); where no more can be ticked, unticks those that are.
  void tick(const QStringList& runs);

 Q_SIGNALS:
  /// Other runs are shown, or in another order.
  void arranged();
  /// Of `wanted` runs some were not ticked.
  void tickLimited(int wanted);

 private:
  struct Item {
    std::string id;
    int run = -1;           // place in the list; -1: it is gone
    bool counts = false;    // in the figures of its group
    bool diverged = false;  // and no other run of its seed stands for it in the group
  };
  struct Row {
    std::string id;          // of its run, or made of that of the oldest run of the group
    std::vector<Item> runs;  // a group has several
    QString label;           // of a group
    bool isGroup() const { return runs.size() > 1; }
  };
  struct Place {
    int row = 0, child = -1;  // child -1: the row itself
  };
  struct Cell {
    std::optional<double> number;
    QString text;
  };
  struct GroupNumbers {
    std::vector<double> finite;
    int diverged = 0;      // runs
    bool areAlike = true;  // false: of evaluations that measured something else
  };
  struct NumberFormat {
    bool numbers = true;  // false: the column has texts
    int decimals = -1;    // -1: as written
    double unit = 1;
    QString unitName;
  };

  const RunSummary& summary(const Item& item) const;
  const Row* rowAt(const QModelIndex& index) const;
  const Item* itemAt(const QModelIndex& index) const;  // null for a group
  std::vector<Item> passing() const;
  std::vector<Row> grouped(std::vector<Item> items) const;
  void countMembers(Row& group) const;
  const Item& leastFinished(const Row& row) const;
  bool startsSection(const Row& row) const;
  QStringList textsOf(const Row& row, int column) const;
  void label(std::vector<Row>& rows);
  void sortRows(std::vector<Row>& rows) const;
  void update();
  void arrange();
  std::vector<Row> rowsWhileHeld() const;
  void show(std::vector<Row> rows);
  bool isRead(const RunSummary& run) const;
  template <typename T>
  void exchange(std::vector<T>& rows, const std::vector<T>& wanted, const QModelIndex& parent);
  template <typename T>
  void reorder(std::vector<T>& rows, const std::vector<std::size_t>& order, const QModelIndex& parent);
  void numberPlaces();
  void notifyChanged(int firstColumn, int lastColumn);
  void factsArrived();
  Cell cellOf(const Item& item, const RunColumn& column) const;
  Cell cellOf(const Row& row, const RunColumn& column) const;
  GroupNumbers numbersOf(const Row& row, const RunColumn& column) const;
  const NumberFormat& formatOf(int column) const;
  NumberFormat computeFormat(const RunColumn& column) const;
  std::vector<Cell> sample(const RunColumn& column) const;
  QString numberText(double number, int column) const;
  QString textOf(const Item& item, int column) const;
  QString groupText(const Row& row, int column) const;
  QVariant runData(const Item& item, int column, int role) const;
  QVariant groupData(const Row& row, int column, int role) const;
  QVariant nameData(const QModelIndex& index, int role) const;
  QString accessibleName(const QString& name, const QStringList& runs) const;

  RunList& runs_;
  RunFacts& facts_;
  Selection& selection_;
  QStringList series_;
  RunFilter filter_;
  bool grouped_ = false;
  bool held_ = false;
  int sortColumn_ = CreatedColumn;
  Qt::SortOrder order_ = Qt::DescendingOrder;
  std::vector<RunColumn> columns_;
  std::vector<Row> rows_;
  std::vector<LabeledGroup> labeled_;  // what labels_ were computed from
  std::vector<std::string> labels_;
  std::unordered_map<std::string, Place> places_;  // of the shown runs
  std::unordered_set<std::string> settled_;        // shown runs whose place is not to change while the table is held
  mutable std::unordered_map<int, NumberFormat> formats_;
  QTimer arrangeSoon_;
};

}  // namespace batchwise
