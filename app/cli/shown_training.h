// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "core/run/run_controller.h"
#include "core/run/trainer.h"

namespace batchwise::cli {

/// What is said to the first and the second signal.
struct StopWords {
  const char *first, *second;
};

/// Starts a run whose events `controller` gives to `display`, and waits for its end, obeying signals: the first asks
/// for a checkpoint and a stop, the second for a stop; after that nobody is waited for who does not read what was said:
/// the process ends. `follows`: another process obeys them. Fails if the run could not start.
Result<RunFinished> awaitShown(LaunchRequest request, EventDisplay& display, RunController& controller,
                               const StopWords& words, bool follows = false);

/// Trains with the display, obeying signals: the first asks for a checkpoint and a stop, the second for a stop. `begun`
/// is told the id of the run once it exists, from the thread that trains. Fails if the run could not start.
Result<RunFinished> trainToEnd(LaunchRequest request, const Globals& globals,
                               std::function<void(const std::string& run)> begun = {});

/// The same, as a command: says what went wrong, returns the exit code.
int trainShown(LaunchRequest request, const Globals& globals);

int exitCodeOf(const RunFinished& finished);

/// This is one of several processes of a run, and not the one that decides: it takes everything from rank 0, and a
/// request of its own means nothing.
bool followsAnotherRank();

}  // namespace batchwise::cli
