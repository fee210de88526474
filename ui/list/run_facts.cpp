// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/run_facts.h"

#include <cmath>
#include <limits>

namespace batchwise {
namespace {

constexpr std::size_t kPage = 100;  // runs per task, so that other tasks get their turn

double newestValue(const Workspace& workspace, const std::string& run, const std::string& series) {
  const auto points = workspace.series(run, series);
  return points.ok() && !points->empty() ? points->back().value : std::numeric_limits<double>::quiet_NaN();
}

BestEvaluation bestEvaluationOf(const Workspace& workspace, const std::string& run) {
  BestEvaluation best;
  const auto points = workspace.series(run, "eval.loss");
  if (!points.ok()) return best;
  for (const SeriesPoint& point : *points)
    if (std::isfinite(point.value) && !(point.value >= best.loss)) best = {point.value, point.batch};
  return best;
}

}  // namespace

bool isScoreSeries(const std::string& name) {
  return (name.starts_with("eval.") && name != "eval.loss") || name.starts_with("score");
}

/// What one task reads.
struct RunFacts::Page {
  Part part = Configs;
  std::vector<Asked> runs;
  std::vector<Config> configs;
  std::vector<std::string> keys;  // experimentKey() of each configuration; empty if it cannot be read
  std::vector<FiguresOfRun> figures;

  void read(const Workspace& workspace, const std::stop_token& stop) {
    for (const Asked& asked : runs) {
      if (stop.stop_requested()) return;
      part == Configs ? readConfig(workspace, asked) : readFigures(workspace, asked);
    }
  }

  void readConfig(const Workspace& workspace, const Asked& asked) {
    Config& config = configs.emplace_back();
    config.asked = asked;
    std::string& key = keys.emplace_back();
    const auto detail = workspace.findRun(asked.run);
    if (!detail.ok()) return;
    auto values = configValuesOf(*detail);
    if (!values.ok()) return;
    config.values = std::move(*values);
    key = experimentKey(config.values, IgnoredFields::standard());
  }

  void readFigures(const Workspace& workspace, const Asked& asked) {
    FiguresOfRun& of = figures.emplace_back();
    of.asked = asked;
    const std::string& run = asked.run;
    if (const auto names = workspace.seriesNames(run); names.ok())
      for (const std::string& name : *names)
        if (isScoreSeries(name)) of.scores[name] = newestValue(workspace, run, name);
    of.best = bestEvaluationOf(workspace, run);
    if (const auto checkpoints = workspace.checkpoints(run); checkpoints.ok())
      for (const CheckpointRecord& checkpoint : *checkpoints) of.bytes += checkpoint.bytes;
  }
};

RunFacts::RunFacts(WorkspacePresenter& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace_, &WorkspacePresenter::opened, this, &RunFacts::clear);
}

void RunFacts::clear() {
  configs_.clear();
  figures_.clear();
  experiments_.clear();
  for (auto& wanted : wanted_) wanted.clear();
  for (auto& queue : queue_) queue.clear();
}

void RunFacts::want(Part part, const Asked& asked) {
  if (!wanted_[part].insert(asked.run).second) return;
  queue_[part].push_back(asked);
  if (std::exchange(reading_, true)) return;
  QMetaObject::invokeMethod(this, &RunFacts::readNext, Qt::QueuedConnection);
}

void RunFacts::readNext() {
  const Part part = queue_[Configs].empty() ? Figures : Configs;
  std::vector<Asked>& queue = queue_[part];
  reading_ = !queue.empty() && workspace_.workspace() != nullptr;
  if (!reading_) return;
  Page page;
  page.part = part;
  const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(kPage, queue.size()));
  page.runs.assign(queue.begin(), end);
  queue.erase(queue.begin(), end);
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), page = std::move(page)](const std::stop_token& stop) mutable {
        page.read(*workspace, stop);
        return std::move(page);
      },
      [this, of = workspace_.workspace()](Page read) {
        if (of == workspace_.workspace()) receive(std::move(read));
        readNext();
      });
}

void RunFacts::receive(Page page) {
  for (std::size_t i = 0; i < page.configs.size(); ++i) {
    if (!page.keys[i].empty())
      page.configs[i].experiment = experiments_.emplace(page.keys[i], experiments_.size()).first->second;
    configs_[page.runs[i].run] = std::move(page.configs[i]);
  }
  for (std::size_t i = 0; i < page.figures.size(); ++i) figures_[page.runs[i].run] = std::move(page.figures[i]);
  for (const Asked& asked : page.runs) wanted_[page.part].erase(asked.run);
  Q_EMIT arrived();
}

const RunFacts::Config* RunFacts::findConfig(const RunSummary& run) {
  const auto found = configs_.find(run.id);
  const Asked now{.run = run.id, .endedMs = run.endedMs};
  if (found == configs_.end() || found->second.asked != now) want(Configs, now);
  return found == configs_.end() ? nullptr : &found->second;
}

const RunFacts::FiguresOfRun* RunFacts::findFigures(const RunSummary& run) {
  const auto found = figures_.find(run.id);
  const Asked now{.run = run.id, .batch = run.at.batch, .checkpoints = run.checkpoints};
  if (found == figures_.end() || found->second.asked != now) want(Figures, now);
  return found == figures_.end() ? nullptr : &found->second;
}

const ConfigValues* RunFacts::config(const RunSummary& run) {
  const Config* config = findConfig(run);
  return config == nullptr ? nullptr : &config->values;
}

std::optional<std::size_t> RunFacts::experiment(const RunSummary& run) {
  const Config* config = findConfig(run);
  return config == nullptr ? std::nullopt : config->experiment;
}

std::optional<double> RunFacts::score(const RunSummary& run, const std::string& series) {
  const FiguresOfRun* figures = findFigures(run);
  if (figures == nullptr) return std::nullopt;
  const auto found = figures->scores.find(series);
  return found == figures->scores.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::optional<BestEvaluation> RunFacts::bestEvaluation(const RunSummary& run) {
  const FiguresOfRun* figures = findFigures(run);
  return figures == nullptr ? std::nullopt : std::optional(figures->best);
}

std::optional<std::int64_t> RunFacts::checkpointBytes(const RunSummary& run) {
  const FiguresOfRun* figures = findFigures(run);
  return figures == nullptr ? std::nullopt : std::optional(figures->bytes);
}

}  // namespace batchwise
