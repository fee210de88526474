// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <vector>

#include "ui/models/event_models.h"
#include "ui/presenters/run_reader.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// The displayed run, with its charts and its log. GUI thread.
class WatchPresenter final : public QObject {
  Q_OBJECT

 public:
  WatchPresenter(TaskQueue& tasks, WorkspacePresenter& workspace, QObject* parent = nullptr);

  /// Displays run `run`; empty: none.
  void select(const QString& run);
  const QString& selected() const { return selected_; }
  /// True once the selected run has been read.
  bool hasRun() const { return view_.id == selected_ && !selected_.isEmpty(); }
  /// True while the whole run is being read from the store.
  bool loading() const { return loading_; }
  const RunView& view() const { return view_; }
  LogModel& log() { return log_; }

  /// Reads soon what run `run`, launched here, has just reported; no effect if it is not displayed. Runs elsewhere are
  /// followed by polling.
  void wake(const QString& run);

  const ChartOptions& options() const { return options_; }
  /// Sets all options except `extraSeries`.
  void setOptions(const ChartOptions& options);
  /// Series that the user added as charts; stored in the workspace.
  const std::vector<std::string>& extraSeries() const { return options_.extraSeries; }
  void setExtraSeries(std::vector<std::string> series);
  /// Line style of the selected run, and its alert markers.
  struct Decoration {
    int style = -1;  ///< see RunStyles; -1: none assigned yet
    std::vector<ChartEvent> alerts;
  };
  void setDecoration(Decoration decoration);

  /// Returns whether the charts changed since the last call; polled by the repaint timer.
  bool consumeDirty() { return std::exchange(dirty_, false); }

 Q_SIGNALS:
  void extraSeriesChanged();
  /// The selection changed, or the selected run has been read.
  void selectionChanged();
  void failed(const QString& message);

 private:
  void readFromStart();
  void take(Result<RunUpdate>&& update);
  void follow();
  void readExtraSeries();

  TaskQueue& tasks_;
  WorkspacePresenter& workspace_;
  QString selected_;
  RunView view_;
  LogModel log_;
  ChartOptions options_;
  std::unique_ptr<RunReader> reader_;  // of the selected run
  bool loading_ = false;               // the whole run is being read
  bool dirty_ = false;
};

}  // namespace batchwise
