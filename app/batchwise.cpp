// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

int main(int argc, char** argv) {
  return batchwise::cli::runCommandLine(argc, argv);
}
