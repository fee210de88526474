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
#include "core/exchange/messages.h"
#include "core/store/record_text.h"

namespace batchwise {

/// Returns whether text contains control characters other than line ends and tabs.
inline bool hasControlCharacters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
  });
}

/// Reads fields of an untrusted JSON object and records the first error (Corrupt). After an error, values are empty.
/// `object` must outlive the reader. Internal to exchange.
class UntrustedFields {
 public:
  UntrustedFields(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object_.is_object()) fail(messages::externalValueNotObject());
  }

  std::string text(const char* name, std::size_t longest) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_string()) return fail(messages::externalFieldNotText(name));
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() > longest) return fail(messages::externalFieldTooLong(name, longest));
    if (hasControlCharacters(text)) return fail(messages::externalFieldHasControlCharacter(name));
    return text;
  }
  std::string id(const char* name, bool mayBeEmpty = false) {
    const std::string id = text(name, 12);
    const bool letters =
        std::all_of(id.begin(), id.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
    if (!letters || (id.size() != 12 && !(mayBeEmpty && id.empty()))) fail(messages::externalFieldNotId(name));
    return id;
  }
  /// Reads an id as the trainer makes them: run id, segment and step.
  std::string checkpointId(const char* name, bool mayBeEmpty = false) {
    constexpr std::size_t kLongest = 64;
    const std::string id = text(name, kLongest);
    const bool plain = std::all_of(id.begin(), id.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (!plain || (id.empty() && !mayBeEmpty)) fail(messages::externalFieldNotCheckpointId(name));
    return id;
  }
  std::int64_t integer(const char* name, std::int64_t most = kMostNumber) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_number_integer()) return fail(messages::externalFieldNotInteger(name)), 0;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most))
      return fail(messages::externalFieldOutOfRange(name)), 0;
    const auto number = value->get<std::int64_t>();
    if (number < 0) fail(messages::externalFieldNegative(name));
    return number;
  }
  bool truth(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_boolean()) return fail(messages::externalFieldNotBoolean(name)), false;
    return value->get<bool>();
  }
  std::optional<double> number(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return fail(messages::externalFieldMissing(name)), std::nullopt;
    if (value->is_null()) return std::nullopt;
    return numberOf(*value, name);
  }
  std::optional<double> numberOf(const nlohmann::json& value, const std::string& name) {
    const std::optional<double> number = numberFromJson(value);
    if (!number) fail(messages::externalFieldNotNumber(name));
    return number;
  }
  Timestamp timestamp(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_object()) return fail(messages::externalFieldNotObject(name)), Timestamp{};
    const auto at = timestampFromText(value->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (!at.ok()) return fail(at.error().message), Timestamp{};
    return *at;
  }
  const nlohmann::json& list(const char* name, std::size_t most) {
    static const nlohmann::json kNone = nlohmann::json::array();
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_array() || value->size() > most)
      return fail(messages::externalFieldListInvalid(name)), kNone;
    return *value;
  }
  const nlohmann::json& object(const char* name) {
    static const nlohmann::json kNone = nlohmann::json::object();
    const nlohmann::json* value = find(name);
    if (value == nullptr || !value->is_object()) return fail(messages::externalFieldNotObject(name)), kNone;
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
