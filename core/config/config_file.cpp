// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_file.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/bundled_presets.h"
#include "core/config/config_reader.h"
#include "core/config/sweep.h"
#include "core/config/yaml_value.h"

namespace batchwise {
namespace {

constexpr std::int64_t kLargestConfigBytes = std::int64_t{4} << 20;

LoadedConfig failed(ConfigIssue issue) {
  LoadedConfig loaded;
  loaded.errors.push_back(std::move(issue));
  return loaded;
}

/// `axes` null: a list where one value is expected is an error.
void readDocuments(const std::string& yaml, const std::string& sourceName, LoadedConfig& loaded,
                   std::vector<SweepAxis>* axes) {
  config::ConfigReader reader(loaded, sourceName, axes);
  const config::ParsedYaml parsed = config::parseYaml(yaml);
  if (parsed.problem) return reader.addError("", parsed.problem->line, parsed.problem->message);
  reader.readRoot(parsed.documents.empty() ? YAML::Node() : parsed.documents.front());
  for (std::size_t i = 1; i < parsed.documents.size(); ++i) reader.readChanges(parsed.documents[i]);
  reader.finish();
}

/// Returns whether `path`, our name or an external one, is a field that takes `value` as text: a text field, or a list
/// of texts if the value is a file pattern, which YAML would parse as an alias.
bool takesText(const std::string& path, const std::string& value) {
  const config::ExternalName* peer = config::externalName(path);
  const Field* field = findField(peer != nullptr ? peer->ours : path);
  if (field == nullptr) return false;
  return field->kind == FieldKind::Text || (field->kind == FieldKind::TextList && value.starts_with('*'));
}

/// Returns a text from the command line literally, even if YAML would see a section or a comment in it. Empty if it
/// must be parsed as YAML: quoted, or a word for null.
std::optional<std::string> plainText(const std::string& value) {
  const std::size_t first = value.find_first_not_of(" \t");
  if (first == std::string::npos) return std::nullopt;
  const std::string text = value.substr(first, value.find_last_not_of(" \t") + 1 - first);
  const char quote = text.front();
  const bool quoted = text.size() > 1 && (quote == '"' || quote == '\'') && text.back() == quote;
  if (quoted || text == "null" || text == "~") return std::nullopt;
  return text;
}

/// Parses the value of an assignment to `path`. In a sweep a list means several values, also of a text.
config::ParsedYaml parseAssigned(const std::string& path, const std::string& value, bool sweeps) {
  const bool several = sweeps && value.starts_with('[') && value.ends_with(']');
  if (takesText(path, value) && !several)
    if (const auto text = plainText(value)) return {{YAML::Node(*text)}, std::nullopt};
  return config::parseYaml(value);
}

/// Converts a change "a.b=c" to a line of YAML; empty if it had an error, which is reported.
std::string changeLine(const std::string& assignment, LoadedConfig& loaded, std::vector<SweepAxis>* axes) {
  const std::size_t equals = assignment.find('=');
  const auto report = [&](const std::string& field, std::string message) {
    loaded.errors.push_back({field, "--set", 0, std::move(message)});
    return std::string{};
  };
  if (equals == std::string::npos || equals == 0)
    return report("", formatText("'{}' is not of the form name=value, such as optimizer.lr=1e-3", assignment));
  const std::string path = assignment.substr(0, equals);
  const config::ParsedYaml parsed = parseAssigned(path, assignment.substr(equals + 1), axes != nullptr);
  if (parsed.problem) return report(path, parsed.problem->message);
  if (parsed.documents.size() > 1) return report(path, "the value holds more than one YAML document");
  const YAML::Node node = parsed.documents.empty() ? YAML::Node() : parsed.documents.front();
  LoadedConfig trial;
  std::vector<SweepAxis> scratch;
  config::ConfigReader reader(trial, "--set", axes == nullptr ? nullptr : &scratch);
  reader.readEntry(path, node, 0);
  for (ConfigIssue& issue : trial.errors) issue.line = 0;  // refers to the value, not to a file
  loaded.errors.insert(loaded.errors.end(), trial.errors.begin(), trial.errors.end());
  for (const auto& [field, place] : trial.locations) loaded.assigned.insert(field);
  return trial.errors.empty() ? path + ": " + config::flowText(node) + "\n" : "";
}

LoadedConfig parse(const std::string& yaml, const std::string& sourceName, const std::filesystem::path& baseFolder,
                   std::vector<SweepAxis>* axes) {
  LoadedConfig loaded;
  loaded.yaml = yaml;
  loaded.baseFolder = baseFolder;
  try {
    readDocuments(yaml, sourceName, loaded, axes);
  } catch (const YAML::Exception& error) {
    loaded.errors.push_back({"", sourceName, error.mark.is_null() ? 0 : error.mark.line + 1,
                             formatText("this YAML cannot be read: {}", error.msg)});
  }
  return loaded;
}

LoadedConfig parseWith(const std::string& yaml, const std::string& sourceName, const std::filesystem::path& baseFolder,
                       const std::vector<std::string>& assignments, std::vector<SweepAxis>* axes) {
  LoadedConfig scratch;
  std::string changes;
  for (const std::string& assignment : assignments) {
    // A later assignment overrides an earlier one: a YAML section may contain a key only once.
    changes += "---\n" + changeLine(assignment, scratch, axes);
  }
  const std::string gap = yaml.empty() || yaml.back() == '\n' ? "" : "\n";
  LoadedConfig loaded = parse(changes.empty() ? yaml : yaml + gap + changes, sourceName, baseFolder, axes);
  loaded.errors.insert(loaded.errors.end(), scratch.errors.begin(), scratch.errors.end());
  loaded.assigned = std::move(scratch.assigned);
  return loaded;
}

/// A file must be one document; further ones are only used to store changes.
std::optional<config::ValueProblem> secondDocument(const std::string& yaml) {
  const config::ParsedYaml parsed = config::parseYaml(yaml);
  for (std::size_t index = 1; index < parsed.documents.size(); ++index)
    if (const YAML::Node& document = parsed.documents[index]; !document.IsNull())
      return config::ValueProblem{
          "",
          "a second YAML document begins before this line; a configuration is a single document, without '---' in it "
          "(changes made at a resume follow the stored text of a run in this way: write them into the text)",
          config::lineOf(document)};
  return std::nullopt;
}

/// A preset with changes is the user's own run and does not keep the preset's name.
LoadedConfig loadBundled(const std::string& yaml, const std::string& name, const std::vector<std::string>& assignments,
                         std::vector<SweepAxis>* axes) {
  const std::filesystem::path folder = absoluteFolder({});
  LoadedConfig loaded = parseWith(yaml, name, folder, assignments, axes);
  if (loaded.config.data.format == TextFormat::Demo) return loaded;
  if (axes != nullptr) axes->clear();
  return parseWith(config::presetWithoutName(yaml), name, folder, assignments, axes);
}

LoadedConfig load(const std::string& pathOrName, const std::vector<std::string>& assignments,
                  std::vector<SweepAxis>* axes) {
  const std::string bundled = bundledConfig(pathOrName);
  if (!bundled.empty()) return loadBundled(bundled, pathOrName, assignments, axes);
  Result<std::string> text = readFile(pathOrName, kLargestConfigBytes);
  if (!text) {  // the message names the file, so the issue has no source
    const bool isName = !std::filesystem::path(pathOrName).has_parent_path();
    return failed({"", "", 0,
                   isName ? formatText("{}; give a YAML file, or 'demo' for the bundled one", text.error().message)
                          : text.error().message});
  }
  *text = withLineFeeds(std::move(*text));
  if (auto issue = secondDocument(*text)) return failed({"", pathOrName, issue->line, issue->message});
  const std::filesystem::path folder = absoluteFolder(std::filesystem::path(pathOrName).parent_path());
  return parseWith(*text, pathOrName, folder, assignments, axes);
}

}  // namespace

std::string ConfigIssue::text() const {
  const std::string inField = field.empty() ? message : inContextText(field, message);
  if (source.empty()) return inField;
  return line > 0 ? formatText("{}:{}: {}", source, line, inField) : inContextText(source, inField);
}

std::string LoadedConfig::errorText() const {
  std::string text;
  for (const ConfigIssue& issue : errors) text = text.empty() ? issue.text() : formatText("{}\n{}", text, issue.text());
  return text;
}

ConfigIssue LoadedConfig::issueAt(const std::string& field, std::string message) const {
  const auto issue = [&](const FieldLocation& place) {
    return ConfigIssue{field, place.source, place.line, std::move(message)};
  };
  for (std::size_t end = field.size(); end != std::string::npos && end > 0; end = field.find_last_of(".[", end - 1))
    if (const auto place = locations.find(field.substr(0, end)); place != locations.end()) return issue(place->second);
  const auto below = locations.lower_bound(field + ".");
  return issue(below != locations.end() && below->first.starts_with(field + ".") ? below->second : FieldLocation{});
}

LoadedConfig parseConfig(const std::string& yaml, const std::string& sourceName,
                         const std::filesystem::path& baseFolder, const std::vector<std::string>& assignments) {
  return parseWith(yaml, sourceName, baseFolder, assignments, nullptr);
}

LoadedConfig loadConfig(const std::string& pathOrName, const std::vector<std::string>& assignments) {
  return load(pathOrName, assignments, nullptr);
}

SweepConfig parseSweep(const std::string& yaml, const std::string& sourceName, const std::filesystem::path& baseFolder,
                       const std::vector<std::string>& assignments) {
  SweepConfig sweep;
  sweep.first = parseWith(yaml, sourceName, baseFolder, assignments, &sweep.axes);
  return sweep;
}

SweepConfig loadSweep(const std::string& pathOrName, const std::vector<std::string>& assignments) {
  SweepConfig sweep;
  sweep.first = load(pathOrName, assignments, &sweep.axes);
  return sweep;
}

std::string bundledConfig(const std::string& name) {
  const auto* found = std::ranges::find(config::kBundledPresets, name, &config::BundledPreset::name);
  return found == std::end(config::kBundledPresets) ? std::string() : found->yaml;
}

std::vector<std::string> bundledConfigNames() {
  std::vector<std::string> names;
  for (const config::BundledPreset& preset : config::kBundledPresets) names.emplace_back(preset.name);
  return names;
}

std::string bundledConfigHelp(const std::string& name) {
  std::istringstream lines(bundledConfig(name));
  std::string help;
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");)
    help.append(help.empty() ? "" : " ").append(line.substr(2));
  return help;
}

std::string config::fieldsToYaml(const TrainConfig& config, const std::function<bool(const Field&)>& wanted) {
  return fieldsToYaml(wanted, [&config](const Field& field) { return field.get(config); });
}

std::string config::fieldsToYaml(const std::function<bool(const Field&)>& wanted,
                                 const std::function<std::string(const Field&)>& value) {
  std::string yaml;
  std::vector<std::string> open;  // groups of the last line
  for (const Field& field : configSchema()) {
    if (field.path != "version" && !wanted(field)) continue;
    std::vector<std::string> names;
    for (std::size_t from = 0, dot = 0; dot != std::string::npos; from = dot + 1) {
      dot = field.path.find('.', from);
      names.push_back(field.path.substr(from, dot - from));
    }
    const std::size_t depth = names.size() - 1;
    std::size_t common = 0;
    while (common < std::min(depth, open.size()) && open[common] == names[common]) ++common;
    for (std::size_t i = common; i < depth; ++i) yaml += std::string(2 * i, ' ') + names[i] + ":\n";
    yaml += std::string(2 * depth, ' ') + names.back() + ": " + value(field) + "\n";
    open.assign(names.begin(), names.end() - 1);
  }
  return yaml;
}

std::string configToYaml(const TrainConfig& config, YamlScope scope) {
  static const std::vector<std::string> defaults = [] {
    std::vector<std::string> values;
    for (const Field& field : configSchema()) values.push_back(field.get(TrainConfig()));
    return values;
  }();
  return config::fieldsToYaml(config, [&config, scope](const Field& field) {
    const auto place = static_cast<std::size_t>(&field - configSchema().data());
    return scope == YamlScope::Everything || field.get(config) != defaults[place];
  });
}

}  // namespace batchwise
