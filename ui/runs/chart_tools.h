// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QKeySequence>
#include <QtWidgets/QWidget>
#include <functional>
#include <set>
#include <string>

#include "ui/runs/runs_presenter.h"

class QAction;
class QComboBox;
class QLineEdit;
class QListWidget;
class QMenu;
class QSlider;
class QToolBar;
class QToolButton;

namespace batchwise {

class ChartGrid;

/// List of the series of the shown runs, with a search field. A series is dragged onto a chart, or gets a chart of its
/// own by Return or a double click.
class SeriesPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit SeriesPanel(QWidget* parent = nullptr);

  /// `series`: stored names.
  void setSeries(const std::set<std::string>& series);

 Q_SIGNALS:
  void chartRequested(const QString& series);

 private:
  void filter();

  QLineEdit* search_;
  QListWidget* list_;
  std::set<std::string> series_;
};

/// The tools above the charts: presets, x axis, smoothing, the visible part, scale, grouping, charts. They show and
/// change the layout of the presenter, and move the grid.
class ChartTools final : public QObject {
  Q_OBJECT

 public:
  /// Fills `bar`; the actions belong to `page`. All must outlive this.
  ChartTools(RunsPresenter& presenter, ComparePresenter& comparing, ChartGrid& grid, QToolBar& bar, QWidget& page);

  /// Adds a chart of `series` at the end.
  void addChart(const QString& series);
  void groupBy(const std::string& field) {
    change([&field](ChartLayout& layout) { layout.groupBy = field; });
  }
  /// Shows the layout of the presenter; called again when the font has changed.
  void showLayout();
  void showGrouping();
  /// `countSteps`: of other programs' runs are shown, which have no global batches.
  void setCountSteps(bool countSteps);
  QAction* seriesPanel() const { return seriesPanel_; }
  QAction* values() const { return values_; }

 Q_SIGNALS:
  /// The menu of exports is about to be shown, to be filled.
  void exportMenuRequested(QMenu& menu);

 private:
  QAction* pageAction(const char* name, const QString& text, const QString& help);
  QAction* gridAction(const char* name, const QString& text, const QKeySequence& keys, const QString& help);
  QMenu* menuOf(QAction* action, const std::function<void(QMenu&)>& fill);
  void makeViewActions();
  void makeLayoutActions();
  void addPreset(QToolBar& bar);
  void addXAxis(QToolBar& bar);
  void addSmoothing(QToolBar& bar);
  void addMenus(QToolBar& bar);
  void fillPresets(QMenu& menu);
  void fillGroups(QMenu& menu);
  void fillSeries(QMenu& menu);
  void change(const std::function<void(ChartLayout&)>& edit);
  void removeSeries(const std::string& series);
  void setLogarithmic(bool on);
  void askPresetName();
  bool mayReplacePreset(const QString& name);

  RunsPresenter& presenter_;
  ComparePresenter& comparing_;
  ChartGrid& grid_;
  QWidget& page_;
  QToolButton* preset_ = nullptr;
  QComboBox* xAxis_ = nullptr;
  QSlider* smoothing_ = nullptr;
  QAction *fit_, *follow_, *start_, *logarithmic_, *robust_, *nextXAxis_, *wholeRun_, *group_, *addChart_;
  QAction *seriesPanel_, *values_, *exports_;
  bool countSteps_ = false;
  bool settingControls_ = false;  // the controls are being set from the layout
};

}  // namespace batchwise
