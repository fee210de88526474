// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// Unit of a Time.
enum class TimeUnit {
  Epoch,     ///< ep: passes over the data
  Batch,     ///< ba: global batches
  Sample,    ///< sp: sequences
  Token,     ///< tok: real tokens
  Duration,  ///< dur: fraction of max_duration
  Second,    ///< sec: training seconds
};

/// "ep", "ba", "sp", "tok", "dur", "sec".
std::string_view unitName(TimeUnit unit);

/// Parses a unit's short or long name in any case: "ep" or "epoch", "ba" or "batch", ... Empty if unknown. Time::parse
/// accepts only the short names.
std::optional<TimeUnit> unitFromName(std::string_view name);

/// A training duration: a number with a unit. Whole numbers are exact 64-bit integers; `dur` and fractional epochs are
/// doubles. An immutable value. Thread-safe.
class Time {
 public:
  Time() = default;  ///< 0ba

  static Time of(std::int64_t count, TimeUnit unit);
  /// Deleted: use duration() and epochs() for fractions.
  template <std::floating_point Number>
  static Time of(Number count, TimeUnit unit) = delete;
  static Time duration(double fraction);
  /// Returns possibly fractional epochs; whole numbers become exact.
  static Time epochs(double count);

  /// Parses "5ep", "0.5ep", "0.1dur", "1000ba", "3e4tok", "90m", "1h30m", "45s", "45sec"; units in any case. Fails with
  /// Config, naming the position of the error and the valid forms.
  static Result<Time> parse(std::string_view text);
  /// Same, with the valid forms that the message names.
  static Result<Time> parse(std::string_view text, const Message& forms);

  TimeUnit unit() const { return unit_; }
  /// Returns false for dur and fractional epochs.
  bool isWhole() const { return whole_; }
  /// Returns the exact number. Requires isWhole().
  std::int64_t count() const;
  /// Returns the number as a double; exact up to 2^53.
  double number() const;
  /// Returns "5ep", "0.5ep", "0.1dur", "5400sec"; parses to the same value.
  std::string text() const;

  bool operator==(const Time&) const = default;

 private:
  TimeUnit unit_ = TimeUnit::Batch;
  bool whole_ = true;
  std::int64_t count_ = 0;
  double fraction_ = 0.0;
};

}  // namespace batchwise
