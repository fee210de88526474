// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/events/messages.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Returns whether the run can only wait for now: for space on a disk, for its store, for whoever reads its output. It
/// resumes by itself; the next row, evaluation or checkpoint shows that, or a note for which reportsResumed() holds.
inline bool reportsWaiting(const RunNote& note) {
  return messages::trainingWaits.made(note.text) || messages::checkpointWaits.made(note.text) ||
         messages::storeWaits.made(note.text);
}

inline bool reportsResumed(const RunNote& note) {
  return messages::trainingResumes.made(note.text);
}

}  // namespace batchwise
