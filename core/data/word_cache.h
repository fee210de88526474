// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/random.h"

namespace batchwise {

/// Direct-mapped cache of the ids of words; a new word replaces the old one of its slot. Holds only short words of few
/// ids, so that a slot is one cache line. 8 MiB, zero pages until used. Not thread-safe.
class LongWordCache {
 public:
  static constexpr std::size_t kMaxBytes = 31;
  static constexpr std::size_t kMaxIds = 7;

  LongWordCache() : slots_(std::make_unique<Slot[]>(std::size_t{1} << kBits)) {}

  /// Appends the ids of `word`, which make(word, ids) appends if they are not known.
  template <typename Make>
  void append(std::string_view word, std::vector<std::int32_t>& ids, const Make& make) {
    if (word.size() > kMaxBytes || word.empty()) return make(word, ids);
    std::array<std::uint64_t, 4> key{};
    std::memcpy(key.data(), word.data(), word.size());
    key[3] |= std::uint64_t{word.size()} << 56;  // the last byte: its length, so that no key is zero
    Slot& slot = slots_[mix64(key[0] ^ mix64(key[1] ^ key[2] * 0x9E3779B97F4A7C15ull ^ key[3])) >> (64 - kBits)];
    if (((slot.key[0] ^ key[0]) | (slot.key[1] ^ key[1]) | (slot.key[2] ^ key[2]) | (slot.key[3] ^ key[3])) == 0) {
      const std::size_t before = ids.size();
      ids.resize(before + kMaxIds);
      std::memcpy(ids.data() + before, slot.ids.data(), sizeof slot.ids);
      ids.resize(before + static_cast<std::size_t>(slot.count));
      return;
    }
    const std::size_t before = ids.size();
    make(word, ids);
    const std::size_t count = ids.size() - before;
    if (count > kMaxIds) return;
    slot.key = key;
    slot.count = static_cast<std::int32_t>(count);
    std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(before), count, slot.ids.begin());
  }

 private:
  static constexpr int kBits = 17;
  struct alignas(64) Slot {
    std::array<std::uint64_t, 4> key{};
    std::array<std::int32_t, kMaxIds> ids{};
    std::int32_t count = 0;
  };
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace batchwise
