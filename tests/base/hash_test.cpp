// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

TEST(HashTest, PiecesGiveTheHashOfTheWhole) {
  Hasher hasher;
  hasher.update("batch");
  hasher.update(std::string_view{"wise"});
  EXPECT_EQ(hasher.digest(), hash128("batchwise"));
  EXPECT_NE(hash128("batchwise"), hash128("batchwisf"));
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");  // the published XXH3-128 of nothing
}

TEST(Crc32cTest, EqualsTheCheckValueOfRfc3720) {
  EXPECT_EQ(crc32c(bytesOf("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c(bytesOf("6789"), crc32c(bytesOf("12345"))), 0xE3069283U);
}

TEST(Crc32cTest, EqualsTheDefinitionAtEveryLengthAndPlace) {
  const std::string text = "the quick brown fox jumps over the lazy dog, 0123456789 times";
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t length = 0; from + length <= text.size(); ++length) {
      const auto part = bytesOf(std::string_view{text}.substr(from, length));
      std::uint32_t bitwise = ~0U;
      for (const std::byte byte : part) {
        bitwise ^= static_cast<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) bitwise = (bitwise >> 1) ^ ((bitwise & 1U) != 0 ? 0x82F63B78U : 0U);
      }
      ASSERT_EQ(crc32c(part), ~bitwise) << from << " " << length;
    }
  }
}

}  // namespace
}  // namespace batchwise
