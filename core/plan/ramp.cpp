// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/ramp.h"

#include <algorithm>
#include <limits>

#include "core/base/format.h"
#include "core/base/result.h"

namespace batchwise {
namespace {

Result<void> checkInitial(std::int64_t initial, std::int64_t target) {
  constexpr const char* kInitialField = "batch.rampup.initial_global_train_batch_size";
  if (initial < 1) return belowOneError(kInitialField, initial);
  if (initial > target)
    return Error::config(
        kInitialField,
        formatText("{} is above batch.global_train_batch_size {}; a ramp grows, use a smaller size", initial, target));
  return {};
}

/// Returns the smallest v with stages * v / duration >= stage: ceil(stage * duration / stages), without overflow.
std::int64_t stageBegin(std::int64_t stage, std::int64_t stages, std::int64_t duration) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>((Wide{stage} * duration + stages - 1) / stages);
}

}  // namespace

Error belowOneError(std::string_view field, std::int64_t value) {
  return Error::config(field, formatText("{} is below 1; use 1 or more", value));
}

Result<std::vector<std::int64_t>> doublingStages(std::int64_t initial, std::int64_t target) {
  RETURN_IF_ERROR(checkInitial(initial, target));
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = initial; size < target; size *= 2) {
    sizes.push_back(size);
    if (size > std::numeric_limits<std::int64_t>::max() / 2) break;
  }
  return sizes;
}

Result<std::vector<std::int64_t>> linearStages(std::int64_t initial, std::int64_t increment, std::int64_t target) {
  RETURN_IF_ERROR(checkInitial(initial, target));
  if (increment < 1) return belowOneError("batch.rampup.increment", increment);
  if ((target - initial) / increment > 100'000)
    return Error::config("batch.rampup.increment",
                         formatText("{} gives more than 100,000 stages; use a larger one", increment));
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = initial; size < target; size += increment) sizes.push_back(size);
  return sizes;
}

StepShape shapeOf(std::int64_t stepUnits, std::int64_t target) {
  const std::int64_t whole = target / stepUnits;
  const std::int64_t rest = target % stepUnits;
  return {stepUnits, std::max<std::int64_t>(1, whole + (rest >= stepUnits - rest ? 1 : 0))};
}

Ramp Ramp::equalStages(std::vector<std::int64_t> below, std::int64_t target, Time duration) {
  Ramp ramp(target);
  if (below.empty()) return ramp;
  const auto count = static_cast<std::int64_t>(below.size());
  ramp.unit_ = duration.unit();
  for (std::int64_t stage = 0; stage <= count; ++stage)
    ramp.begins_.push_back(stageBegin(stage, count, duration.count()));
  ramp.sizes_ = std::move(below);
  ramp.sizes_.push_back(target);
  return ramp;
}

Ramp Ramp::table(std::vector<Time> starts, std::vector<std::int64_t> sizes) {
  Ramp ramp(sizes.back());
  ramp.unit_ = starts.front().unit();
  ramp.sizes_ = std::move(sizes);
  for (const Time& start : starts) ramp.begins_.push_back(start.count());
  return ramp;
}

std::int64_t Ramp::stageAt(const Timestamp& start) const {
  if (begins_.empty()) return 0;
  const std::int64_t done = clockValue(start, unit_);
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), done);
  return std::max<std::int64_t>(0, next - begins_.begin() - 1);
}

}  // namespace batchwise
