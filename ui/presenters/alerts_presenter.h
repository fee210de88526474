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

/// What is done about an alert beside telling it.
enum class AlertAction { Nothing, Pause, Checkpoint, Stop };

/// Watches every run of the workspace that trains, here or in another process, and the disk; tells alerts, and does
/// what the person chose for their kind. GUI thread.
class AlertsPresenter final : public QObject {
  Q_OBJECT

 public:
  AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                  QObject* parent = nullptr);

  AlertModel& model() { return model_; }
  /// What was found in a run, for its charts.
  std::vector<ChartEvent> marksOf(const QString& run) const;
  /// Told since seen() was called last.
  int unseen() const { return unseen_; }
  void seen();

  AlertAction action(AlertKind kind) const;
  void setAction(AlertKind kind, AlertAction action);
  /// A run whose speed falls below this share of what is usual, in percent, is told as slow.
  int slowPercent() const { return settings_.slowPercent(); }
  void setSlowPercent(int percent);
  /// False for kinds that come when nothing trains any more.
  static bool canAct(AlertKind kind);
  bool notifies() const { return settings_.notifiesDesktop(); }
  void setNotifies(bool on) { settings_.setNotifiesDesktop(on); }

 Q_SIGNALS:
  void unseenChanged();
  /// For the desktop, in words; only if the person wants that.
  void notice(const QString& title, const QString& text);

 private:
  void takeEvents(const QString& run, const std::vector<RunEvent>& events);
  void lookAtOthers();
  void readRowsOf(const RunSummary& run);
  void judge(const QString& run, const std::vector<MetricsRow>& rows, std::int64_t tellFrom);
  void tell(const QString& run, const Alert& alert);
  AlertWatch& watchOf(const QString& run);
  void act(const QString& run, AlertAction action);
  QString nameOf(const QString& run) const;

  WorkspacePresenter& workspace_;
  RunPresenter& run_;
  StudioSettings& settings_;
  AlertModel model_;
  std::map<QString, AlertWatch> watches_;
  struct Other {
    std::int64_t batch = 0;  // the newest one looked at
    bool reading = false;    // its rows, on the task queue
  };
  std::map<QString, Other> others_;  // runs in other processes that train
  AlertWatch disk_;
  int unseen_ = 0;
};

}  // namespace batchwise
