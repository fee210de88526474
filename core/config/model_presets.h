// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace batchwise {

/// A published size of BERT; the feed-forward part is 4 x as wide.
struct ModelPreset {
  const char* name;
  std::int64_t layers, hiddenSize, heads;
};

/// The preset of that name; null for an unknown one.
const ModelPreset* findModelPreset(const std::string& name);
/// Every name that `model.preset` takes.
const std::vector<std::string>& modelPresetNames();

}  // namespace batchwise
