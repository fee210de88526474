// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/watch_presenter.h"

#include <QtCore/QDateTime>
#include <algorithm>

#include "ui/models/display_text.h"
#include "ui/presenters/run_reader.h"

namespace batchwise {
namespace {
constexpr const char* kExtraSeriesSetting = "watch/series";
}

WatchPresenter::WatchPresenter(TaskQueue& tasks, WorkspacePresenter& workspace, QObject* parent)
    : QObject(parent), tasks_(tasks), workspace_(workspace) {
  connect(&workspace, &WorkspacePresenter::refreshed, this, &WatchPresenter::follow);
  connect(&workspace, &WorkspacePresenter::opened, this, [this] {
    select({});
    readExtraSeries();
  });
}

void WatchPresenter::select(const QString& run) {
  if (run == selected_) return;
  selected_ = run;
  view_ = {};
  log_.clear();
  pendingEvents_.clear();
  lastEventId_ = 0;
  hasLiveEvents_ = false;
  loading_ = false;
  dirty_ = true;
  Q_EMIT selectionChanged();
  if (!run.isEmpty() && workspace_.workspace()) read();
}

void WatchPresenter::read() {
  reading_ = loading_ = dirty_ = true;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = selected_.toStdString(), extraSeries = options_.extraSeries] {
        return readRun(*workspace, id, extraSeries);
      },
      [this, run = selected_](Result<StoredRun> stored) {
        if (run != selected_) return;
        reading_ = loading_ = false;
        dirty_ = true;
        if (stored.ok())
          take(std::move(*stored));
        else
          Q_EMIT failed(coreText(stored.error().full()));
      });
}

void WatchPresenter::take(StoredRun stored) {
  view_ = std::move(stored.view);
  hasLiveEvents_ = false;
  log_.clear();
  for (const StoredEvent& event : stored.events) {
    log_.append(event.event, event.wallMs);
    lastEventId_ = std::max(lastEventId_, event.id);
  }
  const auto known = [&](const RunEvent& event) {
    return std::any_of(stored.events.begin(), stored.events.end(),
                       [&](const StoredEvent& other) { return other.event == event; });
  };
  for (const RunEvent& event : std::exchange(pendingEvents_, {}))
    if (!known(event)) addLive(event);
  dirty_ = true;
  Q_EMIT selectionChanged();
}

void WatchPresenter::handleEvents(const QString& run, const std::vector<RunEvent>& events) {
  liveRuns_.insert(run);
  for (const RunEvent& event : events) {
    if (std::holds_alternative<RunFinished>(event)) liveRuns_.remove(run);
    if (run != selected_ || run.isEmpty()) continue;
    if (hasRun()) addLive(event);
    if (!hasRun() || reading_) pendingEvents_.push_back(event);  // the pending read may not include it
  }
}

void WatchPresenter::addLive(const RunEvent& event) {
  hasLiveEvents_ = true;
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    if (view_.series.lastBatch() == 0) view_.series.setStart(started->from);
    view_.series.truncate(started->from);
    view_.detail.summary.plannedBatches = started->plannedBatches;
  } else if (const auto* row = std::get_if<MetricsRow>(&event)) {
    view_.series.add(*row, QDateTime::currentMSecsSinceEpoch());
    rememberSeries(valuesOf(*row));
  } else if (const auto* result = std::get_if<EvalResult>(&event)) {
    view_.series.add(*result);
    rememberSeries(valuesOf(*result));
  }
  addMarkers(view_, event);
  log_.append(event, QDateTime::currentMSecsSinceEpoch());
  dirty_ = true;
}

void WatchPresenter::rememberSeries(const std::vector<NamedValue>& values) {
  for (const NamedValue& value : values)
    if (!RunSeries::isStandard(value.series)) view_.availableExtras.insert(value.series);
}

void WatchPresenter::follow() {
  const RunSummary* summary = workspace_.runs().find(selected_);
  if (!hasRun() || summary == nullptr || liveRuns_.contains(selected_) || reading_) return;
  const bool moved = summary->at != view_.detail.summary.at || summary->status != view_.detail.summary.status;
  const bool ended = hasLiveEvents_ && summary->status != RunStatus::Running;
  const bool elsewhere = summary->status == RunStatus::Running;  // it may add events without progress
  if (!(moved || ended || elsewhere) || !workspace_.workspace()) return;
  if (ended) {
    read();
    return;
  }
  reading_ = true;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = selected_.toStdString(), extraSeries = options_.extraSeries,
       after = TailStart{view_.series.lastBatch(), view_.series.lastStep(), lastEventId_}] {
        return readTail(*workspace, id, after, extraSeries);
      },
      [this, run = selected_](Result<RunTail> tail) {
        if (run != selected_) return;
        reading_ = false;
        if (tail.ok()) take(*tail);
      });
}

void WatchPresenter::take(const RunTail& tail) {
  const auto isStart = [](const StoredEvent& event) { return std::holds_alternative<RunStarted>(event.event); };
  if (std::any_of(tail.events.begin(), tail.events.end(), isStart)) {  // a resume supersedes rows shown
    read();
    return;
  }
  view_.detail.summary = tail.summary;
  view_.availableExtras.insert(tail.availableExtras.begin(), tail.availableExtras.end());
  for (const StoredEvent& event : tail.events) {
    lastEventId_ = std::max(lastEventId_, event.id);
    addMarkers(view_, event.event);
    log_.append(event.event, event.wallMs);
  }
  for (const auto& [name, points] : tail.points)
    if (!RunSeries::isStepSeries(name)) view_.series.extend(name, points);
  for (const auto& [name, points] : tail.points)
    if (RunSeries::isStepSeries(name))
      view_.series.extendStepSeries(name, points, trailingStepsOf(tail.summary.status));
  dirty_ = true;
}

void WatchPresenter::setExtraSeries(std::vector<std::string> series) {
  if (series == options_.extraSeries) return;
  options_.extraSeries = std::move(series);
  dirty_ = true;
  if (auto workspace = workspace_.workspace()) {
    std::string text;
    for (const std::string& name : options_.extraSeries) text += name + "\n";
    tasks_.post(
        this, [workspace, text] { return workspace->saveSetting(kExtraSeriesSetting, text); },
        [this](const Result<void>& saved) {
          if (!saved.ok()) Q_EMIT failed(coreText(saved.error().full()));
        });
    if (hasRun()) read();
  }
  Q_EMIT extraSeriesChanged();
}

void WatchPresenter::readExtraSeries() {
  tasks_.post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kExtraSeriesSetting); },
      [this, of = workspace_.workspace()](const Result<std::optional<std::string>>& text) {
        if (of != workspace_.workspace() || !text.ok()) return;
        std::vector<std::string> series;
        for (const QString& name : toQt(text->value_or("")).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
          series.push_back(name.toStdString());
        if (series == options_.extraSeries) return;
        options_.extraSeries = std::move(series);
        dirty_ = true;
        if (hasRun()) read();
        Q_EMIT extraSeriesChanged();
      });
}

void WatchPresenter::setDecoration(Decoration decoration) {
  view_.style = std::max(0, decoration.style);
  view_.alerts = std::move(decoration.alerts);
  dirty_ = true;
}

void WatchPresenter::retranslate() {
  retranslateMarkers(view_);
  log_.retranslate();
  dirty_ = true;
}

void WatchPresenter::setOptions(const ChartOptions& options) {
  const std::vector<std::string> extraSeries = std::move(options_.extraSeries);
  options_ = options;
  options_.extraSeries = extraSeries;
  dirty_ = true;
}

}  // namespace batchwise
