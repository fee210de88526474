// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/watch_presenter.h"

#include <QtCore/QDateTime>
#include <algorithm>

#include "ui/models/words.h"
#include "ui/presenters/run_reader.h"

namespace batchwise {
namespace {
constexpr const char* kFurtherSetting = "watch/series";
}

WatchPresenter::WatchPresenter(TaskQueue& tasks, WorkspacePresenter& workspace, QObject* parent)
    : QObject(parent), tasks_(tasks), workspace_(workspace) {
  connect(&workspace, &WorkspacePresenter::refreshed, this, &WatchPresenter::follow);
  connect(&workspace, &WorkspacePresenter::opened, this, [this] {
    select({});
    readFurther();
  });
}

void WatchPresenter::select(const QString& run) {
  if (run == selected_) return;
  selected_ = run;
  view_ = {};
  log_.clear();
  waiting_.clear();
  lastEvent_ = 0;
  tookEvents_ = false;
  loading_ = false;
  dirty_ = true;
  Q_EMIT selectionChanged();
  if (!run.isEmpty() && workspace_.workspace()) read();
}

void WatchPresenter::read() {
  reading_ = loading_ = dirty_ = true;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = selected_.toStdString(), further = options_.further] {
        return readRun(*workspace, id, further);
      },
      [this, run = selected_](Result<StoredRun> stored) {
        if (run != selected_) return;
        reading_ = loading_ = false;
        dirty_ = true;
        if (stored.ok())
          take(std::move(*stored));
        else
          Q_EMIT failed(coreText(stored.error().text()));
      });
}

void WatchPresenter::take(StoredRun stored) {
  view_ = std::move(stored.view);
  tookEvents_ = false;
  log_.clear();
  for (const StoredEvent& event : stored.events) {
    log_.append(event.event, event.wallMs);
    lastEvent_ = std::max(lastEvent_, event.id);
  }
  const auto known = [&](const RunEvent& event) {
    return std::any_of(stored.events.begin(), stored.events.end(),
                       [&](const StoredEvent& other) { return other.event == event; });
  };
  for (const RunEvent& event : std::exchange(waiting_, {}))
    if (!known(event)) addLive(event);
  dirty_ = true;
  Q_EMIT selectionChanged();
}

void WatchPresenter::takeEvents(const QString& run, const std::vector<RunEvent>& events) {
  liveRuns_.insert(run);
  for (const RunEvent& event : events) {
    if (std::holds_alternative<RunFinished>(event)) liveRuns_.remove(run);
    if (run != selected_ || run.isEmpty()) continue;
    if (hasRun()) addLive(event);
    if (!hasRun() || reading_) waiting_.push_back(event);  // what is being read may lack it
  }
}

void WatchPresenter::addLive(const RunEvent& event) {
  tookEvents_ = true;
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
  addMarks(view_, event);
  log_.append(event, QDateTime::currentMSecsSinceEpoch());
  dirty_ = true;
}

void WatchPresenter::rememberSeries(const std::vector<NamedValue>& values) {
  for (const NamedValue& value : values)
    if (!RunSeries::wanted(value.series)) view_.furtherSeries.insert(value.series);
}

void WatchPresenter::follow() {
  const RunSummary* summary = workspace_.runs().find(selected_);
  if (!hasRun() || summary == nullptr || liveRuns_.contains(selected_) || reading_) return;
  const bool moved = summary->at != view_.detail.summary.at || summary->status != view_.detail.summary.status;
  const bool ended = tookEvents_ && summary->status != RunStatus::Running;
  const bool elsewhere = summary->status == RunStatus::Running;  // it may tell something without going on
  if (!(moved || ended || elsewhere) || !workspace_.workspace()) return;
  if (ended) {
    read();
    return;
  }
  reading_ = true;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = selected_.toStdString(), further = options_.further,
       after = TailBegin{view_.series.lastBatch(), view_.series.lastStep(), lastEvent_}] {
        return readTail(*workspace, id, after, further);
      },
      [this, run = selected_](Result<RunTail> tail) {
        if (run != selected_) return;
        reading_ = false;
        if (tail.ok()) take(*tail);
      });
}

void WatchPresenter::take(const RunTail& tail) {
  const auto isStart = [](const StoredEvent& event) { return std::holds_alternative<RunStarted>(event.event); };
  if (std::any_of(tail.events.begin(), tail.events.end(), isStart)) {  // a resume takes up rows that are here already
    read();
    return;
  }
  view_.detail.summary = tail.summary;
  view_.furtherSeries.insert(tail.furtherSeries.begin(), tail.furtherSeries.end());
  for (const StoredEvent& event : tail.events) {
    lastEvent_ = std::max(lastEvent_, event.id);
    addMarks(view_, event.event);
    log_.append(event.event, event.wallMs);
  }
  for (const auto& [name, points] : tail.points)
    if (!RunSeries::ofSteps(name)) view_.series.extend(name, points);
  for (const auto& [name, points] : tail.points)
    if (RunSeries::ofSteps(name)) view_.series.extendOverSteps(name, points, behindRows(tail.summary.status));
  dirty_ = true;
}

void WatchPresenter::setFurther(std::vector<std::string> series) {
  if (series == options_.further) return;
  options_.further = std::move(series);
  dirty_ = true;
  if (auto workspace = workspace_.workspace()) {
    std::string text;
    for (const std::string& name : options_.further) text += name + "\n";
    tasks_.post(
        this, [workspace, text] { return workspace->saveSetting(kFurtherSetting, text); },
        [this](const Result<void>& saved) {
          if (!saved.ok()) Q_EMIT failed(coreText(saved.error().text()));
        });
    if (hasRun()) read();
  }
  Q_EMIT furtherChanged();
}

void WatchPresenter::readFurther() {
  tasks_.post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kFurtherSetting); },
      [this, of = workspace_.workspace()](const Result<std::optional<std::string>>& text) {
        if (of != workspace_.workspace() || !text.ok()) return;
        std::vector<std::string> series;
        for (const QString& name : toQt(text->value_or("")).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
          series.push_back(name.toStdString());
        if (series == options_.further) return;
        options_.further = std::move(series);
        dirty_ = true;
        if (hasRun()) read();
        Q_EMIT furtherChanged();
      });
}

void WatchPresenter::setLook(Look look) {
  view_.style = std::max(0, look.style);
  view_.alerts = std::move(look.alerts);
  dirty_ = true;
}

void WatchPresenter::retranslate() {
  tellMarksAnew(view_);
  log_.retranslate();
  dirty_ = true;
}

void WatchPresenter::setOptions(const ChartOptions& options) {
  const std::vector<std::string> further = std::move(options_.further);
  options_ = options;
  options_.further = further;
  dirty_ = true;
}

}  // namespace batchwise
