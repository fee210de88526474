// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/alerts_presenter.h"

#include <QtCore/QDateTime>
#include <limits>

#include "ui/models/words.h"

namespace batchwise {
namespace {

const QString kActionNames[] = {QStringLiteral("nothing"), QStringLiteral("pause"), QStringLiteral("checkpoint"),
                                QStringLiteral("stop")};

QString settingOf(AlertKind kind) {
  const std::string_view name = alertName(kind);
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

/// What the list of runs knows of a row.
MetricsRow rowOf(const RunSummary& run) {
  MetricsRow row;
  row.at = run.at;
  row.loss = run.loss.value_or(std::numeric_limits<double>::quiet_NaN());
  row.tokensPerSec = run.tokensPerSec.value_or(0);
  return row;
}

}  // namespace

AlertsPresenter::AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                                 QObject* parent)
    : QObject(parent), workspace_(workspace), run_(run), settings_(settings) {
  connect(&run_, &RunPresenter::eventsArrived, this, &AlertsPresenter::takeEvents);
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    watches_.clear();
    others_.clear();
    disk_ = AlertWatch();
    model_.clear();
    seen();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, [this] {
    if (const auto low = disk_.takeDisk(workspace_.freeDiskBytes())) tell({}, *low);
    lookAtOthers();
  });
}

void AlertsPresenter::takeEvents(const QString& run, const std::vector<RunEvent>& events) {
  AlertWatch& watch = watches_[run];
  for (const RunEvent& event : events) {
    for (const Alert& alert : watch.take(event)) tell(run, alert);
    if (std::holds_alternative<RunFinished>(event)) {
      watches_.erase(run);
      return;
    }
  }
}

void AlertsPresenter::lookAtOthers() {
  for (int i = 0; i < workspace_.runs().rowCount(); ++i) {
    const RunSummary& run = *workspace_.runs().at(i);
    const QString id = toQt(run.id);
    const auto known = others_.find(id);
    if (run_.trains(id)) continue;
    if (run.status == RunStatus::Running) {
      if (known != others_.end() && known->second == run.at.batch) continue;
      others_[id] = run.at.batch;
      if (!run.loss) continue;  // before its first row
      for (const Alert& alert : watches_[id].take(rowOf(run))) tell(id, alert);
    } else if (known != others_.end()) {
      RunFinished end;
      end.status = run.status;
      end.reason = run.reason;
      end.at = run.at;
      others_.erase(known);
      takeEvents(id, {end});
    }
  }
}

QString AlertsPresenter::nameOf(const QString& run) const {
  const RunSummary* found = workspace_.runs().find(run);
  return found == nullptr ? run_.progress().name : toQt(found->name);
}

void AlertsPresenter::tell(const QString& run, const Alert& alert) {
  const bool ofDisk = alert.kind == AlertKind::DiskLow;
  const QString name = ofDisk ? QString() : nameOf(run);
  model_.add({QDateTime::currentMSecsSinceEpoch(), run, name, alert});
  ++unseen_;
  Q_EMIT unseenChanged();
  if (notifies()) Q_EMIT notice(name.isEmpty() ? tr("Batchwise") : name, alertSentence(alert));
  if (!canAct(alert.kind) || action(alert.kind) == AlertAction::Nothing) return;
  if (!ofDisk) return act(run, action(alert.kind));
  for (int i = 0; i < workspace_.runs().rowCount(); ++i)
    if (const RunSummary* each = workspace_.runs().at(i); each->status == RunStatus::Running)
      act(toQt(each->id), action(alert.kind));
}

void AlertsPresenter::act(const QString& run, AlertAction action) {
  const RunCommand command = action == AlertAction::Pause        ? RunCommand::Pause
                             : action == AlertAction::Checkpoint ? RunCommand::SaveCheckpoint
                                                                 : RunCommand::StopWithCheckpoint;
  if (run_.trains(run))
    run_.command(run, command);
  else
    workspace_.command(run, command);
}

void AlertsPresenter::seen() {
  if (std::exchange(unseen_, 0) != 0) Q_EMIT unseenChanged();
}

AlertAction AlertsPresenter::action(AlertKind kind) const {
  const QString name = settings_.alertAction(settingOf(kind));
  for (std::size_t i = 0; i < std::size(kActionNames); ++i)
    if (kActionNames[i] == name) return static_cast<AlertAction>(i);
  return AlertAction::Nothing;
}

void AlertsPresenter::setAction(AlertKind kind, AlertAction action) {
  settings_.setAlertAction(settingOf(kind), kActionNames[static_cast<std::size_t>(action)]);
}

bool AlertsPresenter::canAct(AlertKind kind) {
  return kind != AlertKind::Finished && kind != AlertKind::Failed;
}

}  // namespace batchwise
