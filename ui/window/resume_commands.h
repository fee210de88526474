// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QSet>

#include "ui/list/failure_help.h"
#include "ui/window/studio_parts.h"

namespace batchwise {

class NewRunCommands;
class RunCommands;

/// Resumes runs: the offer for an interrupted run in the message bar, and the dialog that F7 opens.
class ResumeCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the action and the page with the checkpoints.
  ResumeCommands(StudioParts& parts, const WindowViews& views, RunCommands& runs);

  /// Opens the dialog for a run. `checkpoint` is selected at first; empty: the newest.
  void openDialog(const QString& run, const QString& checkpoint = {});

 private:
  void showOffer(const ResumeOffer& offer);
  void answer(const ResumeOffer& offer, int action);
  void showDialog(const ResumableRun& which);

  StudioParts& parts_;
  WindowViews views_;
  RunCommands& runs_;
  QString requestedRun_, requestedCheckpoint_;  // of the dialog that opens once the run has been read
  QSet<QString> outdatedOffers_;                // runs of which a checkpoint was deleted after the offer
};

/// A failed run, as the message reports it.
struct FailedRun {
  QString run;  ///< id; empty: it could not start
  QString name;
  std::string reason;
  FailureCause cause = FailureCause::Unknown;
  RemainingCheckpoints left = RemainingCheckpoints::Unknown;
};

/// Reports that a run has failed, why and what to do about it, and does that on request.
class FailureCommands final : public QObject {
  Q_OBJECT

 public:
  FailureCommands(StudioParts& parts, const WindowViews& views, NewRunCommands& newRun, ResumeCommands& resume);

  void show(const FailedRun& failed);

 private:
  void answer(const FailedRun& failed);
  void showLog(const QString& run);

  StudioParts& parts_;
  WindowViews views_;
  ResumeCommands& resume_;
  QString duplicated_;  // id of the run that is being read to be duplicated
};

}  // namespace batchwise
