// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/list/failure_help.h"
#include "ui/window/studio_parts.h"

namespace batchwise {

class ClosingGuard;
class NewRunCommands;
class ResumeCommands;

/// Reports what happens to runs: that they wait, fail or end, and errors of the presenters. For a run that has failed
/// says why and what to do about it, and does that on request.
class RunMessages final : public QObject {
  Q_OBJECT

 public:
  /// The ends of runs are not reported while `closing` closes the window.
  RunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing, NewRunCommands& newRun,
              ResumeCommands& resume);

 private:
  void connectErrors();
  void showBlocked(const QString& name, const QString& why);
  void showFinished(const TrainingState& run, const RunFinished& outcome);
  void showFailed(const TrainingState& run, const RunFinished& outcome);
  void help(const QString& run, FailureHelp::Action action);

  StudioParts& parts_;
  WindowViews views_;
  const ClosingGuard& closing_;
  ResumeCommands& resume_;
  QString duplicated_;  // id of the run that is being read to be duplicated
};

}  // namespace batchwise
