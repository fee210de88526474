// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as a safetensors file, and as the JSON header of one.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/model/hugging_face/safetensors.h"

namespace {

/// What was accepted lies inside the file.
void parse(std::span<const std::byte> file) {
  const auto header = batchwise::parseSafetensors(file);
  if (!header.ok()) return;
  std::int64_t bytes = header->dataStart;
  for (const batchwise::TensorInfo& tensor : header->tensors) {
    if (header->dataStart + tensor.firstByte != bytes) std::abort();
    bytes += tensor.bytes;
  }
  if (bytes != static_cast<std::int64_t>(file.size())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  parse(bytes);
  std::vector<std::byte> framed(sizeof(std::uint64_t));
  const std::uint64_t length = size;
  std::memcpy(framed.data(), &length, sizeof length);
  framed.insert(framed.end(), bytes.begin(), bytes.end());
  framed.resize(framed.size() + 8);
  parse(framed);
  return 0;
}
