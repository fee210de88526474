// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/ranks/rank_messages.h"

#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"

namespace batchwise {
namespace {

using nlohmann::json;

// A missing key, or a value of another type.
Error malformed(const std::string& text) {
  return Error::corrupt(formatText("rank 0 sent a message that this rank does not understand: {}", text.substr(0, 80)));
}

}  // namespace

std::string messageText(const RankRunMessage& run) {
  return jsonText({{"config", configToYaml(run.config.config, YamlScope::Everything)},
                   {"folder", run.config.baseFolder.string()},
                   {"cache", run.cacheFolder.string()},
                   {"data", run.dataIdentities},
                   {"model", run.modelConfig},
                   {"keeps_microbatch", run.keepsMicrobatch},
                   {"resolved", run.resolved},
                   {"microbatches", run.microbatches}});
}

Result<RankRunMessage> parseRunMessage(const std::string& text) try {
  const json object = json::parse(text);
  RankRunMessage run{parseConfig(object.at("config").get<std::string>(), "the configuration of rank 0",
                                 object.at("folder").get<std::string>()),
                     object.at("cache").get<std::string>()};
  if (!run.config.ok()) return Error::corrupt(run.config.errorText());
  object.at("data").get_to(run.dataIdentities);
  object.at("model").get_to(run.modelConfig);
  object.at("keeps_microbatch").get_to(run.keepsMicrobatch);
  object.at("resolved").get_to(run.resolved);
  object.at("microbatches").get_to(run.microbatches);
  return run;
} catch (const json::exception&) {
  return malformed(text);
}

std::string messageText(const RankSegmentMessage& segment) {
  if (!segment.state) return jsonText({{"end", eventToJson(segment.finished)}});
  return jsonText({{"state", loopStateText(*segment.state)}});
}

Result<RankSegmentMessage> parseSegmentMessage(const std::string& text) try {
  const json object = json::parse(text);
  RankSegmentMessage segment;
  if (object.contains("end")) {
    ASSIGN_OR_RETURN(const auto event, eventFromJson(object.at("end")));
    if (const auto* finished = std::get_if<RunFinished>(&event)) segment.finished = *finished;
    return segment;
  }
  ASSIGN_OR_RETURN(segment.state, loopStateFromText(object.at("state").get<std::string>()));
  return segment;
} catch (const json::exception&) {
  return malformed(text);
}

}  // namespace batchwise
