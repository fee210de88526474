// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/run_controller.h"

namespace batchwise {

/// As makeChildRunController(events), with a given program: its path, then arguments. The program reads the request
/// (launch_request_text.h) from stdin, writes events as JSON lines to stdout, and takes commands by command_channel.h.
std::unique_ptr<RunController> makeChildRunController(EventSink& events, std::vector<std::string> program);

}  // namespace batchwise
