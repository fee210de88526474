// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace batchwise {

/// A published size of BERT; the feed-forward width is 4 x hiddenSize.
struct ModelPreset {
  const char* name;
  std::int64_t layers, hiddenSize, heads;
};

/// Returns the preset of that name; null if unknown.
const ModelPreset* findModelPreset(const std::string& name);
const std::vector<std::string>& modelPresetNames();

}  // namespace batchwise
