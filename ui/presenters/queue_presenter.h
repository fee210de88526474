// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>

#include "ui/bridge/studio_settings.h"
#include "ui/models/queue_model.h"
#include "ui/presenters/run_presenter.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// The queue of the open workspace, and the one who launches what waits: only after a person has told it to go in this
/// window, on this machine, and only while no run of the workspace trains there: those on a cluster hold nobody up. GUI
/// thread; the queue is read and written on the task queue.
class QueuePresenter final : public QObject {
  Q_OBJECT

 public:
  QueuePresenter(WorkspacePresenter& workspace, RunPresenter& run, const StudioSettings& settings,
                 QObject* parent = nullptr);

  QueueModel& model() { return model_; }
  std::int64_t waiting() const { return content_.waiting(); }
  bool continuesOnError() const { return content_.continueOnError; }
  /// What waits gets its turn.
  bool going() const { return going_ && content_.held.empty(); }
  /// Why it was held; empty: it was not.
  QString heldBecause() const;

  void add(const std::vector<LoadedConfig>& runs);
  void remove(const QString& entry);
  void removeEnded();
  /// Towards the front (negative) or the end, among those that wait.
  void move(const QString& entry, int steps);
  void setContinueOnError(bool on);
  void go();
  void hold();

 Q_SIGNALS:
  void changed();
  /// A run of the queue gets its turn.
  void launching();
  void failed(const QString& message);

 private:
  using Change = std::function<Result<void>(RunQueue&)>;
  void change(Change change);
  void read();
  void take(const Result<QueueContent>& content);
  void launchNext();
  void launch(const QueueEntry& entry);
  void giveBack(std::shared_ptr<Workspace> workspace, const std::string& entry);

  WorkspacePresenter& workspace_;
  RunPresenter& run_;
  const StudioSettings& settings_;
  QueueModel model_;
  QueueContent content_;
  bool going_ = false;
  bool reading_ = false, taking_ = false;
  std::string unread_;  // told already: the queue of this workspace cannot be read
};

}  // namespace batchwise
