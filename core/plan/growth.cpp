// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/growth.h"

#include <array>
#include <cmath>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr double kTooMany = 0x1.0p50;  // units of a global batch

const std::vector<std::string> kVariables = {"epoch", "current_batch_size", "loss", "noise_scale"};

std::string fieldOf(const GrowthConfig& config) {
  return config.increaseFunction.empty() ? "batch.growth.batch_increase_function" : "batch.growth.increase_function";
}

}  // namespace

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
  rule.increment_ = growth.increaseFunction.empty();
  const std::string field = fieldOf(growth);
  auto expression =
      Expression::parse(rule.increment_ ? growth.batchIncreaseFunction : growth.increaseFunction, kVariables, field);
  if (!expression) return expression.error();
  rule.expression_ = *expression;
  const double least = rule.increment_ ? 1.0 - static_cast<double>(initial) : 1.0;
  for (const std::int64_t epoch : {1, 2, 3}) {
    const GrowthInput trial{epoch, initial, 1.0, static_cast<double>(initial)};
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
  return function_ || expression_->uses("loss") || expression_->uses("noise_scale");
}

Result<double> GrowthRule::evaluateExpression(const GrowthInput& input) const {
  const std::array<double, 4> values = {static_cast<double>(input.epoch), static_cast<double>(input.currentBatchSize),
                                        input.loss.value_or(0.0), input.noiseScale.value_or(0.0)};
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
    if (expression_->uses("loss") && !input.loss) return keep("there is no loss yet");
    if (expression_->uses("noise_scale") && !input.noiseScale) return keep("the noise scale is not measured yet");
    const auto value = evaluateExpression(input);
    if (!value) return keep(value.error().message);
    requested = increment_ ? static_cast<double>(current) + std::trunc(*value) : std::trunc(*value);
  }
  if (!(requested >= 1.0 && requested < kTooMany))
    return keep(formatText("the function asks for {}", formatExact(requested)));
  auto size = static_cast<std::int64_t>(requested);
  // Applies even if accumulation makes it larger than the devices hold at once.
  if (size == current) return {current, {}, std::nullopt};
  std::string note;
  const bool bounded = largest_ && size > *largest_;
  if (bounded) {
    note =
        ofMicrobatch_
            ? formatText(
                  "the function asks for {}, and {}, batch.device_train_microbatch_size times the devices, is the "
                  "bound (batch.growth.bound)",
                  size, *largest_)
            : formatText("the function asks for {}, and {} is the largest that the devices hold (batch.growth.bound)",
                         size, *largest_);
    size = *largest_;
  }
  if (size < current && !allowDecrease_) {
    note = note.empty()
               ? formatText("the function asks for {}, which is smaller; set batch.growth.allow_decrease to allow that",
                            size)
               : formatText("{}; the size stays {}", note, current);
    size = current;
  }
  return {size, note, bounded ? std::optional{size} : std::nullopt};
}

}  // namespace batchwise
