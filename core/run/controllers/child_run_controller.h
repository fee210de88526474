// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/run_controller.h"

namespace batchwise {

/// As makeChildRunController(events), with a program that the caller chooses: its path, then arguments. It reads the
/// request (see launch_request_text.h) from stdin, writes events as lines to stdout, and takes commands by
/// command_channel.h.
std::unique_ptr<RunController> makeChildRunController(EventSink& events, std::vector<std::string> program);

}  // namespace batchwise
