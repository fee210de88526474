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

/// The run that is looked at: read from the store once, then followed, by events if it was launched here, else by
/// what is added to the store. GUI thread.
class WatchPresenter final : public QObject {
  Q_OBJECT

 public:
  WatchPresenter(TaskQueue& tasks, WorkspacePresenter& workspace, QObject* parent = nullptr);

  /// Shows the run with this id; empty: none.
  void select(const QString& run);
  const QString& selected() const { return selected_; }
  /// False until the run has been read.
  bool hasRun() const { return view_.id == selected_ && !selected_.isEmpty(); }
  /// Series of the selected run are on their way from the store.
  bool loading() const { return loading_; }
  const RunView& view() const { return view_; }
  LogModel& log() { return log_; }

  /// What the run `run`, which was launched here, has told.
  void takeEvents(const QString& run, const std::vector<RunEvent>& events);

  const ChartOptions& options() const { return options_; }
  /// All but the further series.
  void setOptions(const ChartOptions& options);
  /// Series that have charts of their own, by the person's wish; kept in the workspace.
  const std::vector<std::string>& further() const { return options_.further; }
  void setFurther(std::vector<std::string> series);
  /// How the selected run is drawn, and what others have found in it.
  struct Look {
    int style = -1;  ///< of its lines, see RunStyles; -1: it has none yet
    std::vector<ChartEvent> alerts;
  };
  void setLook(Look look);
  /// Words of log and charts in the language of now.
  void retranslate();

  /// True once after each change of what the charts show: asked by the timer that repaints.
  bool takeDirty() { return std::exchange(dirty_, false); }

 Q_SIGNALS:
  void furtherChanged();
  /// Another run, or none, or the selected one has been read.
  void selectionChanged();
  void failed(const QString& message);

 private:
  void take(StoredRun stored);
  void take(const RunTail& tail);
  void addLive(const RunEvent& event);
  void rememberSeries(const std::vector<NamedValue>& values);
  void follow();
  void read();
  void readFurther();

  TaskQueue& tasks_;
  WorkspacePresenter& workspace_;
  QString selected_;
  RunView view_;
  LogModel log_;
  ChartOptions options_;
  std::vector<RunEvent> waiting_;  // of the selected run, while it is being read
  QSet<QString> liveRuns_;         // launched here: their events come by themselves
  std::int64_t lastEvent_ = 0;     // id of the newest stored event taken
  bool reading_ = false;           // from the store, on the task queue
  bool loading_ = false;           // the whole run, not only what was added
  bool tookEvents_ = false;        // the view holds events that came without the store's ids: read anew at the end
  bool dirty_ = false;
};

}  // namespace batchwise
