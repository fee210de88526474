// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QHash>
#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <vector>

#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// The selected run and the ticked runs of the open workspace, by which lists, pages and commands go. The workspace
/// keeps the ticks from session to session. A ticked run that leaves the list is unticked until it comes back. GUI
/// thread.
class Selection final : public QObject {
  Q_OBJECT

 public:
  explicit Selection(WorkspacePresenter& workspace, QObject* parent = nullptr);

  /// The selected run, ticked or not, listed or not; empty: none.
  const QString& run() const { return run_; }
  void select(const QString& run);

  /// Ids, baseline first.
  const QStringList& ticked() const { return ticked_; }
  QString baseline() const { return ticked_.value(0); }
  bool isTicked(const QString& run) const { return ticked_.contains(run); }
  /// The runs of the charts: the ticked ones, or else the selected one.
  QStringList shown() const { return ticked_.isEmpty() && !run_.isEmpty() ? QStringList{run_} : ticked_; }
  /// Ticks these runs and no others; the first is the baseline.
  void setTicked(const QStringList& runs);
  void toggle(const QString& run);
  /// Ticks each of `runs` once it is listed, if the run at its place in `others` is ticked then.
  void tickWith(const QStringList& runs, const QStringList& others);
  /// Moves the runs to the front, adding those that are not ticked; the first is the baseline.
  void setBaseline(const QStringList& runs);
  /// Also those that have left the list.
  void untickAll();

  /// Index for seriesStyle() of a ticked run, as its line has it in the charts; -1 for others.
  int styleOf(const QString& run) const { return styles_.value(run, -1); }
  void setStyles(const QHash<QString, int>& styles);

 Q_SIGNALS:
  /// Another run is selected, or none. `before`: the one until now.
  void runChanged(const QString& before);
  void ticksChanged();
  void stylesChanged();

 private:
  void refreshed();
  void readTicks();
  void storeTicks();

  WorkspacePresenter& workspace_;
  QString run_;
  QStringList ticked_;
  QHash<QString, int> styles_;
  struct RemovedRun {
    QString run;
    qsizetype place;
    QString with = {};  // a run that has to be ticked; empty: none
  };
  std::vector<RemovedRun> removedRuns_;  // ticked runs missing from the list, in order of removal, and tickWith()
};

}  // namespace batchwise
