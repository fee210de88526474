// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <random>

#include "core/config/train_config.h"

namespace batchwise::test {

/// A configuration with every field drawn at random within its type; texts hold characters that YAML treats specially.
TrainConfig randomConfig(std::mt19937_64& random);

}  // namespace batchwise::test
