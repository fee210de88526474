// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/model_presets.h"

#include <array>

namespace batchwise {
namespace {

// Source: Turc et al. 2019 (the smaller models), Devlin et al. 2019 (base, large).
constexpr std::array<ModelPreset, 5> kPresets = {
    {{"tiny", 2, 128, 2}, {"mini", 4, 256, 4}, {"small", 4, 512, 8}, {"base", 12, 768, 12}, {"large", 24, 1024, 16}}};

}  // namespace

const ModelPreset* findModelPreset(const std::string& name) {
  for (const ModelPreset& preset : kPresets)
    if (name == preset.name) return &preset;
  return nullptr;
}

const std::vector<std::string>& modelPresetNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const ModelPreset& preset : kPresets) names.emplace_back(preset.name);
    return names;
  }();
  return kNames;
}

}  // namespace batchwise
