// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/prepare_with_progress.h"

#include <memory>

#include "app/cli/event_display.h"
#include "app/cli/stop_signals.h"
#include "core/base/return_if_error.h"
#include "core/run/launch/launch_data.h"
#include "core/store/workspace.h"

namespace batchwise::cli {

Result<PreparedData> prepareWithProgress(const LoadedConfig& config, const Globals& globals, int descriptor) {
  CommandMailbox commands;
  const StopSignals signals([&commands](int) { commands.post(RunCommand::Abort); });
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  const SystemClock clock;
  NullSink silence;
  std::unique_ptr<EventDisplay> display;
  if (!globals.json) display = std::make_unique<EventDisplay>(displayModeFor(false, descriptor), descriptor, clock);
  EventSink& sink = display ? static_cast<EventSink&>(*display) : silence;
  return prepareLaunchData(config, workspace->cacheFolder(), sink, commands);
}

}  // namespace batchwise::cli
