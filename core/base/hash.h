// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace batchwise {

/// A 128-bit XXH3 hash. Detects changes and damage; not cryptographic.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
  /// Returns 32 lower-case hexadecimal digits.
  std::string hex() const;
};

Hash128 hash128(std::span<const std::byte> bytes);
Hash128 hash128(std::string_view bytes);

/// Computes a hash incrementally. Not thread-safe.
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

/// CRC-32C (Castagnoli, reflected, as in RFC 3720 appendix B.4), continuing from `crc` of the preceding bytes.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace batchwise
