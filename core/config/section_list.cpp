// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/section_list.h"

#include <algorithm>
#include <charconv>

#include "core/config/value_text.h"
#include "core/config/yaml_value.h"

namespace batchwise {
namespace {

/// Returns the one document of the text; an undefined node if it has another number of them or cannot be parsed.
YAML::Node soleDocument(const std::string& yaml) {
  const config::ParsedYaml parsed = config::parseYaml(yaml);
  if (parsed.problem || parsed.documents.size() != 1) return YAML::Node(YAML::NodeType::Undefined);
  return parsed.documents.front();
}

ListSection sectionOf(const YAML::Node& node) {
  ListSection section;
  for (const auto& entry : node) {
    const bool text = entry.second.IsScalar() && entry.second.Tag() != "!";
    section.emplace_back(config::keyOf(entry.first), text                    ? entry.second.Scalar()
                                                     : entry.second.IsNull() ? ""
                                                                             : config::flowText(entry.second));
  }
  return section;
}

/// Returns `value`, quoted if it would end the section that it is written into.
std::string valueInSection(const std::string& value) {
  const YAML::Node section = soleDocument("{value: " + value + "}");
  const bool safe = section.IsDefined() && section.IsMap() && section.size() == 1 && section["value"];
  return safe ? value : config::quotedText(value);
}

}  // namespace

std::optional<std::vector<ListSection>> parseSectionList(const std::string& yaml) {
  const YAML::Node list = soleDocument(yaml);
  if (!list.IsDefined() || !list.IsSequence()) return std::nullopt;
  std::vector<ListSection> sections;
  for (const YAML::Node& item : list) {
    if (!item.IsMap()) return std::nullopt;
    sections.push_back(sectionOf(item));
  }
  return sections;
}

std::string sectionListText(const std::vector<ListSection>& sections) {
  std::string text;
  for (const ListSection& section : sections) {
    std::string entries;
    for (const auto& [key, value] : section)
      if (!value.empty()) entries += (entries.empty() ? "" : ", ") + key + ": " + valueInSection(value);
    text += (text.empty() ? "{" : ", {") + entries + "}";
  }
  return "[" + text + "]";
}

std::vector<std::string> requiredKeys(const Field& field) {
  if (field.kind == FieldKind::Stages) return {"at", "global_train_batch_size"};
  if (field.kind == FieldKind::Schedule) return {"name", "duration"};
  return {};
}

std::vector<std::string> keyChoices(const Field& field, const std::string& key) {
  if (field.kind != FieldKind::Schedule) return {};
  const Field* same = findField(config::parentOf(field.path) + "." + key);
  return same == nullptr ? std::vector<std::string>() : same->choices;
}

std::vector<SectionProblem> checkSectionList(const Field& field, const std::string& yaml) {
  const YAML::Node list = soleDocument(yaml);
  std::vector<SectionProblem> found;
  if (!list.IsDefined()) return found;
  TrainConfig scratch;
  for (const config::ValueProblem& problem : field.read(scratch, list))
    if (const auto place = sectionPlace(problem.where)) found.push_back({place->first, place->second, problem.message});
  return found;
}

std::optional<std::pair<std::size_t, std::string>> sectionPlace(const std::string& place) {
  const std::size_t open = place.find('[');
  const std::size_t close = place.find(']');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  std::size_t index = 0;
  const char* const end = place.data() + close;
  if (std::from_chars(place.data() + open + 1, end, index).ptr != end) return std::nullopt;
  std::string key = close + 2 <= place.size() ? place.substr(close + 2) : std::string();
  key.resize(std::min(key.find('['), key.size()));
  return std::pair{index, std::move(key)};
}

}  // namespace batchwise
