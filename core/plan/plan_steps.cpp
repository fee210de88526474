// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/plan/plan_state.h"

// How an optimizer step is distributed to devices and micro-batches.

namespace batchwise {
namespace {

/// Splits `count` items into `pieces` ranges as even as possible, larger ones first; returns range `index`.
Plan::MicroBatchRange evenRange(std::int64_t count, std::int64_t pieces, std::int64_t index) {
  const std::int64_t size = count / pieces;
  const std::int64_t larger = count % pieces;
  return {index * size + std::min(index, larger), size + (index < larger ? 1 : 0)};
}

/// Tokens of rows, and their area when each micro-batch is padded to its longest row.
struct RowArea {
  std::int64_t tokens = 0;
  std::int64_t padded = 0;
};

/// Adds a step of an epoch, where one sample is one unit.
Result<void> addStep(const Plan& plan, const Lengths& lengths, std::int64_t epoch, const OptimizerStep& step,
                     RowArea& area) {
  ASSIGN_OR_RETURN(const auto units, plan.unitsOf(epoch, step));
  const std::vector<std::int64_t> distributed =
      balanceUnits(units, plan.devices(), [&lengths](std::int64_t sample) { return lengths.at(sample); });
  for (std::int64_t device = 0; device < plan.devices(); ++device)
    for (const Plan::MicroBatchRange& range : plan.microBatchesOf(step, device)) {
      std::int64_t longest = 0;
      for (std::int64_t unit = range.firstUnit; unit < range.firstUnit + range.units; ++unit) {
        const std::int64_t own = distributed[static_cast<std::size_t>(unit)];
        const std::int64_t length = lengths.at(units[static_cast<std::size_t>(own)].front());
        longest = std::max(longest, length);
        area.tokens += length;
      }
      area.padded += longest * range.units;
    }
  return {};
}

}  // namespace

double sequenceCost(std::int64_t tokens) {
  constexpr double kTokensWhereAttentionIsHalf = 6.0 * 768.0;
  const auto length = static_cast<double>(tokens);
  return length + length * length / kTokensWhereAttentionIsHalf;
}

std::vector<std::int64_t> balanceAcrossDevices(std::span<const double> costs, std::int64_t devices) {
  const std::int64_t count = std::ssize(costs);
  std::vector<std::int64_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  if (devices <= 1) return order;
  std::stable_sort(order.begin(), order.end(), [&costs](std::int64_t left, std::int64_t right) {
    return costs[static_cast<std::size_t>(left)] > costs[static_cast<std::size_t>(right)];
  });
  struct DeviceLoad {
    std::vector<std::int64_t> units;
    std::size_t room = 0;
    double cost = 0;
  };
  std::vector<DeviceLoad> loads(static_cast<std::size_t>(devices));
  for (std::size_t device = 0; device < loads.size(); ++device)
    loads[device].room =
        static_cast<std::size_t>(count / devices + (static_cast<std::int64_t>(device) < count % devices ? 1 : 0));
  for (const std::int64_t unit : order) {
    DeviceLoad* least = nullptr;
    for (DeviceLoad& load : loads)
      if (load.units.size() < load.room && (least == nullptr || load.cost < least->cost)) least = &load;
    least->units.push_back(unit);
    least->cost += costs[static_cast<std::size_t>(unit)];
  }
  order.clear();
  for (DeviceLoad& load : loads) {
    std::sort(load.units.begin(), load.units.end());
    order.insert(order.end(), load.units.begin(), load.units.end());
  }
  return order;
}

std::vector<std::int64_t> balanceUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                       const std::function<std::int64_t(std::int64_t sample)>& tokensOf) {
  std::vector<double> costs(units.size(), 0.0);
  if (devices > 1)
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const std::int64_t sample : units[unit]) costs[unit] += sequenceCost(tokensOf(sample));
  return balanceAcrossDevices(costs, devices);
}

std::int64_t PlanState::microBatches(std::int64_t stepUnits) const {
  return ceilDiv(ceilDiv(stepUnits, devices.devices), derived.microbatchUnits);
}

Result<std::vector<std::vector<std::int64_t>>> Plan::unitsOf(std::int64_t epoch, const OptimizerStep& step) const {
  auto units = state_->source->members(epoch, {step.firstUnit, step.firstSample}, step.units);
  if (std::ssize(units) != step.units)
    return Error::internal(
        formatText("epoch {} has no units {} to {}", epoch, step.firstUnit, step.firstUnit + step.units));
  return units;
}

std::vector<Plan::MicroBatchRange> Plan::microBatchesOf(const OptimizerStep& step, std::int64_t device) const {
  const MicroBatchRange mine = evenRange(step.units, state_->devices.devices, device);
  const std::int64_t passes = state_->microBatches(step.units);
  std::vector<MicroBatchRange> ranges;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const MicroBatchRange range = evenRange(mine.units, passes, pass);
    ranges.push_back({mine.firstUnit + range.firstUnit, range.units});
  }
  return ranges;
}

std::optional<double> Plan::fill(std::int64_t epoch) const {
  return state_->packs ? std::optional{state_->packs->fill(epoch)} : std::nullopt;
}

Result<std::optional<double>> Plan::paddedFill() const {
  constexpr std::int64_t kEnough = std::int64_t{1} << 22;
  if (state_->packs || !state_->lengths) return std::optional<double>{};
  RowArea area;
  std::int64_t samples = 0;
  const auto addBatch = [&](const GlobalBatch& batch) -> Result<bool> {
    for (const OptimizerStep& step : batch.steps) {
      RETURN_IF_ERROR(addStep(*this, *state_->lengths, batch.epoch, step, area));
      samples += step.samples;
    }
    return samples < kEnough;
  };
  RETURN_IF_ERROR(state_->visitEpoch(state_->begin().epoch, addBatch));
  return std::optional{area.padded > 0 ? static_cast<double>(area.tokens) / static_cast<double>(area.padded) : 1.0};
}

}  // namespace batchwise
