// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <memory>
#include <set>

#include "core/base/hash.h"
#include "core/base/integer_math.h"
#include "core/base/random.h"
#include "core/base/result.h"

namespace batchwise {
namespace {

TEST(ResultTest, HoldsAMoveOnlyValueOrAnError) {
  Result<std::unique_ptr<int>> good = std::make_unique<int>(3);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*std::move(good).value(), 3);
  const Result<std::unique_ptr<int>> bad = Error::notFound("no such thing");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::NotFound);
  EXPECT_TRUE(Result<void>{}.ok());
}

TEST(ErrorTest, ContextIsBuiltFromOutsideIn) {
  const Error inner = Error::config("the value '5' is not usable");
  EXPECT_EQ(inner.within("line 3").within("config.yaml").text(), "config.yaml: line 3: the value '5' is not usable");
}

TEST(ErrorTest, ErrnoBecomesTheRightCode) {
  EXPECT_EQ(Error::fromErrno(ENOSPC, "cannot write '{}'", "a").code, ErrorCode::DiskFull);
  EXPECT_EQ(Error::fromErrno(ENOENT, "cannot read '{}'", "a").code, ErrorCode::NotFound);
  EXPECT_EQ(Error::fromErrno(EACCES, "cannot read '{}'", "a").code, ErrorCode::Io);
}

TEST(IntegerMathTest, PartsAreAsFewAndAsEvenAsCanBe) {
  EXPECT_EQ(evenPart(9830, 8793), 4915);  // not 8,793 and 1,037
  EXPECT_EQ(evenPart(8793, 8793), 8793);
  EXPECT_EQ(evenPart(0, 8793), 0);
  EXPECT_EQ(evenPart(5, 1), 1);
  for (const std::int64_t total : {1, 2, 7, 64, 100, 101}) {
    for (std::int64_t most = 1; most <= total + 1; ++most) {
      const std::int64_t part = evenPart(total, most), count = ceilDiv(total, most);
      EXPECT_LE(part, most);
      EXPECT_EQ(ceilDiv(total, part), count) << total << " in parts of " << most;
      EXPECT_LT(part * count - total, count) << total << " in parts of " << most;
    }
  }
}

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

TEST(RandomTest, MixIsTheFinaliserOfSplitMix64) {
  EXPECT_EQ(mix64(0), 0xE220A8397B1DCDAFULL);  // first output of SplitMix64 with seed 0
}

TEST(RandomTest, NeighboringKeysAndIndicesGiveDifferentBits) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t key = 0; key < 100; ++key)
    for (std::uint64_t index = 0; index < 100; ++index) seen.insert(randomBits(subKey(17, key), index));
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(RandomTest, BoundedNumbersFillTheRangeEvenly) {
  std::array<int, 7> counts{};
  for (std::uint64_t index = 0; index < 70'000; ++index) ++counts[boundedRandom(randomBits(3, index), 7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(RandomTest, UnitNumbersStayBelowOneWithMeanOneHalf) {
  EXPECT_LT(unitRandom(~0ULL), 1.0);
  double sum = 0;
  for (std::uint64_t index = 0; index < 10'000; ++index) sum += unitRandom(randomBits(5, index));
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

}  // namespace
}  // namespace batchwise
