// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/choices.h"

// Texts that are raised in several places.

namespace batchwise {

/// Reads values of a config.json and keeps the first error. A value that is missing or null stays as it is.
class ConfigFields {
 public:
  explicit ConfigFields(const nlohmann::json& object) : object_(object) {}

  /// Returns a value; null if it is missing or null.
  const nlohmann::json* find(const char* name) const;
  bool isNull(const char* name) const;

  void requiredSize(const char* name, std::int64_t& target);
  void size(const char* name, std::int64_t& target);
  void real(const char* name, double& target);
  void flag(const char* name, bool& target);
  std::string text(const char* name, std::string otherwise);
  /// Knows every name that transformers has for the functions of Activation.
  void activation(const char* name, Activation& target);

  /// Fails unless the value is missing or `supported`: for options that a family knows but the trainer does not.
  void requireFlag(const char* name, bool supported);
  void requireText(const char* name, const std::string& supported);
  void requireNull(const char* name);
  /// Fails if two spellings of one value are present and differ.
  void requireSame(const char* first, const nlohmann::json& firstValue, const char* second,
                   const nlohmann::json& secondValue);
  /// Notes that the value is not used if it is a number other than 0.
  void noteUnused(const char* name);

  void fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  template <typename Value, typename Fits>
  void read(const char* name, Value& target, const std::string& expected, Fits fits);

  const nlohmann::json& object_;
  std::optional<Error> error_;
  std::vector<std::string> notes_;
};

/// Reads the theta of rotary positions from an entry of rope_parameters ({"rope_type", "rope_theta"}), named `entry` in
/// messages, and from its old spelling `old`, a key of config.json. `ofNull`: what null means there; nothing: it fails.
void readTheta(ConfigFields& fields, const nlohmann::json* parameters, const std::string& entry, const char* old,
               double& target, std::optional<double> ofNull = std::nullopt);

inline std::string modelConfigOptionUnsupportedText(const auto& field, const auto& found, const auto& supported) {
  return formatText("{} of config.json is {}; only {} is supported", field, found, supported);
}
inline std::string modelConfigSpellingsDifferText(const auto& first, const auto& firstValue, const auto& second,
                                                  const auto& secondValue) {
  return formatText("config.json has {} {} and {} {}, two spellings of the same value: remove the wrong one", first,
                    firstValue, second, secondValue);
}

}  // namespace batchwise
