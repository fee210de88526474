// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/process_setup.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace batchwise {

void openMissingStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor: `stream`. The opposite direction makes any use of it fail.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
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

}  // namespace batchwise
