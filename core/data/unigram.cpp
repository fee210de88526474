// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/unigram.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "core/data/unicode.h"

namespace batchwise {
namespace {

constexpr double kUnknownPenalty = 10.0;  // of the reference, as of sentencepiece

}  // namespace

UnigramModel::UnigramModel(UnigramSpec spec) : unknown_(spec.unknown), byteTokens_(std::move(spec.byteTokens)) {
  std::map<std::string_view, std::int32_t> ids;  // of two equal pieces the later one counts
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t id = 0; id < spec.pieces.size(); ++id) {
    const auto& [text, score] = spec.pieces[id];
    least = std::min(least, score);
    scores_.push_back(score);
    if (!text.empty()) ids[text] = static_cast<std::int32_t>(id);
  }
  unknownScore_ = least - kUnknownPenalty;
  build({ids.begin(), ids.end()});
}

void UnigramModel::build(const std::vector<std::pair<std::string_view, std::int32_t>>& sorted) {
  struct Range {
    std::uint32_t node;
    std::size_t first, last, depth;
  };
  nodes_.emplace_back();
  labels_.push_back(0);
  std::vector<Range> open{{0, 0, sorted.size(), 0}};
  for (std::size_t next = 0; next < open.size(); ++next) {  // breadth first
    auto [node, first, last, depth] = open[next];
    if (first < last && sorted[first].first.size() == depth) nodes_[node].id = sorted[first++].second;
    nodes_[node].firstChild = static_cast<std::uint32_t>(nodes_.size());
    while (first < last) {
      const char label = sorted[first].first[depth];
      std::size_t end = first;
      while (end < last && sorted[end].first[depth] == label) ++end;
      open.push_back({static_cast<std::uint32_t>(nodes_.size()), first, end, depth + 1});
      nodes_.emplace_back();
      labels_.push_back(static_cast<std::uint8_t>(label));
      ++nodes_[node].children;
      first = end;
    }
  }
}

std::uint32_t UnigramModel::child(std::uint32_t node, std::uint8_t label) const {
  const Node& parent = nodes_[node];
  if (parent.children == 0) return 0;
  const void* found = std::memchr(labels_.data() + parent.firstChild, label, parent.children);
  return found == nullptr ? 0 : static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - labels_.data());
}

void UnigramModel::append(std::string_view word, std::vector<std::int32_t>& ids) const {
  struct Best {
    double score = 0;
    std::int64_t from = -1;
    std::int32_t id = 0;
  };
  std::vector<Best> best(word.size() + 1);
  const auto offer = [&](std::size_t end, std::size_t from, std::int32_t id, double score) {
    if (best[end].from >= 0 && !(score > best[end].score)) return;
    best[end] = {score, static_cast<std::int64_t>(from), id};
  };
  for (std::size_t from = 0; from < word.size();) {
    const double before = best[from].score;
    const std::size_t bytes = unicode::stepAt(word, from).bytes;
    bool single = false;
    std::uint32_t node = 0;
    for (std::size_t at = from; at < word.size(); ++at) {
      node = child(node, static_cast<std::uint8_t>(word[at]));
      if (node == 0) break;
      const std::int32_t id = nodes_[node].id;
      if (id < 0) continue;
      offer(at + 1, from, id, scores_[static_cast<std::size_t>(id)] + before);
      single = single || at + 1 - from == bytes;
    }
    if (!single) offer(from + bytes, from, unknown_, unknownScore_ + before);
    from += bytes;
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = word.size(); end > 0; end = static_cast<std::size_t>(best[end].from)) ends.push_back(end);
  std::size_t unknownFrom = std::string_view::npos;
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    const Best& piece = best[*end];
    const auto from = static_cast<std::size_t>(piece.from);
    if (piece.id == unknown_) {
      if (unknownFrom == std::string_view::npos) unknownFrom = from;
      continue;
    }
    if (unknownFrom != std::string_view::npos) appendUnknown(word.substr(unknownFrom, from - unknownFrom), ids);
    unknownFrom = std::string_view::npos;
    ids.push_back(piece.id);
  }
  if (unknownFrom != std::string_view::npos) appendUnknown(word.substr(unknownFrom), ids);
}

std::int32_t UnigramModel::idOf(std::string_view text) const {
  std::uint32_t node = 0;
  for (const char c : text)
    if (node = child(node, static_cast<std::uint8_t>(c)); node == 0) return -1;
  return nodes_[node].id;
}

void UnigramModel::appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const {
  // The text of the unknown token itself is that token.
  if (const std::int32_t id = idOf(text); id >= 0) return ids.push_back(id);
  const auto tokenOf = [&](char c) { return byteTokens_[static_cast<std::uint8_t>(c)]; };
  if (byteTokens_.empty() || !std::all_of(text.begin(), text.end(), [&](char c) { return tokenOf(c) >= 0; }))
    return ids.push_back(unknown_);
  for (const char c : text) ids.push_back(tokenOf(c));
}

}  // namespace batchwise
