// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QElapsedTimer>
#include <QtWidgets/QWidget>
#include <map>
#include <utility>

#include "ui/bridge/studio_settings.h"
#include "ui/list/run_presenter.h"
#include "ui/runs/runs_presenter.h"
#include "ui/theme/theme.h"

class QLabel;
class QMenu;
class QProgressBar;
class QSplitter;
class QStackedLayout;

namespace batchwise {

class ChartExport;
class FileJobs;
class ChartGrid;
class ChartTools;
class ElidedLabel;
class MessageBar;
class SeriesPanel;
class ValuesPane;

/// The shown runs: their charts over one x axis, and below them their values while several are compared.
class RunsPage final : public QWidget {
  Q_OBJECT

 public:
  RunsPage(RunsPresenter& presenter, ComparePresenter& comparing, RunList& runs, const Theme& theme,
           StudioSettings& settings, FileJobs& saving, MessageBar& message, QWidget* parent = nullptr);

  /// Redraws the charts if something has changed. While the mouse is elsewhere, this is limited to about a twentieth of
  /// a core, but delayed by at most half a second. Called by a timer of the window.
  void repaintCharts();
  /// Shows the phase of a starting run in place of its charts, which it does not have yet.
  void showProgress(const TrainingState& progress);

  ChartGrid& grid() { return *grid_; }
  ValuesPane& values() { return *values_; }

 Q_SIGNALS:
  void newRunRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeHeader();
  QWidget* makeEmptyPage();
  QWidget* makeStartPage();
  void makeCharts(StudioSettings& settings, FileJobs& saving, const Theme& theme, MessageBar& message);
  void connectLayout();
  void connectValues();
  const RunSummary* firstShown() const;
  QString baselineText(const RunSummary& baseline) const;
  void showHeader();
  void choosePage();
  void showValues();
  void shareHeight();
  void keepView();
  void openChartMenu(int index, std::size_t spec, QPoint place);
  void fillExports(QMenu& menu);
  void addChartChanges(QMenu& menu, std::size_t spec);
  void change(std::size_t spec, const std::function<void(ChartSpec&)>& edit);
  void moveChart(std::size_t from, std::size_t to);
  void removeChart(std::size_t spec);
  /// Text of a chart without values.
  QString emptyText() const;
  bool mayRepaint();
  void showCharts();

  RunsPresenter& presenter_;
  ComparePresenter& comparing_;
  RunList& runs_;
  StudioSettings& settings_;
  ChartExport* export_;
  QStackedLayout* pages_;
  QWidget *runPage_, *emptyPage_, *startPage_;
  ElidedLabel *name_, *state_;
  QLabel *startPhase_, *startDetail_;
  QProgressBar* startBar_;
  ChartGrid* grid_;
  ChartTools* tools_;
  SeriesPanel* series_;
  ValuesPane* values_;
  QSplitter* split_;
  bool starting_ = false;
  QString viewOf_;                                       // shown runs that the visible part belongs to
  std::map<QString, std::pair<XAxis, AxisView>> views_;  // of the sets of runs shown before
  QElapsedTimer sinceRepaint_;
  double cpuAtRepaintMs_ = 0;  // CPU time of this thread at the last repaint
};

}  // namespace batchwise
