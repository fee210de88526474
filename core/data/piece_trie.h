// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace batchwise {

/// Texts with values >= 0 as a trie over their bytes. Immutable and thread-safe.
class PieceTrie {
 public:
  /// Of two equal texts the later one counts; empty ones are left out. The texts are not needed afterwards.
  explicit PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> pieces);

  static constexpr std::uint32_t kRoot = 0;
  /// Returns the node behind `node` and `label`; kRoot if there is none.
  std::uint32_t child(std::uint32_t node, std::uint8_t label) const {
    const Node& parent = nodes_[node];
    if (parent.children > kFew) return tables_[parent.table][label];
    std::uint64_t labels = 0;
    std::memcpy(&labels, labels_.data() + parent.firstChild, sizeof labels);  // of the children, and others behind
    const std::uint64_t differing = labels ^ kOnes * label;
    const std::uint64_t equal = (differing - kOnes) & ~differing & kOnes << 7;  // up to the first equal byte
    const auto which = static_cast<std::uint32_t>(std::countr_zero(equal)) / 8;
    return which < parent.children ? parent.firstChild + which : kRoot;
  }
  /// Returns the value of the text that leads to `node`; -1 if it is only the beginning of others.
  std::int32_t value(std::uint32_t node) const { return nodes_[node].value; }

 private:
  static constexpr std::uint32_t kFew = 8;  // children that are found by their labels
  static constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  static_assert(std::endian::native == std::endian::little);
  struct Node {
    std::uint32_t firstChild = 0;  // the children of a node stand side by side
    std::uint32_t table = 0;
    std::uint32_t children = 0;
    std::int32_t value = -1;
  };

  std::vector<Node> nodes_;
  std::vector<std::uint8_t> labels_;                    // by node: the byte that leads to it
  std::vector<std::array<std::uint32_t, 256>> tables_;  // children by label, of nodes with more than a few
};

}  // namespace batchwise
