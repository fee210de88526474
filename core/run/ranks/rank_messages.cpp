// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_messages.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;

Error unreadable(const std::string& text) {
  return Error::corrupt(messages::rankZeroMessageMalformed(text.substr(0, 80)));
}

// Parses a JSON object and calls `read` with it. A missing key, or a value of another type, makes it unreadable.
template <typename Content>
Result<Content> parsed(const std::string& text, Result<Content> (*read)(const json& object)) try {
  return read(json::parse(text));
} catch (const json::exception&) {
  return unreadable(text);
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
  return jsonText({{"config", everything(start.config.config)},
                   {"folder", start.config.baseFolder.string()},
                   {"cache", start.cacheFolder.string()}});
}

Result<RankSetupMessage> parseSetupMessage(const std::string& text) {
  return parsed<RankSetupMessage>(text, [](const json& object) -> Result<RankSetupMessage> {
    RankSetupMessage start;
    start.config = parseConfig(object.at("config").get<std::string>(), "the configuration of rank 0",
                               object.at("folder").get<std::string>());
    if (!start.config.ok()) return Error::corrupt(start.config.errorText());
    start.cacheFolder = object.at("cache").get<std::string>();
    return start;
  });
}

std::string messageText(const RankDataMessage& data) {
  return jsonText({{"config", everything(data.config)},
                   {"data", data.dataIdentities},
                   {"model", data.modelConfig},
                   {"microbatch", data.keptMicrobatch}});
}

Result<RankDataMessage> parseDataMessage(const std::string& text) {
  return parsed<RankDataMessage>(text, [](const json& object) -> Result<RankDataMessage> {
    ASSIGN_OR_RETURN(auto config, configIn(object));
    return RankDataMessage{std::move(config), object.at("data").get<std::vector<std::string>>(),
                           object.at("model").get<std::string>(), object.at("microbatch").get<std::int64_t>()};
  });
}

std::string messageText(const RankPlanMessage& plan) {
  return jsonText(
      {{"config", everything(plan.config)}, {"resolved", plan.resolved}, {"microbatches", plan.microbatches}});
}

Result<RankPlanMessage> parsePlanMessage(const std::string& text) {
  return parsed<RankPlanMessage>(text, [](const json& object) -> Result<RankPlanMessage> {
    ASSIGN_OR_RETURN(auto config, configIn(object));
    return RankPlanMessage{std::move(config), object.at("resolved").get<ResolvedValues>(),
                           object.at("microbatches").get<std::vector<std::int64_t>>()};
  });
}

std::string messageText(const RankSegmentMessage& segment) {
  if (!segment.state) return jsonText({{"end", eventToJson(segment.finished)}});
  return jsonText({{"state", loopStateText(*segment.state)}});
}

Result<RankSegmentMessage> parseSegmentMessage(const std::string& text) {
  return parsed<RankSegmentMessage>(text, [](const json& object) -> Result<RankSegmentMessage> {
    RankSegmentMessage segment;
    if (object.contains("end")) {
      ASSIGN_OR_RETURN(const auto event, eventFromJson(object.at("end")));
      if (const auto* finished = std::get_if<RunFinished>(&event)) segment.finished = *finished;
      return segment;
    }
    ASSIGN_OR_RETURN(segment.state, loopStateFromText(object.at("state").get<std::string>()));
    return segment;
  });
}

}  // namespace batchwise
