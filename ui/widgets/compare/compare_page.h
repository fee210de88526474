// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "core/analysis/comparison_tables.h"
#include "ui/models/text_table_model.h"
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
class QToolButton;

namespace batchwise {

class CompareChart;
class ElidedLabel;
class ParallelPlot;
class ValueSaving;

/// The chosen runs side by side: curves over one axis, values with their differences to the baseline, the fields in
/// which they differ, parallel axes.
class ComparePage final : public QWidget {
  Q_OBJECT

 public:
  ComparePage(ComparePresenter& presenter, ValueSaving& saving, const Theme& theme, QWidget* parent = nullptr);

  /// Writes what is shown: .svg, .pdf, .png the chart in this size; .html the report; .csv, .md, .tex the table of
  /// values. Returns what went wrong, empty if nothing did.
  QString exportTo(const QString& file, const PictureSize& size = {}) const;

 Q_SIGNALS:
  void exported(const QString& file);
  void failed(const QString& message);
  /// Something was done that is not seen.
  void told(const QString& sentence);
  /// The button of the empty page.
  void chooseWanted();

 private:
  QWidget* makeEmptyPage();
  QWidget* makeControls();
  QWidget* makeSentence();
  QWidget* makeTables();
  QWidget* makeDifferences();
  QTableView* makeTable(TextTableModel& model, const QString& name);
  void makeExportActions();
  void fillExportMenu(QMenu& menu);
  void fillViewsMenu(QMenu& menu);
  QString chooseFile(const QString& filter, const QString& ending);
  void chooseExport(const QString& filter, const QString& ending, const PictureSize& size = {});
  void choosePoints(PointsOf of);
  void copyTable(TableForm form, const QString& name);
  TextTable labelledDifferences() const;
  void showKept(const std::vector<bool>& runs);
  void optionsFromControls();
  void show();
  void showControls();
  void fillGroups();
  void sizeRows();

  ComparePresenter& presenter_;
  ValueSaving& saving_;
  const Theme& theme_;
  QStackedLayout* pages_;
  QWidget *emptyPage_, *fullPage_;
  QLabel* emptyText_;
  QComboBox *metric_, *axis_, *group_, *centre_, *band_;
  QSlider* smoothing_;
  QCheckBox* logY_;
  CompareChart* chart_;
  ElidedLabel* sentence_;
  QLabel* uncounted_;
  std::vector<QAction*> exports_;  // of the menu, and of the palette; null: a line between them
  QAction* exportGroups_;
  QTabWidget* tabs_;
  TextTableModel values_, differences_;
  QTableView *valuesView_, *differencesView_;
  ParallelPlot* parallel_;
  bool quiet_ = false;  // the controls are being set from the presenter
};

}  // namespace batchwise
