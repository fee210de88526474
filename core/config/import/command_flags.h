// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/import/external_document.h"

namespace batchwise::config {

/// Returns the flags of the command of a script that has the most: "--name value", "--name=value", or "--name" alone as
/// "true"; a "-" within a name becomes "_". A shell variable, known only when the script runs, becomes the problem of
/// its flag.
std::vector<ExternalValue> commandFlags(const std::string& text);

}  // namespace batchwise::config
