// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/strict_json.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace batchwise {
namespace {

Error notAllowed(const std::string& problem) {
  return Error::corrupt("the JSON is not allowed: " + problem);
}

/// Measures the text without building anything. What is no JSON is left for the parser to find.
Result<void> checkLimits(std::string_view text, const JsonLimits& limits) {
  // The parser takes a zero byte for the end of its input.
  if (text.find('\0') != std::string_view::npos) return Error::corrupt("the JSON holds a zero byte");
  if (text.size() > limits.bytes) return notAllowed("it has more than " + std::to_string(limits.bytes) + " bytes");
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
    if (depth > limits.depth) return notAllowed("it is nested more than " + std::to_string(limits.depth) + " deep");
    if (values > limits.values) return notAllowed("it holds more than " + std::to_string(limits.values) + " values");
  }
  return {};
}

/// Watches the parser go by and notes the first name that is there twice.
class NameWatch {
 public:
  bool operator()(int /*depth*/, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end && !names_.empty()) names_.pop_back();
    if (event == Event::key && !names_.empty() && !names_.back().insert(value.get<std::string>()).second &&
        problem_.empty())
      problem_ = "the name \"" + value.get<std::string>() + "\" is there twice";
    return problem_.empty();  // what follows a problem is thrown away
  }

  const std::string& problem() const { return problem_; }

 private:
  std::vector<std::set<std::string>> names_;
  std::string problem_;
};

Error unreadable(const nlohmann::json::exception& failure) {
  return Error::corrupt(std::string("the JSON cannot be read: ") + failure.what());
}

}  // namespace

Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits) try {
  if (auto fine = checkLimits(text, limits); !fine.ok()) return fine.error();
  return nlohmann::json::parse(text.begin(), text.end());
} catch (const nlohmann::json::exception& failure) {
  return unreadable(failure);
}

nlohmann::json storedJson(std::string_view text, const JsonLimits& limits) {
  auto parsed = parseJson(text, limits);
  return parsed.ok() ? std::move(*parsed) : nlohmann::json(nlohmann::json::value_t::discarded);
}

Result<nlohmann::json> parseStrictJson(std::string_view text, const JsonLimits& limits) try {
  if (auto fine = checkLimits(text, limits); !fine.ok()) return fine.error();
  NameWatch watch;
  auto parsed = nlohmann::json::parse(text.begin(), text.end(), std::ref(watch));
  if (!watch.problem().empty()) return notAllowed(watch.problem());
  return parsed;
} catch (const nlohmann::json::exception& failure) {
  return unreadable(failure);
}

}  // namespace batchwise
