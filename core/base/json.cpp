// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "core/base/format.h"

namespace batchwise {
namespace {

Error notAllowed(const std::string& problem) {
  return Error::corrupt(formatText("the JSON is rejected: {}", problem));
}

/// Checks size, depth and number of values without building anything; syntax errors are left to the parser.
Result<void> checkLimits(std::string_view text, const JsonLimits& limits) {
  // The parser treats a zero byte as the end of input.
  if (text.find('\0') != std::string_view::npos) return Error::corrupt("the JSON holds a zero byte");
  if (text.size() > limits.bytes) return notAllowed(formatText("it has more than {} bytes", limits.bytes));
  std::size_t depth = 0, values = 1;
  bool inText = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inText) {
      if (c == '\\') ++i;
      if (c == '"') inText = false;
      continue;
    }
    if (c == '"') inText = true;
    if (c == ',' || c == '[' || c == '{') ++values;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > limits.depth) return notAllowed(formatText("it is nested more than {} levels deep", limits.depth));
    if (values > limits.values) return notAllowed(formatText("it holds more than {} values", limits.values));
  }
  return {};
}

/// Parser callback that records the first duplicate key.
class DuplicateKeyDetector {
 public:
  bool operator()(int /*depth*/, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end && !names_.empty()) names_.pop_back();
    if (event == Event::key && !names_.empty() && !names_.back().insert(value.get<std::string>()).second &&
        problem_.empty())
      problem_ = formatText("the key \"{}\" is given twice", value.get<std::string>());
    return problem_.empty();  // discards everything after a problem
  }

  const std::string& problem() const { return problem_; }

 private:
  std::vector<std::set<std::string>> names_;
  std::string problem_;
};

Error unreadable(const nlohmann::json::exception& failure) {
  return Error::corrupt(formatText("the JSON cannot be read: {}", failure.what()));
}

}  // namespace

Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits) try {
  RETURN_IF_ERROR(checkLimits(text, limits));
  return nlohmann::json::parse(text.begin(), text.end());
} catch (const nlohmann::json::exception& failure) {
  return unreadable(failure);
}

nlohmann::json parseJsonOrDiscarded(std::string_view text, const JsonLimits& limits) {
  auto parsed = parseJson(text, limits);
  return parsed.ok() ? std::move(*parsed) : nlohmann::json(nlohmann::json::value_t::discarded);
}

Result<nlohmann::json> parseStrictJson(std::string_view text, const JsonLimits& limits) try {
  RETURN_IF_ERROR(checkLimits(text, limits));
  DuplicateKeyDetector watch;
  auto parsed = nlohmann::json::parse(text.begin(), text.end(), std::ref(watch));
  if (!watch.problem().empty()) return notAllowed(watch.problem());
  return parsed;
} catch (const nlohmann::json::exception& failure) {
  return unreadable(failure);
}

std::string jsonText(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json jsonNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::optional<double> numberFromJson(const nlohmann::json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<std::int64_t> wholeNumberFromJson(const nlohmann::json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return json.get<std::int64_t>();
}

}  // namespace batchwise
