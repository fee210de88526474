// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>

#include "core/time/time.h"
#include "core/time/timestamp.h"

namespace batchwise {

// Arithmetic on Times. All functions fail with Config if the units differ (a plain factor has none) or a whole number
// overflows 64 bits. Whole numbers stay exact; a product with a fraction is computed in double and truncated toward
// zero, as schedules need it (5ep x 0.5 = 2ep).

Result<std::partial_ordering> compare(const Time& left, const Time& right);
/// Compares a clock in whole seconds or counts with a Time of its unit. Fails with Config for `dur`, which has no
/// clock.
Result<std::partial_ordering> compare(const Timestamp& now, const Time& time);

Result<Time> add(const Time& left, const Time& right);
Result<Time> subtract(const Time& left, const Time& right);
Result<Time> multiply(const Time& time, double factor);
/// Requires one of the two to be a `dur`; returns that fraction of the other.
Result<Time> multiply(const Time& left, const Time& right);
Result<Time> divide(const Time& time, double divisor);
/// Returns the ratio as a `dur`.
Result<Time> divide(const Time& left, const Time& right);
/// Returns the remainder with the sign of the divisor: -7ba mod 3ba = 2ba.
Result<Time> modulo(const Time& left, const Time& right);
Time negate(const Time& time);

/// Returns the clock value in `unit`, whole seconds for sec. Requires unit != dur.
std::int64_t clockValue(const Timestamp& now, TimeUnit unit);

}  // namespace batchwise
