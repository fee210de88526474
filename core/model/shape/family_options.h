// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "core/config/train_config.h"

namespace batchwise {

/// Returns whether a setting ("model.rope_theta") has a meaning in the family; true for those of all families.
bool familyHasOption(ModelFamily family, std::string_view field);

/// Returns whether a setting has the value that the family fixes: it may stay although the family has no such option.
bool isFixedByFamily(const ModelConfig& config, ModelFamily family, std::string_view field);

}  // namespace batchwise
