// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <vector>

#include "ui/presenters/run_presenter.h"
#include "ui/presenters/watch_presenter.h"
#include "ui/theme/theme.h"

class QAction;
class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSlider;
class QStackedLayout;

namespace batchwise {

class ChartGrid;
class SeriesChart;

/// The run that is looked at: its state, and its charts, over one clock, with the keys that move them.
class WatchPage final : public QWidget {
  Q_OBJECT

 public:
  WatchPage(WatchPresenter& presenter, RunListModel& runs, const Theme& theme, QWidget* parent = nullptr);

  /// Redraws the charts if something has changed. Called by the window's timer.
  void repaintCharts();
  /// The run that is starting here has no charts yet: its phase is shown in their place.
  void showProgress(const TrainingState& progress);

  SeriesChart& lossChart() { return *charts_.front(); }
  ChartGrid& grid() { return *grid_; }

 Q_SIGNALS:
  void newRunWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeHeader();
  void placeHeader();
  QWidget* makeEmptyPage();
  QWidget* makeStartPage();
  void makeCharts();
  void makeActions();
  QAction* gridAction(const char* name, const QString& text, const QKeySequence& keys, const QString& help);
  QWidget* makeTools(QWidget* parent);
  void showHeader();
  void choosePage();

  WatchPresenter& presenter_;
  RunListModel& runs_;
  QBoxLayout* header_ = nullptr;
  const Theme& theme_;
  QStackedLayout* pages_;
  QWidget *runPage_, *emptyPage_, *startPage_;
  QLabel *name_, *state_, *startPhase_, *startDetail_;
  QProgressBar* startBar_;
  QSlider* smoothing_;
  QCheckBox* wholeRun_;
  ChartGrid* grid_;
  std::vector<SeriesChart*> charts_;  // in the order of kRunCharts
  QComboBox* clock_;
  QAction *fit_, *follow_, *start_, *logarithmic_, *robust_, *nextClock_;
  bool starting_ = false;
};

}  // namespace batchwise
