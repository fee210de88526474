// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/config/schema.h"

namespace batchwise::cli {
namespace {

int check(const ConfigArguments& arguments, const Globals& globals) {
  const LoadedConfig config = loadConfig(arguments.config, arguments.assignments);
  if (globals.json) {
    printJson({{"schema", "batchwise.config_check/1"},
               {"ok", config.ok()},
               {"errors", jsonIssues(config.errors)},
               {"notes", jsonIssues(config.notes)},
               {"resolved", config.ok() ? Json(configToYaml(config.config, YamlScope::Everything)) : Json(nullptr)}});
    return config.ok() ? kDone : kBadInput;
  }
  if (!config.ok()) return fail(config);
  showNotes(config);
  std::cout << configToYaml(config.config, YamlScope::ChangedOnly);
  return kDone;
}

Json fieldJson(const Field& field, const TrainConfig& defaults) {
  Json json = {{"field", field.path},       {"value", field.expectation()}, {"default", field.get(defaults)},
               {"unit", field.unit},        {"help", field.help},           {"choices", field.choices},
               {"advanced", field.advanced}};
  if (field.minimum) json["minimum"] = *field.minimum;
  if (field.maximum) json["maximum"] = *field.maximum;
  return json;
}

int reference(const Globals& globals) {
  if (!globals.json) {
    std::cout << configReference();
    return kDone;
  }
  Json fields = Json::array();
  const TrainConfig defaults;
  for (const Field& field : configSchema()) fields.push_back(fieldJson(field, defaults));
  printJson({{"schema", "batchwise.config_reference/1"}, {"fields", fields}});
  return kDone;
}

}  // namespace

void addConfigCommands(Commands& commands) {
  CLI::App* config = commands.group("config", "Check a configuration, or list every field");
  const auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* checking = commands.add(
      config, "check", "Check a configuration; shows every error at once, or what differs from the defaults",
      "batchwise config check run.yaml --set optimizer.lr=1e-3",
      [&commands, arguments] { return check(*arguments, commands.globals()); });
  addConfigArguments(*checking, *arguments);
  commands.add(config, "reference", "Every field with type, range, unit, default and meaning (Markdown)",
               "batchwise config reference > CONFIG.md", [&commands] { return reference(commands.globals()); });
}

}  // namespace batchwise::cli
