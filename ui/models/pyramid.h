// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace batchwise {

// A pyramid of summaries over a long series, so that any range is summarized at nearly the same cost: a node of level 1
// summarizes kPyramidFanout consecutive points, a node of a higher level as many nodes of the level below. The newest
// points of a growing series have no node yet.
inline constexpr std::size_t kPyramidFanout = 16;

/// Returns a node per group of kPyramidFanout `finer` nodes or points, in order; the last group may be smaller.
/// `summarize` turns the span of a group into a node.
template <typename Finer, typename Summarize>
auto summarizeGroups(std::span<const Finer> finer, Summarize summarize) {
  std::vector<decltype(summarize(finer))> nodes;
  nodes.reserve(finer.size() / kPyramidFanout + 1);
  for (std::size_t at = 0; at < finer.size(); at += kPyramidFanout)
    nodes.push_back(summarize(finer.subspan(at, std::min(kPyramidFanout, finer.size() - at))));
  return nodes;
}

/// Returns how many of `count` nodes are in complete groups; the rest waits for more.
constexpr std::size_t completeGroups(std::size_t count) {
  return count / kPyramidFanout * kPyramidFanout;
}

/// Returns the coarsest level, at most `levels`, whose nodes summarize at most `points` points.
inline int coarsestLevel(std::int64_t points, int levels) {
  int level = 0;
  for (constexpr auto kFanout = std::int64_t{kPyramidFanout}; level < levels && points >= kFanout; points /= kFanout)
    ++level;
  return level;
}

/// Visits [from, to], in order: takes the largest nodes inside, from `level` down, and points where no node fits.
/// Returns false as soon as the source stops. `source` provides
///   nodes(level, from, to): the nodes of a level >= 1 that overlap [from, to], ascending;
///   first(node), last(node): the positions that a node spans;
///   take(node): whether the node is used as a whole; if not, its parts are visited;
///   points(from, to): visits the points of a range; false to stop.
template <typename Source>
bool visitPyramid(Source& source, int level, std::int64_t from, std::int64_t to) {
  if (from > to) return true;
  if (level == 0) return source.points(from, to);
  for (const auto& node : source.nodes(level, from, to)) {
    const std::int64_t first = source.first(node), last = source.last(node);
    const bool taken = first >= from && last <= to && source.take(node);
    if (!taken && !visitPyramid(source, level - 1, std::max(from, first), std::min(to, last))) return false;
    from = std::max(from, last + 1);  // nodes of a damaged file may overlap
  }
  return visitPyramid(source, level - 1, from, to);  // the part that this level does not cover yet
}

}  // namespace batchwise
