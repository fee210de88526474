// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/time/time.h"

#include <gmock/gmock.h>

#include <limits>
#include <optional>
#include <random>

#include "core/config/time/run_length.h"
#include "tests/support/checked.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::VectorCase;

TEST(TimeTest, ReadsWhatItWrites) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 2000; ++round) {
    const Time whole = Time::of(static_cast<std::int64_t>(random()), static_cast<TimeUnit>(random() % 4));
    const Time share =
        Time::duration(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160));
    for (const Time& time : {whole, share}) {
      const auto again = Time::parse(time.text());
      ASSERT_TRUE(again.ok()) << time.text();
      EXPECT_EQ(*again, time) << time.text();
    }
  }
}

TEST(TimeTest, KeepsEveryDigitOf64Bits) {
  EXPECT_EQ(Time::parse("9223372036854775807tok")->count(), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(Time::parse("9223372036854775808tok").ok());
  EXPECT_EQ(Time::parse("-9223372036854775808tok")->count(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Time::parse("9223372036854775.807e3tok")->count(), std::numeric_limits<std::int64_t>::max());
}

TEST(TimeTest, TakesAnyAmountsOfHoursMinutesSeconds) {
  EXPECT_EQ(*Time::parse("90m"), Time::of(5400, TimeUnit::Second));
  EXPECT_EQ(*Time::parse("48h"), Time::of(172800, TimeUnit::Second));
  EXPECT_EQ(*Time::parse("1h120m"), Time::of(10800, TimeUnit::Second));
}

TEST(TimeTest, AFractionOfAnEpochStaysOne) {
  const auto half = test::checked(Time::parse("0.5ep"));
  EXPECT_FALSE(half->isWhole());
  EXPECT_EQ(half->text(), "0.5ep");
  EXPECT_TRUE(Time::parse("2.0ep")->isWhole());
  EXPECT_EQ(*multiply(*half, 2.0), Time::of(1, TimeUnit::Epoch));
}

TEST(TimeTest, SaysWhereTheTextIsNotUnderstood) {
  const Error wrong = test::refused(Time::parse("12weeks"));
  EXPECT_THAT(wrong.message, testing::HasSubstr("position 3"));
  EXPECT_THAT(wrong.message, testing::HasSubstr("12weeks"));
  EXPECT_THAT(wrong.message, testing::HasSubstr("1000ba"));
}

TEST(TimeTest, ANumberThatNoDoubleHoldsIsTooSmallOrTooLarge) {
  const auto problemOf = [](const char* text) {
    const auto time = Time::parse(text);
    return time.ok() ? "read as " + time->text() : time.error().message;
  };
  for (const char* text : {"1e-400dur", "-1e-400dur", "0.00012e-390dur", "123e-400ep"})
    EXPECT_THAT(problemOf(text), testing::HasSubstr("too small to be told from 0"));
  for (const char* text : {"1e400dur", "0.001e400dur", "1e19ep", "1e400ba"})
    EXPECT_THAT(problemOf(text), testing::HasSubstr("too large"));
  EXPECT_EQ(Time::parse("0.0e-400dur").value(), Time::duration(0.0));
  EXPECT_EQ(Time::parse("0e-400ep").value(), Time::of(0, TimeUnit::Epoch));
}

TEST(TimeTest, RefusesSumsThatLeave64Bits) {
  const Time most = Time::of(std::numeric_limits<std::int64_t>::max(), TimeUnit::Token);
  EXPECT_FALSE(add(most, Time::of(1, TimeUnit::Token)).ok());
  EXPECT_FALSE(multiply(most, 2.0).ok());
  EXPECT_FALSE(multiply(most, 1.5).ok());
}

TEST(RunLengthTest, EpochsBecomeSamplesWhereGlobalBatchesDiffer) {
  const RunLength run{Time::of(4, TimeUnit::Epoch), 100, std::nullopt};
  EXPECT_EQ(*resolveTime(*Time::parse("0.5ep"), run, 1.0, "t"), Time::of(50, TimeUnit::Sample));
  EXPECT_EQ(*resolveTime(*Time::parse("0.1dur"), run, 1.0, "t"), Time::of(40, TimeUnit::Sample));
  const RunLength even{Time::of(4, TimeUnit::Epoch), 100, 13};
  EXPECT_EQ(*resolveTime(*Time::parse("0.5ep"), even, 1.0, "t"), Time::of(6, TimeUnit::Batch));
}

TEST(RunLengthTest, APartOfAnEpochIsThatShareOfItsSamples) {
  const RunLength run{*Time::parse("1.5ep"), 100, 13};
  EXPECT_EQ(*resolveEnd(run), Time::of(150, TimeUnit::Sample));
  EXPECT_EQ(*resolveInterval(*Time::parse("0.5ep"), run, "t"), Time::of(50, TimeUnit::Sample));
  EXPECT_FALSE(resolveEnd({*Time::parse("0.001ep"), 100, 13}).ok());
}

TEST(TimeTest, RefusesAnExponentWithTwoSigns) {
  for (const char* text : {"1000e+-1ba", "1000e-+1ba", "1000e++1ba", "1000e--1ba", "1000e+ba"})
    EXPECT_FALSE(Time::parse(text).ok()) << text;
  EXPECT_EQ(Time::parse("1000e+1ba")->count(), 10000);
  EXPECT_EQ(Time::parse("1000e-1ba")->count(), 100);
}

TEST(TimeTest, NamesTheFormsThatItIsGiven) {
  EXPECT_EQ(test::refused(Time::parse("5xx", "a time in ba")).message,
            "'5xx' is not a time: the unit is unknown at position 2; use a time in ba");
}

TEST(RunLengthTest, TheWholeRunIsExact) {
  const Time odd = Time::of(9007199254740993, TimeUnit::Token);
  const RunLength run{odd, std::nullopt, std::nullopt};
  EXPECT_EQ(*resolveTime(Time::duration(1.0), run, 1.0, "t"), odd);
}

const RunLength kRun{Time::of(2, TimeUnit::Epoch), 80, 10};

Timestamp at(std::int64_t batch, double seconds = 0) {
  Timestamp now;
  now.batch = batch;
  now.epoch = batch / 10;
  now.batchInEpoch = batch % 10;
  now.sample = batch * 8;
  now.seconds = seconds;
  return now;
}

TEST(IntervalSetTest, EachIntervalIsDueOnItsOwnClock) {
  const auto set = test::checked(
      IntervalSet::resolve({*Time::parse("4ba"), *Time::parse("1ep"), *Time::parse("72sp")}, kRun, AtEnd::Fire, "f"));
  std::vector<std::int64_t> due;
  for (std::int64_t batch = 1; batch <= 12; ++batch)
    if (set->anyDue(at(batch - 1), at(batch), false)) due.push_back(batch);
  EXPECT_EQ(due, (std::vector<std::int64_t>{4, 8, 9, 10, 12}));
}

TEST(IntervalSetTest, TheEndFiresUnlessItIsSilent) {
  const auto set = IntervalSet::resolve({*Time::parse("4ba"), *Time::parse("0ba")}, kRun, AtEnd::Fire, "f");
  EXPECT_TRUE(set->anyDue(at(16), at(17), true));
  EXPECT_FALSE(set->anyDue(at(16), at(17), false));
  const auto silent = IntervalSet::resolve({*Time::parse("4ba")}, kRun, AtEnd::Silent, "f");
  EXPECT_FALSE(silent->anyDue(at(16), at(17), true));
  const auto never = IntervalSet::resolve({*Time::parse("0ba")}, kRun, AtEnd::Fire, "f");
  EXPECT_FALSE(never->anyDue(at(16), at(17), true));
}

TEST(IntervalSetTest, TrainingSecondsAreAClock) {
  const auto set = IntervalSet::resolve({*Time::parse("1m")}, kRun, AtEnd::Silent, "f");
  EXPECT_FALSE(set->anyDue(at(1, 10.0), at(2, 59.9), false));
  EXPECT_TRUE(set->anyDue(at(2, 59.9), at(3, 60.0), false));
  EXPECT_TRUE(set->anyDue(at(3, 60.0), at(4, 200.0), false));
}

TEST(IntervalSetTest, NamesTheFieldOfATimeItCannotUse) {
  EXPECT_EQ(test::refused(IntervalSet::resolve({*Time::parse("-4ba")}, kRun, AtEnd::Fire, "checkpoint.interval")).field,
            "checkpoint.interval");
}

// The recorded answers of the peers' Time (tests/vectors/time.json), group by group.

const json kRefused = {{"error", "refused"}};

json toJson(const Time& time) {
  json value;
  if (time.isWhole())
    value = std::abs(time.number()) > 0x1.0p53 ? json(std::to_string(time.count())) : json(time.count());
  else
    value = time.number();
  return {{"value", value}, {"unit", unitName(time.unit())}, {"string", time.text()}};
}

json toJson(const Result<Time>& time) {
  return time ? toJson(*time) : kRefused;
}

json toJson(const Result<std::partial_ordering>& order) {
  if (!order) return kRefused;
  const auto o = *order;
  return {{"lt", o < 0}, {"le", o <= 0}, {"eq", o == 0}, {"ne", o != 0}, {"gt", o > 0}, {"ge", o >= 0}};
}

/// An operand that is a Time, given as text or {"raw_string": text}. A bare number gives nothing.
std::optional<Result<Time>> operandOf(const json& operand) {
  if (operand.is_object()) return Time::parse(operand.at("raw_string").get<std::string>());
  if (operand.is_string()) return Time::parse(operand.get<std::string>());
  return std::nullopt;
}

template <typename Number>
concept Countable = requires(Number number) {
  Time::of(number, TimeUnit::Token);
};

json construct(const json& input) {
  const auto unit = unitFromName(input.at("unit").get<std::string>());
  if (!unit) return kRefused;
  const double number = input.at("value").get<double>();
  if (*unit == TimeUnit::Duration) return toJson(Time::duration(number));
  if (input.at("is_float").get<bool>()) {
    if (*unit == TimeUnit::Epoch) return toJson(Time::epochs(number));
    static_assert(!Countable<double> && Countable<int>, "counts are whole numbers");
    return kRefused;
  }
  return toJson(Time::of(input.at("value").get<std::int64_t>(), *unit));
}

json format(const json& input) {
  const auto unit = unitFromName(input.at("unit").get<std::string>());
  if (!unit) return kRefused;
  const json& value = input.at("value");
  const Time time = *unit == TimeUnit::Duration ? Time::duration(value.get<double>())
                                                : Time::of(std::stoll(test::numberText(value)), *unit);
  const auto again = Time::parse(time.text());
  return {{"string", time.text()}, {"reparsed_equal", again.ok() && *again == time}};
}

json compareCase(const json& input) {
  const auto left = operandOf(input.at("lhs"));
  const auto right = operandOf(input.at("rhs"));
  if (!left || !right || !*left || !*right) return kRefused;  // a bare number is no Time
  return toJson(compare(**left, **right));
}

json arithmetic(const json& input) {
  const std::string op = input.at("op");
  const auto left = operandOf(input.at("lhs"));
  const auto right = input.contains("rhs") ? operandOf(input.at("rhs")) : std::nullopt;
  if ((left && !*left) || (right && !*right)) return kRefused;
  if (op == "mul" && left) return toJson(multiply(**left, input.at("rhs").get<double>()));
  if (op == "mul") return toJson(multiply(**right, input.at("lhs").get<double>()));
  if (!left || !right) return kRefused;
  if (op == "add") return toJson(add(**left, **right));
  return toJson(subtract(**left, **right));
}

RunLength runOf(const json& input) {
  RunLength run;
  run.maxDuration = Time::parse(input.at("max_duration").get<std::string>()).value();
  if (!input.at("dataloader_len").is_null()) {
    run.batchesPerEpoch = input.at("dataloader_len").get<std::int64_t>();
    run.samplesPerEpoch = *run.batchesPerEpoch * input.value("samples_per_batch", 32);
  }
  return run;
}

json convert(const json& input) {
  const auto max = Time::parse(input.at("max_duration").get<std::string>());
  const auto time = Time::parse(input.at("time").get<std::string>());
  if (!max || !time) return kRefused;
  return toJson(resolveTime(*time, runOf(input), input.at("ssr").get<double>(), "scheduler.t_max"));
}

json scaleMax(const json& input) {
  const auto max = Time::parse(input.at("max_duration").get<std::string>());
  return max ? toJson(scaleMaxDuration(*max, input.at("ssr").get<double>())) : kRefused;
}

json timestamps(const json& input) {
  json rows = json::array();
  Timestamp now;
  double epochStart = 0;
  for (const json& step : input.at("steps")) {
    const std::string op = step.at("op");
    if (op == "iteration") return kRefused;  // no such unit
    if (op == "batch") {
      now = now.afterStep({step.value("samples", 0), step.value("tokens", 0), step.value("seconds", 0.0)}, 1)
                .afterBatch();
    } else {
      now = now.afterEpoch();
      epochStart = now.seconds;
    }
    rows.push_back({{"epoch", now.epoch},
                    {"batch", now.batch},
                    {"sample", now.sample},
                    {"token", now.token},
                    {"batch_in_epoch", now.batchInEpoch},
                    {"sample_in_epoch", now.sampleInEpoch},
                    {"token_in_epoch", now.tokenInEpoch},
                    {"total_wct", now.seconds},
                    {"epoch_wct", now.seconds - epochStart}});
  }
  return rows;
}

/// The Timestamp after `batches` equal global batches.
Timestamp timestampAt(const json& input, std::int64_t batches) {
  const auto perEpoch = input.at("dataloader_len").get<std::int64_t>();
  const auto samples = input.at("samples_per_batch").get<std::int64_t>();
  Timestamp now;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    now = now.afterStep({samples, samples * input.at("tokens_per_sample").get<std::int64_t>(),
                         input.value("seconds_per_batch", 0.0)},
                        samples)
              .afterBatch();
    if (now.batchInEpoch == perEpoch) now = now.afterEpoch();
  }
  return now;
}

json intervals(const json& input) {
  const RunLength run = runOf(input);
  const AtEnd atEnd = input.at("include_end_of_training").get<bool>() ? AtEnd::Fire : AtEnd::Silent;
  const auto set =
      IntervalSet::resolve({Time::parse(input.at("interval").get<std::string>()).value()}, run, atEnd, "eval.interval");
  if (!set) return kRefused;
  json fired = json::array();
  const auto last = input.at("batches_run").get<std::int64_t>();
  for (std::int64_t batch = 1; batch <= last; ++batch)
    if (set->anyDue(timestampAt(input, batch - 1), timestampAt(input, batch), batch == last)) fired.push_back(batch);
  return fired;
}

/// Whether the case is about what no schedule needs: negatives, ratios, remainders and products of Times, comparisons
/// of them with clocks, and fractions of a run.
bool isOmitted(const VectorCase& one) {
  if (one.group == "timestamp_compare" || one.group == "elapsed_duration") return true;
  if (one.group != "arithmetic") return false;
  const std::string op = one.input.at("op");
  if (op == "mul") return operandOf(one.input.at("lhs")) && operandOf(one.input.at("rhs"));
  return op != "add" && op != "sub";
}

json answerTo(const VectorCase& one) {
  const json& input = one.input;
  if (one.group == "parse") return toJson(Time::parse(input.at("string").get<std::string>()));
  if (one.group == "construct") return construct(input);
  if (one.group == "format") return format(input);
  if (one.group == "compare") return compareCase(input);
  if (one.group == "arithmetic") return arithmetic(input);
  if (one.group == "convert") return convert(input);
  if (one.group == "scale_max_duration") return scaleMax(input);
  if (one.group == "timestamp") return timestamps(input);
  if (one.group == "interval") return intervals(input);
  json units = json::array();
  for (int unit = 0; unit < 6; ++unit) units.push_back(unitName(static_cast<TimeUnit>(unit)));
  return units;
}

/// The recorded form with what we do not have taken out: clocks of iterations and of the last batch, and the name of
/// the event that an interval fired on.
json comparable(const VectorCase& one, json recorded) {
  if (one.group == "interval" && recorded.is_array())
    for (json& entry : recorded)
      if (entry.is_array()) entry = entry.at(1);
  if (one.group == "timestamp" && recorded.is_array())
    for (json& row : recorded)
      for (const char* absent : {"iteration", "epoch_in_iteration", "token_in_iteration", "iteration_wct", "batch_wct"})
        row.erase(absent);
  return recorded;
}

bool agrees(const json& wanted, const json& found) {
  if (wanted.is_object() && wanted.contains("error")) return found.is_object() && found.contains("error");
  return test::difference(wanted, found).empty();
}

TEST(TimeVectorsTest, AnswersLikeThePeersOrAsTheTableSays) {
  const auto cases = test::vectorCases("time.json");
  ASSERT_GT(cases.size(), 200U);
  for (const VectorCase& one : cases) {
    if (isOmitted(one)) continue;
    SCOPED_TRACE(one.name);
    const json found = answerTo(one);
    EXPECT_TRUE(agrees(comparable(one, one.answer), found)) << "wanted " << one.answer << "\nfound  " << found;
    EXPECT_FALSE(one.excepted && agrees(comparable(one, one.peer), found)) << "needs no exception";
  }
}

}  // namespace
}  // namespace batchwise
