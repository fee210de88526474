// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/run/trainer.h"

namespace batchwise {

/// A request as JSON, to hand it to another process: workspace, configuration as typed with its base folder, and what
/// to resume. Paths that are relative are made absolute.
std::string requestToText(const LaunchRequest& request);

/// Reads it back and the configuration with it. Fails with Corrupt if the text is no request; errors of the
/// configuration are in its own list.
Result<LaunchRequest> requestFromText(const std::string& text);

}  // namespace batchwise
