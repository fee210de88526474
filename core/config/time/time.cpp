// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/time/time.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "core/base/format.h"
#include "core/base/text.h"

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

bool isDigit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// A parsed decimal number: sign, digits without the point, and a power of ten.
struct Decimal {
  bool negative = false;
  std::string digits;         ///< at least one
  std::int64_t exponent = 0;  ///< value = digits x 10^exponent
  std::string_view written;   ///< source text, to parse as a double
};

/// A parse error and its position, from 0.
struct ParseProblem {
  std::size_t position;
  std::string what;
};

Error refuse(std::string_view text, const ParseProblem& problem, const std::string& forms) {
  constexpr std::size_t kShown = 60;
  const std::string shown = std::string(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
  return Error::config(
      formatText("'{}' is not a time: {} at position {}; use {}", shown, problem.what, problem.position + 1, forms));
}

/// Parses [+-] digits [. digits] [e [+-] digits] at `at` and advances `at` past it. Empty if there is no digit.
std::optional<Decimal> readDecimal(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  Decimal number;
  std::size_t next = at;
  if (next < text.size() && (text[next] == '+' || text[next] == '-')) number.negative = text[next++] == '-';
  bool point = false;
  for (; next < text.size() && (isDigit(text[next]) || (text[next] == '.' && !point)); ++next) {
    if (text[next] == '.') {
      point = true;
      continue;
    }
    number.digits.push_back(text[next]);
    if (point) --number.exponent;
  }
  if (number.digits.empty()) return std::nullopt;
  if (next < text.size() && (text[next] == 'e' || text[next] == 'E')) {
    std::size_t power = next + 1;
    const bool plus = power < text.size() && text[power] == '+';
    if (plus) ++power;
    const bool twoSigns = plus && power < text.size() && text[power] == '-';
    std::int64_t exponent = 0;
    const auto read = std::from_chars(text.data() + power, text.data() + text.size(), exponent);
    if (!twoSigns && read.ec == std::errc{} && std::abs(exponent) < 100000) {
      number.exponent += exponent;
      next = static_cast<std::size_t>(read.ptr - text.data());
    }
  }
  number.written = text.substr(begin, next - begin);
  at = next;
  return number;
}

/// Returns the exact value if it is an integer that fits 64 bits.
std::optional<std::int64_t> wholeValue(const Decimal& number) {
  std::string digits = number.digits;
  std::int64_t exponent = number.exponent;
  while (!digits.empty() && exponent < 0 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return 0;
  if (exponent < 0 || exponent + static_cast<std::int64_t>(digits.size()) > 19) return std::nullopt;
  digits.append(static_cast<std::size_t>(exponent), '0');
  if (number.negative) digits.insert(0, 1, '-');
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  return value;
}

/// Returns the number of digits from the first one that is not 0 on.
std::size_t significantDigits(const Decimal& number) {
  const std::size_t first = number.digits.find_first_not_of('0');
  return first == std::string::npos ? 0 : number.digits.size() - first;
}

/// Returns the nearest double; empty if there is none, or only 0 for a number that is not 0.
std::optional<double> realValue(const Decimal& number) {
  std::string_view written = number.written;
  if (written.front() == '+') written.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
  if (read.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  if (value == 0.0 && significantDigits(number) > 0) return std::nullopt;
  return value;
}

/// Returns why a number has no value: from_chars() does not tell too small ones from too large ones.
std::string outOfRangeText(const Decimal& number) {
  const bool belowOne = static_cast<std::int64_t>(significantDigits(number)) + number.exponent <= 0;
  return belowOne ? "the number is too small to be told from 0" : "the number is too large";
}

/// Parses "1h30m15s": parts in this order, each at most once, of any size. Empty if the text has another form.
std::optional<std::int64_t> clockSeconds(std::string_view text) {
  static constexpr std::array<std::pair<char, std::int64_t>, 3> kParts = {{{'h', 3600}, {'m', 60}, {'s', 1}}};
  __extension__ using Wide = __int128;
  Wide total = 0;
  std::size_t part = 0;
  while (!text.empty()) {
    std::int64_t amount = 0;
    if (!isDigit(text.front())) return std::nullopt;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (read.ec != std::errc{} || read.ptr == text.data() + text.size()) return std::nullopt;
    while (part < kParts.size() && kParts[part].first != *read.ptr) ++part;
    if (part == kParts.size()) return std::nullopt;
    total += Wide{amount} * kParts[part++].second;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()) + 1);
  }
  if (total > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

std::optional<TimeUnit> shortUnit(std::string_view name) {
  const auto unit = unitFromName(name);
  return unit && unitName(*unit).size() == name.size() ? unit : std::nullopt;
}

/// Returns the Time, or the error in its number.
std::variant<Time, ParseProblem> toTime(const Decimal& number, TimeUnit unit) {
  if (unit == TimeUnit::Duration) {
    const auto value = realValue(number);
    if (!value) return ParseProblem{0, outOfRangeText(number)};
    return Time::duration(*value);
  }
  if (const auto whole = wholeValue(number)) return Time::of(*whole, unit);
  const auto value = realValue(number);
  if (!value || std::abs(*value) >= 0x1.0p63) return ParseProblem{0, outOfRangeText(number)};
  if (unit == TimeUnit::Epoch) return Time::epochs(*value);
  return ParseProblem{0, "a fraction, which only ep and dur may have,"};
}

std::variant<Time, ParseProblem> understood(std::string_view text) {
  if (text.empty()) return ParseProblem{0, "nothing found"};
  if (const auto seconds = clockSeconds(text)) return Time::of(*seconds, TimeUnit::Second);
  std::size_t at = 0;
  const auto number = readDecimal(text, at);
  if (!number) return ParseProblem{0, "no number found"};
  if (at == text.size()) return ParseProblem{at, "the unit is missing"};
  const auto unit = shortUnit(text.substr(at));
  if (!unit) return ParseProblem{at, "the unit is unknown"};
  return toTime(*number, *unit);
}

}  // namespace

std::string_view unitName(TimeUnit unit) {
  return kUnits[static_cast<std::size_t>(unit)].shortName;
}

std::optional<TimeUnit> unitFromName(std::string_view name) {
  const std::string lower = inLowerCase(std::string(name));
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

Result<Time> Time::parse(std::string_view text) {
  return parse(text, "a number with a unit: 5ep, 0.5ep, 1000ba, 4096sp, 3e4tok, 0.1dur, 45sec, 90m, 1h30m");
}

Result<Time> Time::parse(std::string_view text, const std::string& forms) {
  const auto answer = understood(text);
  if (const auto* problem = std::get_if<ParseProblem>(&answer)) return refuse(text, *problem, forms);
  return std::get<Time>(answer);
}

}  // namespace batchwise
