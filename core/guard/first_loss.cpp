// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/first_loss.h"

#include <cmath>

#include "core/guard/messages.h"

namespace batchwise {
namespace {

constexpr double kRounding = 1e-5;  // relative: the order of summation differs

bool sameNumber(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

}  // namespace

RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier) {
  const Message which = messages::firstBatchAfterResume(row.at.batch);
  if (!earlier || earlier->batch != row.at.batch)
    return {NoteLevel::Info, messages::resumedLossHasNoReference(which), row.at};
  if (sameNumber(earlier->loss, row.loss))
    return {NoteLevel::Info, messages::resumedLossIsIdentical(which, row.loss), row.at};
  const double difference = row.loss - earlier->loss;
  const bool rounding = std::abs(difference) <= kRounding * std::abs(earlier->loss);
  return {rounding ? NoteLevel::Info : NoteLevel::Warning,
          rounding ? messages::resumedLossDiffersByRounding(which, row.loss, earlier->loss, difference)
                   : messages::resumedLossDiffers(which, row.loss, earlier->loss, difference),
          row.at};
}

}  // namespace batchwise
