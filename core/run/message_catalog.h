// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchwise {

/// Returns the English template of core's message `id`; null if this version has none, as for a message that another
/// version stored. Thread-safe.
const char* catalogTemplate(const std::string& id);

}  // namespace batchwise
