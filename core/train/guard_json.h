// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/guard/guard_state.h"

namespace batchwise {

/// The state of the guards; preserves all bits of doubles.
nlohmann::json guardStateToJson(const GuardState& state);
/// Fails with Corrupt.
Result<GuardState> guardStateFromJson(const nlohmann::json& object);

}  // namespace batchwise
