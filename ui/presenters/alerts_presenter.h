// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <map>

#include "ui/bridge/studio_settings.h"
#include "ui/models/alert_model.h"
#include "ui/models/chart_content.h"
#include "ui/presenters/run_presenter.h"
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
  /// Number of alerts since the last call of seen().
  int unseen() const { return unseen_; }
  void seen();

  AlertAction action(AlertKind kind) const;
  void setAction(AlertKind kind, AlertAction action);
  /// Threshold for the alert "slow", in percent of the usual speed.
  int slowPercent() const { return settings_.slowPercent(); }
  void setSlowPercent(int percent);
  /// Returns false for kinds that occur after the end of a run.
  static bool canAct(AlertKind kind);
  bool notifies() const { return settings_.notifiesDesktop(); }
  void setNotifies(bool on) { settings_.setNotifiesDesktop(on); }

 Q_SIGNALS:
  void unseenChanged();
  /// Requests a desktop notification; emitted only if the user enabled them.
  void notice(const QString& title, const QString& text);

 private:
  void handleEvents(const QString& run, const std::vector<RunEvent>& events);
  void pollOtherRuns();
  void pollRows(const RunSummary& run);
  void evaluate(const QString& run, const std::vector<MetricsRow>& rows, std::int64_t reportFrom);
  void report(const QString& run, const Alert& alert);
  AlertDetector& watchOf(const QString& run);
  void act(const QString& run, AlertAction action);
  QString nameOf(const QString& run) const;

  WorkspacePresenter& workspace_;
  RunPresenter& run_;
  StudioSettings& settings_;
  AlertModel model_;
  std::map<QString, AlertDetector> watches_;
  struct OtherRun {
    std::int64_t batch = 0;  // newest one evaluated
    bool reading = false;    // a read is pending on the task queue
  };
  std::map<QString, OtherRun> others_;  // training runs of other processes
  AlertDetector disk_;
  int unseen_ = 0;
};

}  // namespace batchwise
