// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runs_presenter.h"

#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr const char* kChartsSetting = "charts";

Result<QJsonObject> readCharts(const Workspace& workspace) {
  ASSIGN_OR_RETURN(const auto text, workspace.setting(kChartsSetting));
  return QJsonDocument::fromJson(QByteArray::fromStdString(text.value_or(""))).object();
}

ChartLayout trainingLayout() {
  ChartLayout layout;
  applyPreset(layout, ChartPreset::Training);
  return layout;
}

}  // namespace

/// A run that is shown or selected.
struct RunsPresenter::Reading {
  RunView view;  // empty until it has been read
  std::vector<StoredEvent> events;
  std::unique_ptr<RunReader> reader;
  bool loading = true;  // as a whole, or further series
  bool failed = false;  // the last read
};

RunsPresenter::RunsPresenter(TaskQueue& tasks, WorkspacePresenter& workspace, const Selection& selection,
                             ComparePresenter& comparing, QObject* parent)
    : QObject(parent),
      tasks_(tasks),
      workspace_(workspace),
      selection_(selection),
      comparing_(comparing),
      layout_(trainingLayout()),
      storedLayout_(layout_) {
  connect(&workspace, &WorkspacePresenter::refreshed, this, &RunsPresenter::follow);
  connect(&workspace, &WorkspacePresenter::opened, this, &RunsPresenter::reset);
  connect(&selection, &Selection::runChanged, this, &RunsPresenter::showSelected);
  connect(&selection, &Selection::ticksChanged, this, [this] {
    updateReadings();
    Q_EMIT shownChanged();
  });
  connect(&comparing, &ComparePresenter::changed, this, [this] { dirty_ = true; });
}

RunsPresenter::~RunsPresenter() = default;

/// Starts with the workspace that was opened.
void RunsPresenter::reset() {
  readings_.clear();
  presets_.clear();
  stores_ = std::make_shared<std::atomic<std::int64_t>>(0);
  storeWhenRead_ = false;  // the charts of the other workspace
  storedIsRead_ = layoutIsNewer_ = false;
  layout_ = storedLayout_ = trainingLayout();
  compareByLayout();
  fillLog();
  updateReadings();
  Q_EMIT selectionChanged();
  Q_EMIT layoutChanged();
  readStored();
}

void RunsPresenter::showSelected() {
  updateReadings();
  fillLog();
  if (selection_.ticked().isEmpty()) Q_EMIT shownChanged();
  Q_EMIT selectionChanged();
}

const RunView& RunsPresenter::selectedView() const {
  static const RunView none;
  const auto found = readings_.find(selection_.run());
  return found == readings_.end() ? none : found->second->view;
}

std::vector<const RunView*> RunsPresenter::shownViews() const {
  std::vector<const RunView*> views;
  for (const QString& run : shown())
    if (const auto found = readings_.find(run); found != readings_.end() && !found->second->view.id.isEmpty())
      views.push_back(&found->second->view);
  return views;
}

bool RunsPresenter::showsOthers() const {
  return std::ranges::any_of(shownViews(), [](const RunView* view) { return isExternal(view->detail.summary); });
}

bool RunsPresenter::loading() const {
  return std::ranges::any_of(shown(), [this](const QString& run) {
    const auto found = readings_.find(run);
    return found != readings_.end() && found->second->loading;
  });
}

/// Reads the runs that are needed, and drops the others.
void RunsPresenter::updateReadings() {
  dirty_ = true;
  QStringList needed = shown();
  if (!selection_.run().isEmpty() && !needed.contains(selection_.run())) needed << selection_.run();
  for (const QString& run : shown())
    if (const QString parent = parentOf(run); !parent.isEmpty() && !needed.contains(parent)) needed << parent;
  std::erase_if(readings_, [&needed](const auto& reading) { return !needed.contains(reading.first); });
  if (!workspace_.workspace()) return;
  const std::vector<std::string> extra = extraSeries();
  if (!std::includes(readSeries_.begin(), readSeries_.end(), extra.begin(), extra.end())) {
    readSeries_ = extra;
    for (const auto& [run, reading] : readings_) {
      reading->loading = true;
      reading->reader->select(readSeries_);
    }
  }
  for (const QString& run : needed)
    if (!readings_.contains(run)) startReading(run);
}

/// Returns the run that a fork continues; empty for others, and until the run has been read.
QString RunsPresenter::parentOf(const QString& run) const {
  const auto found = readings_.find(run);
  if (found == readings_.end()) return {};
  const RunDetail& detail = found->second->view.detail;
  const bool isFork = !detail.segments.empty() && detail.segments.front().from.batch > 0;
  return isFork ? toQt(detail.summary.parent) : QString();
}

void RunsPresenter::startReading(const QString& run) {
  std::unique_ptr<Reading>& reading = readings_[run] = std::make_unique<Reading>();
  reading->reader =
      std::make_unique<RunReader>(tasks_, workspace_.workspace(), run, readSeries_,
                                  [this, run](Result<RunUpdate> update) { receive(run, std::move(update)); });
  reading->reader->read();
}

void RunsPresenter::receive(const QString& run, Result<RunUpdate>&& update) {
  const auto found = readings_.find(run);
  if (found == readings_.end()) return;
  Reading& reading = *found->second;
  const bool loaded = std::exchange(reading.loading, false);
  dirty_ = dirty_ || loaded;
  reading.failed = !update.ok();
  if (reading.failed) {
    const bool isShown = run == selection_.run() || shown().contains(run);  // a fork does without its parent
    if (loaded && isShown) Q_EMIT failed(toQt(update.error().text()));
    return;
  }
  if (!update->changed) return;
  dirty_ = true;
  update->view ? receiveWhole(run, reading, std::move(*update)) : receiveNew(run, reading, std::move(*update));
}

void RunsPresenter::receiveWhole(const QString& run, Reading& reading, RunUpdate&& update) {
  reading.view = std::move(*update.view);
  reading.events = std::move(update.events);
  if (run == selection_.run()) {
    fillLog();
    Q_EMIT selectionChanged();
  }
  if (shown().contains(run)) Q_EMIT shownChanged();
  // Its parent, and the named evaluations of its loss chart. Later: this is called by the reader.
  QMetaObject::invokeMethod(this, &RunsPresenter::updateReadings, Qt::QueuedConnection);
}

void RunsPresenter::receiveNew(const QString& run, Reading& reading, RunUpdate&& update) {
  reading.view.series.extend(update.points);
  reading.view.detail = std::move(update.detail);
  if (reading.view.availableExtras != update.extraSeries)
    QMetaObject::invokeMethod(this, &RunsPresenter::updateReadings, Qt::QueuedConnection);
  reading.view.availableExtras = std::move(update.extraSeries);
  reading.view.thinned.merge(update.thinned);
  for (StoredEvent& event : update.events) {
    addMarkers(reading.view, event.event);
    if (run == selection_.run()) log_.append(event.event, event.wallMs);
    reading.events.push_back(std::move(event));
  }
}

void RunsPresenter::fillLog() {
  log_.clear();
  const auto found = readings_.find(selection_.run());
  if (found == readings_.end()) return;
  log_.setRun(found->second->view.detail.summary.name);
  for (const StoredEvent& event : found->second->events) log_.append(event.event, event.wallMs);
}

void RunsPresenter::wake(const QString& run) {
  if (const auto found = readings_.find(run); found != readings_.end()) found->second->reader->wake();
}

void RunsPresenter::follow() {
  for (const auto& [run, reading] : readings_) {
    const RunSummary* summary = workspace_.runs().find(run);
    if (summary == nullptr) continue;
    const RunSummary& shown = reading->view.detail.summary;
    const bool running = summary->status == RunStatus::Running;  // it may add events without progress
    if (running || reading->failed || summary->at != shown.at || summary->status != shown.status ||
        summary->name != shown.name)
      reading->reader->read();
  }
}

void RunsPresenter::setLayout(const ChartLayout& layout) {
  if (layout == layout_ && layout == storedLayout_) return;
  tryLayout(layout);
  const ChartLayout before = std::exchange(storedLayout_, layout);
  layoutIsNewer_ = layoutIsNewer_ || !storedIsRead_;
  store();
  if (before.charts != layout.charts) Q_EMIT chartsReplaced(before);
}

void RunsPresenter::tryLayout(const ChartLayout& layout) {
  if (layout == layout_) return;
  layout_ = layout;
  dirty_ = true;
  compareByLayout();
  updateReadings();
  Q_EMIT layoutChanged();
}

/// Compares the ticked runs with the options of the charts.
void RunsPresenter::compareByLayout() {
  ComparisonOptions options = comparing_.options();
  options.metric = layout_.metric;
  options.margin = layout_.margin;
  options.axis = comparisonAxis(layout_.xAxis);
  options.equalTokensWhereUnequal = true;
  options.smoothing = layout_.smoothing;
  options.groupBy = layout_.groupBy;
  options.center = layout_.center;
  options.band = layout_.band;
  comparing_.setOptions(options);
}

std::vector<std::string> RunsPresenter::extraSeries() const {
  std::set<std::string> names = drawnLayout().seriesNames();
  for (const std::string& series : optionalSeries()) names.insert(series);
  for (const char* end : {kNoiseLow, kNoiseHigh}) names.insert(end);
  std::erase_if(names, [](const std::string& name) { return RunSeries::isStandard(name); });
  return {names.begin(), names.end()};
}

std::set<std::string> RunsPresenter::availableSeries() const {
  std::set<std::string> names{"loss", "eval.loss", "lr", "step_samples", "grad_norm", "tokens_per_sec", kMemorySeries};
  names.merge(layout_.seriesNames());
  for (const RunView* view : shownViews()) names.insert(view->availableExtras.begin(), view->availableExtras.end());
  return names;
}

std::vector<ChartGroup> RunsPresenter::groups() const {
  std::vector<ChartGroup> groups;
  const auto add = [&](const QString& label, int style, const QStringList& runs, const QStringList& uncounted) {
    ChartGroup group{label, style, {}};
    for (const QString& run : runs) {
      const auto found = readings_.find(run);
      if (found == readings_.end() || found->second->view.id.isEmpty()) continue;
      group.members.push_back(&found->second->view);
      if (uncounted.contains(run)) group.uncounted.push_back(&found->second->view);
      const auto parent = readings_.find(parentOf(run));
      if (parent != readings_.end() && !parent->second->view.id.isEmpty())
        group.parents[&found->second->view] = &parent->second->view;
    }
    if (!group.members.empty()) groups.push_back(std::move(group));
  };
  const std::vector<RunGroup>& ticked = comparing_.groups();
  for (std::size_t i = 0; i < ticked.size(); ++i)
    if (i == 0 || brushedGroups_.size() != ticked.size() || brushedGroups_[i])
      add(ticked[i].label, ticked[i].style, ticked[i].runs, ticked[i].uncounted);
  if (comparing_.groups().empty())
    add(toQt(selectedView().detail.summary.name), std::max(0, comparing_.storedStyleOf(selection_.run())),
        {selection_.run()}, {});
  return groups;
}

void RunsPresenter::setBrushedGroups(std::vector<bool> kept) {
  brushedGroups_ = std::move(kept);
  dirty_ = true;
}

ChartLayout RunsPresenter::drawnLayout() const {
  ChartLayout drawn = layout_;
  if (!drawn.hasSameCharts(trainingLayout())) return drawn;
  const bool logarithmic = std::ranges::all_of(layout_.charts, &ChartSpec::logarithmic);
  addNamedEvaluations(drawn);
  const std::vector<const RunView*> views = shownViews();
  std::set<std::string> tasks;
  for (const RunView* view : views)
    std::ranges::copy_if(view->availableExtras, std::inserter(tasks, tasks.end()),
                         [](const std::string& series) { return series.starts_with(kTaskPrefix); });
  std::vector<std::string> further = optionalSeries();
  further.insert(further.end(), tasks.begin(), tasks.end());
  for (const std::string& series : further) {
    if (std::any_of(views.begin(), views.end(),
                    [&series](const RunView* view) { return view->availableExtras.contains(series); }))
      drawn.charts.push_back({.series = {series}, .logarithmic = logarithmic});
  }
  return drawn;
}

/// Shows the loss on each evaluation set with a name, such as those of a continued model, beside the loss; of few runs,
/// so that the lines can be told apart.
void RunsPresenter::addNamedEvaluations(ChartLayout& layout) const {
  constexpr std::size_t kMostRuns = 3;
  const std::vector<const RunView*> views = shownViews();
  const auto loss = std::ranges::find_if(layout.charts, [](const ChartSpec& spec) { return spec.has("eval.loss"); });
  if (views.size() > kMostRuns || loss == layout.charts.end()) return;
  for (const RunView* view : views)
    for (const std::string& series : view->availableExtras)
      if (loss->isCompanion(series) && !loss->has(series)) loss->series.push_back(series);
}

void RunsPresenter::readStored() {
  tasks_.post(
      this, [workspace = workspace_.workspace()] { return readCharts(*workspace); },
      [this, of = workspace_.workspace()](const Result<QJsonObject>& stored) {
        if (of != workspace_.workspace() || storedIsRead_) return;
        // What is damaged cannot be lost any more; after another failure store() reads again.
        storedIsRead_ = stored.ok() || stored.error().code == ErrorCode::Corrupt;
        if (stored.ok())
          receiveStored(*stored);
        else
          Q_EMIT failed(toQt(stored.error().text()));
        if (storedIsRead_ && std::exchange(storeWhenRead_, false)) store();
      });
}

void RunsPresenter::receiveStored(const QJsonObject& charts) {
  const QJsonObject own = charts.value(QLatin1String("presets")).toObject();
  for (auto one = own.begin(); one != own.end(); ++one)
    presets_.try_emplace(one.key(), layoutFromJson(one.value().toObject(), layout_));
  Q_EMIT presetsChanged();
  if (layoutIsNewer_) return;
  storedLayout_ = layoutFromJson(charts.value(QLatin1String("layout")).toObject(), layout_);
  tryLayout(storedLayout_);
}

void RunsPresenter::store() {
  const auto workspace = workspace_.workspace();
  if (!workspace) return;
  if (!storedIsRead_) {  // it would replace presets that are not known yet
    storeWhenRead_ = true;
    return readStored();
  }
  QJsonObject presets;
  for (const auto& [name, preset] : presets_) presets.insert(name, toJson(preset));
  const QJsonObject charts{{QStringLiteral("layout"), toJson(layout_)}, {QStringLiteral("presets"), presets}};
  tasks_.post(
      this,
      [workspace, text = QJsonDocument(charts).toJson(QJsonDocument::Compact).toStdString(), number = ++*stores_,
       newest = stores_]() -> Result<void> {
        if (number < *newest) return {};  // the next one replaces it
        return workspace->saveSetting(kChartsSetting, text);
      },
      [this](const Result<void>& saved) {
        if (!saved.ok()) Q_EMIT failed(toQt(saved.error().text()));
      },
      TaskQueue::AtEnd::Run);
}

QStringList RunsPresenter::ownPresets() const {
  QStringList names;
  for (const auto& [name, preset] : presets_) names << name;
  return names;
}

void RunsPresenter::savePreset(const QString& name) {
  if (name.trimmed().isEmpty()) return;
  presets_[name.trimmed()] = layout_;
  store();
  Q_EMIT presetsChanged();
}

void RunsPresenter::deletePreset(const QString& name) {
  if (presets_.erase(name) == 0) return;
  store();
  Q_EMIT presetsChanged();
}

void RunsPresenter::openPreset(const QString& name) {
  const auto found = presets_.find(name);
  if (found == presets_.end()) return;
  const ChartLayout before = storedLayout_, preset = found->second;
  setLayout(preset);
  if (before.charts == preset.charts && before != preset) Q_EMIT chartsReplaced(before);
}

QString RunsPresenter::presetName() const {
  for (const auto& [name, preset] : presets_)
    if (preset.hasSameCharts(layout_)) return name;
  for (const ChartPreset preset : kChartPresets) {
    ChartLayout layout;
    applyPreset(layout, preset);
    if (layout.hasSameCharts(layout_)) return presetTitle(preset);
  }
  return {};
}

}  // namespace batchwise
