// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QSet>
#include <vector>

#include "core/store/metrics/metric_values.h"
#include "ui/models/log_model.h"
#include "ui/presenters/run_charts.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

struct StoredRun;
struct RunTail;

/// The displayed run: read from the store once, then updated by events if launched here, else by polling the store. GUI
/// thread.
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

  /// Applies events of run `run`, which was launched here.
  void handleEvents(const QString& run, const std::vector<RunEvent>& events);

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
  /// Translates log and markers to the current language.
  void retranslate();

  /// Returns whether the charts changed since the last call; polled by the repaint timer.
  bool consumeDirty() { return std::exchange(dirty_, false); }

 Q_SIGNALS:
  void extraSeriesChanged();
  /// The selection changed, or the selected run has been read.
  void selectionChanged();
  void failed(const QString& message);

 private:
  void take(StoredRun stored);
  void take(const RunTail& tail);
  void addLive(const RunEvent& event);
  void rememberSeries(const std::vector<NamedValue>& values);
  void follow();
  void read();
  void readExtraSeries();

  TaskQueue& tasks_;
  WorkspacePresenter& workspace_;
  QString selected_;
  RunView view_;
  LogModel log_;
  ChartOptions options_;
  std::vector<RunEvent> pendingEvents_;  // events of the selected run while it is being read
  QSet<QString> liveRuns_;               // launched here: updated by events
  std::int64_t lastEventId_ = 0;         // id of the newest stored event applied
  bool reading_ = false;                 // a read is pending on the task queue
  bool loading_ = false;                 // that read is of the whole run
  bool hasLiveEvents_ = false;           // the view has events without store ids: read again after the end
  bool dirty_ = false;
};

}  // namespace batchwise
