// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/alerts_presenter.h"

#include <QtCore/QDateTime>
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

const QString kActionNames[] = {QStringLiteral("nothing"), QStringLiteral("pause"), QStringLiteral("checkpoint"),
                                QStringLiteral("stop")};

QString settingOf(AlertKind kind) {
  const std::string_view name = alertName(kind);
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

StudioSettings::DesktopNotice noticeOf(AlertKind kind) {
  if (kind == AlertKind::Finished) return StudioSettings::DesktopNotice::End;
  return kind == AlertKind::Failed || kind == AlertKind::Diverged ? StudioSettings::DesktopNotice::Failure
                                                                  : StudioSettings::DesktopNotice::Alert;
}

/// Rows before the first read, from which the detectors learn what is usual; they raise no alerts.
constexpr std::int64_t kWarmupRows = 128;

using ValueSetter = std::function<void(MetricsRow&, double)>;

DeviceMemory& deviceOf(MetricsRow& row, const std::string& name) {
  for (DeviceMemory& device : row.devices)
    if (device.name == name) return device;
  row.devices.emplace_back().name = name;
  return row.devices.back();
}

/// Returns the setter of a series in MetricsRow; null if no alert uses the series.
ValueSetter valueSetter(const std::string& series) {
  if (series == "sec") return [](MetricsRow& row, double value) { row.at.seconds = value; };
  if (series == "loss") return [](MetricsRow& row, double value) { row.loss = value; };
  if (series == "grad_norm") return [](MetricsRow& row, double value) { row.gradNorm = value; };
  if (series == "tokens_per_sec") return [](MetricsRow& row, double value) { row.tokensPerSec = value; };
  constexpr std::string_view kMemory = "memory.";
  const bool peak = series.ends_with(".peak");
  if (!series.starts_with(kMemory) || (!peak && !series.ends_with(".total"))) return {};
  const std::string device = series.substr(kMemory.size(), series.rfind('.') - kMemory.size());
  return [device, member = peak ? &DeviceMemory::peak : &DeviceMemory::total](MetricsRow& row, double value) {
    deviceOf(row, device).*member = static_cast<std::int64_t>(value);
  };
}

/// The rows of these series, in order.
std::vector<MetricsRow> rowsOf(const std::map<std::string, LongSeries>& series) {
  std::map<double, MetricsRow> rows;
  for (const auto& [name, points] : series) {
    const ValueSetter set = valueSetter(name);
    for (std::size_t i = 0; i < points.size(); ++i) set(rows[points.x(i)], points.y(i));
  }
  std::vector<MetricsRow> out;
  for (auto& [batch, row] : rows) {
    row.at.batch = static_cast<std::int64_t>(batch);
    out.push_back(std::move(row));
  }
  return out;
}

RunFinished endOf(const RunSummary& run) {
  RunFinished end;
  end.status = run.status;
  end.reason = run.reason;
  end.cause = run.cause;
  end.at = run.at;
  return end;
}

}  // namespace

AlertsPresenter::AlertsPresenter(WorkspacePresenter& workspace, RunPresenter& run, StudioSettings& settings,
                                 QObject* parent)
    : QObject(parent), workspace_(workspace), run_(run), settings_(settings) {
  connect(&run_, &RunPresenter::eventsArrived, this, &AlertsPresenter::wake);
  connect(&run_, &RunPresenter::finished, this, [this](const TrainingState& state, const RunFinished& outcome) {
    workspace_.refresh();  // first: takes the last rows of a run on a cluster from its journal
    if (const auto watched = watches_.find(state.run); watched != watches_.end())
      end(watched->second, outcome);
    else  // it ended before it began
      for (const Alert& alert : AlertDetector().process(outcome)) report(state.run, alert);
  });
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    std::erase_if(watches_, [this](const auto& each) { return !run_.trains(each.first); });
    disk_ = AlertDetector();
    model_.clear();
    seen();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, [this] {
    if (const auto low = disk_.checkDisk(workspace_.freeDiskBytes())) report({}, *low);
    follow();
  });
}

void AlertsPresenter::wake(const QString& run, const std::vector<RunEvent>& events) {
  if (run.isEmpty() || !workspace_.workspace()) return;
  if (!watches_.contains(run)) {
    const auto started = std::find_if(events.begin(), events.end(),
                                      [](const RunEvent& event) { return std::holds_alternative<RunStarted>(event); });
    const std::int64_t from = started == events.end() ? eventBatch(events.front()) - 1 : eventBatch(*started);
    Watch& added = watch(run, std::max<std::int64_t>(0, from), 0);
    if (started != events.end()) added.segment = std::get<RunStarted>(*started).segment;
  }
  watches_.at(run).reader->wake();
}

/// Reads what is new of each run that trains, and of those that have ended since.
void AlertsPresenter::follow() {
  for (int row = 0; row < workspace_.runs().size(); ++row) {
    const RunSummary& run = *workspace_.runs().at(row);
    const QString id = toQt(run.id);
    if (run.status == RunStatus::Running && !run_.trains(id) && !watches_.contains(id))
      watch(id, std::max<std::int64_t>(0, run.at.batch - kWarmupRows), run.at.batch);
  }
  std::erase_if(watches_, [this](const auto& each) {
    return !run_.trains(each.first) && workspace_.runs().find(each.first) == nullptr;
  });
  for (auto& [id, watched] : watches_) {
    const RunSummary* run = run_.trains(id) ? nullptr : workspace_.runs().find(id);
    if (run != nullptr && run->status != RunStatus::Running && !watched.end)
      end(watched, endOf(*run));
    else
      watched.reader->read();
  }
}

AlertsPresenter::Watch& AlertsPresenter::watch(const QString& run, std::int64_t afterBatch, std::int64_t reportFrom) {
  AlertLimits limits;
  limits.slowShare = slowPercent() / 100.0;
  const auto isUsed = [](const std::string& series) { return valueSetter(series) != nullptr; };
  auto reader = std::make_unique<RunReader>(workspace_.tasks(), workspace_.workspace(), run,
                                            RunSelection{isUsed, afterBatch, false},
                                            [this, run](const Result<RunUpdate>& update) { take(run, update); });
  return watches_.emplace(run, Watch{AlertDetector(limits), std::move(reader), 0, reportFrom, {}}).first->second;
}

/// The rows before the end are evaluated first.
void AlertsPresenter::end(Watch& watched, const RunFinished& outcome) {
  watched.end = outcome;
  watched.reader->read();
}

void AlertsPresenter::take(const QString& run, const Result<RunUpdate>& update) {
  Watch& watched = watches_.at(run);
  if (update.ok() && !update->detail.segments.empty() && update->detail.segments.back().number >= watched.segment)
    evaluate(run, watched, rowsOf(update->points));
  if (!watched.end || watched.reader->reading()) return;
  auto ended = watches_.extract(run);
  for (const Alert& alert : ended.mapped().detector.process(*ended.mapped().end)) report(run, alert);
}

void AlertsPresenter::evaluate(const QString& run, Watch& watched, const std::vector<MetricsRow>& rows) {
  for (MetricsRow row : rows) {
    if (row.at.batch < watched.reportFrom) {
      // Warm up the detectors without one-off conditions; a condition that persists alerts at the first new row.
      row.devices.clear();
      if (std::isfinite(row.loss) && std::isfinite(row.gradNorm)) std::ignore = watched.detector.process(row);
      continue;
    }
    for (const Alert& alert : watched.detector.process(row)) report(run, alert);
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
  if (alert.kind != AlertKind::Finished) {  // that a run ended as planned calls for nothing
    ++unseen_;
    Q_EMIT unseenChanged();
  }
  if (settings_.notifiesOf(noticeOf(alert.kind)))
    Q_EMIT notice(name.isEmpty() ? tr("Batchwise") : name, alertSentence(alert));
  if (!canAct(alert.kind) || action(alert.kind) == AlertAction::Nothing) return;
  if (!ofDisk) return act(run, action(alert.kind));
  for (int i = 0; i < workspace_.runs().size(); ++i)
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
  for (auto& [run, watched] : watches_) watched.detector.setSlowShare(slowPercent() / 100.0);
}

bool AlertsPresenter::canAct(AlertKind kind) {
  return kind != AlertKind::Finished && kind != AlertKind::Failed && kind != AlertKind::Diverged;
}

}  // namespace batchwise
