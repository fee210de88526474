// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/compare_presenter.h"

#include <algorithm>
#include <optional>

#include "core/base/format.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

/// What the scores of a comparison depend on.
std::string scoresKey(const Workspace& workspace, const RunComparison& comparison) {
  std::string key;
  for (const ComparedLine& line : comparison.lines) {
    key += line.label + '\n';
    for (const std::size_t run : line.counted) key += comparison.runs[run].summary.id + '\n';
  }
  const auto scores = workspace.scores();
  if (scores.ok() && !scores->empty()) key += formatText("{} {}", scores->size(), scores->back().atMs);
  return key;
}

}  // namespace

struct ComparePresenter::Computed {
  std::shared_ptr<const RunComparison> comparison;
  QStringList series;
  RunStyles styles;
  QString problem;

  static Computed of(Workspace& workspace, RunComparer& comparer, const std::vector<std::string>& ids,
                     const ComparisonOptions& options) {
    Computed computed;
    computed.styles = RunStyles::read(workspace);
    if (ids.empty()) return computed;
    auto comparison = comparer.compare(ids, options);
    if (!comparison.ok()) {
      computed.problem = toQt(comparison.error().text());
      return computed;
    }
    const RunStyles before = computed.styles;
    for (const ComparedLine& line : comparison->lines)
      computed.styles.set(comparison->runs[line.leader].summary.id, line.style);
    if (computed.styles != before && comparison->options.groupBy.empty())
      if (auto stored = computed.styles.write(workspace); !stored.ok()) computed.problem = toQt(stored.error().text());
    computed.comparison = std::make_shared<const RunComparison>(std::move(*comparison));
    if (const auto names = comparableSeries(workspace, ids); names.ok()) computed.series = toQt(*names);
    return computed;
  }
};

ComparePresenter::ComparePresenter(WorkspacePresenter& workspace, Selection& selection, QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection) {
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    comparison_.reset();
    comparer_.reset();
    scores_.reset();
    scoresRead_.clear();
    problem_.clear();
    updateGroups();
    compute();
  });
  connect(&selection_, &Selection::ticksChanged, this, [this] {
    problem_.clear();
    updateGroups();
    compute();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, [this] {
    if (!computing_ && tickedRuns() != compared_) compute();
  });
}

void ComparePresenter::setOptions(const ComparisonOptions& options) {
  ComparisonOptions computed = options;  // but for what is only drawn
  computed.smoothing = options_.smoothing;
  computed.band = options_.band;
  const bool computes = computed != options_;
  options_ = options;
  if (!computes) return;
  problem_.clear();
  updateGroups();
  compute();
}

/// Takes the lines of the comparison if it is one of the ticked runs.
void ComparePresenter::updateGroups() {
  groups_.clear();
  const QStringList& ticked = selection_.ticked();
  QStringList compared;
  if (comparison_)
    for (const ComparedRun& run : comparison_->runs) compared << toQt(run.summary.id);
  const bool grouped = comparison_ && compared == ticked &&
                       (options_.groupBy == kGroupWhereSeeds || comparison_->options.groupBy == options_.groupBy);
  if (grouped) {
    for (const ComparedLine& line : comparison_->lines) {
      RunGroup& group = groups_.emplace_back();
      group.label = toQt(line.label);
      group.style = line.style;
      for (const std::size_t member : line.members) {
        const QString& run = compared[static_cast<qsizetype>(member)];
        group.runs << run;
        if (std::ranges::find(line.counted, member) == line.counted.end()) group.uncounted << run;
      }
    }
  } else {
    styles_.assign(fromQt(ticked));
    for (const QString& run : ticked) {
      const RunSummary* summary = workspace_.runs().find(run);
      groups_.push_back({summary == nullptr ? run : toQt(summary->name), styles_.of(run.toStdString()), {run}});
    }
  }
  QHash<QString, int> styles;
  for (const RunGroup& group : groups_)
    for (const QString& run : group.runs) styles[run] = group.style;
  selection_.setStyles(styles);
}

void ComparePresenter::compute() {
  if (!workspace_.workspace()) return;
  if (computing_) {
    inputsChanged_ = true;
    return;
  }
  computing_ = true;
  compared_ = tickedRuns();
  if (!comparer_) comparer_ = std::make_shared<RunComparer>(*workspace_.workspace());
  queue_.post(
      this,
      [workspace = workspace_.workspace(), comparer = comparer_, ids = fromQt(selection_.ticked()),
       options = options_] { return Computed::of(*workspace, *comparer, ids, options); },
      [this, of = workspace_.workspace()](Computed computed) {
        computing_ = false;
        if (std::exchange(inputsChanged_, false) || of != workspace_.workspace()) {
          compute();
          if (!computed.comparison) return;
        }
        if (of == workspace_.workspace()) receive(std::move(computed));
      });
}

void ComparePresenter::receive(Computed computed) {
  if (computed.comparison || computed.problem.isEmpty()) comparison_ = std::move(computed.comparison);
  series_ = computed.series;
  styles_ = computed.styles;
  updateGroups();
  const QString problemBefore = std::exchange(problem_, computed.problem);
  if (!problem_.isEmpty() && problem_ != problemBefore) Q_EMIT failed(problem_);
  Q_EMIT changed();
  readScores();
}

void ComparePresenter::readScores() {
  if (!workspace_.workspace() || !comparison_) return;
  readsScoresAgain_ = readingScores_;
  if (std::exchange(readingScores_, true)) return;
  struct Read {
    std::string key;
    std::optional<Result<std::vector<LineScore>>> rows;  // nothing: those read before
  };
  scoreQueue_.post(
      this,
      [workspace = workspace_.workspace(), comparison = comparison_, before = scoresRead_] {
        Read read{scoresKey(*workspace, *comparison), std::nullopt};
        if (read.key != before) read.rows = scoresOfLines(*workspace, *comparison);
        return read;
      },
      [this, of = workspace_.workspace(), comparison = comparison_](Read read) {
        readingScores_ = false;
        if (of == workspace_.workspace() && read.rows) {
          if (!read.rows->ok()) Q_EMIT failed(toQt(read.rows->error().text()));
          scoresRead_ = read.key;
          scores_ = std::make_shared<const ComparedScores>(
              ComparedScores{comparison, read.rows->ok() ? std::move(**read.rows) : std::vector<LineScore>()});
          Q_EMIT scoresChanged();
        }
        if (readsScoresAgain_) readScores();
      });
}

/// The last evaluation of a run, which follows its last global batch, comes with its end.
std::vector<ComparePresenter::RunState> ComparePresenter::tickedRuns() const {
  std::vector<RunState> states;
  for (const QString& id : selection_.ticked())
    if (const RunSummary* run = workspace_.runs().find(id))
      states.push_back({run->id, run->name, run->status, run->at.batch});
  return states;
}

}  // namespace batchwise
