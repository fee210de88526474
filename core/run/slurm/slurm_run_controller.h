// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_job.h"

namespace batchwise {

/// Trains on a cluster: start() returns at once; a thread submits (see submitToSlurm()), then polls the queue, the
/// run's journal and the job's output, imports new records into the workspace's database, and publishes the events.
/// While the run is pending, also after a preemption, PhaseProgress gives the reason; other output lines of the job
/// arrive as notes, at most the last 50 per second. StopWithCheckpoint, StopAfterBatch (treated alike) and Abort reach
/// a job; other commands are answered by a note. A run whose jobs are gone without reporting an end is Interrupted; one
/// stopped here before its job started is Stopped. `events` must outlive the controller. The destructor leaves the job
/// running and does not wait for the cluster.
std::unique_ptr<RunController> makeSlurmRunController(EventSink& events, const SlurmOptions& options);

/// Watches a run that was submitted before: start() takes its id from request.resumeRun. Of the events already in the
/// journal, only the newest RunStarted and a current pause are published.
std::unique_ptr<RunController> makeSlurmWatcher(EventSink& events);

}  // namespace batchwise
