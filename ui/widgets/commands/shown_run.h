// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

namespace batchwise {

class ClosingGuard;
class FailureCommands;
class ResumeCommands;
class RunListCommands;

/// Reports in the message bar what happens to runs: that they wait, fail or end, and errors of the presenters.
class RunMessages final : public QObject {
  Q_OBJECT

 public:
  /// The ends of runs are not reported while `closing` closes the window.
  RunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing, ResumeCommands& resume,
              FailureCommands& failure, RunListCommands& runList);

  /// Clears the message, unless it offers something, a run is waiting, or it reports a failure of `run`.
  void clearFor(const QString& run);

 private:
  void showFinished(const TrainingState& run, const RunFinished& outcome);
  void connectErrors();
  void showBlocked(const QString& name, const QString& why);

  StudioParts& parts_;
  WindowViews views_;
  const ClosingGuard& closing_;
  ResumeCommands& resume_;
  FailureCommands& failure_;
  RunListCommands& runList_;
  QString waiting_;  // name of the run that the message reports as waiting
};

/// Decides which run is selected, and shows it in the list and on the pages.
class ShownRun final : public QObject {
  Q_OBJECT

 public:
  ShownRun(StudioParts& parts, const WindowViews& views, RunMessages& messages);

  /// Selects the run. Does nothing if the id is empty.
  void show(const QString& run);
  /// Selects the run once the next workspace is open.
  void showWhenOpened(const QString& run) { showWhenOpened_ = run; }

 private:
  void connectWorkspace();
  void connectComparison();
  void showRefreshed();
  void showImported(const QString& run, const QString& name, const QString& folder);
  void updateStyle();

  StudioParts& parts_;
  WindowViews views_;
  RunMessages& messages_;
  QString showWhenOpened_;
  QString endedLast_;        // the run that ended last of those launched here
  bool justOpened_ = false;  // the run list of the workspace has not been read yet
};

}  // namespace batchwise
