// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/exchange/model_shape.h"

namespace batchwise {

/// The folder whose weights a new model starts from.
struct StartFolder {
  std::filesystem::path path;  ///< empty: none, the weights are fresh
  const char* field = "";      ///< that names it
  bool tiles = false;          ///< the weights are tiled to a larger model
};

/// Returns the folder of model.init_from or model.tile_from.
StartFolder startFolder(const LoadedConfig& config);

/// Resolves the shape of the model that starts from this folder, `folder` being the shape in its config.json and
/// `tokens` the size of the tokenizer. Fails as resolveModelShape().
Result<ModelShape> resolveFromFolder(const LoadedConfig& config, const ModelShape& folder, std::int64_t tokens);

}  // namespace batchwise
