// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <memory>
#include <vector>

#include "core/analysis/figure.h"
#include "core/analysis/filter.h"
#include "core/analysis/run_comparison.h"
#include "ui/presenters/workspace_presenter.h"

namespace batchwise {

/// Runs to compare, and the options of the comparison.
struct CompareView {
  QStringList runs;  ///< ids; the first is the baseline
  ComparisonOptions options;
  bool logY = false;
  bool operator==(const CompareView&) const = default;
};

/// Runs chosen for comparison, and the comparison, recomputed on the task queue when the choice, the options or the
/// runs change. GUI thread.
class ComparePresenter final : public QObject {
  Q_OBJECT

 public:
  explicit ComparePresenter(WorkspacePresenter& workspace, QObject* parent = nullptr);

  const CompareView& view() const { return view_; }
  void setView(const CompareView& view);
  void setOptions(const ComparisonOptions& options);
  void setLogY(bool on);

  bool isChosen(const QString& run) const { return view_.runs.contains(run); }
  void toggle(const QString& run);
  /// Moves the run to the front, adding it if needed.
  void setBaseline(const QString& run);
  void clear();

  /// Null until the first is computed; kept until the next is ready.
  const std::shared_ptr<const RunComparison>& comparison() const { return comparison_; }
  /// Comparable series that at least one chosen run has.
  const QStringList& series() const { return series_; }
  /// Style index of a run; -1 if it has never been chosen.
  int styleOf(const QString& run) const;
  Figure figure() const;

  /// Named views, stored in the workspace.
  QStringList savedViews() const;
  void saveView(const QString& name);
  void openView(const QString& name);
  void deleteView(const QString& name);

  // Each emits failed() on an error, and refreshes the list of runs.
  void setName(const QString& run, const QString& name);
  void setTags(const QString& run, const QStringList& tags);
  void setNote(const QString& run, const QString& markdown);
  void setArchived(const QString& run, bool archived);

  /// Returns the configuration of a run; if not read yet, returns null and configsRead() follows.
  const ConfigValues* config(const QString& run);

 Q_SIGNALS:
  void chosenChanged();
  /// comparison(), series(), options or styles have changed.
  void changed();
  void savedViewsChanged();
  void configsRead();
  void failed(const QString& message);

 private:
  struct Computed;
  void compute();
  void take(Computed computed);
  void refreshed();
  void readSavedViews();
  void storeViews();
  void readConfigs();
  void change(std::function<Result<void>(Workspace&)> work);

  WorkspacePresenter& workspace_;
  CompareView view_;
  std::shared_ptr<const RunComparison> comparison_;
  QStringList series_;
  RunStyles styles_;
  struct RemovedRun {
    QString run;
    qsizetype place;
  };
  std::vector<RemovedRun>
      removedRuns_;  // chosen runs missing from the list, in order of removal; restored if they reappear
  std::map<QString, std::int64_t> readBatches_;  // global batch of each chosen run when last read
  std::map<QString, CompareView> saved_;
  std::map<QString, ConfigValues> configs_;
  QStringList pendingConfigs_;
  bool computing_ = false;
  bool inputsChanged_ = false;  // inputs changed during the computation
};

}  // namespace batchwise
