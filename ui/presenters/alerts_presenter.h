// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <map>
#include <memory>
#include <optional>

#include "ui/bridge/studio_settings.h"
#include "ui/models/event_models.h"
#include "ui/presenters/run_presenter.h"
#include "ui/presenters/run_reader.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// Action taken on an alert, in addition to showing it.
enum class AlertAction { Nothing, Pause, Checkpoint, Stop };

/// Monitors every training run of the workspace, in any process, and the disk. Shows alerts and takes the action chosen
/// for their kind. GUI thread.
class AlertsPresenter final : public QObject {
  Q_OBJECT

 public:
  AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                  QObject* parent = nullptr);

  AlertModel& model() { return model_; }
  /// Alerts of a run, as chart markers.
  std::vector<ChartEvent> markersOf(const QString& run) const;
  /// Number of alerts since the last call of seen(); runs that ended as planned are listed, but not counted.
  int unseen() const { return unseen_; }
  void seen();

  AlertAction action(AlertKind kind) const;
  void setAction(AlertKind kind, AlertAction action);
  /// Threshold for the alert "slow", in percent of the usual speed.
  int slowPercent() const { return settings_.slowPercent(); }
  void setSlowPercent(int percent);
  /// Returns false for kinds that occur after the end of a run.
  static bool canAct(AlertKind kind);

 Q_SIGNALS:
  void unseenChanged();
  /// Requests a desktop notification; emitted only if the user enabled them.
  void notice(const QString& title, const QString& text);

 private:
  struct Watch {
    AlertDetector detector;
    std::unique_ptr<RunReader> reader;
    std::int64_t segment = 0;        // until the store has this one, its rows are those that a resume supersedes
    std::int64_t reportFrom = 0;     // global batch; rows before it only show what is usual
    std::optional<RunFinished> end;  // to be evaluated after all rows
  };
  void wake(const QString& run, const std::vector<RunEvent>& events);
  void follow();
  Watch& watch(const QString& run, std::int64_t afterBatch, std::int64_t reportFrom);
  void end(Watch& watched, const RunFinished& outcome);
  void take(const QString& run, const Result<RunUpdate>& update);
  void evaluate(const QString& run, Watch& watched, const std::vector<MetricsRow>& rows);
  void report(const QString& run, const Alert& alert);
  void act(const QString& run, AlertAction action);
  QString nameOf(const QString& run) const;

  WorkspacePresenter& workspace_;
  RunPresenter& run_;
  StudioSettings& settings_;
  AlertModel model_;
  std::map<QString, Watch> watches_;  // runs that train, here or in other processes
  AlertDetector disk_;
  int unseen_ = 0;
};

}  // namespace batchwise
