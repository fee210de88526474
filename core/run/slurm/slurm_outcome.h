// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "core/events/run_event.h"
#include "core/run/slurm/slurm_client.h"

namespace batchwise {

/// Evidence about a run whose jobs are gone without reporting its end.
struct SlurmEvidence {
  std::string run;            ///< of the last job seen; may be empty
  std::string job;            ///< the last one that was seen; may be empty
  bool jobStarted = false;    ///< it was seen running, or left output
  bool runStarted = false;    ///< a journal exists
  bool stopAccepted = false;  ///< the cluster accepted the user's stop
  std::optional<SlurmJobEnd> end;
  std::deque<std::string> lastLines;  ///< of the job's output
};

/// Derives status and reason of such a run. Pure.
RunFinished slurmOutcome(const SlurmEvidence& evidence);

}  // namespace batchwise
