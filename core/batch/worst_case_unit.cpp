// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/worst_case_unit.h"

#include <algorithm>

#include "core/base/return_if_error.h"
#include "core/batch/token_budget.h"

namespace batchwise {
namespace {

// Adds `count` sequences of about equal length, none above `longest`, with `tokens` in total if possible.
void addEqual(std::vector<std::int64_t>& unit, std::int64_t count, std::int64_t tokens, std::int64_t longest) {
  for (std::int64_t left = count; left > 0; --left) {
    unit.push_back(std::clamp(tokens / left, std::min(kShortestSequence, longest), longest));
    tokens -= unit.back();
  }
}

}  // namespace

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
