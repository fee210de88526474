// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/choice.h"
#include "core/base/format.h"
#include "core/base/json.h"

namespace batchwise {

// Structs as JSON objects. A struct is described once, by a function template describe(archive, value) in namespace
// batchwise that names its fields; a JsonWriter as the archive writes them, a JsonReader reads them.

/// The parameter type of describe(): `T` is Struct, or const Struct where it is written.
template <class T, class Struct>
concept Describes = std::same_as<std::remove_const_t<T>, Struct>;

class JsonWriter {
 public:
  void field(const char* key, const std::string& value) { object_[key] = value; }
  void field(const char* key, std::int64_t value) { object_[key] = value; }
  void field(const char* key, double value) { object_[key] = jsonNumber(value); }
  void field(const char* key, const std::optional<double>& value) {
    if (value) field(key, *value);
  }
  void field(const char* key, const std::optional<bool>& value) {
    if (value) object_[key] = *value;
  }
  template <Choice E>
  void field(const char* key, E value) {
    object_[key] = choiceName(value);
  }
  template <Choice E>
  void fieldUnlessFirst(const char* key, E value) {
    if (value != E{}) field(key, value);
  }
  void fieldUnlessZero(const char* key, std::int64_t value) {
    if (value != 0) field(key, value);
  }
  template <class Struct>
  void object(const char* key, const Struct& value) {
    JsonWriter inner;
    describe(inner, value);
    object_[key] = inner.take();
  }
  template <class Item>
  void list(const char* key, const std::vector<Item>& items) {
    nlohmann::json& array = object_[key] = nlohmann::json::array();
    for (const Item& item : items) {
      JsonWriter inner;
      describe(inner, item);
      array.push_back(inner.take());
    }
  }
  template <class Item>
  void listUnlessEmpty(const char* key, const std::vector<Item>& items) {
    if (!items.empty()) list(key, items);
  }
  void set(const char* key, nlohmann::json value) { object_[key] = std::move(value); }
  nlohmann::json take() { return std::move(object_); }

 private:
  nlohmann::json object_ = nlohmann::json::object();
};

/// Keeps the first problem: a field that is missing, or has another type. `object` must outlive the reader.
class JsonReader {
 public:
  explicit JsonReader(const nlohmann::json& object) : object_(object) {}

  void field(const char* key, std::string& value) {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_string()) return wrongType(key, *found, kTextNoun);
    value = found->get<std::string>();
  }
  void field(const char* key, std::int64_t& value) {
    if (const nlohmann::json* found = find(key)) readInteger(key, *found, value);
  }
  void field(const char* key, double& value) {
    if (const nlohmann::json* found = find(key)) readNumber(key, *found, value);
  }
  void field(const char* key, std::optional<double>& value) {
    value.reset();
    if (object_.contains(key)) readNumber(key, object_.at(key), value.emplace());
  }
  void field(const char* key, std::optional<bool>& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    if (!found->is_boolean()) return wrongType(key, *found, "true or false");
    value = found->get<bool>();
  }
  template <Choice E>
  void field(const char* key, E& value) {
    std::string name;
    field(key, name);
    if (!problem_.empty()) return;
    const auto found = choiceFromName<E>(name);
    if (!found) return report(formatText("the field '{}' holds the unknown name '{}'", key, name));
    value = *found;
  }
  /// The value stays as it is if the field is missing.
  void fieldUnlessZero(const char* key, std::int64_t& value) {
    if (object_.contains(key)) readInteger(key, object_.at(key), value);
  }
  /// The value stays as it is if the field is missing, or names a choice of a later version.
  template <Choice E>
  void fieldUnlessFirst(const char* key, E& value) {
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_string())
      value = choiceFromName<E>(found->get_ref<const std::string&>()).value_or(value);
  }
  template <class Struct>
  void object(const char* key, Struct& value) {
    if (const nlohmann::json* found = find(key)) readObject(key, *found, value);
  }
  template <class Item>
  void list(const char* key, std::vector<Item>& items) {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array()) return wrongType(key, *found, kListNoun);
    for (const nlohmann::json& element : *found) readObject(key, element, items.emplace_back());
  }
  template <class Item>
  void listUnlessEmpty(const char* key, std::vector<Item>& items) {
    if (object_.contains(key)) list(key, items);
  }
  /// Returns the field; null if it is missing, which is reported.
  const nlohmann::json* find(const char* key) {
    const auto position = object_.find(key);  // end() if this is not an object
    if (position == object_.end()) {
      report(formatText("the field '{}' is missing", key));
      return nullptr;
    }
    return &*position;
  }
  void wrongType(const char* key, const nlohmann::json& found, const std::string& expected) {
    report(formatText("the field '{}' is {}, expected {}", key, found.type_name(), expected));
  }
  void report(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  const std::string& problem() const { return problem_; }

 private:
  void readInteger(const char* key, const nlohmann::json& found, std::int64_t& value) {
    const std::optional<std::int64_t> number = wholeNumberFromJson(found);
    if (!number) return wrongType(key, found, "a whole number of 64 bits");
    value = *number;
  }
  void readNumber(const char* key, const nlohmann::json& found, double& value) {
    const std::optional<double> number = numberFromJson(found);
    if (!number) return wrongType(key, found, "a number, \"nan\", \"inf\" or \"-inf\"");
    value = *number;
  }
  template <class Struct>
  void readObject(const char* key, const nlohmann::json& found, Struct& value) {
    JsonReader inner(found);
    describe(inner, value);
    if (!inner.problem_.empty()) report(inContextText(key, inner.problem_));
  }

  const nlohmann::json& object_;
  std::string problem_;
};

/// Members of an object that may lack them; defaults for missing ones and those of another type.
inline std::string textIn(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
inline std::int64_t numberIn(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}
inline bool flagIn(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace batchwise
