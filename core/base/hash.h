// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace batchwise {

/// 128 bits of XXH3, for finding changes and damage; not against an attacker.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
  /// 32 lower-case hexadecimal digits.
  std::string hex() const;
};

Hash128 hash128(std::span<const std::byte> bytes);
Hash128 hash128(std::string_view bytes);

/// The hash of bytes that come piece by piece. One thread at a time.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes);
  Hash128 digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// CRC-32C (Castagnoli, reflected, as in RFC 3720 appendix B.4), continuing from `crc` of the bytes before.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace batchwise
