// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/alerts_presenter.h"

#include <QtCore/QDateTime>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "ui/models/display_text.h"
#include "ui/presenters/run_reader.h"

namespace batchwise {
namespace {

const QString kActionNames[] = {QStringLiteral("nothing"), QStringLiteral("pause"), QStringLiteral("checkpoint"),
                                QStringLiteral("stop")};

QString settingOf(AlertKind kind) {
  const std::string_view name = alertName(kind);
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

/// Rows before the first poll, from which the detectors learn what is usual; they raise no alerts.
constexpr std::int64_t kWarmupRows = 128;

}  // namespace

AlertsPresenter::AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                                 QObject* parent)
    : QObject(parent), workspace_(workspace), run_(run), settings_(settings) {
  connect(&run_, &RunPresenter::eventsArrived, this, &AlertsPresenter::handleEvents);
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    watches_.clear();
    others_.clear();
    disk_ = AlertDetector();
    model_.clear();
    seen();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, [this] {
    if (const auto low = disk_.checkDisk(workspace_.freeDiskBytes())) report({}, *low);
    pollOtherRuns();
  });
}

void AlertsPresenter::handleEvents(const QString& run, const std::vector<RunEvent>& events) {
  AlertDetector& watch = watchOf(run);
  for (const RunEvent& event : events) {
    for (const Alert& alert : watch.process(event)) report(run, alert);
    if (std::holds_alternative<RunFinished>(event)) {
      watches_.erase(run);
      return;
    }
  }
}

void AlertsPresenter::pollOtherRuns() {
  for (int i = 0; i < workspace_.runs().rowCount(); ++i) {
    const RunSummary& run = *workspace_.runs().at(i);
    const QString id = toQt(run.id);
    if (run_.trains(id)) continue;
    const bool running = run.status == RunStatus::Running;
    const auto known = others_.find(id);
    if (running ? known == others_.end() || known->second.batch != run.at.batch : known != others_.end()) pollRows(run);
  }
}

/// Evaluates rows since the last poll, then the end of the run if it has ended.
void AlertsPresenter::pollRows(const RunSummary& run) {
  const QString id = toQt(run.id);
  const bool first = !others_.contains(id);
  OtherRun& other = others_[id];
  if (std::exchange(other.reading, true)) return;
  const std::int64_t after = first ? std::max<std::int64_t>(0, run.at.batch - kWarmupRows) : other.batch;
  const std::int64_t reportFrom = first ? run.at.batch : after + 1;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace(), id = run.id, after] { return readRows(*workspace, id, after); },
      [this, id, run, reportFrom, of = workspace_.workspace()](const Result<std::vector<MetricsRow>>& rows) {
        if (of != workspace_.workspace() || !others_.contains(id)) return;
        others_[id].reading = false;
        if (rows.ok()) evaluate(id, *rows, reportFrom);
        if (run.status == RunStatus::Running) return;
        others_.erase(id);
        RunFinished end;
        end.status = run.status;
        end.reason = run.reason;
        end.cause = run.cause;
        end.at = run.at;
        handleEvents(id, {end});
      });
}

void AlertsPresenter::evaluate(const QString& run, const std::vector<MetricsRow>& rows, std::int64_t reportFrom) {
  for (MetricsRow row : rows) {
    others_[run].batch = row.at.batch;
    if (row.at.batch < reportFrom) {
      // Warm up the detectors without one-off conditions; a condition that persists alerts at the first new row.
      row.devices.clear();
      if (std::isfinite(row.loss) && std::isfinite(row.gradNorm)) std::ignore = watchOf(run).process(row);
      continue;
    }
    for (const Alert& alert : watchOf(run).process(row)) report(run, alert);
  }
}

QString AlertsPresenter::nameOf(const QString& run) const {
  const RunSummary* found = workspace_.runs().find(run);
  return found == nullptr ? run_.progress().name : toQt(found->name);
}

void AlertsPresenter::report(const QString& run, const Alert& alert) {
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

std::vector<ChartEvent> AlertsPresenter::markersOf(const QString& run) const {
  std::vector<ChartEvent> marks;
  for (int row = 0; row < model_.rowCount(); ++row) {
    const QModelIndex cell = model_.index(row, AlertModel::TextColumn);
    const auto batch = cell.data(AlertModel::BatchRole).toLongLong();
    if (batch <= 0 || cell.data(AlertModel::RunRole).toString() != run) continue;
    marks.push_back({static_cast<double>(batch), cell.data(AlertModel::IconRole).toString(),
                     tr("Alert: %1").arg(cell.data().toString())});
  }
  return marks;
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

void AlertsPresenter::setSlowPercent(int percent) {
  settings_.setSlowPercent(percent);
  for (auto& [run, watch] : watches_) watch.setSlowShare(slowPercent() / 100.0);
}

AlertDetector& AlertsPresenter::watchOf(const QString& run) {
  if (const auto known = watches_.find(run); known != watches_.end()) return known->second;
  AlertLimits limits;
  limits.slowShare = slowPercent() / 100.0;
  return watches_.emplace(run, AlertDetector(limits)).first->second;
}

bool AlertsPresenter::canAct(AlertKind kind) {
  return kind != AlertKind::Finished && kind != AlertKind::Failed;
}

}  // namespace batchwise
