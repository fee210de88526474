// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "ui/models/config_draft.h"

namespace batchwise {

/// A draft as JSON, to be kept beyond the program, with what could not be read and what it began from.
std::string draftToText(const DraftState& state);

/// Reads it back. Fails with Corrupt if the text is none, or of a version that is not known.
Result<DraftState> draftFromText(const std::string& text);

}  // namespace batchwise
