// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/escaped_streams.h"
#include "core/base/standard_streams.h"
#include "core/run/controllers/passive_threads.h"

int main(int argc, char** argv) {
  batchwise::openMissingStandardStreams();
  batchwise::ignoreFileSizeSignal();
  batchwise::restartWithPassiveThreads(argv);
  batchwise::cli::escapeStandardStreams();
  return batchwise::cli::runCommandLine(argc, argv);
}
