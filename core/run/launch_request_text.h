// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/run/trainer.h"

namespace batchwise {

/// Serializes a request as JSON for another process: workspace, configuration text with its base folder, and what to
/// resume. Makes relative paths absolute.
std::string requestToText(const LaunchRequest& request);

/// Parses a request and its configuration. Fails with Corrupt if the text is not a request; errors of the configuration
/// are in its own list.
Result<LaunchRequest> requestFromText(const std::string& text);

}  // namespace batchwise
