// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/random.h"

namespace batchwise {

/// A word as a place in a text.
struct WordSpan {
  std::uint32_t begin, end;
};

/// Direct-mapped cache of the ids of words; a new word replaces the old one of its slot. Holds only shorter words of
/// fewer ids than LongWordCache, and takes one word at a time. 2.5 MiB. Not thread-safe.
class ShortWordCache {
 public:
  static constexpr std::size_t kMaxBytes = 15;
  static constexpr std::size_t kMaxIds = 5;

  ShortWordCache() : slots_(std::size_t{1} << kBits) {}

  /// Appends the ids of `word`; make(word, ids) appends those of a word that is not known.
  template <typename Make>
  void append(std::string_view word, std::vector<std::int32_t>& ids, const Make& make) {
    if (word.size() > kMaxBytes) {
      make(word, ids);
      return;
    }
    const Key key = keyOf(word);
    Slot& slot = slots_[mix64(key[0] ^ mix64(key[1])) >> (64 - kBits)];
    if (slot.key != key) {
      const std::size_t before = ids.size();
      make(word, ids);
      const std::size_t count = ids.size() - before;
      if (count > kMaxIds) return;
      slot.key = key;
      slot.count = static_cast<std::int32_t>(count);
      std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(before), count, slot.ids.begin());
      return;
    }
    ids.insert(ids.end(), slot.ids.begin(), slot.ids.begin() + slot.count);
  }

 private:
  static constexpr int kBits = 16;
  using Key = std::array<std::uint64_t, 2>;  // the word's bytes, zero-padded, its length in the last byte; 0: empty
  struct Slot {
    Key key{};
    std::array<std::int32_t, kMaxIds> ids{};
    std::int32_t count = 0;
  };

  static Key keyOf(std::string_view word) {
    std::array<char, 16> bytes{};
    std::memcpy(bytes.data(), word.data(), word.size());
    bytes[15] = static_cast<char>(word.size());
    Key key;
    std::memcpy(key.data(), bytes.data(), sizeof key);
    return key;
  }

  std::vector<Slot> slots_;
};

/// Direct-mapped cache of the ids of words; a new word replaces the old one of its slot. Holds only short words of few
/// ids, so that a slot is one cache line. 8 MiB. Not thread-safe.
class LongWordCache {
 public:
  static constexpr std::size_t kMaxBytes = 31;
  static constexpr std::size_t kMaxIds = 7;

  LongWordCache() : slots_(std::make_unique<Slot[]>(std::size_t{1} << kBits)) {}

  /// Appends the ids of `words`, places in `text`; make(word, ids) appends those of a word that is not known. `make`
  /// may use this cache.
  template <typename Make>
  void append(std::string_view text, std::span<const WordSpan> words, std::vector<std::int32_t>& ids,
              const Make& make) {
    std::array<Request, kGroup> requests;
    std::array<std::int32_t, kGroup * kMaxIds> found;  // ids that are not appended yet
    while (!words.empty()) {
      // All slots of a group are on their way from memory before the first one is read.
      const std::size_t group = std::min(kGroup, words.size());
      for (std::size_t i = 0; i < group; ++i) request(text, words[i], requests[i]);
      std::size_t count = 0;
      for (std::size_t i = 0; i < group; ++i) {
        if (const Slot* slot = requests[i].slot; slot != nullptr && isEqual(slot->key, requests[i].key)) {
          std::memcpy(found.data() + count, slot->ids.data(), sizeof slot->ids);
          count += static_cast<std::size_t>(slot->count);
          continue;
        }
        ids.insert(ids.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
        count = 0;
        const std::size_t before = ids.size();
        make(text.substr(words[i].begin, words[i].end - words[i].begin), ids);
        if (requests[i].slot != nullptr) store(requests[i], std::span<const std::int32_t>(ids).subspan(before));
      }
      ids.insert(ids.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
      words = words.subspan(group);
    }
  }

 private:
  static constexpr int kBits = 17;
  static constexpr std::size_t kGroup = 16;
  using Key =
      std::array<std::uint64_t, 4>;  // the bytes of the word, zeros, and in the last byte its length: never zero
  struct alignas(64) Slot {
    Key key{};
    std::array<std::int32_t, kMaxIds> ids{};
    std::int32_t count = 0;
  };
  struct Request {
    Key key;
    Slot* slot;  // null: the word is too long
  };

  static bool isEqual(const Key& a, const Key& b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
  }

  void request(std::string_view text, WordSpan word, Request& made) {
    const std::size_t size = word.end - word.begin;
    made.slot = nullptr;
    if (size > kMaxBytes || size == 0) return;
    Key key{};
    if (text.size() - word.begin >= sizeof key) {  // a copy of known size, of which what is behind the word is cleared
      std::memcpy(key.data(), text.data() + word.begin, sizeof key);
      for (std::size_t i = 0; i < key.size(); ++i) key[i] &= kMasks[size][i];
    } else {
      std::memcpy(key.data(), text.data() + word.begin, size);
    }
    key[3] |= std::uint64_t{size} << 56;
    made.key = key;
    const std::uint64_t hash = mix64(key[0] ^ mix64(key[1] ^ key[2] * 0x9E3779B97F4A7C15ull ^ key[3]));
    made.slot = &slots_[hash >> (64 - kBits)];
    __builtin_prefetch(made.slot);
  }

  static void store(const Request& request, std::span<const std::int32_t> ids) {
    if (ids.size() > kMaxIds) return;
    request.slot->key = request.key;
    request.slot->count = static_cast<std::int32_t>(ids.size());
    std::copy(ids.begin(), ids.end(), request.slot->ids.begin());
  }

  /// By the length of a word: its bytes in a key of little-endian words.
  static constexpr std::array<Key, kMaxBytes + 1> kMasks = [] {
    std::array<Key, kMaxBytes + 1> masks{};
    for (std::size_t size = 0; size < masks.size(); ++size)
      for (std::size_t byte = 0; byte < size; ++byte) masks[size][byte / 8] |= std::uint64_t{0xFF} << byte % 8 * 8;
    return masks;
  }();

  std::unique_ptr<Slot[]> slots_;
};

}  // namespace batchwise
