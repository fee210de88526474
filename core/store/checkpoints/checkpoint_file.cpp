// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_file.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace batchwise {
namespace {

/// A NaN or infinity has all exponent bits set. The inner loop has no early exit, so that it vectorizes.
template <typename Word>
bool allFinite(std::span<const std::byte> bytes, Word exponent) {
  constexpr std::size_t kBlock = 1024;
  std::array<Word, kBlock> block{};
  for (std::size_t at = 0; at < bytes.size(); at += sizeof block) {
    const std::size_t some = std::min(sizeof block, bytes.size() - at);
    if (some < sizeof block) block.fill(0);
    std::memcpy(block.data(), &bytes[at], some);
    Word bad = 0;
    for (std::size_t i = 0; i < kBlock; ++i) bad |= static_cast<Word>((block[i] & exponent) == exponent ? 1 : 0);
    if (bad != 0) return false;
  }
  return true;
}

}  // namespace

bool holdsFiniteNumbers(const std::string& type, std::span<const std::byte> bytes) {
  if (type == "fp32") return allFinite<std::uint32_t>(bytes, 0x7F80'0000);
  if (type == "fp64") return allFinite<std::uint64_t>(bytes, 0x7FF0'0000'0000'0000);
  if (type == "bf16") return allFinite<std::uint16_t>(bytes, 0x7F80);
  if (type == "fp16") return allFinite<std::uint16_t>(bytes, 0x7C00);
  return true;
}

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

std::string shapeText(const std::vector<std::int64_t>& shape) {
  return nlohmann::json(shape).dump();
}

std::optional<std::vector<std::int64_t>> shapeFromText(const std::string& text) {
  const auto array = parseJsonOrDiscarded(text, {.depth = 1, .bytes = 1000, .values = 100});
  if (!array.is_array() || array.size() > kMaxDimensions) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const auto& size : array) {
    if (!size.is_number_integer() || size.get<std::int64_t>() < 0) return std::nullopt;
    shape.push_back(size.get<std::int64_t>());
  }
  return shape;
}

std::int64_t chunkCount(std::int64_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes;
}

}  // namespace batchwise
