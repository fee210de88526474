// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <optional>
#include <set>
#include <string>

#include "core/analysis/comparison_tables.h"
#include "ui/parts/table_model.h"
#include "ui/runs/chart_layout.h"
#include "ui/runs/compare_presenter.h"
#include "ui/theme/theme.h"

class QAction;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QMenu;
class QTableView;
class QTabWidget;
class QToolButton;

namespace batchwise {

class FileJobs;
class ElidedLabel;
class MessageBar;
class EffectsPane;
class ParallelPlot;
class StudioSettings;

/// The ticked runs in numbers: values with their differences to the baseline, the fields in which the runs differ,
/// parallel axes.
class ValuesPane final : public QWidget {
  Q_OBJECT

 public:
  ValuesPane(ComparePresenter& presenter, StudioSettings& settings, FileJobs& saving, const Theme& theme,
             MessageBar& message, QWidget* parent = nullptr);

  /// Notes it if the values cannot be compared over the x axis of the charts.
  void setChartAxis(XAxis xAxis);
  /// Returns the height at which `rows` rows of values are seen.
  int heightForRows(int rows) const;
  /// Writes the comparison by the suffix of `file`: .html the report; .csv, .md, .tex the table of values. Returns
  /// false for another one; FileJobs reports the outcome.
  bool exportTo(const QString& file);
  /// Exports and copies, for menus.
  const QList<QAction*>& exports() const { return exports_; }

 Q_SIGNALS:
  void metricRequested(const QString& series);
  void marginRequested(std::optional<double> margin);
  void judgeRequested();
  /// Of the selected line, or of all lines.
  void seedsRequested(const QStringList& runs);
  /// A field of the differences was double-clicked, to group by it.
  void groupRequested(const QString& field);
  /// The selected row of the values; empty: none.
  void lineSelected(const QString& label);
  /// For each line of the comparison, whether the brushes of the parallel axes keep it. Empty while this is hidden, as
  /// the brushes are.
  void linesKept(const std::vector<bool>& lines);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeSummary();
  QWidget* makeMetric();
  QWidget* makeDifferences();
  QTableView* makeTable(TextTableModel& model, const QString& name);
  void makeExportActions();
  QAction* addExport(const char* name, const QString& text, const std::function<void()>& work);
  void chooseExport(const QString& filter, const QString& ending);
  void choosePoints(PointSource of);
  void fillColumns(QMenu& menu);
  RunComparison asDrawn() const;
  RunComparison exported() const;
  void copyTable(TableFormat form, const QString& name);
  TextTable labeledDifferences() const;
  void showKept(const std::vector<bool>& runs);
  void showComparison();
  void showNotes(const RunComparison& comparison);
  void showMetric();
  void showMargin();
  void keepLine(const QString& label);
  void sizeRows();

  ComparePresenter& presenter_;
  StudioSettings& settings_;
  FileJobs& saving_;
  MessageBar& message_;
  ElidedLabel* summary_;
  QDoubleSpinBox* margin_;
  QToolButton* notes_;
  QLabel* notesText_;
  XAxis chartAxis_ = XAxis::Batches;
  QComboBox* metric_;
  QLabel* uncounted_;
  std::set<std::string> columnsLeftOut_;  // of exported tables, by their titles in files
  QList<QAction*> exports_;
  QAction* exportGroups_;
  QTabWidget* tabs_;
  TextTableModel values_, differences_;
  QTableView *valuesView_, *differencesView_;
  ParallelPlot* parallel_;
  EffectsPane* effects_;
  QToolButton* brush_;           // shown while a range of the parallel axes hides runs
  std::vector<bool> keptLines_;  // by the brushes
};

}  // namespace batchwise
