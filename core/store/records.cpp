// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/records.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace batchwise {

std::map<std::string, ReresolvedValue> reresolvedValues(const RunDetail& run) {
  std::map<std::string, ReresolvedValue> reresolved;
  for (const RunSegment& segment : run.segments) {
    const nlohmann::json environment = parseJsonOrDiscarded(segment.environment);
    if (!environment.is_object()) continue;
    const auto resolved = environment.find("resolved");
    if (resolved == environment.end() || !resolved->is_object()) continue;  // unchanged, as after a roll-back
    std::map<std::string, ReresolvedValue> now;
    for (const auto& [name, value] : resolved->items()) {
      if (!value.is_string() && !value.is_null()) continue;
      const std::string text = value.is_null() ? std::string() : value.get<std::string>();
      const auto before = reresolved.find(name);
      const bool stays = before != reresolved.end() && before->second.value == text;
      now[name] = {text, stays ? before->second.segment : segment.number};
    }
    reresolved = std::move(now);
  }
  return reresolved;
}

std::map<std::string, std::string> currentResolvedValues(const RunDetail& run) {
  std::map<std::string, std::string> values = run.resolvedValues;
  for (const auto& [name, reresolved] : reresolvedValues(run)) {
    if (reresolved.value.empty())
      values.erase(name);
    else
      values[name] = reresolved.value;
  }
  return values;
}

std::string segmentsKey(const RunDetail& run) {
  return std::to_string(run.segments.size()) + (run.segments.empty() ? "" : run.segments.back().environment);
}

namespace {

struct ClockField {
  const char* name;
  std::int64_t Timestamp::*field;
};
constexpr std::array kClockFields{
    ClockField{"ep", &Timestamp::epoch},
    ClockField{"ba", &Timestamp::batch},
    ClockField{"steps", &Timestamp::step},
    ClockField{"sp", &Timestamp::sample},
    ClockField{"tok", &Timestamp::token},
    ClockField{"batch_in_epoch", &Timestamp::batchInEpoch},
    ClockField{"unit_in_epoch", &Timestamp::unitInEpoch},
    ClockField{"sample_in_epoch", &Timestamp::sampleInEpoch},
    ClockField{"token_in_epoch", &Timestamp::tokenInEpoch},
    ClockField{"part_in_batch", &Timestamp::stepInBatch},
};
constexpr std::int64_t kMaxClock = std::int64_t{1} << 62;

Error invalidClock(const char* name, const std::string& why) {
  return Error::corrupt(formatText("clock '{}' {}", name, why));
}

bool isControlCharacter(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
}

/// Returns the length of the longest prefix of `text` with at most `most` bytes that ends at a character boundary.
std::size_t utf8PrefixBytes(const std::string& text, std::size_t most) {
  std::size_t bytes = std::min(text.size(), most);
  while (bytes > 0 && bytes < text.size() && isUtf8Continuation(text[bytes])) --bytes;
  return bytes;
}

}  // namespace

std::string timestampText(const Timestamp& at) {
  nlohmann::json object = nlohmann::json::object();
  for (const ClockField& clock : kClockFields) object[clock.name] = at.*clock.field;
  object["sec"] = at.seconds;
  return object.dump();
}

Result<Timestamp> timestampFromText(std::string_view text) {
  const nlohmann::json object = parseJsonOrDiscarded(text, {.depth = 2, .bytes = 10'000, .values = 100});
  if (!object.is_object()) return Error::corrupt(formatText("the stored clocks cannot be read: '{}'", text));
  Timestamp at;
  if (object.empty()) return at;
  for (const ClockField& clock : kClockFields) {
    const auto found = object.find(clock.name);
    if (found == object.end()) return invalidClock(clock.name, "is missing");
    if (!found->is_number_integer()) return invalidClock(clock.name, "is not an integer");
    at.*clock.field = found->get<std::int64_t>();
  }
  const auto seconds = object.find("sec");
  if (seconds == object.end() || !seconds->is_number()) return invalidClock("sec", "is not a number");
  at.seconds = seconds->get<double>();
  RETURN_IF_ERROR(checkClocks(at));
  return at;
}

Result<void> checkClocks(const Timestamp& at) {
  for (const ClockField& clock : kClockFields)
    if (at.*clock.field < 0 || at.*clock.field > kMaxClock) return invalidClock(clock.name, "is out of range");
  if (!std::isfinite(at.seconds) || at.seconds < 0.0) return invalidClock("sec", "is out of range");
  return {};
}

std::optional<Timestamp> timestampOf(const RunEvent& event) {
  return std::visit(
      [](const auto& one) -> std::optional<Timestamp> {
        using Event = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Event, RunStarted>) {
          return one.from;
        } else if constexpr (std::is_same_v<Event, PhaseProgress>) {
          return std::nullopt;
        } else {
          return one.at;
        }
      },
      event);
}

std::string withoutControlCharacters(std::string_view text, std::size_t longestBytes) {
  std::string plain;
  for (Utf8Step step; !text.empty(); text.remove_prefix(static_cast<std::size_t>(step.bytes))) {
    step = decodeUtf8(text);
    if (isControlCharacter(text.front())) continue;
    const std::size_t before = plain.size();
    appendUtf8(plain, step.codePoint);
    if (plain.size() <= longestBytes) continue;
    plain.resize(before);
    break;
  }
  return plain;
}

Result<void> checkRunName(std::string_view name) {
  if (name.find_first_not_of(' ') == std::string_view::npos)
    return Error::config("the name of a run is empty; give it at least one character that is not a space");
  if (name == "latest") return Error::config("a run cannot be named 'latest', which means the newest run; add a word");
  const std::string why = plainLineProblem(name, kMaxRunNameBytes);
  return why.empty() ? Result<void>{} : Error::config(formatText("the name of a run {}", why));
}

std::string isoTime(std::int64_t wallMs, TimeZone zone) {
  const time_t seconds = static_cast<std::time_t>(wallMs / 1000);
  std::tm parts{};
  zone == TimeZone::Utc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const char* format = zone == TimeZone::Utc ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%dT%H:%M:%S";
  const std::size_t size = std::strftime(text.data(), text.size(), format, &parts);
  return {text.data(), size};
}

std::string freeRunName(const std::string& wanted, const std::function<bool(const std::string&)>& isTaken) {
  std::string name = wanted;
  for (int number = 2; isTaken(name); ++number) {
    const std::string ending = "-" + std::to_string(number);
    name = wanted.substr(0, utf8PrefixBytes(wanted, kMaxRunNameBytes - ending.size())) + ending;
  }
  return name;
}

std::string runNameFromDate(std::int64_t wallMs) {
  const auto seconds = static_cast<std::time_t>(wallMs / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "run-%Y%m%d-%H%M%S", &parts);
  return text.data();
}

bool isPlainId(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string newRecordId() {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;  // the system's generator: two processes get different sequences
  std::uniform_int_distribution<std::size_t> pick(0, kLetters.size() - 1);
  std::string id;
  for (int i = 0; i < 12; ++i) id.push_back(kLetters[pick(device)]);
  return id;
}

}  // namespace batchwise
