// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.h"

// Values of the configuration as one-line YAML, also valid in a flow list. Each round-trips.

namespace batchwise::config {

/// Returns a text as a YAML scalar: plain where that is safe, else in double quotes.
std::string quotedText(const std::string& text);
/// Inverse of quotedText(); other text is returned unchanged.
std::string unquotedText(const std::string& yaml);

std::string valueText(const Field& field, std::int64_t value);
std::string valueText(const Field& field, double value);
std::string valueText(const Field& field, bool value);
std::string valueText(const Field& field, const std::string& value);
std::string valueText(const Field& field, const Time& value);
std::string valueText(const Field& field, const RampLevelConfig& value);
std::string valueText(const Field& field, const SchedulerConfig& value);
std::string valueText(const Field& field, const StageConfig& value);
std::string valueText(const Field& field, const TrainingText& value);
std::string valueText(const Field& field, const std::vector<EvalSetConfig>& values);
std::string valueText(const Field& field, const TaskConfig& value);

template <Choice E>
std::string valueText(const Field&, E value) {
  return std::string(choiceName(value));
}

template <class T>
std::string valueText(const Field& field, const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() > 1 ? ", " : "") + valueText(field, value);
  return text + "]";
}

template <class T>
std::string valueText(const Field& field, const std::optional<T>& value) {
  return value ? valueText(field, *value) : field.unsetText;
}

}  // namespace batchwise::config
