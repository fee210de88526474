// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline constexpr const char* kEmbeddingGradientKernel = "the embedding gradient kernel";

}  // namespace batchwise
