// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
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
  static Result<Time> parse(std::string_view text, const std::string& forms);

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

/// Counts of one optimizer step.
struct StepCounts {
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  double seconds = 0.0;  ///< training time, without evaluation, checkpoints and pauses
};

/// Progress since the start of the run: the single clock of schedules, logs, intervals and checkpoints. An immutable
/// value.
struct Timestamp {
  std::int64_t epoch = 0;         ///< completed epochs
  std::int64_t batch = 0;         ///< completed global batches
  std::int64_t step = 0;          ///< optimizer steps
  std::int64_t sample = 0;        ///< sequences
  std::int64_t token = 0;         ///< real tokens
  double seconds = 0.0;           ///< training seconds
  std::int64_t batchInEpoch = 0;  ///< global batches completed in the current epoch
  std::int64_t unitInEpoch = 0;   ///< samples, or packs under a token budget, completed in the current epoch
  std::int64_t sampleInEpoch = 0;
  std::int64_t tokenInEpoch = 0;
  std::int64_t stepInBatch = 0;  ///< optimizer steps completed in the current global batch; 0 at its start

  bool operator==(const Timestamp&) const = default;

  /// After one more step of `units` units (samples or packs) inside a global batch; batch and epoch clocks stay.
  Timestamp afterStep(const StepCounts& done, std::int64_t units) const;
  /// After the last step of a global batch.
  Timestamp afterBatch() const;
  /// After the last global batch of an epoch: resets the clocks within the epoch.
  Timestamp afterEpoch() const;
};

// Arithmetic on Times. All functions fail with Config if the units differ or a whole number overflows 64 bits. Whole
// numbers stay exact; a product with a fraction is computed in double and truncated toward zero, as schedules need it
// (5ep x 0.5 = 2ep).

Result<std::partial_ordering> compare(const Time& left, const Time& right);
Result<Time> add(const Time& left, const Time& right);
Result<Time> subtract(const Time& left, const Time& right);
Result<Time> multiply(const Time& time, double factor);

/// Returns the clock in `unit`, whole seconds for sec. Requires unit != dur.
std::int64_t clockValue(const Timestamp& now, TimeUnit unit);

}  // namespace batchwise
