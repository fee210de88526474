// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/safe_streams.h"
#include "core/base/standard_streams.h"
#include "core/run/controllers/passive_threads.h"

int main(int argc, char** argv) {
  batchwise::occupyStandardStreams();
  batchwise::ignoreFileSizeSignal();
  batchwise::restartWithPassiveThreads(argv);
  batchwise::cli::makeStandardStreamsSafe();
  return batchwise::cli::runCommandLine(argc, argv);
}
