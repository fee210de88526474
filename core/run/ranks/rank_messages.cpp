// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_messages.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/return_if_error.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;

Error unreadable(const std::string& text) {
  return Error::corrupt(messages::rankZeroMessageMalformed(text.substr(0, 80)));
}

// Returns the object if it has all of `keys`.
std::optional<json> objectIn(const std::string& text, std::initializer_list<const char*> keys) {
  json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  for (const char* key : keys)
    if (!object.contains(key)) return std::nullopt;
  return object;
}

std::string dumped(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string everything(const TrainConfig& config) {
  return configToYaml(config, YamlScope::Everything);
}

Result<TrainConfig> configIn(const json& object) {
  LoadedConfig loaded = parseConfig(object.at("config").get<std::string>(), "the configuration of rank 0", {});
  if (!loaded.ok()) return Error::corrupt(loaded.errorText());
  return std::move(loaded.config);
}

}  // namespace

std::string messageText(const RankSetupMessage& start) {
  return dumped({{"config", everything(start.config.config)},
                 {"folder", start.config.baseFolder.string()},
                 {"cache", start.cacheFolder.string()}});
}

Result<RankSetupMessage> parseSetupMessage(const std::string& text) try {
  const auto object = objectIn(text, {"config", "folder", "cache"});
  if (!object) return unreadable(text);
  RankSetupMessage start;
  start.config = parseConfig(object->at("config").get<std::string>(), "the configuration of rank 0",
                             object->at("folder").get<std::string>());
  if (!start.config.ok()) return Error::corrupt(start.config.errorText());
  start.cacheFolder = object->at("cache").get<std::string>();
  return start;
} catch (const json::exception&) {
  return unreadable(text);
}

std::string messageText(const RankDataMessage& data) {
  return dumped({{"config", everything(data.config)},
                 {"train", data.trainIdentity},
                 {"model", data.modelConfig},
                 {"microbatch", data.keptMicrobatch}});
}

Result<RankDataMessage> parseDataMessage(const std::string& text) try {
  const auto object = objectIn(text, {"config", "train", "model", "microbatch"});
  if (!object) return unreadable(text);
  ASSIGN_OR_RETURN(auto config, configIn(*object));
  return RankDataMessage{std::move(config), object->at("train").get<std::string>(),
                         object->at("model").get<std::string>(), object->at("microbatch").get<std::int64_t>()};
} catch (const json::exception&) {
  return unreadable(text);
}

std::string messageText(const RankPlanMessage& plan) {
  return dumped({{"config", everything(plan.config)}, {"resolved", plan.resolved}, {"microbatch", plan.microbatch}});
}

Result<RankPlanMessage> parsePlanMessage(const std::string& text) try {
  const auto object = objectIn(text, {"config", "resolved", "microbatch"});
  if (!object) return unreadable(text);
  ASSIGN_OR_RETURN(auto config, configIn(*object));
  return RankPlanMessage{std::move(config), object->at("resolved").get<ResolvedValues>(),
                         object->at("microbatch").get<std::int64_t>()};
} catch (const json::exception&) {
  return unreadable(text);
}

std::string messageText(const RankSegmentMessage& segment) {
  if (!segment.state) return dumped({{"end", eventToJson(segment.finished)}});
  return dumped({{"state", loopStateText(*segment.state)}});
}

Result<RankSegmentMessage> parseSegmentMessage(const std::string& text) try {
  RankSegmentMessage segment;
  if (const auto end = objectIn(text, {"end"})) {
    ASSIGN_OR_RETURN(const auto event, eventFromJson(end->at("end")));
    if (const auto* finished = std::get_if<RunFinished>(&event)) segment.finished = *finished;
    return segment;
  }
  const auto object = objectIn(text, {"state"});
  if (!object) return unreadable(text);
  ASSIGN_OR_RETURN(auto state, loopStateFromText(object->at("state").get<std::string>()));
  segment.state = std::move(state);
  return segment;
} catch (const json::exception&) {
  return unreadable(text);
}

}  // namespace batchwise
