// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>

#include "core/time/time.h"
#include "core/time/timestamp.h"

namespace batchwise {

// Arithmetic of Times. Both sides need the same unit, or one is a plain factor; all functions fail with Config
// otherwise, and when a whole number would leave 64 bits. Whole numbers stay whole: a product with a fraction is taken
// in double and truncated toward zero, as schedules need it (5ep x 0.5 = 2ep).

Result<std::partial_ordering> compare(const Time& left, const Time& right);
/// A clock against a Time of its unit; seconds count when they are full. `dur` has no clock.
Result<std::partial_ordering> compare(const Timestamp& now, const Time& time);

Result<Time> add(const Time& left, const Time& right);
Result<Time> subtract(const Time& left, const Time& right);
Result<Time> multiply(const Time& time, double factor);
/// One of the two is a `dur`: that fraction of the other.
Result<Time> multiply(const Time& left, const Time& right);
Result<Time> divide(const Time& time, double divisor);
/// The ratio, as a `dur`.
Result<Time> divide(const Time& left, const Time& right);
/// Rest with the sign of the divisor: -7ba mod 3ba = 2ba.
Result<Time> modulo(const Time& left, const Time& right);
Time negate(const Time& time);

/// What the clock of `unit` shows; full seconds. `unit` must not be dur.
std::int64_t clockOf(const Timestamp& now, TimeUnit unit);

}  // namespace batchwise
