// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QElapsedTimer>
#include <QtWidgets/QWidget>
#include <optional>
#include <vector>

#include "ui/bridge/studio_settings.h"
#include "ui/presenters/run_presenter.h"
#include "ui/presenters/watch_presenter.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/series_chart.h"

class QAction;
class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QSlider;
class QStackedLayout;

namespace batchwise {

class ChartExport;
class ChartGrid;
class CsvExportJobs;
class MessageBar;

/// The selected run: its state and its charts over one clock, with the shortcuts that move them.
class WatchPage final : public QWidget {
  Q_OBJECT

 public:
  WatchPage(WatchPresenter& presenter, RunListModel& runs, const Theme& theme, StudioSettings& settings,
            CsvExportJobs& saving, MessageBar& message, QWidget* parent = nullptr);

  /// Redraws the charts if something has changed. While the mouse is elsewhere, this is limited to about a twentieth of
  /// a core, but delayed by at most half a second. Called by a timer of the window.
  void repaintCharts();
  /// Shows the phase of a starting run in place of its charts, which it does not have yet.
  void showProgress(const TrainingState& progress);

  SeriesChart& lossChart() { return *charts_.front(); }
  ChartGrid& grid() { return *grid_; }

 Q_SIGNALS:
  void newRunRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeHeader();
  void placeHeader();
  QWidget* makeEmptyPage();
  QWidget* makeStartPage();
  void makeCharts();
  SeriesChart* addChart(const SeriesChart::Spec& spec);
  void placeFurther();
  void fillSeriesMenu();
  void makeActions();
  QAction* gridAction(const char* name, const QString& text, const QKeySequence& keys, const QString& help);
  QWidget* makeTools(QWidget* parent);
  QWidget* makeSeriesButton(QWidget* parent);
  QWidget* makeSmoothing(QWidget* parent);
  /// Returns why the run ended; for a failure, also the remedy.
  QString endReason(const RunSummary& run) const;
  void showHeader();
  void choosePage();
  /// Text of a chart without values.
  QString emptyText() const;
  bool mayRepaint();
  void applyOptions();
  void restoreSettings();
  void saveSettings();
  void openExportMenu();

  WatchPresenter& presenter_;
  RunListModel& runs_;
  QBoxLayout* header_ = nullptr;
  QWidget* tools_ = nullptr;
  const Theme& theme_;
  StudioSettings& settings_;
  ChartExport* export_;
  QStackedLayout* pages_;
  QWidget *runPage_, *emptyPage_, *startPage_;
  QLabel *name_, *state_, *startPhase_, *startDetail_;
  QProgressBar* startBar_;
  QSlider* smoothing_;
  QCheckBox* wholeRun_;
  ChartGrid* grid_;
  std::vector<SeriesChart*> charts_;                           // in the order of kRunCharts
  std::vector<std::pair<std::string, SeriesChart*>> further_;  // after them, one per further series of the presenter
  QMenu* series_ = nullptr;
  QComboBox* clock_;
  QAction *fit_, *follow_, *start_, *logarithmic_ = nullptr, *robust_ = nullptr, *nextClock_;
  bool starting_ = false;
  int widestState_ = 0;  // pixels, of this run so far: keeps the tools in place when digits are added
  QElapsedTimer sinceRepaint_;
  double cpuAtRepaintMs_ = 0;  // CPU time of this thread at the last repaint
};

}  // namespace batchwise
