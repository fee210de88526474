// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/choices.h"

namespace batchwise {

/// Sizes of a named model; widths in features.
struct PresetSizes {
  std::int64_t layers, hiddenSize, heads, keyValueHeads, intermediateSize;
  bool operator==(const PresetSizes&) const = default;
};

/// Returns the sizes of a preset in a family; empty if the family has none of this name. Sources: Turc et al. 2019
/// (BERT below base), Devlin et al. 2019, Warner et al. 2024 (ModernBERT), Boizard et al. 2025 (EuroBERT), Le Breton et
/// al. 2025 (NeoBERT); the other sizes below base are for trying out.
std::optional<PresetSizes> sizesOf(ModelFamily family, ModelPreset preset);
/// Returns the names of the presets of a family.
std::vector<std::string> presetNames(ModelFamily family);

}  // namespace batchwise
