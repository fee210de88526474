// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/run/slurm/slurm_client.h"
#include "core/run/slurm/slurm_job.h"
#include "core/run/trainer.h"

namespace batchwise {

/// Runs that wait in the queue of a cluster, or run there.
struct SlurmSubmission {
  std::vector<std::string> runs;  ///< ids, as the requests
  std::string job;
  std::string jobName;             ///< see slurmJobName()
  std::vector<std::string> notes;  ///< what a person should see to
};

/// The partition that `options` mean, of those of the cluster. Fails with Config if they do not fit into it, saying
/// what would.
Result<SlurmPartition> fittingPartition(const SlurmOptions& options, const std::vector<SlurmPartition>& partitions);

/// Checks all that can be known before (options against the partition, program, trainer, libraries, workspace), writes
/// what the job needs into the workspace's runs/ and submits it: one job, or for several requests an array with one
/// task each. A new run gets the id in its request, or any. A request with resumeRun goes on with a run that was
/// submitted before and is no longer in the queue, from its newest checkpoint, which may be named. Every run keeps a
/// journal, which `runs sync` takes in. Fails with Config, Unsupported, Io; then nothing is in the queue.
Result<SlurmSubmission> submitToSlurm(std::vector<LaunchRequest> requests, const SlurmOptions& options,
                                      const SlurmClient& slurm);

/// Runs of this workspace whose jobs wait or run, but for arrays of them. Fails as SlurmClient.
Result<std::vector<std::string>> runsInSlurmQueue(const std::filesystem::path& workspace, const SlurmClient& slurm);

/// Marks that a person wants the run to stop: the chain of its jobs ends. Taken back when it is submitted again.
std::filesystem::path slurmStopMark(const std::filesystem::path& workspace, const std::string& run);

}  // namespace batchwise
