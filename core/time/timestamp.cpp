// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/time/timestamp.h"

namespace batchwise {

Timestamp Timestamp::afterStep(const StepCounts& done, std::int64_t units) const {
  Timestamp next = *this;
  ++next.step;
  ++next.partInBatch;
  next.sample += done.samples;
  next.token += done.tokens;
  next.seconds += done.seconds;
  next.unitInEpoch += units;
  next.sampleInEpoch += done.samples;
  next.tokenInEpoch += done.tokens;
  return next;
}

Timestamp Timestamp::afterBatch() const {
  Timestamp next = *this;
  ++next.batch;
  ++next.batchInEpoch;
  next.partInBatch = 0;
  return next;
}

Timestamp Timestamp::afterEpoch() const {
  Timestamp next = *this;
  ++next.epoch;
  next.batchInEpoch = 0;
  next.unitInEpoch = 0;
  next.sampleInEpoch = 0;
  next.tokenInEpoch = 0;
  return next;
}

}  // namespace batchwise
