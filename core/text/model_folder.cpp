// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/model_folder.h"

#include "core/base/file.h"
#include "core/base/json.h"

namespace batchwise {

ModelFolder modelFolder(const std::filesystem::path& folder) {
  constexpr JsonLimits kLimits{.bytes = 1U << 20};
  ModelFolder found{folder, {}};
  const auto text = readFile(folder / "modules.json", kLimits.bytes);
  const auto modules = text.ok() ? parseJsonOrDiscarded(*text, kLimits) : nlohmann::json();
  if (!modules.is_array()) return found;
  const auto field = [](const nlohmann::json& module, const char* name) {
    const bool given = module.is_object() && module.contains(name) && module[name].is_string();
    return given ? module[name].get<std::string>() : std::string();
  };
  for (const auto& module : modules) {
    const std::string type = field(module, "type"), place = field(module, "path");
    if (&module != &modules.front())
      found.modules.push_back(type.substr(type.rfind('.') + 1));
    else if (!place.starts_with('.') && place.find('/') == std::string::npos)
      found.transformer = place.empty() ? folder : folder / place;
  }
  return found;
}

}  // namespace batchwise
