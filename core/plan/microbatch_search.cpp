// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/microbatch_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/base/format.h"
#include "core/plan/pack_source.h"

namespace batchwise {
namespace {

/// Maximum factor for extrapolating the line beyond the largest probed size.
constexpr double kFarthestStep = 16.0;

struct Line {
  double slope = 0;
  double intercept = 0;
  std::int64_t largestBelow(double bytes) const {
    if (slope <= 0) return std::int64_t{1} << 40;
    return static_cast<std::int64_t>(std::floor((bytes - intercept) / slope));
  }
};

Line through(const ProbeRecord& a, const ProbeRecord& b) {
  Line line;
  line.slope = static_cast<double>(b.outcome.peakBytes - a.outcome.peakBytes) / static_cast<double>(b.units - a.units);
  line.intercept = static_cast<double>(a.outcome.peakBytes) - line.slope * static_cast<double>(a.units);
  return line;
}

Error doesNotFit(const MicrobatchSearch& search, const ProbeOutcome& one, double target) {
  return {
      ErrorCode::OutOfMemory,
      formatText("one row of {} tokens takes {}{}, but only {} are allowed ({} less batch.reserve {}); use a smaller "
                 "data.max_seq_len or model, or a smaller reserve",
                 search.tokensPerUnit, formatBytes(one.peakBytes), one.fits ? "" : " or more",
                 formatBytes(static_cast<std::int64_t>(target)), formatBytes(search.limitBytes),
                 formatExact(search.reserve)),
      "batch.device_train_microbatch_size: auto"};
}

/// State of a search: the probes and the bounds of the result.
class Search {
 public:
  Search(const MicrobatchSearch& search, const MicrobatchProbe& probe)
      : search_(search), probe_(probe), target_(static_cast<double>(search.limitBytes) * (1.0 - search.reserve)) {}

  Result<MicrobatchResult> run() {
    RETURN_IF_ERROR(probeAt(1));
    const ProbeOutcome one = probes_.front().outcome;
    if (!holds(one)) return doesNotFit(search_, one, target_);
    for (std::int64_t next = secondSize(one); next > good_ && next < bad_ && std::ssize(probes_) < kMaxProbes;
         next = nextSize())
      RETURN_IF_ERROR(probeAt(next));
    return answer();
  }

 private:
  bool holds(const ProbeOutcome& outcome) const {
    return outcome.fits && static_cast<double>(outcome.peakBytes) <= target_;
  }

  Result<void> probeAt(std::int64_t units) {
    ASSIGN_OR_RETURN(auto outcome, probe_(units));
    probes_.push_back({units, outcome});
    if (holds(outcome))
      good_ = std::max(good_, units);
    else
      bad_ = std::min(bad_, units);
    return {};
  }

  /// Returns a safe size: no row costs more than the first one's peak above the memory in use afterwards.
  std::int64_t secondSize(const ProbeOutcome& one) const {
    const double perRow = std::max(1.0, static_cast<double>(one.peakBytes - one.residentBytes));
    const double room = target_ - static_cast<double>(one.residentBytes);
    const auto safe = static_cast<std::int64_t>(room / perRow);
    if (safe >= 2) return std::min(safe, search_.most);
    const bool twoWithinLimit = static_cast<double>(one.peakBytes) + perRow <= static_cast<double>(search_.limitBytes);
    return std::min<std::int64_t>(twoWithinLimit ? 2 : 1, search_.most);
  }

  /// Returns the line through the two probes nearest to the result.
  std::optional<Line> line() const {
    const ProbeRecord* left = nullptr;
    const ProbeRecord* right = nullptr;
    for (const ProbeRecord& probe : probes_) {
      if (!probe.outcome.fits) continue;
      if (right == nullptr || probe.units > right->units) {
        left = right;
        right = &probe;
      } else if (left == nullptr || probe.units > left->units) {
        left = &probe;
      }
    }
    if (left == nullptr) return std::nullopt;
    return through(*left, *right);
  }

  std::int64_t nextSize() const {
    const auto fit = line();
    if (!fit) return good_;
    const std::int64_t wanted = std::min(fit->largestBelow(target_), search_.most);
    const auto trusted = static_cast<std::int64_t>(static_cast<double>(good_) * kFarthestStep);
    return std::min({wanted, trusted, bad_ - 1});
  }

  Result<MicrobatchResult> answer() const {
    MicrobatchResult answer;
    answer.probes = probes_;
    answer.units = good_;
    // Interpolate between a size that fits and one that does not; never extrapolate beyond the probed sizes.
    if (const auto fit = line(); fit && bad_ < kNoSize)
      answer.units = std::clamp(fit->largestBelow(target_), good_, bad_ - 1);
    answer.units = std::min(answer.units, search_.most);
    answer.most = search_.most;
    answer.memoryDecides = answer.units < search_.most;
    if (search_.rounding == SizeRounding::PowerOfTwo)
      answer.units = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(answer.units)));
    return answer;
  }

  static constexpr std::int64_t kNoSize = std::int64_t{1} << 62;
  const MicrobatchSearch& search_;
  const MicrobatchProbe& probe_;
  double target_;
  std::vector<ProbeRecord> probes_;
  std::int64_t good_ = 0;       ///< largest size known to fit
  std::int64_t bad_ = kNoSize;  ///< smallest size known not to fit
};

/// Adds `count` sequences of about equal length, none above `longest`, with `tokens` in total if possible.
void addEqual(std::vector<std::int64_t>& unit, std::int64_t count, std::int64_t tokens, std::int64_t longest) {
  for (std::int64_t left = count; left > 0; --left) {
    unit.push_back(std::clamp(tokens / left, std::min(kShortestSequence, longest), longest));
    tokens -= unit.back();
  }
}

}  // namespace

MemoryLimit memoryLimit(std::optional<std::int64_t> configured, std::optional<std::int64_t> gpuBytes) {
  if (configured) return {MemoryLimit::Source::Config, *configured};
  if (gpuBytes) return {MemoryLimit::Source::Device, *gpuBytes};
  return {};
}

std::vector<MemoryLimit> forecastLimits(std::optional<std::int64_t> configured, std::optional<std::int64_t> hostBytes,
                                        std::int64_t devices) {
  std::vector<MemoryLimit> limits;
  if (configured) limits.push_back({MemoryLimit::Source::Config, *configured});
  if (hostBytes) limits.push_back({MemoryLimit::Source::Host, *hostBytes / devices});
  return limits;
}

Result<MicrobatchResult> searchMicrobatch(const MicrobatchSearch& search, const MicrobatchProbe& probe) {
  if (search.limitBytes < 1)
    return Error::config(
        "devices.memory_limit",
        formatText("{} bytes leave no memory to train with; give the memory of one device", search.limitBytes));
  if (!(search.reserve >= 0.0 && search.reserve < 1.0))
    return Error::config("batch.reserve", formatText("{} is not in [0, 1); use 0.1", formatExact(search.reserve)));
  return Search(search, probe).run();
}

Result<std::vector<std::int64_t>> worstCaseUnit(const TrainConfig& config,
                                                const std::shared_ptr<const Lengths>& lengths) {
  const TokenBudgetConfig& budget = config.batch.tokens;
  if (!budget.enabled()) return std::vector<std::int64_t>{lengths->longest()};
  ASSIGN_OR_RETURN(const auto rules, packRules(budget, config.batch.globalTrainBatchSize));
  ASSIGN_OR_RETURN(const auto packs, PackSource::make(config, lengths, rules));
  const std::int64_t allowed = std::min<std::int64_t>(lengths->longest(), rules.maxTokens);
  const std::int64_t others = packs->maxSamplesPerPack(0) - 1;
  // If the maximum number of sequences leaves no room for a longest one, no pack has both.
  const std::int64_t longest =
      std::clamp(rules.maxTokens - others * kShortestSequence, std::min(kShortestSequence, allowed), allowed);
  std::vector<std::int64_t> unit = {longest};
  addEqual(unit, others, rules.maxTokens - longest, longest);
  return unit;
}

}  // namespace batchwise
