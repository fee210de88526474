// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/alerts_presenter.h"

#include <QtCore/QDateTime>
#include <algorithm>

#include "core/base/format.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr std::int64_t kFewestFreeBytes = std::int64_t{5} << 30;  // on the disk of the workspace

StudioSettings::DesktopNotice noticeOf(AlertKind kind) {
  if (kind == AlertKind::Finished) return StudioSettings::DesktopNotice::End;
  return kind == AlertKind::Failed || kind == AlertKind::Diverged ? StudioSettings::DesktopNotice::Failure
                                                                  : StudioSettings::DesktopNotice::Alert;
}

AlertRow endOf(const QString& run, const QString& name, RunStatus status, FailureCause cause,
               const std::string& reason) {
  const bool well = status == RunStatus::Finished || status == RunStatus::Stopped;
  const AlertKind kind = cause == FailureCause::Diverged ? AlertKind::Diverged
                         : well                          ? AlertKind::Finished
                                                         : AlertKind::Failed;
  QString sentence = alertKindText(kind);
  if (!reason.empty()) sentence = AlertsPresenter::tr("%1: %2", "what happened and why").arg(sentence, toQt(reason));
  return {QDateTime::currentMSecsSinceEpoch(), run, name, kind, sentence};
}

}  // namespace

AlertsPresenter::AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                                 QObject* parent)
    : QObject(parent), workspace_(workspace), run_(run), settings_(settings) {
  connect(&run_, &RunPresenter::finished, this, [this](const TrainingState& state, const RunFinished& outcome) {
    if (!state.run.isEmpty()) endedHere_.insert(state.run);
    workspace_.refresh();  // brings the last events of a run on a cluster from its journal
    readNew({endOf(state.run, state.name, outcome.status, outcome.cause, outcome.reason)});
  });
  connect(&workspace_, &WorkspacePresenter::opened, this, &AlertsPresenter::reset);
  connect(&workspace_, &WorkspacePresenter::refreshed, this, [this] {
    checkDisk();
    readNew(endsElsewhere());
  });
}

void AlertsPresenter::reset() {
  newestEvent_ = std::make_shared<std::int64_t>(-1);
  trainingElsewhere_.clear();
  endedHere_.clear();
  diskLow_ = false;
  model_.clear();
  seen();
  readNew({});
}

void AlertsPresenter::checkDisk() {
  const std::int64_t free = workspace_.freeDiskBytes();
  const bool low = free >= 0 && free < kFewestFreeBytes;
  if (!std::exchange(diskLow_, low) && low)
    report({QDateTime::currentMSecsSinceEpoch(),
            {},
            {},
            AlertKind::DiskLow,
            tr("%1 free on the disk of the workspace").arg(toQt(formatBytes(free)))});
}

/// Returns the ends, since the last call, of runs that other processes trained.
std::vector<AlertRow> AlertsPresenter::endsElsewhere() {
  std::vector<AlertRow> ends;
  std::set<QString> training;
  for (const RunSummary& run : workspace_.runs().all()) {
    const QString id = toQt(run.id);
    if (isExternal(run)) continue;  // its files do not say when it ends
    if (run.status != RunStatus::Running) {
      endedHere_.erase(id);
      if (trainingElsewhere_.contains(id)) ends.push_back(endOf(id, toQt(run.name), run.status, run.cause, run.reason));
    } else if (!run_.trains(id) && !endedHere_.contains(id)) {
      training.insert(id);
    }
  }
  trainingElsewhere_ = std::move(training);
  return ends;
}

/// Reports the new events of the store, then `ends`. The first call in a workspace finds out which events are new.
void AlertsPresenter::readNew(std::vector<AlertRow> ends) {
  const auto read = [workspace = workspace_.workspace(), newest = newestEvent_]() -> Result<std::vector<EventOfRun>> {
    if (workspace == nullptr) return std::vector<EventOfRun>();
    if (*newest < 0) {
      ASSIGN_OR_RETURN(*newest, workspace->newestEvent());
      return std::vector<EventOfRun>();
    }
    auto events = workspace->eventsOfAllRuns(*newest);
    if (events.ok() && !events->empty()) *newest = events->back().id;
    return events;
  };
  workspace_.tasks().post(
      this, read, [this, of = newestEvent_, ends = std::move(ends)](const Result<std::vector<EventOfRun>>& events) {
        if (of != newestEvent_) return;  // another workspace was opened
        if (events.ok())
          for (const EventOfRun& each : *events)
            if (const auto kind = alertKindOf(each.event); kind)
              report({each.wallMs, toQt(each.run), toQt(each.runName), *kind, eventSentence(each.event)});
        for (const AlertRow& end : ends) report(end);
      });
}

void AlertsPresenter::report(const AlertRow& alert) {
  model_.add(alert);
  if (alert.kind != AlertKind::Finished) {  // that a run ended as planned calls for nothing
    ++unseen_;
    Q_EMIT unseenChanged();
  }
  if (settings_.notifiesOf(noticeOf(alert.kind)))
    Q_EMIT notice(alert.runName.isEmpty() ? tr("Batchwise") : alert.runName, alert.sentence);
  if (std::ranges::find(kWithActions, alert.kind) == std::end(kWithActions) ||
      action(alert.kind) == AlertAction::Nothing)
    return;
  for (const RunSummary& run : workspace_.runs().all())
    if (run.status == RunStatus::Running)
      if (alert.kind == AlertKind::DiskLow || toQt(run.id) == alert.run) act(toQt(run.id), action(alert.kind));
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

AlertAction AlertsPresenter::action(AlertKind kind) const {
  const QString name = settings_.alertAction(toQt(std::string(choiceName(kind))));
  return choiceFromName<AlertAction>(name.toStdString()).value_or(AlertAction::Nothing);
}

void AlertsPresenter::setAction(AlertKind kind, AlertAction action) {
  settings_.setAlertAction(toQt(std::string(choiceName(kind))), toQt(std::string(choiceName(action))));
}

}  // namespace batchwise
