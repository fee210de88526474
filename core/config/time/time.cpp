// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/time/time.h"

#include <array>
#include <cassert>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/base/format.h"

namespace batchwise {
namespace {

struct UnitNames {
  TimeUnit unit;
  std::string_view shortName;
  std::string_view longName;
};

constexpr std::array<UnitNames, 6> kUnits = {{{TimeUnit::Epoch, "ep", "epoch"},
                                              {TimeUnit::Batch, "ba", "batch"},
                                              {TimeUnit::Sample, "sp", "sample"},
                                              {TimeUnit::Token, "tok", "token"},
                                              {TimeUnit::Duration, "dur", "duration"},
                                              {TimeUnit::Second, "sec", "second"}}};

/// Returns the shortest round-trip text that is recognizable as a fraction: "1.0", "0.1", "1e-05". Fixed notation in
/// [1e-4, 1e16), else scientific.
std::string fractionText(double value) {
  std::array<char, 48> buffer{};
  const double size = std::abs(value);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e16);
  const auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form).ptr;
  std::string text{buffer.data(), end};
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

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

std::string_view unitName(TimeUnit unit) {
  return kUnits[static_cast<std::size_t>(unit)].shortName;
}

std::optional<TimeUnit> unitFromName(std::string_view name) {
  std::string lower;
  for (const char letter : name) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  for (const UnitNames& names : kUnits)
    if (lower == names.shortName || lower == names.longName) return names.unit;
  return std::nullopt;
}

Time Time::of(std::int64_t count, TimeUnit unit) {
  if (unit == TimeUnit::Duration) return duration(static_cast<double>(count));
  Time time;
  time.unit_ = unit;
  time.count_ = count;
  return time;
}

Time Time::duration(double fraction) {
  Time time;
  time.unit_ = TimeUnit::Duration;
  time.whole_ = false;
  time.fraction_ = fraction;
  return time;
}

Time Time::epochs(double count) {
  if (count == std::floor(count) && std::abs(count) < 0x1.0p62)
    return of(static_cast<std::int64_t>(count), TimeUnit::Epoch);
  Time time;
  time.unit_ = TimeUnit::Epoch;
  time.whole_ = false;
  time.fraction_ = count;
  return time;
}

std::int64_t Time::count() const {
  assert(whole_);
  return count_;
}

double Time::number() const {
  return whole_ ? static_cast<double>(count_) : fraction_;
}

std::string Time::text() const {
  return (whole_ ? std::to_string(count_) : fractionText(fraction_)).append(unitName(unit_));
}

Timestamp Timestamp::afterStep(const StepCounts& done, std::int64_t units) const {
  Timestamp next = *this;
  ++next.step;
  ++next.stepInBatch;
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
  next.stepInBatch = 0;
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

Result<std::partial_ordering> compare(const Time& left, const Time& right) {
  if (left.unit() != right.unit()) return unequal("a comparison", left, right);
  if (bothWhole(left, right)) return std::partial_ordering{left.count() <=> right.count()};
  return left.number() <=> right.number();
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
