// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/time/time.h"

#include <array>
#include <cassert>
#include <cctype>
#include <charconv>
#include <cmath>

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
