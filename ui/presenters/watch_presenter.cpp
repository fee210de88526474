// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/watch_presenter.h"

#include <algorithm>

#include "ui/models/display_text.h"

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
  reader_.reset();
  loading_ = false;
  dirty_ = true;
  Q_EMIT selectionChanged();
  if (!run.isEmpty() && workspace_.workspace()) readFromStart();
}

void WatchPresenter::readFromStart() {
  reader_ = std::make_unique<RunReader>(tasks_, workspace_.workspace(), selected_, chartSelection(options_.extraSeries),
                                        [this](Result<RunUpdate> update) { take(std::move(update)); });
  loading_ = dirty_ = true;
  reader_->read();
}

void WatchPresenter::take(Result<RunUpdate>&& update) {
  const bool loaded = std::exchange(loading_, false);
  dirty_ = dirty_ || loaded;
  if (!update.ok()) {
    if (loaded) Q_EMIT failed(coreText(update.error().full()));
    return;
  }
  if (!update->changed) return;
  const bool whole = update->view.has_value();
  if (whole) {
    view_ = std::move(*update->view);
    log_.clear();
  } else {
    view_.series.extend(update->points);
    view_.detail = std::move(update->detail);
    view_.availableExtras = std::move(update->extraSeries);
  }
  for (const StoredEvent& event : update->events) {
    if (!whole) addMarkers(view_, event.event);
    log_.append(event.event, event.wallMs);
  }
  dirty_ = true;
  if (whole) Q_EMIT selectionChanged();
}

void WatchPresenter::wake(const QString& run) {
  if (reader_ && run == selected_) reader_->wake();
}

void WatchPresenter::follow() {
  const RunSummary* summary = workspace_.runs().find(selected_);
  if (!reader_ || summary == nullptr) return;
  const RunSummary& shown = view_.detail.summary;
  const bool running = summary->status == RunStatus::Running;  // it may add events without progress
  if (running || !hasRun() || summary->at != shown.at || summary->status != shown.status) reader_->read();
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
    if (reader_) readFromStart();
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
        if (reader_) readFromStart();
        Q_EMIT extraSeriesChanged();
      });
}

void WatchPresenter::setDecoration(Decoration decoration) {
  view_.style = std::max(0, decoration.style);
  view_.alerts = std::move(decoration.alerts);
  dirty_ = true;
}

void WatchPresenter::setOptions(const ChartOptions& options) {
  const std::vector<std::string> extraSeries = std::move(options_.extraSeries);
  options_ = options;
  options_.extraSeries = extraSeries;
  dirty_ = true;
}

}  // namespace batchwise
