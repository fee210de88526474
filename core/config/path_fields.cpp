// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/path_fields.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/file.h"
#include "core/config/task_config.h"
#include "core/config/value_text.h"
#include "core/config/yaml_value.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

struct PathField {
  std::string_view path;
  PathKind kind;
};
constexpr std::array kPathFields = {PathField{"model.init_from", PathKind::Folder},
                                    PathField{"model.tile_from", PathKind::Folder},
                                    PathField{"tokenizer.path", PathKind::Folder},
                                    PathField{"data.train", PathKind::Files},
                                    PathField{"data.eval", PathKind::Files},
                                    PathField{"eval.sets", PathKind::NamedFiles},
                                    PathField{"tasks", PathKind::Tasks},
                                    PathField{"log.tensorboard", PathKind::Folder},
                                    PathField{"batch.tokens.metrics_path", PathKind::File}};

void makeAbsolute(std::string& name, const fs::path& folder) {
  if (name.starts_with('~')) name = expandedHome(name).string();
  if (name.empty() || fs::path(name).is_absolute()) return;
  if (const fs::path base = absoluteFolder(folder); !base.empty()) name = (base / name).lexically_normal().string();
}

std::string absoluteValue(const Field& field, const std::string& value, const fs::path& folder);

TrainConfig withAbsolutePaths(TrainConfig config, const fs::path& folder) {
  for (TextSource& source : config.data.train.sources)
    for (std::string& name : source.text) makeAbsolute(name, folder);
  for (std::string& name : config.data.eval) makeAbsolute(name, folder);
  for (EvalSetConfig& set : config.eval.sets)
    for (std::string& name : set.text) makeAbsolute(name, folder);
  for (TaskConfig& task : config.tasks) makePathsAbsolute(task, folder);
  for (auto* name : {&config.model.initFrom, &config.model.tileFrom, &config.tokenizer.path, &config.log.tensorboard,
                     &config.batch.tokens.metricsPath})
    makeAbsolute(*name, folder);
  for (StageConfig& stage : config.stages)
    for (auto& [path, value] : stage.settings)
      if (pathKind(path) != PathKind::None) value = absoluteValue(*findField(path), value, folder);
  return config;
}

/// Returns the value, as YAML text, of a field that names files.
std::string absoluteValue(const Field& field, const std::string& value, const fs::path& folder) {
  TrainConfig only;
  field.set(only, value);
  return field.get(withAbsolutePaths(only, folder));
}

/// A scalar in a text.
struct Place {
  std::size_t length = 0;  ///< with its quotes
  std::string name;        ///< its replacement
};
using Places = std::map<std::size_t, Place>;  // by start position

/// Returns the length with quotes; nothing if the scalar is not at `begin` in one piece.
std::optional<std::size_t> lengthOf(const std::string& text, std::size_t begin, const std::string& scalar) {
  if (begin >= text.size()) return std::nullopt;
  const char quote = text[begin];
  if (quote != '"' && quote != '\'') {
    if (text.compare(begin, scalar.size(), scalar) != 0) return std::nullopt;
    return scalar.size();
  }
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' ? text[i] == '\\' : text.compare(i, 2, "''") == 0)
      ++i;
    else if (text[i] == quote)
      return i + 1 - begin;
  }
  return std::nullopt;
}

/// Returns false if a name cannot be found in the text.
bool findNames(const YAML::Node& node, const std::string& text, const fs::path& folder, Places& places) {
  if (node.IsSequence())
    return std::all_of(node.begin(), node.end(),
                       [&](const YAML::Node& each) { return findNames(each, text, folder, places); });
  if (node.IsMap()) return !node["path"].IsDefined() || findNames(node["path"], text, folder, places);
  if (!node.IsScalar()) return true;
  std::string name = node.Scalar();
  makeAbsolute(name, folder);
  if (name == node.Scalar()) return true;
  const auto begin = static_cast<std::size_t>(node.Mark().pos);
  const auto length = lengthOf(text, begin, node.Scalar());
  if (length) places[begin] = {*length, config::quotedText(name)};
  return length.has_value();
}

/// Likewise for the value of eval.sets.
bool findNamesOfSets(const YAML::Node& node, const std::string& text, const fs::path& folder, Places& places) {
  if (!node.IsMap()) return true;
  return std::all_of(node.begin(), node.end(), [&](const auto& entry) {
    const YAML::Node names = entry.second.IsMap() ? entry.second["text"] : entry.second;
    return !names.IsDefined() || findNames(names, text, folder, places);
  });
}

/// Likewise for the value of tasks.
bool findNamesOfTasks(const YAML::Node& node, const std::string& text, const fs::path& folder, Places& places) {
  if (!node.IsSequence()) return true;
  return std::all_of(node.begin(), node.end(), [&](const YAML::Node& task) {
    return !task.IsMap() || std::all_of(task.begin(), task.end(), [&](const auto& entry) {
      const std::string key = config::keyOf(entry.first);
      const bool isFile = std::ranges::any_of(kTaskFiles, [&](const TaskFile& file) { return file.key == key; });
      return !isFile || findNames(entry.second, text, folder, places);
    });
  });
}

/// `path`: path of `node`.
bool findPlaces(const YAML::Node& node, const std::string& path, const std::string& text, const fs::path& folder,
                Places& places) {
  if (pathKind(path) == PathKind::NamedFiles) return findNamesOfSets(node, text, folder, places);
  if (pathKind(path) == PathKind::Tasks) return findNamesOfTasks(node, text, folder, places);
  if (pathKind(path) != PathKind::None) return findNames(node, text, folder, places);
  if (!node.IsMap()) return true;
  return std::all_of(node.begin(), node.end(), [&](const auto& entry) {
    if (!entry.first.IsScalar()) return true;
    const std::string& key = entry.first.Scalar();
    return findPlaces(entry.second, path.empty() ? key : path + "." + key, text, folder, places);
  });
}

bool haveSameMeaning(SweepConfig wanted, const SweepConfig& found, const fs::path& folder) {
  makePathsAbsolute(wanted.first.config, wanted.axes, folder);
  return found.first.ok() && found.first.config == wanted.first.config && found.axes == wanted.axes;
}

}  // namespace

PathKind pathKind(std::string_view fieldPath) {
  const auto found = std::find_if(kPathFields.begin(), kPathFields.end(),
                                  [fieldPath](const PathField& field) { return field.path == fieldPath; });
  return found == kPathFields.end() ? PathKind::None : found->kind;
}

void makePathsAbsolute(TaskConfig& task, const fs::path& folder) {
  for (const TaskFile& file : kTaskFiles) makeAbsolute(task.*file.member, folder);
}

bool makePathsAbsolute(TrainConfig& config, std::vector<SweepAxis>& axes, const fs::path& folder) {
  const TrainConfig before = config;
  const std::vector<SweepAxis> axesBefore = axes;
  config = withAbsolutePaths(std::move(config), folder);
  for (SweepAxis& axis : axes)
    if (pathKind(axis.field) != PathKind::None)
      for (std::string& value : axis.values) value = absoluteValue(*findField(axis.field), value, folder);
  return !(config == before) || axes != axesBefore;
}

std::optional<std::string> makePathsAbsoluteInText(const std::string& yaml, const fs::path& folder) {
  const config::ParsedYaml parsed = config::parseYaml(yaml);
  if (parsed.problem) return std::nullopt;
  Places places;
  for (const YAML::Node& document : parsed.documents)
    if (!findPlaces(document, "", yaml, folder, places)) return std::nullopt;
  std::string text = yaml;
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    text.replace(place->first, place->second.length, place->second.name);
  // This fails, for example, for fields under other tools' names, which are not located.
  const bool same = haveSameMeaning(parseSweep(yaml, "", folder), parseSweep(text, "", folder), folder);
  return same ? std::optional(text) : std::nullopt;
}

}  // namespace batchwise
