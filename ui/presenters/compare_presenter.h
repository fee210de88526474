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

/// What is compared and how it is shown.
struct CompareView {
  QStringList runs;  ///< ids, the baseline first
  ComparisonOptions options;
  bool logY = false;
  bool operator==(const CompareView&) const = default;
};

/// The runs that were chosen for comparison, and their comparison, computed on the task queue whenever the choice, the
/// options or the runs change. GUI thread.
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
  /// Chooses the run if it is not, and puts it first.
  void setBaseline(const QString& run);
  void clear();

  /// Null until there is one; stays until the next is ready.
  const std::shared_ptr<const RunComparison>& comparison() const { return comparison_; }
  /// What the chosen runs can be compared by.
  const QStringList& series() const { return series_; }
  /// Colour and dash of a run once it has been chosen; -1 before.
  int styleOf(const QString& run) const;
  Figure figure() const;

  /// Views with names, kept in the workspace.
  QStringList savedViews() const;
  void saveView(const QString& name);
  void openView(const QString& name);
  void deleteView(const QString& name);

  // Each tells failed() if the store refuses, and the list of runs is read again.
  void setName(const QString& run, const QString& name);
  void setTags(const QString& run, const QStringList& tags);
  void setNote(const QString& run, const QString& markdown);
  void setArchived(const QString& run, bool archived);

  /// The configuration of a run if it has been read; else null, and configsRead() follows.
  const ConfigValues* config(const QString& run);

 Q_SIGNALS:
  void chosenChanged();
  /// comparison(), series(), styles or computing() have changed.
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
  struct LeftRun {
    QString run;
    qsizetype place;
  };
  std::vector<LeftRun> left_;             // chosen runs that went out of the list, in this order: they may come back
  std::map<QString, std::int64_t> seen_;  // global batches of the chosen runs when they were read
  std::map<QString, CompareView> saved_;
  std::map<QString, ConfigValues> configs_;
  QStringList wantedConfigs_;
  bool computing_ = false;
  bool stale_ = false;  // something changed while computing
};

}  // namespace batchwise
