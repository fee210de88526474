// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/max_batch_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/format.h"

namespace batchwise {
namespace {

/// How far a line through small sizes is trusted beyond the largest of them.
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
  return {ErrorCode::OutOfMemory,
          "one row of " + std::to_string(search.tokensPerUnit) + " tokens takes " + formatBytes(one.peakBytes) +
              (one.fits ? "" : " and more") + ", " + formatBytes(static_cast<std::int64_t>(target)) + " are allowed (" +
              formatBytes(search.limitBytes) + " less batch.reserve " + formatExact(search.reserve) +
              "); use a smaller data.max_seq_len or model, or a smaller reserve",
          "batch.device_train_microbatch_size: auto"};
}

/// The state of a search: what was probed, and between which sizes the answer lies.
class Search {
 public:
  Search(const MicrobatchSearch& search, const MicrobatchProbe& probe)
      : search_(search), probe_(probe), target_(static_cast<double>(search.limitBytes) * (1.0 - search.reserve)) {}

  Result<MicrobatchAnswer> run() {
    if (auto done = probeAt(1); !done) return done.error();
    const ProbeOutcome one = probes_.front().outcome;
    if (!holds(one)) return doesNotFit(search_, one, target_);
    for (std::int64_t next = secondSize(one); next > good_ && next < bad_ && std::ssize(probes_) < kMostProbes;
         next = nextSize())
      if (auto done = probeAt(next); !done) return done.error();
    return answer();
  }

 private:
  bool holds(const ProbeOutcome& outcome) const {
    return outcome.fits && static_cast<double>(outcome.peakBytes) <= target_;
  }

  Result<void> probeAt(std::int64_t units) {
    auto outcome = probe_(units);
    if (!outcome) return outcome.error();
    probes_.push_back({units, *outcome});
    if (holds(*outcome))
      good_ = std::max(good_, units);
    else
      bad_ = std::min(bad_, units);
    return {};
  }

  /// Every row costs at most what the first took above the rest, so this many are safe.
  std::int64_t secondSize(const ProbeOutcome& one) const {
    const double perRow = std::max(1.0, static_cast<double>(one.peakBytes - one.restBytes));
    const double room = target_ - static_cast<double>(one.restBytes);
    const auto safe = static_cast<std::int64_t>(room / perRow);
    if (safe >= 2) return std::min(safe, search_.most);
    const bool twoWithinLimit = static_cast<double>(one.peakBytes) + perRow <= static_cast<double>(search_.limitBytes);
    return std::min<std::int64_t>(twoWithinLimit ? 2 : 1, search_.most);
  }

  /// The line through the two probes nearest to the answer.
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

  Result<MicrobatchAnswer> answer() const {
    MicrobatchAnswer answer;
    answer.probes = probes_;
    answer.units = good_;
    if (const auto fit = line()) {
      answer.bytesPerUnit = fit->slope;
      answer.fixedBytes = fit->intercept;
      // Between a size that fits and one that does not, the line decides; beyond what was tried, nothing does.
      if (bad_ < kNoSize) answer.units = std::clamp(fit->largestBelow(target_), good_, bad_ - 1);
    }
    answer.units = std::min(answer.units, search_.most);
    if (search_.rounding == SizeRounding::PowerOfTwo)
      answer.units = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(answer.units)));
    return answer;
  }

  static constexpr std::int64_t kNoSize = std::int64_t{1} << 62;
  const MicrobatchSearch& search_;
  const MicrobatchProbe& probe_;
  double target_;
  std::vector<ProbeRecord> probes_;
  std::int64_t good_ = 0;       ///< the largest size seen to fit
  std::int64_t bad_ = kNoSize;  ///< the smallest seen not to
};

}  // namespace

Result<MicrobatchAnswer> searchMicrobatch(const MicrobatchSearch& search, const MicrobatchProbe& probe) {
  if (search.limitBytes < 1)
    return Error::config("devices.memory_limit: " + std::to_string(search.limitBytes) +
                         " bytes leave no room; give the bytes of a device");
  if (!(search.reserve >= 0.0 && search.reserve < 1.0))
    return Error::config("batch.reserve: " + formatExact(search.reserve) + " is not in [0, 1); use 0.1");
  return Search(search, probe).run();
}

}  // namespace batchwise
