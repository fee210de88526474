// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <vector>

#include "core/run/trainer.h"
#include "core/store/records.h"

namespace batchwise {

/// A run that could go on, as it is stored.
struct ResumeCase {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< in the order in which a resume tries them
};

/// What a person chooses.
struct ResumeChoice {
  QString checkpoint;    ///< id; empty: the first of the case
  QString maxDuration;   ///< a Time; empty: as it was
  QStringList changes;   ///< each as in --set: "eval.interval=50ba"
  bool stretch = false;  ///< resolve the schedule anew
  bool fork = false;     ///< a new run; this one stays as it is
  QString name;          ///< of the fork; empty: that of the run, with a number behind it
};

/// What would happen, in words, and the request that makes it happen.
struct ResumeOutlook {
  QString exactness;         ///< what goes on, and how exactly
  QString overlap;           ///< what becomes of the rows after the checkpoint
  QStringList changed;       ///< differences that are fine
  QStringList problems;      ///< why it is not possible; empty: it is
  bool forkWouldDo = false;  ///< all problems are changes that a fork may have
  LaunchRequest request;
  bool possible() const { return problems.isEmpty(); }
};

/// What a fork of this run is called unless the person has a better name. Where it is taken, the store puts a number
/// behind it.
QString forkName(const ResumeCase& which);

/// Pure.
ResumeOutlook resumeOutlook(const ResumeCase& which, const ResumeChoice& choice,
                            const std::filesystem::path& workspace);

}  // namespace batchwise
