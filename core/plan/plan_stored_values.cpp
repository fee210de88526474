// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <sstream>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/time/time.h"
#include "core/plan/plan_state.h"

namespace batchwise {
namespace {

/// Upper bound of stored sizes, as in the configuration.
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 40;

/// Calls visit(name, member) for each stored value.
template <typename Derived, typename Visit>
void visitValues(Derived& derived, const Visit& visit) {
  visit("batch.global_train_batch_size", derived.globalUnits);
  visit("batch.device_train_microbatch_size", derived.microbatchUnits);
  visit("lr_scaling.reference_batch_size", derived.referenceBatchSize);
  visit("scheduler.samples_per_batch", derived.samplesPerBatch);
  visit("scheduler.tokens_per_batch", derived.tokensPerBatch);
  visit("stage_end", derived.stageEnd);
  visit("scheduler.end", derived.scheduleEnd);
  visit("data.mlm_probability_end", derived.maskRateEnd);
  visit("data.samples_per_epoch", derived.run.samplesPerEpoch);
  visit("data.batches_per_epoch", derived.run.batchesPerEpoch);
  visit("batch.growth.every", derived.growthEvery);
  visit("batch.growth.device_maximum", derived.growthLargest);
  visit("batch.growth.samples_per_pack", derived.samplesPerPack);
  visit("batch.rampup.duration", derived.rampDuration);
  visit("batch.rampup.sizes", derived.rampSizes);
  visit("batch.rampup.starts", derived.rampStarts);
}

std::string valueText(std::int64_t value) {
  return std::to_string(value);
}
std::string valueText(double value) {
  return formatExact(value);
}
std::string valueText(const Time& value) {
  return value.text();
}
template <typename Value>
std::string valueText(const std::optional<Value>& value) {
  return value ? valueText(*value) : "";
}
template <typename Value>
std::string valueText(const std::vector<Value>& values) {
  return joined(values, ",", [](const Value& value) { return valueText(value); });
}

/// Reads stored values, which are untrusted, into the members of visitValues(); records the first that is missing,
/// unreadable or impossible.
class ValueReader {
 public:
  explicit ValueReader(const ResolvedValues& values) : values_(values) {}

  void operator()(const std::string& name, std::int64_t& units) {
    if (const auto text = needed(name)) units = size(name, *text);
  }
  void operator()(const std::string& name, double& number) {
    const auto text = needed(name);
    if (!text) return;
    number = parsed<double>(name, *text).value_or(1.0);
    if (!std::isfinite(number) || number <= 0.0) fail(name, formatText("'{}' is not above 0", *text));
  }
  void operator()(const std::string& name, std::optional<std::int64_t>& count) {
    const auto text = found(name);
    if (!text) return;
    const bool ofEpoch = name.starts_with("data.");
    count = ofEpoch ? parsed<std::int64_t>(name, *text) : size(name, *text);
    if (ofEpoch && count && (*count < 1 || *count > kFarthestSample))
      fail(name, formatText("'{}' is not a valid count for an epoch", *text));
  }
  void operator()(const std::string& name, std::optional<double>& number) {
    if (found(name)) (*this)(name, number.emplace());
  }
  void operator()(const std::string& name, std::optional<Time>& time) {
    const auto text = found(name);
    if (!text) return;
    if (const auto value = Time::parse(*text))
      time = *value;
    else
      fail(name, formatText("'{}' cannot be read", *text));
  }
  void operator()(const std::string& name, std::vector<std::int64_t>& sizes) {
    for (const std::string& entry : entries(name)) sizes.push_back(size(name, entry));
  }
  void operator()(const std::string& name, std::vector<Time>& starts) {
    for (const std::string& entry : entries(name)) {
      const auto time = Time::parse(entry);
      const bool follows =
          time && (starts.empty() || (time->unit() == starts.back().unit() && time->count() > starts.back().count()));
      if (!follows) return fail(name, formatText("'{}' cannot be read, or does not follow the one before", entry));
      starts.push_back(*time);
    }
  }

  void fail(const std::string& name, const std::string& what) {
    if (!problem_) problem_ = Error::config(formatText("stored value {}: {}", name, what));
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  std::optional<std::string> found(const std::string& name) const {
    const auto place = values_.find(name);
    return place == values_.end() ? std::nullopt : std::optional{place->second};
  }
  std::optional<std::string> needed(const std::string& name) {
    auto text = found(name);
    if (!text) fail(name, "is missing");
    return text;
  }
  std::vector<std::string> entries(const std::string& name) const {
    std::vector<std::string> parts;
    std::istringstream stream(found(name).value_or(""));
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
  }
  std::int64_t size(const std::string& name, const std::string& text) {
    const std::int64_t units = parsed<std::int64_t>(name, text).value_or(1);
    if (units < 1 || units > kMaxUnits) fail(name, formatText("'{}' is not a batch size", text));
    return units;
  }
  template <typename Number>
  std::optional<Number> parsed(const std::string& name, const std::string& text) {
    const auto value = numberFrom<Number>(text);
    if (!value) fail(name, formatText("'{}' cannot be read", text));
    return value;
  }

  const ResolvedValues& values_;
  std::optional<Error> problem_;
};

/// Returns whether a stage may end at `time`.
bool countsProgress(const Time& time) {
  return time.isWhole() && time.unit() != TimeUnit::Duration && time.unit() != TimeUnit::Second;
}

}  // namespace

ResolvedValues toResolvedValues(const DerivedValues& derived) {
  ResolvedValues values = scheduleTimes(derived.scheduler);
  values["max_duration"] = derived.run.maxDuration.text();
  visitValues(derived, [&](const char* name, const auto& value) {
    if (std::string text = valueText(value); !text.empty()) values[name] = std::move(text);
  });
  return values;
}

Result<DerivedValues> fromResolvedValues(const TrainConfig& config, const ResolvedValues& values) {
  DerivedValues derived;
  ValueReader reader(values);
  visitValues(derived, [&](const char* name, auto& value) { reader(name, value); });
  if (!derived.rampStarts.empty() && derived.rampStarts.size() != derived.rampSizes.size())
    reader.fail("batch.rampup.starts", "their number differs from the number of sizes");
  if (derived.rampDuration && derived.rampDuration->count() < 0) reader.fail("batch.rampup.duration", "is below 0");
  if (derived.stageEnd && !countsProgress(*derived.stageEnd))
    reader.fail("stage_end", formatText("'{}' cannot be read", derived.stageEnd->text()));
  ASSIGN_OR_RETURN(derived.run.maxDuration, scaleMaxDuration(config.maxDuration, config.scaleScheduleRatio));
  const auto launched = values.find("max_duration");
  derived.holdsSchedule = launched == values.end() || launched->second != derived.run.maxDuration.text();
  if (reader.problem()) return *reader.problem();
  ASSIGN_OR_RETURN(derived.scheduler, withScheduleTimes(config.scheduler, values));
  return derived;
}

}  // namespace batchwise
