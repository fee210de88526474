// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

// What a program sets up before anything else.

namespace batchwise {

/// Opens /dev/null in place of a closed stdin, stdout or stderr, so that the next opened file, perhaps a database, does
/// not receive their data. Reads and writes on it fail. Call first in main().
void openMissingStandardStreams();

/// Makes a write beyond the file size limit (ulimit -f) fail with EFBIG, reported as a full disk, instead of killing
/// the process. Inherited by child processes.
void ignoreFileSizeSignal();

/// Sets the environment variables that the libraries of a GPU read when they start. cuBLAS and NCCL are told to repeat
/// themselves bit for bit. c10d's group of NCCL ranks is told that a failed operation ends the group, not the process;
/// only guard.hang judges what hangs. Values that a user has set stay, except those with which LibTorch refuses to call
/// cuBLAS. Call in main(), before threads start that may read the environment.
void setGpuEnvironment();

/// Returns the folder of the program or library that this code is linked into; empty if the system does not tell.
std::filesystem::path ownFolder();

/// Sets the C locale for numbers and system messages: file formats and displayed numbers rely on it. Call after
/// creating Qt's application object, which sets the locale of the environment for the process, and before starting
/// threads.
void useCLocale();

/// Blocks the signals of the calling thread while it exists, faults of the program excepted. A thread that is started
/// meanwhile takes none in its whole life: Ctrl-C stays with the thread that waits for it, and does not end the
/// process.
class ScopedSignalBlock {
 public:
  ScopedSignalBlock() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~ScopedSignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScopedSignalBlock(const ScopedSignalBlock&) = delete;
  ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

 private:
  sigset_t before_{};
};

/// This process's rank among the processes that a launcher started for one run, one per device.
struct LaunchedRank {
  std::string launcher;   ///< "mpirun", "srun", "torchrun"
  std::int64_t rank = 0;  ///< 0 <= rank < size, unless the variables contradict each other
  std::int64_t size = 1;
  std::int64_t localRank = 0;  ///< rank among the processes on this host
  bool operator==(const LaunchedRank&) const = default;
};

using Environment = std::function<const char*(const char* name)>;
Environment processEnvironment();

/// Detects the rank from the environment set by torchrun, Open MPI's mpirun or Slurm's srun. Returns nothing for a
/// process that was started on its own or is the only one of its launch, such as a Slurm batch script.
std::optional<LaunchedRank> launchedRank(const Environment& environment);
std::optional<LaunchedRank> launchedRank();

}  // namespace batchwise
