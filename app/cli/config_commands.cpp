// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/config/import/config_import.h"
#include "core/config/schema.h"
#include "core/config/sweep.h"
#include "core/plan/published_ramps.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/preflight.h"

namespace batchwise::cli {
namespace {

Json checkJson(const LoadedConfig& config) {
  return {{"ok", config.ok()},
          {"errors", jsonIssues(config.errors)},
          {"notes", jsonIssues(config.notes)},
          {"resolved", config.ok() ? Json(configToYaml(config.config, YamlScope::Everything)) : Json(nullptr)}};
}

/// Prints the problems and notes of each run, and the names of all.
int showChecked(const std::vector<LoadedConfig>& runs) {
  std::vector<RunNotes> notes;
  for (const LoadedConfig& run : runs) notes.push_back(runNotes(run));
  showRunNotes(notes);
  int code = kDone;
  for (const LoadedConfig& run : runs)
    if (!run.ok()) code = fail(errorOfRun(run));
  if (code != kDone) return code;
  std::cout << runs.size() << " runs\n";
  for (const LoadedConfig& run : runs) std::cout << "  " << runName(run.config) << "\n";
  return kDone;
}

Result<int> check(const ConfigArguments& arguments, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto runs, checkedRuns(arguments, [&](LoadedConfig run) {
                     return withLaunchNotes(checkedForLaunch(std::move(run), {.text = CheckScope::Text::Optional}),
                                            globals.workspace);
                   }));
  const bool ok = std::ranges::all_of(runs, &LoadedConfig::ok);
  const LoadedConfig& first = runs.front();
  if (globals.json) {
    Json json = {{"schema", "batchwise.config_check/1"}};
    json.update(checkJson(first));
    if (runs.size() > 1) {
      json["ok"] = ok;
      json["runs"] = Json::array();
      for (const LoadedConfig& run : runs) {
        Json one = {{"name", runName(run.config)}};
        one.update(checkJson(run));
        json["runs"].push_back(std::move(one));
      }
    }
    printJson(json);
    return ok ? kDone : kBadInput;
  }
  if (runs.size() > 1) return showChecked(runs);
  if (!ok) return fail(first);
  showNotes(first);
  std::cout << configToYaml(first.config, YamlScope::ChangedOnly);
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
  return printJson({{"schema", "batchwise.config_reference/1"}, {"fields", fields}});
}

Result<int> presets(const std::string& name, const Globals& globals) {
  if (!name.empty() && bundledConfig(name).empty())
    return Error::notFound(
        formatText("there is no bundled configuration '{}'; known: {}", name, joined(bundledConfigNames())));
  if (!name.empty() && !globals.json) {
    std::cout << bundledConfig(name);
    return kDone;
  }
  Json all = Json::array();
  for (const std::string& known : bundledConfigNames()) {
    if (!name.empty() && known != name) continue;
    if (!globals.json) std::cout << known << "\n  " << bundledConfigHelp(known) << "\n";
    all.push_back({{"name", known}, {"help", bundledConfigHelp(known)}, {"yaml", bundledConfig(known)}});
  }
  return globals.json ? printJson({{"schema", "batchwise.config_presets/1"}, {"presets", all}}) : kDone;
}

struct RampArguments {
  std::string name;
  std::int64_t globalBatch = BatchConfig{}.globalTrainBatchSize;
};

/// Returns the settings of a published ramp as YAML.
std::string rampYaml(const PublishedRamp& ramp, std::int64_t globalBatch) {
  TrainConfig config;
  config.batch.globalTrainBatchSize = globalBatch;
  applyPublishedRamp(ramp, config);
  return formatText("# {}: {}. {}\n", ramp.label, ramp.text, ramp.source) +
         configToYaml(config, YamlScope::ChangedOnly);
}

Result<int> ramps(const RampArguments& arguments, const Globals& globals) {
  const std::string& name = arguments.name;
  const PublishedRamp* chosen = findPublishedRamp(name);
  if (chosen == nullptr && !name.empty()) {
    std::vector<std::string> known;
    for (const PublishedRamp& ramp : publishedRamps()) known.emplace_back(ramp.name);
    return Error::notFound(formatText("there is no published ramp '{}'; known: {}", name, joined(known)));
  }
  if (chosen != nullptr && !globals.json) {
    std::cout << rampYaml(*chosen, arguments.globalBatch);
    return kDone;
  }
  Json all = Json::array();
  for (const PublishedRamp& ramp : publishedRamps()) {
    if (chosen != nullptr && chosen != &ramp) continue;
    if (!globals.json) std::cout << ramp.name << "\n  " << ramp.text << "\n  " << ramp.source << "\n";
    all.push_back({{"name", ramp.name},
                   {"help", ramp.text},
                   {"source", ramp.source},
                   {"yaml", rampYaml(ramp, arguments.globalBatch)}});
  }
  return globals.json ? printJson({{"schema", "batchwise.config_ramps/1"}, {"ramps", all}}) : kDone;
}

struct ImportArguments {
  std::string file;
  std::string from;
  std::string output;
  Replaces replaces = Replaces::Nothing;
  std::int64_t devices = 0;  ///< 0: not given
  bool partly = false;
};

Json importJson(const ConfigImport& import) {
  Json taken = Json::array(), notTaken = Json::array();
  for (const TakenSetting& setting : import.taken)
    taken.push_back({{"from", setting.from}, {"to", setting.to}, {"value", setting.value}, {"note", setting.note}});
  for (const SettingNotTaken& setting : import.notTaken)
    notTaken.push_back(
        {{"key", setting.key}, {"value", setting.value}, {"why", setting.why}, {"effect", choiceName(setting.effect)}});
  return {{"schema", "batchwise.config_import/1"},
          {"format", choiceName(import.format)},
          {"yaml", import.yaml},
          {"taken", taken},
          {"not_taken", notTaken},
          {"notes", import.notes}};
}

const char* prefixOf(ImportEffect effect) {
  switch (effect) {
    case ImportEffect::Differs: return "not theirs: ";
    case ImportEffect::ToBeGiven: return "to be named: ";
    case ImportEffect::None: break;
  }
  return "not taken: ";
}

void printNotTaken(const ConfigImport& import, bool none) {
  for (const SettingNotTaken& setting : import.notTaken)
    if ((setting.effect == ImportEffect::None) == none)
      std::cerr << prefixOf(setting.effect) << setting.key << (setting.value.empty() ? "" : " = " + setting.value)
                << ": " << setting.why << '\n';
}

/// Prints to stderr what the result lacks, the settings whose meaning changed and those without effect; stdout holds
/// the configuration.
void printImportReport(const ConfigImport& import) {
  printNotTaken(import, false);
  for (const TakenSetting& setting : import.taken)
    if (!setting.note.empty())
      std::cerr << "taken: " << setting.from << " -> " << setting.to << ": " << setting.value << " (" << setting.note
                << ")\n";
  printNotTaken(import, true);
  showNotes(import.notes);
}

Result<int> import(const ImportArguments& arguments, const Globals& globals) {
  RETURN_IF_ERROR(checkStdoutIsFree(globals, {arguments.output}));
  ImportOptions options;
  options.format = choiceFromName<ExternalFormat>(arguments.from);
  if (arguments.devices > 0) options.devices = arguments.devices;
  options.partly = arguments.partly;
  ASSIGN_OR_RETURN(const auto result, importConfigFile(arguments.file, options));
  if (!arguments.output.empty()) {
    RETURN_IF_ERROR(writeOutput(arguments.output, arguments.replaces, result.yaml));
  }
  if (globals.json) return printJson(importJson(result));
  printImportReport(result);
  if (arguments.output.empty()) std::cout << result.yaml;
  return kDone;
}

void addImportCommand(Commands& commands, CLI::App* config) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* importing = commands.add(config, "import",
                                     "Convert the file of another trainer (Composer YAML, torchtune recipe, DeepSpeed "
                                     "JSON, arguments of transformers' Trainer or run_mlm, command of XLM) into a "
                                     "configuration, and say what becomes of each setting",
                                     "batchwise config import modernbert.yaml --output run.yaml",
                                     [&commands, arguments] { return import(*arguments, commands.globals()); });
  importing->add_option("FILE", arguments->file, "The other trainer's file")->required()->transform(pathName("a file"));
  importing->add_option("--output", arguments->output, "Write the configuration to this file (default: stdout)")
      ->transform(outputFileName());
  addForceFlag(*importing, arguments->replaces);
  importing
      ->add_option("--from", arguments->from,
                   "Trainer that the file belongs to (default: detected from the names in it)")
      ->check(CLI::IsMember(
          std::vector<std::string>(kChoiceNames<ExternalFormat>.begin(), kChoiceNames<ExternalFormat>.end())));
  importing
      ->add_option("--devices", arguments->devices,
                   "Number of devices that it was written for, if its sizes are per device (default: 1)")
      ->check(CLI::Range(1, 1 << 20));
  importing->add_flag("--partly", arguments->partly,
                      "Import what can be imported, although the result would train another model");
}

}  // namespace

void addConfigCommands(Commands& commands) {
  CLI::App* config =
      commands.group("config", "Check a configuration, list every field, or import that of another trainer");
  const auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* checking =
      commands.add(config, "check",
                   "Check a configuration; shows every error at once, or what differs from the defaults; of one with "
                   "several runs, their names",
                   "batchwise config check run.yaml --set optimizer.lr=1e-3",
                   [&commands, arguments] { return check(*arguments, commands.globals()); });
  addConfigArguments(*checking, *arguments);
  commands.add(config, "reference", "Every field with type, range, unit, default and meaning (Markdown)",
               "batchwise config reference > CONFIG.md", [&commands] { return reference(commands.globals()); });
  const auto preset = std::make_shared<std::string>();
  CLI::App* presetting =
      commands.add(config, "presets", "The bundled configurations and what each is for; with a NAME its YAML",
                   "batchwise config presets continue > run.yaml",
                   [&commands, preset] { return presets(*preset, commands.globals()); });
  presetting->add_option("NAME", *preset, "A bundled configuration");
  const auto ramp = std::make_shared<RampArguments>();
  CLI::App* ramping = commands.add(config, "ramps",
                                   "Published ramps of the batch size, with their sources; with a NAME its YAML, "
                                   "rescaled to a global batch and to shares of the run",
                                   "batchwise config ramps deepseek-v3 --global-batch 512",
                                   [&commands, ramp] { return ramps(*ramp, commands.globals()); });
  ramping->add_option("NAME", ramp->name, "A published ramp");
  ramping->add_option("--global-batch", ramp->globalBatch, "Samples of a full global batch")
      ->check(atLeast(1))
      ->capture_default_str();
  addImportCommand(commands, config);
}

}  // namespace batchwise::cli
