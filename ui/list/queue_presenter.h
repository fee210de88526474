// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "core/run/launch/search_plan.h"
#include "ui/bridge/studio_settings.h"
#include "ui/list/record_models.h"
#include "ui/list/run_presenter.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// The run queue of the open workspace and its launcher. Launches only after start() in this window, and only while no
/// run of the workspace trains on this machine; runs on a cluster do not block it. The queue is read and written on the
/// task queue; changes are made even if the window closes at once. GUI thread.
class QueuePresenter final : public QObject {
  Q_OBJECT

 public:
  QueuePresenter(WorkspacePresenter& workspace, RunPresenter& run, const StudioSettings& settings,
                 QObject* parent = nullptr);

  QueueModel& model() { return model_; }
  std::int64_t waiting() const { return content_.waiting(); }
  bool waits(const QString& run) const;
  bool continuesOnError() const { return content_.continueOnError; }
  /// True while waiting runs are launched.
  bool isStarted() const { return started_ && content_.held.empty(); }
  /// Why the queue was paused; empty if it was not.
  QString pauseReason() const { return toQt(content_.held); }

  /// Appends runs; emits added() once they are stored.
  void add(const std::vector<LoadedConfig>& runs);
  /// Appends runs of the same configurations with other seeds, see runsOfMoreSeeds(); emits added(), too.
  void addSeeds(const QStringList& runs);
  void remove(const QString& run) {
    change([run = run.toStdString()](RunQueue& queue) { return queue.remove(run); });
  }
  /// Removes those of `runs` that still wait; the others stay.
  void removeWaiting(const QStringList& runs);
  void removeEnded() {
    change([](RunQueue& queue) { return queue.removeEnded(); });
  }
  /// Moves a waiting run by `steps` among the waiting ones, from where earlier calls have put it; negative: to the
  /// front.
  void move(const QString& run, int steps);
  void setContinueOnError(bool on);
  /// Does nothing if the start check refuses.
  void start();
  void pause();
  /// `mayStart` is called by start(), and returns whether runs can be trained here.
  void setStartCheck(std::function<bool()> mayStart) { mayStart_ = std::move(mayStart); }

 Q_SIGNALS:
  void changed();
  /// Runs have been appended; their ids.
  void added(const QStringList& runs);
  /// After added(): each of `seeds` is another seed of the run at its place in `of`, one of those that were given.
  void seedsAdded(const QStringList& seeds, const QStringList& of);
  void failed(const QString& message);

 private:
  using Change = std::function<Result<void>(RunQueue&)>;
  using MakeRuns = std::function<Result<MoreSeeds>(const std::shared_ptr<Workspace>&)>;
  void addMade(const MakeRuns& make);
  /// Changes the queue of the workspace that is open now.
  void change(Change change);
  void read();
  void receive(const Result<QueueContent>& content);
  void reportOnce(const Error& error);
  void launchNext();
  void launch(const QueueTurn& turn);
  struct Launched {
    std::shared_ptr<Workspace> workspace;
    std::shared_ptr<const void> lock;
  };
  /// Again while the disk is full or another program blocks the store; until then the run keeps its turn.
  void recordEnd(const Launched& launched, const std::string& run, const RunFinished& outcome);
  /// Stops a branch of a study that is not needed any more.
  void stopIfUnneeded(const QString& run, const EvalResult& result);

  WorkspacePresenter& workspace_;
  RunPresenter& run_;
  const StudioSettings& settings_;
  QueueModel model_;
  QueueContent content_;
  std::map<QString, Launched> launched_;  // by run, while it lasts
  std::function<bool()> mayStart_ = [] { return true; };
  bool started_ = false;
  std::int64_t starts_ = 0;  // calls of start()
  bool reading_ = false, dequeuing_ = false;
  std::string reportedError_;  // already reported for this workspace; what failed is tried again
};

}  // namespace batchwise
