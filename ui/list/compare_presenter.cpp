// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/compare_presenter.h"

#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

constexpr const char* kTicksSetting = "ticked";  // ids, baseline first, in lines

std::vector<std::string> idsOf(const QStringList& runs) {
  std::vector<std::string> ids;
  for (const QString& run : runs) ids.push_back(run.toStdString());
  return ids;
}

/// Gives all runs of a line its style; those without a group keep it.
void adoptStyles(RunComparison& comparison, RunStyles& styles) {
  const bool grouped = !comparison.options.groupBy.empty();
  for (const ComparedLine& line : comparison.lines)
    for (const std::size_t member : line.members) {
      ComparedRun& run = comparison.runs[member];
      run.style = line.style;
      if (!grouped) styles.set(run.summary.id, line.style);
    }
}

}  // namespace

struct ComparePresenter::Computed {
  std::shared_ptr<const RunComparison> comparison;
  QStringList series;
  RunStyles styles;
  QString problem;

  static Computed of(Workspace& workspace, RunComparer& comparer, const CompareView& view) {
    Computed computed;
    const std::vector<std::string> ids = idsOf(view.runs);
    computed.styles = RunStyles::read(workspace);
    if (ids.empty()) return computed;
    auto comparison = comparer.compare(ids, view.options);
    if (!comparison.ok()) {
      computed.problem = toQt(comparison.error().text());
      return computed;
    }
    const RunStyles before = computed.styles;
    adoptStyles(*comparison, computed.styles);
    if (computed.styles != before)
      if (auto stored = computed.styles.write(workspace); !stored.ok()) computed.problem = toQt(stored.error().text());
    computed.comparison = std::make_shared<const RunComparison>(std::move(*comparison));
    if (const auto names = comparableSeries(workspace, ids); names.ok())
      for (const std::string& name : *names) computed.series << toQt(name);
    return computed;
  }
};

ComparePresenter::ComparePresenter(WorkspacePresenter& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    view_ = {};
    removedRuns_.clear();
    comparison_.reset();
    comparer_.reset();
    updateGroups();
    compute();
    Q_EMIT chosenChanged();
    readTicks();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &ComparePresenter::refreshed);
}

void ComparePresenter::setView(const CompareView& view) {
  if (view == view_) return;
  const bool chosen = view.runs != view_.runs;
  ComparisonOptions options = view.options;  // but for what is only drawn
  options.smoothing = view_.options.smoothing;
  options.band = view_.options.band;
  const bool computes = chosen || options != view_.options;
  view_ = view;
  if (!computes) return;
  updateGroups();
  if (chosen) Q_EMIT chosenChanged();
  if (chosen) storeTicks();
  compute();
}

/// Those of the last session, unless others have been ticked meanwhile. What cannot be read is not ticked.
void ComparePresenter::readTicks() {
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kTicksSetting); },
      [this, of = workspace_.workspace()](const Result<std::optional<std::string>>& stored) {
        if (of != workspace_.workspace() || !view_.runs.isEmpty() || !stored.ok()) return;
        setRuns(toQt(stored->value_or("")).split(QLatin1Char('\n'), Qt::SkipEmptyParts));
      });
}

/// A workspace that cannot be written goes without.
void ComparePresenter::storeTicks() {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), ticks = view_.runs.join(QLatin1Char('\n')).toStdString()] {
        return workspace->saveSetting(kTicksSetting, ticks);
      },
      [](const Result<void>&) {}, TaskQueue::AtEnd::Run);
}

void ComparePresenter::setRuns(const QStringList& runs) {
  CompareView view = view_;
  view.runs = runs;
  setView(view);
}

void ComparePresenter::setOptions(const ComparisonOptions& options) {
  CompareView view = view_;
  view.options = options;
  setView(view);
}

void ComparePresenter::toggle(const QString& run) {
  if (run.isEmpty()) return;
  CompareView view = view_;
  if (!view.runs.removeOne(run)) view.runs << run;
  setView(view);
}

void ComparePresenter::setBaseline(const QStringList& runs) {
  CompareView view = view_;
  view.runs = runs;
  for (const QString& run : view_.runs)
    if (!runs.contains(run)) view.runs << run;
  setView(view);
}

void ComparePresenter::clear() {
  CompareView view = view_;
  view.runs.clear();
  removedRuns_.clear();
  setView(view);
}

int ComparePresenter::styleOf(const QString& run) const {
  for (const RunGroup& group : groups_)
    if (group.runs.contains(run)) return group.style;
  return styles_.of(run.toStdString());
}

/// Takes the lines of the comparison if it is one of the ticked runs.
void ComparePresenter::updateGroups() {
  groups_.clear();
  QStringList compared;
  if (comparison_)
    for (const ComparedRun& run : comparison_->runs) compared << toQt(run.summary.id);
  if (comparison_ && compared == view_.runs && comparison_->options.groupBy == view_.options.groupBy) {
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
    return;
  }
  styles_.assign(idsOf(view_.runs));
  for (const QString& run : view_.runs) {
    const RunSummary* summary = workspace_.runs().find(run);
    groups_.push_back({summary == nullptr ? run : toQt(summary->name), styles_.of(run.toStdString()), {run}});
  }
}

ComparePresenter::ReadState ComparePresenter::stateOf(const RunSummary& run) {
  return {run.at.batch, run.name, run.status};
}

void ComparePresenter::compute() {
  if (!workspace_.workspace()) return;
  if (computing_) {
    inputsChanged_ = true;
    return;
  }
  computing_ = true;
  if (!comparer_) comparer_ = std::make_shared<RunComparer>(*workspace_.workspace());
  readStates_.clear();
  for (const QString& run : view_.runs)
    if (const RunSummary* summary = workspace_.runs().find(run)) readStates_[run] = stateOf(*summary);
  queue_.post(
      this,
      [workspace = workspace_.workspace(), comparer = comparer_, view = view_] {
        return Computed::of(*workspace, *comparer, view);
      },
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
  comparison_ = std::move(computed.comparison);
  series_ = computed.series;
  styles_ = computed.styles;
  updateGroups();
  if (!computed.problem.isEmpty()) Q_EMIT failed(computed.problem);
  Q_EMIT changed();
}

/// Drops chosen runs that are gone and restores them when they reappear (archiving can be undone). Recomputes if a run
/// has progressed, ended or was renamed.
void ComparePresenter::refreshed() {
  CompareView view = view_;
  bool progressed = false;
  for (const QString& run : view_.runs) {
    const RunSummary* summary = workspace_.runs().find(run);
    if (summary == nullptr) {
      removedRuns_.push_back({run, view.runs.indexOf(run)});
      view.runs.removeOne(run);
    } else {
      progressed = progressed || readStates_[run] != stateOf(*summary);
    }
  }
  // In reverse order of removal, so that each run returns to its position.
  for (auto back = removedRuns_.rbegin(); back != removedRuns_.rend(); ++back)
    if (workspace_.runs().find(back->run) != nullptr && !view.runs.contains(back->run))
      view.runs.insert(std::min(back->place, view.runs.size()), back->run);
  std::erase_if(removedRuns_, [this](const RemovedRun& left) { return workspace_.runs().find(left.run) != nullptr; });
  if (view.runs != view_.runs)
    setView(view);
  else if (progressed && !computing_)
    compute();
}

void ComparePresenter::change(std::function<Result<void>(Workspace&)> work, std::function<void()> done) {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace(), work = std::move(work)] { return work(*workspace); },
      [this, done = std::move(done)](const Result<void>& result) {
        if (!result.ok())
          Q_EMIT failed(toQt(result.error().text()));
        else if (done)
          done();
        workspace_.refresh();
      },
      TaskQueue::AtEnd::Run);
}

void ComparePresenter::setName(const QString& run, const QString& name) {
  change(
      [id = run.toStdString(), to = name.toStdString()](Workspace& workspace) { return workspace.renameRun(id, to); });
}

void ComparePresenter::setTags(const QMap<QString, QStringList>& tags) {
  std::map<std::string, std::vector<std::string>> lists;
  for (auto run = tags.begin(); run != tags.end(); ++run) lists[run.key().toStdString()] = idsOf(run.value());
  change([lists](Workspace& workspace) { return workspace.setTags(lists); });
}

void ComparePresenter::setNote(const QString& run, const QString& markdown) {
  change([id = run.toStdString(), text = markdown.toStdString()](Workspace& workspace) {
    return workspace.setNote(id, text);
  });
}

void ComparePresenter::setArchived(const QStringList& runs, bool archived) {
  change([ids = idsOf(runs), archived](Workspace& workspace) { return workspace.setArchived(ids, archived); });
}

/// Deletes as many as possible, and reports the first that could not be.
void ComparePresenter::deleteRuns(const QStringList& runs, std::function<void()> done) {
  change(
      [ids = idsOf(runs)](Workspace& workspace) {
        Result<void> all;
        for (const std::string& id : ids)
          if (auto deleted = workspace.deleteRun(id); !deleted.ok() && all.ok()) all = std::move(deleted);
        return all;
      },
      std::move(done));
}

void ComparePresenter::deleteCheckpoints(const QStringList& checkpoints, std::function<void()> done) {
  change(
      [ids = idsOf(checkpoints)](Workspace& workspace) {
        Result<void> all;
        for (const std::string& id : ids)
          if (auto deleted = workspace.deleteCheckpoint(id); !deleted.ok() && all.ok()) all = std::move(deleted);
        return all;
      },
      std::move(done));
}

}  // namespace batchwise
