// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace batchwise {

/// What a Time counts.
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

/// The unit of a name as files and people write it, in any case: "ep" or "epoch", "ba" or "batch", ... Empty if there
/// is no such unit. Inside a Time only the short names count.
std::optional<TimeUnit> unitFromName(std::string_view name);

/// A length of training: a number with a unit. Whole numbers are exact 64-bit and never pass through a double; `dur`,
/// and epochs that are no whole number, are doubles. An immutable value, any thread.
class Time {
 public:
  Time() = default;  ///< 0ba

  static Time of(std::int64_t count, TimeUnit unit);
  /// Counts are whole: see duration() and epochs() for the two that need not be.
  template <std::floating_point Number>
  static Time of(Number count, TimeUnit unit) = delete;
  /// A fraction of the run.
  static Time duration(double fraction);
  /// Epochs that need not be whole; a whole number becomes exact.
  static Time epochs(double count);

  /// Reads "5ep", "0.5ep", "0.1dur", "1000ba", "3e4tok", "90m", "1h30m", "45s", "45sec". Case of the unit does not
  /// matter. Fails with Config, naming the position that is not understood and the forms that are.
  static Result<Time> parse(std::string_view text);
  /// The same; `forms` are the forms that the message names.
  static Result<Time> parse(std::string_view text, std::string_view forms);

  TimeUnit unit() const { return unit_; }
  /// False for dur and for fractional epochs.
  bool isWhole() const { return whole_; }
  /// The exact number. Requires isWhole().
  std::int64_t count() const;
  /// The number as a double; exact up to 2^53.
  double number() const;
  /// "5ep", "0.5ep", "0.1dur", "5400sec": reads back as the same value.
  std::string text() const;

  bool operator==(const Time&) const = default;

 private:
  TimeUnit unit_ = TimeUnit::Batch;
  bool whole_ = true;
  std::int64_t count_ = 0;
  double fraction_ = 0.0;
};

}  // namespace batchwise
