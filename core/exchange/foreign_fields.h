// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_number.h"
#include "core/base/result.h"
#include "core/store/record_text.h"

namespace batchwise {

/// Line ends and tabs are text.
inline bool steersTerminal(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
  });
}

/// Reads the fields of one object from a file of unknown origin and remembers the first that is wrong: an Error with
/// code Corrupt. After one, values are empty. `object` must outlive it. Internal to exchange.
class ForeignFields {
 public:
  ForeignFields(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object_.is_object()) fail("is no object");
  }

  std::string text(const char* name, std::size_t longest) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_string()) return fail(std::string(name) + " is missing or no text");
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() > longest) return fail(std::string(name) + " is longer than " + std::to_string(longest) + " bytes");
    if (steersTerminal(text)) return fail(std::string(name) + " holds a control character");
    return text;
  }
  std::string id(const char* name, bool mayBeEmpty = false) {
    const std::string id = text(name, 12);
    const bool letters =
        std::all_of(id.begin(), id.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
    if (!letters || (id.size() != 12 && !(mayBeEmpty && id.empty()))) fail(std::string(name) + " is no id");
    return id;
  }
  /// As the trainer makes them: the id of the run, its segment and the step.
  std::string checkpointId(const char* name, bool mayBeEmpty = false) {
    constexpr std::size_t kLongest = 64;
    const std::string id = text(name, kLongest);
    const bool plain = std::all_of(id.begin(), id.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (!plain || (id.empty() && !mayBeEmpty)) fail(std::string(name) + " is no id of a checkpoint");
    return id;
  }
  std::int64_t integer(const char* name, std::int64_t most = kMostNumber) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_number_integer())
      return fail(std::string(name) + " is missing or no integer"), 0;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most))
      return fail(std::string(name) + " is out of range"), 0;
    const auto number = value->get<std::int64_t>();
    if (number < 0) fail(std::string(name) + " is negative");
    return number;
  }
  bool truth(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_boolean())
      return fail(std::string(name) + " is missing or no truth value"), false;
    return value->get<bool>();
  }
  std::optional<double> number(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return fail(std::string(name) + " is missing"), std::nullopt;
    if (value->is_null()) return std::nullopt;
    return numberOf(*value, name);
  }
  std::optional<double> numberOf(const nlohmann::json& value, const std::string& name) {
    const std::optional<double> number = numberFromJson(value);
    if (!number) fail(name + " is no number");
    return number;
  }
  Timestamp clocks(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_object())
      return fail(std::string(name) + " is missing or no object"), Timestamp{};
    const auto at = timestampFromText(value->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (!at.ok()) return fail(at.error().message), Timestamp{};
    return *at;
  }
  const nlohmann::json& list(const char* name, std::size_t most) {
    static const nlohmann::json kNone = nlohmann::json::array();
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_array() || value->size() > most)
      return fail(std::string(name) + " is missing, no list, or too long"), kNone;
    return *value;
  }
  const nlohmann::json& object(const char* name) {
    static const nlohmann::json kNone = nlohmann::json::object();
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_object()) return fail(std::string(name) + " is missing or no object"), kNone;
    return *value;
  }
  std::string fail(const std::string& problem) {
    if (!problem_) problem_ = Error::corrupt(what_ + ": " + problem);
    return {};
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  static constexpr std::int64_t kMostNumber = std::int64_t{1} << 62;

  const nlohmann::json* find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const nlohmann::json& object_;
  std::string what_;
  std::optional<Error> problem_;
};

}  // namespace batchwise
