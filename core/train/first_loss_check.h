// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/guard/first_loss.h"
#include "core/train/callback.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// After a resume: compares the row of the first global batch with the one that an earlier segment logged for it, and
/// publishes the result once (see compareFirstLoss).
class FirstLossCheck final : public Callback {
 public:
  explicit FirstLossCheck(std::optional<EarlierLoss> earlier) : earlier_(earlier) {}

  Result<void> afterRow(TrainLoop& loop, const MetricsRow& row) override {
    if (!done_) loop.publish(compareFirstLoss(row, earlier_));
    done_ = true;
    return {};
  }

 private:
  const std::optional<EarlierLoss> earlier_;
  bool done_ = false;
};

}  // namespace batchwise
