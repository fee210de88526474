// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/start_folder.h"

#include "core/base/file.h"
#include "core/config/run_stages.h"

namespace batchwise {

StartFolder startFolder(const LoadedConfig& config) {
  const ModelConfig& model = config.config.model;
  // An absolute path replaces the base folder.
  if (!model.initFrom.empty()) return {config.baseFolder / expandedHome(model.initFrom), "model.init_from", false};
  if (!model.tileFrom.empty()) return {config.baseFolder / expandedHome(model.tileFrom), "model.tile_from", true};
  return {};
}

Result<ModelShape> resolveFromFolder(const LoadedConfig& config, const ModelShape& folder, std::int64_t tokens) {
  const std::int64_t longest = longestSequence(config.config);
  return startFolder(config).tiles ? resolveTiledShape(config.config.model, folder, tokens, longest)
                                   : resolveModelShape(config.config.model, folder, tokens, longest);
}

}  // namespace batchwise
