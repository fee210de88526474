// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/concurrent_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace batchwise {
namespace {

/// Time between the start of a segment and its last row, or the end of the run.
struct BusySpan {
  std::string host;
  std::int64_t fromMs = 0, toMs = 0;
};
using BusySpans = std::vector<BusySpan>;

/// Returns when the row of `batch`, or the last one before it, was recorded; nothing without rows.
Result<std::int64_t> recordedMs(const Workspace& workspace, const std::string& run, std::int64_t batch) {
  ASSIGN_OR_RETURN(const auto buckets, workspace.seriesBuckets(run, "wall", 0, batch, 1));
  return buckets.empty() ? 0 : std::llround(buckets.back().last * 1000);
}

Result<BusySpans> busySpans(const Workspace& workspace, const RunDetail& run) {
  const RunSummary& summary = run.summary;
  BusySpans spans;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const RunSegment& segment = run.segments[i];
    const bool last = i + 1 == run.segments.size();
    ASSIGN_OR_RETURN(std::int64_t to,
                     recordedMs(workspace, summary.id, last ? summary.at.batch : run.segments[i + 1].from.batch));
    if (last && summary.status != RunStatus::Interrupted) to = std::max(to, summary.endedMs);
    spans.push_back({segment.host, segment.startedMs, std::max(to, segment.startedMs)});
  }
  return spans;
}

std::int64_t length(const BusySpans& spans) {
  std::int64_t sum = 0;
  for (const BusySpan& span : spans) sum += span.toMs - span.fromMs;
  return sum;
}

std::int64_t commonMs(const BusySpans& spans, const BusySpans& others) {
  std::int64_t sum = 0;
  for (const BusySpan& span : spans)
    for (const BusySpan& other : others)
      if (span.host == other.host)
        sum += std::max<std::int64_t>(0, std::min(span.toMs, other.toMs) - std::max(span.fromMs, other.fromMs));
  return sum;
}

/// Returns whether a run may have trained between these times: whether it existed and had not ended.
bool mayOverlap(const RunSummary& run, std::int64_t fromMs, std::int64_t toMs) {
  return run.status != RunStatus::Created && run.createdMs < toMs && (run.endedMs == 0 || run.endedMs > fromMs);
}

}  // namespace

Result<std::vector<bool>> ranBesideOthers(const Workspace& workspace, const std::vector<RunDetail>& runs) {
  constexpr std::int64_t kShare = 100;  // 1 %
  std::vector<BusySpans> spans;
  std::vector<std::pair<std::string, BusySpans>> others;
  for (const RunDetail& run : runs) {
    ASSIGN_OR_RETURN(const auto own, busySpans(workspace, run));
    spans.push_back(own);
    others.emplace_back(run.summary.id, own);
  }
  ASSIGN_OR_RETURN(const auto all, workspace.listRuns(true));
  for (const RunSummary& run : all) {
    const auto isIt = [&](const RunDetail& own) { return own.summary.id == run.id; };
    const auto meets = [&](const BusySpans& own) {
      return std::ranges::any_of(own, [&](const BusySpan& span) { return mayOverlap(run, span.fromMs, span.toMs); });
    };
    if (std::ranges::none_of(spans, meets) || std::ranges::any_of(runs, isIt)) continue;
    ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run.id));
    ASSIGN_OR_RETURN(auto own, busySpans(workspace, detail));
    others.emplace_back(run.id, std::move(own));
  }
  std::vector<bool> beside;
  for (std::size_t i = 0; i < runs.size(); ++i)
    beside.push_back(std::ranges::any_of(others, [&](const auto& other) {
      return other.first != runs[i].summary.id && commonMs(spans[i], other.second) * kShare > length(spans[i]);
    }));
  return beside;
}

}  // namespace batchwise
