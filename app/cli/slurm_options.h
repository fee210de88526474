// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/slurm/slurm_array.h"

namespace batchwise::cli {

/// Options of the commands that submit jobs.
struct SlurmArguments {
  bool wanted = false;  ///< --slurm, of commands that train here without it
  std::string time;
  SlurmOptions options;
};

/// Whether a command submits only with --slurm, which the other options then need.
enum class SlurmUse { Always, WithFlag };
void addSlurmOptions(CLI::App& command, SlurmArguments& arguments, SlurmUse use);
/// Fails with Config.
Result<SlurmOptions> slurmOptionsOf(const SlurmArguments& arguments);

/// Trains runs as SlurmArray::train(), and says on stderr what happens. Returns false if a signal asked to stop: the
/// jobs go on.
Result<bool> trainOnSlurm(const std::shared_ptr<Workspace>& workspace, const SlurmArguments& arguments,
                          const std::vector<std::string>& runs,
                          std::function<Result<std::vector<std::string>>()> unneeded = {});

}  // namespace batchwise::cli
