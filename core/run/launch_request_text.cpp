// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch_request_text.h"

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/config/events/json_fields.h"
#include "core/config/schema.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "batchwise.launch/1";

std::string absolutePath(const std::filesystem::path& path) {
  return path.empty() ? std::string() : absoluteFolder(path).native();
}

}  // namespace

std::string requestToText(const LaunchRequest& request) {
  json object = {{"schema", kSchema},
                 {"workspace", absolutePath(request.workspace)},
                 {"config", request.config.yaml},
                 {"base_folder", absolutePath(request.config.baseFolder)},
                 {"resume", request.resumeRun},
                 {"checkpoint", request.resumeCheckpoint},
                 {"fork", request.fork},
                 {"stretch", request.stretch},
                 {"run", request.runId}};
  // Of a new run they are in the text; the jobs that resume it change nothing.
  if (!request.resumeRun.empty()) object["assigned"] = request.config.assigned;
  if (request.firstSegment) object["first_segment"] = *request.firstSegment;
  if (request.timeLimitSec) object["time_limit_sec"] = *request.timeLimitSec;
  return jsonText(object);
}

Result<LaunchRequest> requestFromText(const std::string& text) {
  const json object = parseJsonOrDiscarded(text);
  if (!object.is_object() || textIn(object, "schema") != kSchema)
    return Error::corrupt(
        formatText("this is not a launch request; use a JSON object with the schema \"{}\"", kSchema));
  LaunchRequest request;
  request.workspace = textIn(object, "workspace");
  request.config = parseConfig(textIn(object, "config"), "configuration", textIn(object, "base_folder"));
  if (const auto assigned = object.find("assigned"); assigned != object.end() && assigned->is_array())
    for (const json& field : *assigned)
      if (field.is_string() && findField(field.get<std::string>()) != nullptr) request.config.assigned.insert(field);
  request.resumeRun = textIn(object, "resume");
  request.resumeCheckpoint = textIn(object, "checkpoint");
  request.fork = flagIn(object, "fork");
  request.stretch = flagIn(object, "stretch");
  request.firstSegment = wholeNumberFromJson(object.value("first_segment", json()));
  request.timeLimitSec = numberFromJson(object.value("time_limit_sec", json()));
  request.runId = textIn(object, "run");
  return request;
}

}  // namespace batchwise
