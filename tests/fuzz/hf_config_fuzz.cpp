// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as config.json of a Hugging Face folder. What is accepted is written and read back.
#include <cstdlib>
#include <string_view>

#include "core/model/hugging_face/hugging_face.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace batchwise;
  const auto config = parseFolderConfig(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config.ok()) return 0;
  const auto again = parseFolderConfig(huggingFaceConfig(config->shape, {}));
  if (!again.ok() || !(again->shape == config->shape)) std::abort();
  return 0;
}
