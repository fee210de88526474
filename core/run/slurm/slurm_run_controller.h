// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_job.h"

namespace batchwise {

/// Trains on a cluster: start() returns at once; a thread submits (see submitToSlurm()), then watches the queue, the
/// run's journal and the output of its job, brings what is new into the workspace's database, and passes the events on.
/// While the run waits in the queue, also after a preemption, PhaseProgress says why; lines that the job wrote beside
/// its events arrive as notes, the last 50 of what has come within a second. Of the commands, StopWithCheckpoint,
/// StopAfterBatch (as the former) and Abort reach a job; the others are answered by a note. A run whose jobs are gone
/// without a last word is Interrupted; one that was stopped here before its job began is Stopped. `events` must outlive
/// the controller. The destructor leaves the job alone and does not wait for an answer of the cluster.
std::unique_ptr<RunController> makeSlurmRunController(EventSink& events, const SlurmOptions& options);

/// Watches a run that was submitted before instead of submitting one: start() takes its id from request.resumeRun. Of
/// what the journal holds already, only the newest RunStarted is told, and the pause that the run is in.
std::unique_ptr<RunController> makeSlurmWatcher(EventSink& events);

}  // namespace batchwise
