// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/first_loss.h"

#include <cmath>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr double kRounding = 1e-5;  // relative: the order of summation differs

bool sameNumber(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

}  // namespace

RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier) {
  const std::string which = formatText("the first global batch after the resume ({}ba)", row.at.batch);
  if (!earlier || earlier->batch != row.at.batch)
    return {NoteLevel::Info, formatText("{}: there is no earlier row to compare its loss with", which), row.at};
  if (sameNumber(earlier->loss, row.loss))
    return {NoteLevel::Info,
            formatText("{} has the same loss as before, {}, equal to the last bit", which, formatValue(row.loss)),
            row.at};
  const double difference = row.loss - earlier->loss;
  const bool rounding = std::abs(difference) <= kRounding * std::abs(earlier->loss);
  return {rounding ? NoteLevel::Info : NoteLevel::Warning,
          rounding ? formatText("{} has a loss of {} and had {} before: it differs by {}, no more than rounding", which,
                                formatValue(row.loss), formatValue(earlier->loss), formatValue(difference))
                   : formatText("{} has a loss of {} and had {} before: it differs by {}", which, formatValue(row.loss),
                                formatValue(earlier->loss), formatValue(difference)),
          row.at};
}

}  // namespace batchwise
