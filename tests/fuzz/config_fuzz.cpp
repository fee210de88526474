// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as a configuration of ours and as one of another trainer. What is accepted is written and read back.
#include <cstdlib>
#include <string>

#include "core/config/config_file.h"
#include "core/config/import/config_import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace batchwise;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const LoadedConfig config = parseConfig(text, "fuzz", {});
  if (config.ok()) {
    const LoadedConfig again = parseConfig(configToYaml(config.config, YamlScope::Everything), "again", {});
    if (!again.ok()) std::abort();
  }
  (void)importConfig(text, "fuzz");
  return 0;
}
