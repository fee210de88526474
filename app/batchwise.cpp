// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/process_setup.h"
#include "core/run/own_program.h"

int main(int argc, char** argv) {
  batchwise::openMissingStandardStreams();
  batchwise::ignoreFileSizeSignal();
  batchwise::restartWithPassiveThreads(argv);
  batchwise::setGpuEnvironment();
  batchwise::cli::escapeStandardStreams();
  return batchwise::cli::runCommandLine(argc, argv);
}
