// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/model_presets.h"

#include <map>

namespace batchwise {
namespace {

using Presets = std::map<ModelPreset, PresetSizes>;

const Presets kBert = {{ModelPreset::Tiny, {2, 128, 2, 2, 512}},
                       {ModelPreset::Mini, {4, 256, 4, 4, 1024}},
                       {ModelPreset::Small, {4, 512, 8, 8, 2048}},
                       {ModelPreset::Base, {12, 768, 12, 12, 3072}},
                       {ModelPreset::Large, {24, 1024, 16, 16, 4096}}};

// The last layer has global attention: layers = 1 + a multiple of 3.
const Presets kModernBert = {{ModelPreset::Tiny, {4, 128, 2, 2, 192}},
                             {ModelPreset::Mini, {7, 256, 4, 4, 384}},
                             {ModelPreset::Small, {10, 384, 6, 6, 576}},
                             {ModelPreset::Base, {22, 768, 12, 12, 1152}},
                             {ModelPreset::Large, {28, 1024, 16, 16, 2624}}};

const Presets kEuroBert = {
    {ModelPreset::Tiny, {2, 128, 2, 2, 512}},         {ModelPreset::Mini, {4, 256, 4, 4, 1024}},
    {ModelPreset::Small, {4, 512, 8, 8, 2048}},       {ModelPreset::Base, {12, 768, 12, 12, 3072}},
    {ModelPreset::Large, {26, 1152, 18, 6, 4096}},    {ModelPreset::Euro210M, {12, 768, 12, 12, 3072}},
    {ModelPreset::Euro610M, {26, 1152, 18, 6, 4096}}, {ModelPreset::Euro2B, {32, 2304, 18, 6, 6144}}};

// SwiGLU of two thirds of 4 x width, as a multiple of 8.
const Presets kNeoBert = {{ModelPreset::Tiny, {2, 128, 2, 2, 344}},
                          {ModelPreset::Mini, {4, 256, 4, 4, 688}},
                          {ModelPreset::Small, {4, 512, 8, 8, 1368}},
                          {ModelPreset::Base, {28, 768, 12, 12, 2048}}};

const Presets& presetsOf(ModelFamily family) {
  switch (family) {
    case ModelFamily::Bert:
    case ModelFamily::Roberta:
    case ModelFamily::XlmRoberta: break;
    case ModelFamily::ModernBert: return kModernBert;
    case ModelFamily::EuroBert: return kEuroBert;
    case ModelFamily::NeoBert: return kNeoBert;
  }
  return kBert;
}

}  // namespace

std::optional<PresetSizes> sizesOf(ModelFamily family, ModelPreset preset) {
  const Presets& presets = presetsOf(family);
  const auto found = presets.find(preset);
  return found == presets.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> presetNames(ModelFamily family) {
  std::vector<std::string> names;
  for (const auto& [preset, sizes] : presetsOf(family)) names.emplace_back(choiceName(preset));
  return names;
}

}  // namespace batchwise
