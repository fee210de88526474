// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/piece_trie.h"

#include <algorithm>
#include <queue>

namespace batchwise {

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {
    std::uint32_t node;
    std::size_t first, last, depth;
  };
  nodes_.emplace_back();
  labels_.push_back(0);
  std::queue<Range> open({{kRoot, 0, pieces.size(), 0}});
  for (; !open.empty(); open.pop()) {  // breadth first
    auto [node, first, last, depth] = open.front();
    for (; first < last && pieces[first].first.size() == depth; ++first)
      if (depth > 0) nodes_[node].value = pieces[first].second;
    nodes_[node].firstChild = static_cast<std::uint32_t>(nodes_.size());
    while (first < last) {
      const char label = pieces[first].first[depth];
      std::size_t end = first;
      while (end < last && pieces[end].first[depth] == label) ++end;
      open.push({static_cast<std::uint32_t>(nodes_.size()), first, end, depth + 1});
      nodes_.emplace_back();
      labels_.push_back(static_cast<std::uint8_t>(label));
      ++nodes_[node].children;
      first = end;
    }
    Node& parent = nodes_[node];
    if (parent.children <= kFew) continue;
    parent.table = static_cast<std::uint32_t>(tables_.size());
    auto& table = tables_.emplace_back();
    table.fill(kRoot);
    for (std::uint32_t i = parent.firstChild; i < parent.firstChild + parent.children; ++i) table[labels_[i]] = i;
  }
  labels_.resize(labels_.size() + sizeof kOnes);  // child() reads eight of them
}

}  // namespace batchwise
