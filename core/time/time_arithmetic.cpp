// SPDX-License-Identifier: GPL-3.0-or-later
#include <cassert>
#include <cmath>

#include "core/base/format.h"
#include "core/time/time.h"

namespace batchwise {
namespace {

Error unequal(const std::string& what, const Time& left, const Time& right) {
  return Error::config(formatText("{} needs equal units, found {} and {}", what, left.text(), right.text()));
}

Error tooLarge(const std::string& what) {
  return Error::config(formatText("{} exceeds the range of 64 bits", what));
}

bool bothWhole(const Time& left, const Time& right) {
  return left.isWhole() && right.isWhole();
}

Time real(double value, TimeUnit unit) {
  return unit == TimeUnit::Epoch ? Time::epochs(value) : Time::duration(value);
}

/// Truncates `value` to a whole number of `like`'s unit, or keeps the fraction if `like` has one.
Result<Time> truncated(double value, const Time& like) {
  if (!like.isWhole()) return real(value, like.unit());
  if (!(std::abs(value) < 0x1.0p63)) return tooLarge(formatText("the product {}", like.text()));
  return Time::of(static_cast<std::int64_t>(value), like.unit());
}

}  // namespace

Result<std::partial_ordering> compare(const Time& left, const Time& right) {
  if (left.unit() != right.unit()) return unequal("a comparison", left, right);
  if (bothWhole(left, right)) return std::partial_ordering{left.count() <=> right.count()};
  return left.number() <=> right.number();
}

Result<std::partial_ordering> compare(const Timestamp& now, const Time& time) {
  if (time.unit() == TimeUnit::Duration)
    return Error::config(
        formatText("{} cannot be compared with a clock; give it in ep, ba, sp, tok or sec", time.text()));
  return compare(Time::of(clockValue(now, time.unit()), time.unit()), time);
}

Result<Time> add(const Time& left, const Time& right) {
  if (left.unit() != right.unit()) return unequal("a sum", left, right);
  if (!bothWhole(left, right)) return real(left.number() + right.number(), left.unit());
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left.count(), right.count(), &sum)) return tooLarge("the sum");
  return Time::of(sum, left.unit());
}

Result<Time> subtract(const Time& left, const Time& right) {
  if (left.unit() != right.unit()) return unequal("a difference", left, right);
  if (!bothWhole(left, right)) return real(left.number() - right.number(), left.unit());
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(left.count(), right.count(), &difference)) return tooLarge("the difference");
  return Time::of(difference, left.unit());
}

Result<Time> multiply(const Time& time, double factor) {
  if (!std::isfinite(factor)) return Error::config(formatText("a factor of {} must be finite", time.text()));
  if (time.isWhole() && factor == std::floor(factor) && std::abs(factor) < 0x1.0p62) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(time.count(), static_cast<std::int64_t>(factor), &product))
      return tooLarge("the product");
    return Time::of(product, time.unit());
  }
  return truncated(time.number() * factor, time);
}

Result<Time> multiply(const Time& left, const Time& right) {
  if (right.unit() == TimeUnit::Duration) return multiply(left, right.number());
  if (left.unit() == TimeUnit::Duration) return multiply(right, left.number());
  return Error::config(
      formatText("a product needs a plain factor or a dur, found {} and {}", left.text(), right.text()));
}

std::int64_t clockValue(const Timestamp& now, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::Epoch: return now.epoch;
    case TimeUnit::Batch: return now.batch;
    case TimeUnit::Sample: return now.sample;
    case TimeUnit::Token: return now.token;
    case TimeUnit::Second: return static_cast<std::int64_t>(now.seconds);
    case TimeUnit::Duration: break;
  }
  assert(false);
  return 0;
}

}  // namespace batchwise
