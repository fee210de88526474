// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/record_text.h"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/plain_text.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

using Json = nlohmann::json;

struct Whole {
  const char* name;
  std::int64_t Timestamp::*field;
};
constexpr std::array kWholeClocks{
    Whole{"ep", &Timestamp::epoch},
    Whole{"ba", &Timestamp::batch},
    Whole{"steps", &Timestamp::step},
    Whole{"sp", &Timestamp::sample},
    Whole{"tok", &Timestamp::token},
    Whole{"batch_in_epoch", &Timestamp::batchInEpoch},
    Whole{"unit_in_epoch", &Timestamp::unitInEpoch},
    Whole{"sample_in_epoch", &Timestamp::sampleInEpoch},
    Whole{"token_in_epoch", &Timestamp::tokenInEpoch},
    Whole{"part_in_batch", &Timestamp::partInBatch},
};

}  // namespace

std::string timestampText(const Timestamp& at) {
  Json object = Json::object();
  for (const Whole& clock : kWholeClocks) object[clock.name] = at.*clock.field;
  object["sec"] = at.seconds;
  return object.dump();
}

Result<Timestamp> timestampFromText(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return Error::corrupt("stored clocks are not readable: '" + std::string{text} + "'");
  Timestamp at;
  for (const Whole& clock : kWholeClocks) {
    const auto found = object.find(clock.name);
    if (found == object.end()) continue;
    if (!found->is_number_integer()) return Error::corrupt("stored clock '" + std::string{clock.name} + "' is no integer");
    at.*clock.field = found->get<std::int64_t>();
  }
  if (const auto found = object.find("sec"); found != object.end() && found->is_number()) at.seconds = found->get<double>();
  return at;
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

Result<void> checkRunName(std::string_view name) {
  if (name.empty()) return Error::config("the name of a run is empty; give it at least one character");
  if (name == "latest") return Error::config("a run cannot be named 'latest', which means the newest run; add a word");
  const std::string why = whyNoPlainLine(name, kLongestRunName);
  return why.empty() ? Result<void>{} : Error::config("the name of a run " + why);
}

std::string isoTime(std::int64_t wallMs) {
  const time_t seconds = static_cast<std::time_t>(wallMs / 1000);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text.data(), size};
}

std::string runNameFromDate(std::int64_t wallMs) {
  const auto seconds = static_cast<std::time_t>(wallMs / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "run-%Y%m%d-%H%M%S", &parts);
  return text.data();
}

std::string newRecordId() {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;  // the system's generator: two processes never get the same sequence
  std::uniform_int_distribution<std::size_t> pick(0, kLetters.size() - 1);
  std::string id;
  for (int i = 0; i < 12; ++i) id.push_back(kLetters[pick(device)]);
  return id;
}

}  // namespace batchwise
