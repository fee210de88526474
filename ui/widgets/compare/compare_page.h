// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "core/analysis/comparison_tables.h"
#include "ui/models/table_model.h"
#include "ui/presenters/compare_presenter.h"
#include "ui/theme/svg_picture.h"
#include "ui/theme/theme.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QSlider;
class QStackedLayout;
class QTableView;
class QTabWidget;

namespace batchwise {

class CompareChart;
class ElidedLabel;
class MessageBar;
class ParallelPlot;
class CsvExportJobs;

/// Compares the chosen runs: curves over one axis, values with their differences to the baseline, the fields in which
/// they differ, parallel axes.
class ComparePage final : public QWidget {
  Q_OBJECT

 public:
  ComparePage(ComparePresenter& presenter, CsvExportJobs& saving, const Theme& theme, MessageBar& message,
              QWidget* parent = nullptr);

  /// Writes the comparison by the suffix of `file`: .svg, .pdf, .png the chart in this size; .html the report; .csv,
  /// .md, .tex the table of values. Returns an error message, empty on success.
  QString exportTo(const QString& file, const PictureSize& size = {}) const;

 Q_SIGNALS:
  /// The button of the empty page was clicked.
  void chooseNewestRequested();

 private:
  QWidget* makeEmptyPage();
  QWidget* makeControls();
  QWidget* makeSummary();
  QWidget* makeTables();
  QWidget* makeDifferences();
  QTableView* makeTable(TextTableModel& model, const QString& name);
  void makeExportActions();
  void fillViewsMenu(QMenu& menu);
  void chooseExport(const QString& filter, const QString& ending, const PictureSize& size = {});
  void choosePoints(PointSource of);
  void copyTable(TableFormat form, const QString& name);
  TextTable labeledDifferences() const;
  void showKept(const std::vector<bool>& runs);
  void optionsFromControls();
  void show();
  void showControls();
  void fillGroups();
  void sizeRows();

  ComparePresenter& presenter_;
  CsvExportJobs& saving_;
  const Theme& theme_;
  MessageBar& message_;
  QStackedLayout* pages_;
  QWidget *emptyPage_, *fullPage_;
  QComboBox *metric_, *axis_, *group_, *center_, *band_;
  QSlider* smoothing_;
  QCheckBox* logY_;
  CompareChart* chart_;
  ElidedLabel* summary_;
  QLabel* uncounted_;
  QList<QAction*> exports_;  // in the menu and the palette
  QAction* exportGroups_;
  QTabWidget* tabs_;
  TextTableModel values_, differences_;
  QTableView *valuesView_, *differencesView_;
  ParallelPlot* parallel_;
  bool quiet_ = false;  // the controls are being set from the presenter
};

}  // namespace batchwise
