// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "ui/models/config_draft.h"

namespace batchwise {

/// Serializes a draft to JSON, including invalid input and the configuration it was loaded from.
std::string draftToJson(const DraftState& state);

/// Inverse of draftToJson(). Fails with Corrupt if `text` is not a draft of a known version.
Result<DraftState> draftFromJson(const std::string& text);

}  // namespace batchwise
