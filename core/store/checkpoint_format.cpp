// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoint_format.h"

#include <nlohmann/json.hpp>

namespace batchwise {

HashBytes bytesOf(const Hash128& hash) {
  HashBytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(hash.high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<std::byte>(hash.low >> (56 - 8 * i));
  }
  return bytes;
}

Hash128 chunkHash(std::int64_t number, std::span<const std::byte> data) {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span{&number, 1}));
  hasher.update(data);
  return hasher.digest();
}

std::string shapeText(const std::vector<std::int64_t>& shape) { return nlohmann::json(shape).dump(); }

std::optional<std::vector<std::int64_t>> shapeFromText(const std::string& text) {
  const auto array = nlohmann::json::parse(text, nullptr, false);
  if (!array.is_array() || array.size() > kMaxDimensions) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const auto& size : array) {
    if (!size.is_number_integer() || size.get<std::int64_t>() < 0) return std::nullopt;
    shape.push_back(size.get<std::int64_t>());
  }
  return shape;
}

std::int64_t chunkCount(std::int64_t bytes) { return (bytes + kChunkBytes - 1) / kChunkBytes; }

}  // namespace batchwise
