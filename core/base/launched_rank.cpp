// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/launched_rank.h"

#include <cstdlib>
#include <string_view>

#include "core/base/text.h"

namespace batchwise {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* localRank;
  const char* step;  // variable that only this launcher sets; null: `rank` is one
};

// torchrun comes first, since its children also see srun's variables if srun started it. A Slurm batch script has
// SLURM_PROCID too, but does not belong to an srun step.
constexpr Launcher kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_ID"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR"},
};

constexpr std::int64_t kFirstReservedStepId = 4294967280;  // reserved by Slurm from here on, e.g. for batch scripts

std::optional<std::int64_t> numberIn(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text == nullptr ? std::nullopt : numberFrom<std::int64_t>(text);
}

bool startedBy(const Launcher& launcher, const Environment& environment) {
  if (launcher.step == nullptr) return true;
  if (environment(launcher.step) == nullptr) return false;
  const auto step = numberIn(environment, launcher.step);
  return !step || *step < kFirstReservedStepId;
}

}  // namespace

std::optional<LaunchedRank> launchedRank(const Environment& environment) {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = numberIn(environment, launcher.rank);
    const auto size = numberIn(environment, launcher.size);
    if (!rank || !size || !startedBy(launcher, environment)) continue;
    if (*size < 2) return std::nullopt;
    return LaunchedRank{launcher.name, *rank, *size, numberIn(environment, launcher.localRank).value_or(0)};
  }
  return std::nullopt;
}

Environment processEnvironment() {
  return [](const char* name) { return std::getenv(name); };
}

std::optional<LaunchedRank> launchedRank() {
  return launchedRank(processEnvironment());
}

}  // namespace batchwise
