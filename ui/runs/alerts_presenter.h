// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "ui/bridge/studio_settings.h"
#include "ui/list/run_presenter.h"
#include "ui/list/workspace_presenter.h"
#include "ui/runs/event_models.h"

namespace batchwise {

/// Action taken on an alert, in addition to showing it.
enum class AlertAction { Nothing, Pause, Checkpoint, Stop };
/// The names in the settings.
template <>
inline constexpr auto kChoiceNames<AlertAction> = namesInFiles("nothing", "pause", "checkpoint", "stop");

/// Lists the alerts that the runs of the workspace report from now on, in any process, the ends of runs, and a disk
/// that is nearly full. Takes the action chosen for their kind. GUI thread.
class AlertsPresenter final : public QObject {
  Q_OBJECT

 public:
  AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                  QObject* parent = nullptr);

  AlertModel& model() { return model_; }
  /// Number of alerts since the last call of seen(); runs that ended as planned are listed, but not counted.
  int unseen() const { return unseen_; }
  void seen() {
    if (std::exchange(unseen_, 0) != 0) Q_EMIT unseenChanged();
  }

  AlertAction action(AlertKind kind) const;
  void setAction(AlertKind kind, AlertAction action);
  /// Kinds that there are actions for: not those of the end of a run.
  static constexpr AlertKind kWithActions[] = {AlertKind::NonFinite, AlertKind::Spike,  AlertKind::Plateau,
                                               AlertKind::SlowDown,  AlertKind::Memory, AlertKind::DiskLow};

 Q_SIGNALS:
  void unseenChanged();
  /// Requests a desktop notification; emitted only if the user enabled them.
  void notice(const QString& title, const QString& text);

 private:
  void reset();
  void checkDisk();
  std::vector<AlertRow> endsElsewhere();
  void readNew(std::vector<AlertRow> ends);
  void report(const AlertRow& alert);
  void act(const QString& run, AlertAction action);

  WorkspacePresenter& workspace_;
  RunPresenter& run_;
  StudioSettings& settings_;
  AlertModel model_;
  std::shared_ptr<std::int64_t> newestEvent_;  // accessed by the task queue only
  std::set<QString> trainingElsewhere_;        // in other processes
  std::set<QString> endedHere_;                // that the list still shows as running
  bool diskLow_ = false;
  int unseen_ = 0;
};

}  // namespace batchwise
