// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/run/slurm/slurm_client.h"
#include "core/run/trainer.h"

namespace batchwise {

struct RunSummary;

/// Runs submitted to a cluster.
struct SlurmSubmission {
  std::vector<std::string> runs;  ///< ids, in the order of the requests
  std::string job;
  std::string jobName;             ///< see slurmJobName()
  std::vector<std::string> notes;  ///< for the user
};

/// Returns the partition that `options` select. Fails with Config if they exceed its limits; the message gives them.
Result<SlurmPartition> choosePartition(const SlurmOptions& options, const std::vector<SlurmPartition>& partitions);

/// Checks everything that can be known before (options, program, trainer, libraries, workspace), writes the job's files
/// into the workspace's runs/ and submits one job, or for several requests an array with one task each. A new run gets
/// the id of its request, or any; so does a fork, which names its checkpoint. A request with resumeRun resumes a run
/// that was submitted before and is not in the queue, from its newest checkpoint (which it may name). Every run keeps a
/// journal, imported by `runs sync`. Fails with Config, Unsupported, Io; then nothing is submitted.
Result<SlurmSubmission> submitToSlurm(std::vector<LaunchRequest> requests, const SlurmOptions& options,
                                      const SlurmClient& slurm);

/// Returns the pending and running jobs of the runs of this workspace, by the scripts that they were submitted with:
/// ids by run; a task of an array is "12_3". Fails as SlurmClient.
Result<std::map<std::string, std::string>> jobsOfRuns(const std::filesystem::path& workspace, const SlurmClient& slurm);

/// Returns whether any of these runs (their states by id) is left to the cluster: it was submitted and has not begun,
/// or a job of it waits or trains. Where this machine has no Slurm, a run that has begun has none. Asks Slurm at most
/// once. Fails as SlurmClient.
Result<bool> anyOnSlurm(const std::filesystem::path& workspace, std::map<std::string, RunStatus> runs,
                        const SlurmClient& slurm);

/// Fails with Busy if a job goes on with a run that is to be resumed here: one of the two would fail, as the other
/// writes the journal. Else fails as anyOnSlurm().
Result<void> checkNotOnSlurm(const std::filesystem::path& workspace, const RunSummary& run, const SlurmClient& slurm);

/// Returns the file that marks a stop requested by the user, which ends the chain of jobs. Removed by the next
/// submission.
std::filesystem::path slurmStopFile(const std::filesystem::path& workspace, const std::string& run);

}  // namespace batchwise
