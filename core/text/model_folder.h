// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace batchwise {

/// Where the files of a model lie. A folder of sentence-transformers has a modules.json that names the folder of the
/// Transformer ("", "0_Transformer") and the modules behind it.
struct ModelFolder {
  std::filesystem::path transformer;  ///< with config.json, weights and tokenizer
  std::vector<std::string> modules;   ///< behind the Transformer: "Pooling", "Normalize"
};

/// Returns a plain folder as it is. Opens no file but modules.json, and follows it into `folder` only.
ModelFolder modelFolder(const std::filesystem::path& folder);

}  // namespace batchwise
