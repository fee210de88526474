// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QMap>
#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <memory>
#include <vector>

#include "core/analysis/filter.h"
#include "core/analysis/run_comparison.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// The ticked runs, and the options of their comparison.
struct CompareView {
  QStringList runs;  ///< ids; the first is the baseline
  ComparisonOptions options;
  bool operator==(const CompareView&) const = default;
};

/// A line of the charts: a ticked run, or ticked runs that are grouped.
struct RunGroup {
  QString label;  ///< unlike all others
  int style = 0;  ///< index for seriesStyle()
  QStringList runs;
  QStringList uncounted = {};  ///< those of `runs` that are in no mean: see ComparedLine::counted
};

/// The ticked runs, which the workspace keeps from session to session, and their comparison, recomputed when the
/// choice, the options or the runs change, on a queue of its own: nothing waits for a comparison of long runs. GUI
/// thread.
class ComparePresenter final : public QObject {
  Q_OBJECT

 public:
  explicit ComparePresenter(WorkspacePresenter& workspace, QObject* parent = nullptr);

  const CompareView& view() const { return view_; }
  void setView(const CompareView& view);
  void setOptions(const ComparisonOptions& options);

  bool isChosen(const QString& run) const { return view_.runs.contains(run); }
  void toggle(const QString& run);
  /// Ticks these runs and no others; the first is the baseline.
  void setRuns(const QStringList& runs);
  /// Moves the runs to the front, adding those that are not ticked; the first is the baseline.
  void setBaseline(const QStringList& runs);
  void clear();

  /// Null until the first is computed; kept until the next is ready. Its smoothing and band, which no value depends on,
  /// may be older than those of view().
  const std::shared_ptr<const RunComparison>& comparison() const { return comparison_; }
  /// Comparable series that at least one chosen run has.
  const QStringList& series() const { return series_; }
  /// The ticked runs as lines, baseline first. Until the comparison of these runs is ready, each run is a line.
  const std::vector<RunGroup>& groups() const { return groups_; }
  /// Style index of a run, as in the charts; -1 if it has never been ticked.
  int styleOf(const QString& run) const;

  // Each emits failed() on an error, and refreshes the list of runs. What was asked for is done even if the window
  // closes at once.
  void setName(const QString& run, const QString& name);
  void setTags(const QMap<QString, QStringList>& tags);  ///< by run; of several runs in one step
  void setNote(const QString& run, const QString& markdown);
  void setArchived(const QStringList& runs, bool archived);
  /// `done`: called once all are deleted.
  void deleteRuns(const QStringList& runs, std::function<void()> done = {});
  void deleteCheckpoints(const QStringList& checkpoints, std::function<void()> done = {});

 Q_SIGNALS:
  void chosenChanged();
  /// comparison(), series(), groups() or options have changed.
  void changed();
  void failed(const QString& message);

 private:
  struct Computed;
  void compute();
  void receive(Computed computed);
  void refreshed();
  void readTicks();
  void storeTicks();
  void updateGroups();
  void change(std::function<Result<void>(Workspace&)> work, std::function<void()> done = {});

  WorkspacePresenter& workspace_;
  CompareView view_;
  std::shared_ptr<RunComparer> comparer_;  // of the open workspace; used on queue_ only
  std::shared_ptr<const RunComparison> comparison_;
  QStringList series_;
  std::vector<RunGroup> groups_;
  RunStyles styles_;
  struct RemovedRun {
    QString run;
    qsizetype place;
  };
  std::vector<RemovedRun>
      removedRuns_;  // chosen runs missing from the list, in order of removal; restored if they reappear
  struct ReadState {
    std::int64_t batch = 0;
    std::string name;
    RunStatus status = RunStatus::Created;  // the last evaluation follows the last batch
    bool operator==(const ReadState&) const = default;
  };
  static ReadState stateOf(const RunSummary& run);
  std::map<QString, ReadState> readStates_;  // when last read
  bool computing_ = false;
  bool inputsChanged_ = false;  // inputs changed during the computation
  TaskQueue queue_;
};

}  // namespace batchwise
