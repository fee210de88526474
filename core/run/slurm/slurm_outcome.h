// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "core/events/run_event.h"
#include "core/run/slurm/slurm_client.h"

namespace batchwise {

/// What is known of a run whose jobs are gone and which did not say how it ended.
struct SlurmSigns {
  std::string run;         ///< id
  std::string job;         ///< the last one that was seen; may be empty
  bool jobBegan = false;   ///< it was seen to run, or left output
  bool runBegan = false;   ///< there is a journal
  bool stopTaken = false;  ///< the cluster took a person's wish to stop
  std::optional<SlurmJobEnd> end;
  std::deque<std::string> lastLines;  ///< of the job's output
};

/// How such a run has ended, and why, in words: status and reason. Pure.
RunFinished slurmOutcome(const SlurmSigns& signs);

}  // namespace batchwise
