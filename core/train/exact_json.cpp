// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/exact_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_number.h"
#include "core/store/record_text.h"

namespace batchwise {

JsonFields::JsonFields(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {
  if (!object_.is_object()) problem_ = what_ + " is no JSON object";
}

const nlohmann::json* JsonFields::find(const char* name) {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  if (found == object_.end()) {
    fail(name, "is missing");
    return nullptr;
  }
  return &*found;
}

void JsonFields::fail(const char* name, const char* why) {
  if (problem_.empty()) problem_ = std::string(name) + " of " + what_ + " " + why;
}

void JsonFields::read(const char* name, std::int64_t& target) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return;
  if (!value->is_number_integer()) return fail(name, "is no whole number");
  target = value->get<std::int64_t>();
}

void JsonFields::read(const char* name, double& target) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return;
  const std::optional<double> number = numberFromJson(*value);
  if (!number) return fail(name, "is no number");
  target = *number;
}

void JsonFields::read(const char* name, std::string& target) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return;
  if (!value->is_string()) return fail(name, "is no text");
  target = value->get<std::string>();
}

Result<void> JsonFields::result() const {
  if (problem_.empty()) return {};
  return Error::corrupt(problem_);
}

nlohmann::json clocksToJson(const Timestamp& at) {
  return nlohmann::json::parse(timestampText(at));
}

Result<Timestamp> clocksFromJson(const nlohmann::json& object) {
  if (object.is_object() && object.empty()) return Error::corrupt("the clocks are missing");
  return timestampFromText(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

nlohmann::json growthToJson(const GrowthState& growth) {
  return {{"global_units", growth.globalUnits},
          {"asked_at", clocksToJson(growth.askedAt)},
          {"loss_sum", jsonNumber(growth.lossSum)},
          {"loss_count", growth.lossCount}};
}

Result<GrowthState> growthFromJson(const nlohmann::json& object) {
  GrowthState growth;
  JsonFields fields(object, "the state of batch growth");
  fields.read("global_units", growth.globalUnits);
  fields.read("loss_sum", growth.lossSum);
  fields.read("loss_count", growth.lossCount);
  if (Result<void> good = fields.result(); !good.ok()) return good.error();
  if (growth.globalUnits < 0 || growth.lossCount < 0)
    return Error::corrupt("the state of batch growth holds a negative count");
  if (!object.contains("asked_at")) return Error::corrupt("asked_at of the state of batch growth is missing");
  Result<Timestamp> askedAt = clocksFromJson(object.at("asked_at"));
  if (!askedAt.ok()) return askedAt.error();
  growth.askedAt = *askedAt;
  return growth;
}

}  // namespace batchwise
