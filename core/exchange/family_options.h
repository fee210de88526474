// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "core/config/choices.h"

namespace batchwise {

/// Returns whether a setting ("model.rope_theta") has a meaning in the family; true for those of all families.
bool familyHasOption(ModelFamily family, std::string_view field);

}  // namespace batchwise
