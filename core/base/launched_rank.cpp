// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/launched_rank.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace batchwise {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* localRank;
  const char* step;  // set by this launcher alone; null: `rank` is
};

// torchrun comes first: where srun started it, its children see both. A batch script of Slurm has SLURM_PROCID too, but
// belongs to no step that srun began.
constexpr Launcher kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_ID"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR"},
};

constexpr std::int64_t kFirstStepOfItsOwn = 4294967280;  // Slurm's ids of the batch script and the like

std::optional<std::int64_t> numberIn(const Environment& environment, const char* name) {
  const char* text = environment(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view all(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  if (error != std::errc() || end != all.data() + all.size()) return std::nullopt;
  return value;
}

bool startedBy(const Launcher& launcher, const Environment& environment) {
  if (launcher.step == nullptr) return true;
  if (environment(launcher.step) == nullptr) return false;
  const auto step = numberIn(environment, launcher.step);
  return !step || *step < kFirstStepOfItsOwn;
}

}  // namespace

std::optional<LaunchedRank> launchedRank(const Environment& environment) {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = numberIn(environment, launcher.rank);
    const auto size = numberIn(environment, launcher.size);
    if (!rank || !size || !startedBy(launcher, environment)) continue;
    if (*size < 2 || *rank < 0 || *rank >= *size) return std::nullopt;
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
