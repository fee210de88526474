// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/selection.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ui/list/runs_table.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr const char* kTicksSetting = "ticked";  // ids, baseline first, in lines

}  // namespace

Selection::Selection(WorkspacePresenter& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    removedRuns_.clear();
    const bool ticks = !std::exchange(ticked_, {}).isEmpty();  // without storing it: they are of another workspace
    select({});
    if (ticks) Q_EMIT ticksChanged();
    readTicks();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &Selection::refreshed);
}

void Selection::select(const QString& run) {
  if (run == run_) return;
  const QString before = std::exchange(run_, run);
  Q_EMIT runChanged(before);
}

void Selection::setTicked(const QStringList& runs) {
  if (runs == ticked_) return;
  ticked_ = runs;
  Q_EMIT ticksChanged();
  storeTicks();
}

void Selection::toggle(const QString& run) {
  if (run.isEmpty()) return;
  QStringList runs = ticked_;
  if (!runs.removeOne(run)) runs << run;
  setTicked(runs);
}

void Selection::tickWith(const QStringList& runs, const QStringList& others) {
  for (qsizetype i = runs.size(); i-- > 0;)  // refreshed() goes backwards
    removedRuns_.push_back({runs[i], std::numeric_limits<qsizetype>::max(), others.value(i)});
}

void Selection::setBaseline(const QStringList& runs) {
  QStringList all = runs;
  for (const QString& run : ticked_)
    if (!runs.contains(run)) all << run;
  setTicked(all);
}

void Selection::untickAll() {
  std::erase_if(removedRuns_, [](const RemovedRun& one) { return one.with.isEmpty(); });
  setTicked({});
}

void Selection::setStyles(const QHash<QString, int>& styles) {
  if (std::exchange(styles_, styles) != styles) Q_EMIT stylesChanged();
}

/// Those of the last session, unless others have been ticked meanwhile. What cannot be read is not ticked.
void Selection::readTicks() {
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kTicksSetting); },
      [this, of = workspace_.workspace()](const Result<std::optional<std::string>>& stored) {
        if (of != workspace_.workspace() || !ticked_.isEmpty() || !stored.ok()) return;
        setTicked(toQt(stored->value_or("")).split(QLatin1Char('\n'), Qt::SkipEmptyParts));
      });
}

/// A workspace that cannot be written goes without.
void Selection::storeTicks() {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), ticks = ticked_.join(QLatin1Char('\n')).toStdString()] {
        return workspace->saveSetting(kTicksSetting, ticks);
      },
      [](const Result<void>&) {}, TaskQueue::AtEnd::Run);
}

void Selection::refreshed() {
  const RunList& list = workspace_.runs();
  QStringList runs = ticked_;
  for (const QString& run : ticked_)
    if (list.find(run) == nullptr) {
      removedRuns_.push_back({run, runs.indexOf(run)});
      runs.removeOne(run);
    }
  // In reverse order of removal, so that each run returns to its position.
  for (auto back = removedRuns_.rbegin(); back != removedRuns_.rend(); ++back)
    if (list.find(back->run) != nullptr && !runs.contains(back->run) &&
        (back->with.isEmpty() || (runs.contains(back->with) && runs.size() < RunsTable::kMostTicked)))
      runs.insert(std::min(back->place, runs.size()), back->run);
  std::erase_if(removedRuns_, [&list](const RemovedRun& removed) { return list.find(removed.run) != nullptr; });
  setTicked(runs);
}

}  // namespace batchwise
