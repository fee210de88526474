// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <memory>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "core/analysis/run_labels.h"
#include "core/analysis/score_comparison.h"
#include "ui/list/selection.h"

namespace batchwise {

/// A line of the charts: a ticked run, or ticked runs that are grouped.
struct RunGroup {
  QString label;  ///< unlike all others
  int style = 0;  ///< index for seriesStyle()
  QStringList runs;
  QStringList uncounted = {};  ///< those of `runs` that are in no mean: see ComparedLine::counted
};

/// Scores on tasks of the lines of a comparison.
struct ComparedScores {
  std::shared_ptr<const RunComparison> comparison;
  std::vector<LineScore> rows;
};

/// The comparison of the ticked runs, recomputed when the ticks, the options or the runs change, on a queue of its own:
/// nothing waits for a comparison of long runs. One that fails is tried again at the next of these changes. GUI thread.
class ComparePresenter final : public QObject {
  Q_OBJECT

 public:
  ComparePresenter(WorkspacePresenter& workspace, Selection& selection, QObject* parent = nullptr);

  const ComparisonOptions& options() const { return options_; }
  void setOptions(const ComparisonOptions& options);

  /// Null until the first is computed; kept until the next is ready. Its smoothing and band, which no value depends on,
  /// may be older than those of options().
  const std::shared_ptr<const RunComparison>& comparison() const { return comparison_; }
  std::shared_ptr<const Workspace> workspace() const { return workspace_.workspace(); }
  /// Comparable series that at least one ticked run has.
  const QStringList& series() const { return series_; }
  /// The ticked runs as lines, baseline first. Until the comparison of these runs is ready, each run is a line.
  const std::vector<RunGroup>& groups() const { return groups_; }
  /// Null until the first are read; kept until those of comparison() are.
  const std::shared_ptr<const ComparedScores>& scores() const { return scores_; }
  /// For what scores are read for.
  TaskQueue& scoreQueue() { return scoreQueue_; }
  /// Reads scores() if the store has others, as after models were judged.
  void readScores();
  /// Style that the run had when it was ticked last; -1 if it has never been.
  int storedStyleOf(const QString& run) const { return styles_.of(run.toStdString()); }

 Q_SIGNALS:
  /// comparison(), series(), groups() or options have changed.
  void changed();
  void scoresChanged();
  /// Once for each problem, however often it comes in a row.
  void failed(const QString& message);

 private:
  struct Computed;
  struct RunState {
    std::string id, name;
    RunStatus status;
    std::int64_t batch;
    bool operator==(const RunState&) const = default;
  };
  /// What a comparison of the ticked runs depends on, as the list of runs has it.
  std::vector<RunState> tickedRuns() const;
  void compute();
  void receive(Computed computed);
  void updateGroups();

  WorkspacePresenter& workspace_;
  Selection& selection_;
  ComparisonOptions options_;
  std::shared_ptr<RunComparer> comparer_;  // of the open workspace; used on queue_ only
  std::shared_ptr<const RunComparison> comparison_;
  QStringList series_;
  std::vector<RunGroup> groups_;
  RunStyles styles_;
  std::vector<RunState> compared_;  // when the newest comparison began
  QString problem_;                 // of the newest comparison
  bool computing_ = false;
  bool inputsChanged_ = false;  // inputs changed during the computation
  std::shared_ptr<const ComparedScores> scores_;
  std::string scoresRead_;  // what scores_ were read for
  bool readingScores_ = false, readsScoresAgain_ = false;
  TaskQueue queue_, scoreQueue_;  // resampling takes seconds
};

}  // namespace batchwise
