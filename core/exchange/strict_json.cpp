// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/strict_json.h"

#include <set>
#include <string>
#include <vector>

namespace batchwise {
namespace {

/// Watches the parser go by and notes the first thing that is not allowed.
class Watch {
 public:
  explicit Watch(int deepest) : deepest_(deepest) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    // Depth counts the values around: the outermost object has 0.
    if ((event == Event::object_start || event == Event::array_start) && depth >= deepest_)
      note("it is nested more than " + std::to_string(deepest_) + " deep");
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end && !names_.empty()) names_.pop_back();
    if (event == Event::key && !names_.empty() && !names_.back().insert(value.get<std::string>()).second)
      note("the name \"" + value.get<std::string>() + "\" is there twice");
    return problem_.empty();  // what follows a problem is thrown away
  }

  const std::string& problem() const { return problem_; }

 private:
  void note(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

  int deepest_;
  std::vector<std::set<std::string>> names_;
  std::string problem_;
};

}  // namespace

Result<nlohmann::json> parseStrictJson(std::string_view text, int deepest) try {
  // The parser takes a zero byte for the end of its input.
  if (text.find('\0') != std::string_view::npos) return Error::corrupt("the JSON holds a zero byte");
  Watch watch(deepest);
  auto parsed = nlohmann::json::parse(text.begin(), text.end(), std::ref(watch));
  if (!watch.problem().empty()) return Error::corrupt("the JSON is not allowed: " + watch.problem());
  return parsed;
} catch (const nlohmann::json::exception& e) {
  return Error::corrupt(std::string("the JSON cannot be read: ") + e.what());
}

}  // namespace batchwise
