// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/first_loss.h"

#include <cmath>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr double kRounding = 1e-5;  // relative: other devices and micro-batches sum in another order

bool sameNumber(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

}  // namespace

RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier) {
  const std::string which = "the first global batch after the resume (" + std::to_string(row.at.batch) + "ba)";
  if (!earlier || earlier->batch != row.at.batch)
    return {NoteLevel::Info, which + ": there is no earlier row to compare its loss with", row.at};
  if (sameNumber(earlier->loss, row.loss))
    return {NoteLevel::Info,
            which + " has the same loss as before, " + formatValue(row.loss) + ", equal to the last bit", row.at};
  const double difference = row.loss - earlier->loss;
  const bool rounding = std::abs(difference) <= kRounding * std::abs(earlier->loss);
  return {rounding ? NoteLevel::Info : NoteLevel::Warning,
          which + " has a loss of " + formatValue(row.loss) + " and had " + formatValue(earlier->loss) +
              " before: it differs by " + formatValue(difference) + (rounding ? ", no more than rounding" : ""),
          row.at};
}

}  // namespace batchwise
