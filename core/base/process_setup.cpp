// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/process_setup.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <string_view>

#include "core/base/text.h"

namespace batchwise {

void openMissingStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor: `stream`. The opposite direction makes any use of it fail.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::filesystem::path ownFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ownFolder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::filesystem::path file = info.dli_fname;
  if (!file.has_parent_path()) file = "/proc/self/exe";  // a program that was found by PATH has its bare name
  std::error_code failed;
  return std::filesystem::canonical(file, failed).parent_path();
}

void ignoreFileSizeSignal() {
  ::signal(SIGXFSZ, SIG_IGN);
}

void setGpuEnvironment() {
  // cuBLAS repeats itself with only two settings. On a GPU of compute capability 9.0 the first is LibTorch's own.
  const char* const given = ::getenv("CUBLAS_WORKSPACE_CONFIG");
  const std::string_view setting = given != nullptr ? given : "";
  if (setting != ":4096:8" && setting != ":16:8") ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  // Sums within the switches of NVLink (NVLS) take an order that differs from run to run. Rings and trees keep theirs.
  // ncclConfig_t has no such setting.
  ::setenv("NCCL_NVLS_ENABLE", "0", 0);
  // CleanUpOnly; the defaults of the others end a process that was suspended or lost its driver.
  ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "2", 0);
  ::setenv("TORCH_NCCL_ENABLE_MONITORING", "0", 0);
  ::setenv("TORCH_NCCL_RETHROW_CUDA_ERRORS", "0", 0);
}

void useCLocale() {
  std::setlocale(LC_NUMERIC, "C");
  std::setlocale(LC_MESSAGES, "C");
}

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
