// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/exact_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_number.h"
#include "core/base/return_if_error.h"
#include "core/store/record_text.h"
#include "core/train/messages.h"

namespace batchwise {

JsonFields::JsonFields(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {
  if (!object_.is_object()) problem_ = messages::stateNotJsonObject(what_);
}

const nlohmann::json* JsonFields::find(const char* name) {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  if (found == object_.end()) {
    fail(name, messages::storedValueMissing());
    return nullptr;
  }
  return &*found;
}

void JsonFields::fail(const char* name, const Message& why) {
  if (problem_.empty()) problem_ = messages::stateFieldInvalid(name, what_, why);
}

void JsonFields::read(const char* name, std::int64_t& target) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return;
  if (!value->is_number_integer()) return fail(name, messages::stateValueNotWholeNumber());
  target = value->get<std::int64_t>();
}

void JsonFields::read(const char* name, double& target) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return;
  const std::optional<double> number = numberFromJson(*value);
  if (!number) return fail(name, messages::storedClockNotNumber());
  target = *number;
}

void JsonFields::read(const char* name, std::string& target) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return;
  if (!value->is_string()) return fail(name, messages::stateValueNotText());
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
  if (object.is_object() && object.empty()) return Error::corrupt(messages::stateClocksMissing());
  return timestampFromText(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

nlohmann::json growthToJson(const GrowthState& growth) {
  return {{"global_units", growth.globalUnits},
          {"asked_at", clocksToJson(growth.evaluatedAt)},
          {"loss_sum", jsonNumber(growth.lossSum)},
          {"loss_count", growth.lossCount}};
}

Result<GrowthState> growthFromJson(const nlohmann::json& object) {
  GrowthState growth;
  JsonFields fields(object, messages::batchGrowthState());
  fields.read("global_units", growth.globalUnits);
  fields.read("loss_sum", growth.lossSum);
  fields.read("loss_count", growth.lossCount);
  RETURN_IF_ERROR(fields.result());
  if (growth.globalUnits < 0 || growth.lossCount < 0) return Error::corrupt(messages::batchGrowthCountNegative());
  if (!object.contains("asked_at")) return Error::corrupt(messages::growthAskedAtMissing());
  ASSIGN_OR_RETURN(auto evaluatedAt, clocksFromJson(object.at("asked_at")));
  growth.evaluatedAt = evaluatedAt;
  return growth;
}

}  // namespace batchwise
