// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/growth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

constexpr double kTooMany = 0x1.0p50;  // units of a global batch

struct Variable {
  const char* name;
  std::optional<double> (*valueIn)(const GrowthInput&);
  const char* missing = nullptr;  ///< of a measured variable: why it has no value yet
};
using Value = std::optional<double>;
constexpr Variable kVariables[] = {
    {"epoch", [](const GrowthInput& in) -> Value { return static_cast<double>(in.epoch); }},
    {"current_batch_size", [](const GrowthInput& in) -> Value { return static_cast<double>(in.currentBatchSize); }},
    {"loss", [](const GrowthInput& in) { return in.loss; }, "there is no loss yet"},
    {"noise_scale", [](const GrowthInput& in) { return in.noise.scale; }, "the noise scale is not measured yet"},
    {"noise_trace", [](const GrowthInput& in) { return in.noise.trace; }, "noise_trace is not measured yet"},
    {"gradient_sq", [](const GrowthInput& in) { return in.noise.gradientSquared; }, "gradient_sq is not measured yet"},
    {"last_gradient_sq", [](const GrowthInput& in) { return in.lastGradientSquared; }, "gradient_sq was not measured"},
    {"eval_loss", [](const GrowthInput& in) { return in.evalLoss; }, "there is no evaluation yet"},
    {"lr", [](const GrowthInput& in) -> Value { return in.learningRate; }},
    {"ba", [](const GrowthInput& in) -> Value { return in.batch; }},
    {"tok", [](const GrowthInput& in) -> Value { return in.token; }},
    {"frac", [](const GrowthInput& in) -> Value { return in.fraction; }},
    {"critical_batch", [](const GrowthInput& in) { return in.criticalBatch; }}};

std::vector<std::string> variableNames() {
  std::vector<std::string> names;
  for (const Variable& variable : kVariables) names.emplace_back(variable.name);
  return names;
}

std::string fieldOf(const GrowthConfig& config) {
  if (config.rule != GrowthPreset::None) return "batch.growth.rule";
  return config.increaseFunction.empty() ? "batch.growth.batch_increase_function" : "batch.growth.increase_function";
}

/// Fails with Config if a rule has other values than it needs.
Result<void> checkRule(const GrowthConfig& growth) {
  const std::size_t given = growth.values.size();
  const std::string_view rule = choiceName(growth.rule);
  const auto isEpoch = [](double value) { return value >= 1.0 && value == std::floor(value); };
  if (growth.rule == GrowthPreset::DoubleAtEpochs && (given == 0 || !std::ranges::all_of(growth.values, isEpoch)))
    return Error::config("batch.growth.values",
                         "must be the completed epochs after which the batch doubles, such as [3, 6]");
  if (growth.rule == GrowthPreset::DoubleAtEpochs && growth.every != GrowthConfig{}.every)
    return Error::config("batch.growth.every", formatText("must be 1ep under {}: it asks once per epoch", rule));
  const std::size_t most = growth.rule == GrowthPreset::Accordion       ? 2
                           : growth.rule == GrowthPreset::CriticalBatch ? 0
                                                                        : 1;
  if (growth.rule != GrowthPreset::DoubleAtEpochs && given > most)
    return Error::config(
        "batch.growth.values",
        most == 0 ? formatText("has no effect under {}; leave it out", rule)
                  : formatText("{} takes at most {}", rule, countText(static_cast<std::int64_t>(most), "value")));
  if (growth.rule != GrowthPreset::DoubleAtEpochs && std::ranges::count(growth.values, 0.0) > 0)
    return Error::config("batch.growth.values", formatText("a value of {} must be above 0", rule));
  return {};
}

}  // namespace

std::optional<double> criticalBatchAt(const CriticalBatchConfig& law, double tokens) {
  if (!law.a || !law.c) return std::nullopt;
  return std::exp(*law.a + *law.c * std::log(std::max(tokens, 1.0)));
}

std::string growthExpression(const GrowthConfig& growth, std::int64_t initial) {
  const std::vector<double>& values = growth.values;
  const auto value = [&](std::size_t index, double otherwise) {
    return formatExact(index < values.size() ? values[index] : otherwise);
  };
  const auto size = static_cast<double>(initial);
  switch (growth.rule) {
    case GrowthPreset::None: break;
    case GrowthPreset::DoubleAtEpochs:
      return "epoch in [" + joined(values, ", ", [](double epoch) { return formatExact(epoch); }) +
             "] ? 2 * current_batch_size : current_batch_size";
    case GrowthPreset::NormTest:
      return "max(current_batch_size, ceil(noise_trace / (" + value(0, 1.0) + "^2 * gradient_sq)))";
    case GrowthPreset::DiveBatch: return value(0, 1.0) + " * (1 + noise_scale)";
    case GrowthPreset::McCandlish: return "sqrt(" + value(0, size) + " * noise_scale)";
    case GrowthPreset::Accordion:
      return "abs(sqrt(gradient_sq / last_gradient_sq) - 1) < " + value(0, 0.5) + " ? " + value(1, 8.0 * size) + " : " +
             formatExact(size);
    case GrowthPreset::CriticalBatch:
      return "critical_batch > 2 * current_batch_size ? 2 * current_batch_size : current_batch_size";
  }
  return growth.increaseFunction.empty() ? growth.batchIncreaseFunction : growth.increaseFunction;
}

Result<GrowthRule> GrowthRule::make(const TrainConfig& config, std::int64_t initial,
                                    std::optional<std::int64_t> largest, GrowthFunction function) {
  const GrowthConfig& growth = config.batch.growth;
  GrowthRule rule;
  rule.allowDecrease_ = growth.allowDecrease;
  rule.ofMicrobatch_ = config.batch.deviceTrainMicrobatchSize.has_value();
  if (growth.bound == GrowthBound::DeviceMaximum) rule.largest_ = largest;
  rule.function_ = std::move(function);
  if (rule.function_) return rule;
  if (!growth.increaseFunction.empty() && !growth.batchIncreaseFunction.empty())
    return Error::config("batch.growth.batch_increase_function", "increase_function is given too; keep one of them");
  rule.increment_ = growth.rule == GrowthPreset::None && growth.increaseFunction.empty();
  if (growth.rule != GrowthPreset::None) RETURN_IF_ERROR(checkRule(growth));
  const std::string field = fieldOf(growth);
  auto expression = Expression::parse(growthExpression(growth, initial), variableNames(), field);
  if (!expression) return expression.error();
  rule.expression_ = *expression;
  rule.measured_ = std::ranges::any_of(kVariables, [&](const Variable& variable) {
    return variable.missing != nullptr && expression->uses(variable.name);
  });
  if (expression->uses("critical_batch") && !(growth.criticalBatch.a && growth.criticalBatch.c))
    return Error::config(
        field, "critical_batch needs its law: set batch.growth.critical_batch.a and batch.growth.critical_batch.c");
  const double least = rule.increment_ ? 1.0 - static_cast<double>(initial) : 1.0;
  for (const std::int64_t epoch : {1, 2, 3}) {
    const auto size = static_cast<double>(initial);
    const GrowthInput trial{.epoch = epoch,
                            .currentBatchSize = initial,
                            .loss = 1.0,
                            .noise = {size, size, 1.0},
                            .lastGradientSquared = 1.0,
                            .evalLoss = 1.0,
                            .learningRate = config.optimizer.lr,
                            .batch = 1.0,
                            .token = 1.0,
                            .fraction = 0.5,
                            .criticalBatch = size};
    ASSIGN_OR_RETURN(const auto value, rule.evaluateExpression(trial));
    if (value < least || value >= kTooMany)
      return Error::config(
          field,
          formatText("'{}' gives {} at epoch {}, current_batch_size {}; a batch has 1 or more, and fewer than 2^50",
                     expression->text(), formatExact(value), epoch, initial));
  }
  return rule;
}

bool GrowthRule::dependsOnRun() const {
  return function_ || measured_;
}

Result<double> GrowthRule::evaluateExpression(const GrowthInput& input) const {
  std::array<double, std::size(kVariables)> values{};
  std::ranges::transform(kVariables, values.begin(),
                         [&](const Variable& variable) { return variable.valueIn(input).value_or(0.0); });
  return expression_->evaluate(values);
}

GrowthRule::Evaluation GrowthRule::evaluate(const GrowthInput& input) const {
  const std::int64_t current = input.currentBatchSize;
  const auto keep = [&](const std::string& why) {
    return Evaluation{current, formatText("{}; the size stays {}", why, current), std::nullopt};
  };
  double requested = 0.0;
  if (function_) {
    requested = static_cast<double>(function_(input));
  } else {
    for (const Variable& variable : kVariables)
      if (variable.missing != nullptr && expression_->uses(variable.name) && !variable.valueIn(input))
        return keep(variable.missing);
    const auto value = evaluateExpression(input);
    if (!value) return keep(value.error().message);
    requested = increment_ ? static_cast<double>(current) + std::trunc(*value) : std::trunc(*value);
  }
  if (!(requested >= 1.0 && requested < kTooMany))
    return keep(formatText("the function asks for {}", formatExact(requested)));
  const auto asked = static_cast<std::int64_t>(requested);
  std::int64_t size = asked;
  if (measured_) size = std::clamp(size, current - current / 2, 2 * current);
  // Applies even if accumulation makes it larger than the devices hold at once.
  if (size == current) return {current, {}, std::nullopt};
  std::string note;
  const bool bounded = largest_ && size > *largest_;
  if (bounded) {
    note = formatText("the function asks for {}, and {}{} (batch.growth.bound)", asked, *largest_,
                      ofMicrobatch_ ? ", batch.device_train_microbatch_size times the devices, is the bound"
                                    : " is the largest that the devices hold");
    size = *largest_;
  }
  if (size < current && !allowDecrease_) {
    note = note.empty()
               ? formatText("the function asks for {}, which is smaller; set batch.growth.allow_decrease to allow that",
                            asked)
               : formatText("{}; the size stays {}", note, current);
    size = current;
  }
  return {size, note, bounded ? std::optional{size} : std::nullopt};
}

}  // namespace batchwise
