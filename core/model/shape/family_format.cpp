// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/family_format.h"

#include <functional>
#include <utility>

#include "core/base/format.h"

namespace batchwise {
namespace {

using nlohmann::json;

struct ActivationName {
  const char* name;
  Activation activation;
};
constexpr ActivationName kActivations[] = {{"gelu", Activation::Gelu},
                                           {"gelu_python", Activation::Gelu},
                                           {"gelu_new", Activation::GeluTanh},
                                           {"gelu_fast", Activation::GeluTanh},
                                           {"gelu_pytorch_tanh", Activation::GeluTanh},
                                           {"relu", Activation::Relu},
                                           {"silu", Activation::Silu},
                                           {"swish", Activation::Silu}};

bool isPositive(const json& value) {
  return value.is_number() && value.get<double>() > 0;
}

}  // namespace

const json* ConfigFields::find(const char* name) const {
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null() ? &*found : nullptr;
}

bool ConfigFields::isNull(const char* name) const {
  const auto found = object_.find(name);
  return found != object_.end() && found->is_null();
}

void ConfigFields::requiredSize(const char* name, std::int64_t& target) {
  if (find(name) == nullptr) return fail(Error::config(formatText("config.json has no \"{}\"", name)));
  size(name, target);
}

void ConfigFields::size(const char* name, std::int64_t& target) {
  read(name, target, "a whole number above 0",
       [](const json& value) { return value.is_number_integer() && value.get<std::int64_t>() >= 1; });
}

void ConfigFields::real(const char* name, double& target) {
  read(name, target, kNumberNoun, &json::is_number);
}

void ConfigFields::flag(const char* name, bool& target) {
  read(name, target, "true or false", &json::is_boolean);
}

std::string ConfigFields::text(const char* name, std::string otherwise) {
  read(name, otherwise, kTextNoun, &json::is_string);
  return otherwise;
}

void ConfigFields::activation(const char* name, Activation& target) {
  const std::string found = text(name, "");
  if (found.empty()) return;
  for (const auto& [known, activation] : kActivations) {
    if (found != known) continue;
    target = activation;
    return;
  }
  fail(Error::config(formatText("{} \"{}\" is unknown: use gelu, gelu_new, relu or silu", name, found))
           .within("config.json"));
}

void ConfigFields::requireFlag(const char* name, bool supported) {
  bool found = supported;
  flag(name, found);
  if (found != supported)
    fail(Error::config(modelConfigOptionUnsupportedText(name, found ? "true" : "false", supported ? "true" : "false")));
}

void ConfigFields::requireText(const char* name, const std::string& supported) {
  const std::string found = text(name, supported);
  if (found != supported) fail(Error::config(modelConfigOptionUnsupportedText(name, found, supported)));
}

void ConfigFields::requireNull(const char* name) {
  if (const json* found = find(name))
    fail(Error::config(modelConfigOptionUnsupportedText(name, found->dump(), "null")));
}

void ConfigFields::requireSame(const char* first, const json& firstValue, const char* second, const json& secondValue) {
  if (firstValue == secondValue) return;
  fail(Error::config(modelConfigSpellingsDifferText(first, firstValue.dump(), second, secondValue.dump())));
}

void ConfigFields::noteUnused(const char* name) {
  double value = 0;
  real(name, value);
  if (value != 0)
    notes_.push_back(formatText("{} {} of config.json is not used in training", name, formatExact(value)));
}

void ConfigFields::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

template <typename Value, typename Fits>
void ConfigFields::read(const char* name, Value& target, const std::string& expected, Fits fits) {
  const json* value = find(name);
  if (value == nullptr) return;
  if (!std::invoke(fits, *value))
    return fail(Error::config(formatText("\"{}\" of config.json is {}, not {}", name, value->dump(), expected)));
  target = value->get<Value>();
}

void readTheta(ConfigFields& fields, const json* parameters, const std::string& entry, const char* old, double& target,
               std::optional<double> ofNull) {
  const double usual = target;
  const auto fail = [&](const std::string& name, const std::string& found) {
    fields.fail(
        Error::config(formatText("{} of config.json is {}, with which positions cannot be computed; write the number "
                                 "with which the model was trained, such as {}",
                                 name, found, formatExact(usual))));
  };
  const json* given = fields.find(old);
  if (fields.isNull(old) && !ofNull) return fail(old, "null");
  if (given != nullptr && !isPositive(*given)) return fail(old, given->dump());
  target = given != nullptr ? given->get<double>() : fields.isNull(old) ? *ofNull : target;
  if (parameters == nullptr || parameters->is_null()) return;
  if (!parameters->is_object())
    return fields.fail(
        Error::config(formatText("\"{}\" of config.json is {}, not {}", entry, parameters->dump(), kObjectNoun)));
  const json type = parameters->value("rope_type", json("default"));
  if (type != "default")
    return fields.fail(
        Error::config(modelConfigOptionUnsupportedText(entry + ".rope_type", type.dump(), "\"default\"")));
  const auto theta = parameters->find("rope_theta");
  if (theta == parameters->end()) return;
  const std::string name = entry + ".rope_theta";
  if (!isPositive(*theta)) return fail(name, theta->dump());
  if (given != nullptr && given->get<double>() != theta->get<double>())
    return fields.fail(Error::config(modelConfigSpellingsDifferText(old, given->dump(), name, theta->dump())));
  target = theta->get<double>();
}

}  // namespace batchwise
