// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/process_setup.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <initializer_list>

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

void setNcclErrorHandling() {
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
