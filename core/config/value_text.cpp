// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/value_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/base/format.h"
#include "core/config/task_config.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {
namespace {

constexpr std::string_view kPlainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

bool isPlain(const std::string& text) {
  if (text.empty() || text.find_first_not_of(std::string{kPlainCharacters} + " ()=<>") != std::string::npos)
    return false;
  if (std::string_view{" -.()=<>"}.find(text.front()) != std::string_view::npos && text.rfind("./", 0) != 0 &&
      text.rfind("../", 0) != 0)
    return false;
  static const std::array<std::string_view, 4> words = {"null", "Null", "NULL", "~"};
  return text.back() != ' ' && std::find(words.begin(), words.end(), text) == words.end();
}

}  // namespace

std::string quotedText(const std::string& text) {
  if (isPlain(text)) return text;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += character;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += digits[byte >> 4];
      quoted += digits[byte & 15];
    } else {
      quoted += character;
    }
  }
  return quoted + "\"";
}

std::string unquotedText(const std::string& yaml) {
  if (yaml.size() < 2 || yaml.front() != '"' || yaml.back() != '"') return yaml;
  std::string text;
  for (std::size_t i = 1; i + 1 < yaml.size(); ++i) {
    const bool escaped = yaml[i] == '\\' && i + 2 < yaml.size();
    if (escaped && yaml[i + 1] == 'x' && i + 4 < yaml.size()) {
      text += static_cast<char>(std::strtol(yaml.substr(i + 2, 2).c_str(), nullptr, 16));
      i += 3;
    } else {
      text += escaped ? yaml[++i] : yaml[i];
    }
  }
  return text;
}

std::string valueText(const Field& field, std::int64_t value) {
  if (field.kind == FieldKind::Bytes && value > 0) {
    constexpr std::array<std::pair<const char*, int>, 3> units = {{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
    for (const auto& [name, shift] : units)
      if (value % (std::int64_t{1} << shift) == 0) return std::to_string(value >> shift) + name;
  }
  return std::to_string(value);
}

std::string valueText(const Field&, double value) {
  return formatExact(value);
}

std::string valueText(const Field&, bool value) {
  return value ? "true" : "false";
}

std::string valueText(const Field&, const std::string& value) {
  return quotedText(value);
}

std::string valueText(const Field&, const Time& value) {
  return value.text();
}

std::string valueText(const Field&, const RampLevelConfig& value) {
  return "{at: " + value.at.text() + ", global_train_batch_size: " + std::to_string(value.globalTrainBatchSize) + "}";
}

std::string valueText(const Field&, const SchedulerConfig& part) {
  const std::string duration = part.rest || !part.length ? "rest" : part.length->text();
  TrainConfig holder;
  holder.scheduler = part;
  const TrainConfig defaults;
  std::string text = "{name: " + part.name + ", duration: " + duration;
  for (const std::string& key : partKeys()) {
    if (key == "name" || key == "duration") continue;
    const Field& field = *findField("scheduler." + key);
    const std::string value = field.get(holder);
    if (value != field.get(defaults)) text.append(", ").append(key).append(": ").append(value);
  }
  return text + "}";
}

std::string valueText(const Field&, const StageConfig& value) {
  std::string text = "{until: " + value.until.text();
  for (const auto& [path, setting] : value.settings) text.append(", ").append(path).append(": ").append(setting);
  return text + "}";
}

std::string valueText(const Field& field, const TrainingText& value) {
  if (!value.hasNames()) return valueText(field, value.names());
  std::string text = "[";
  for (const TextSource& source : value.sources) {
    text += formatText("{}{{name: {}, path: {}", text.size() > 1 ? ", " : "", quotedText(source.name),
                       source.text.size() == 1 ? quotedText(source.text.front()) : valueText(field, source.text));
    text += source.weight ? ", weight: " + formatExact(*source.weight) + "}" : "}";
  }
  return text + "]";
}

std::string valueText(const Field& field, const TaskConfig& task) {
  std::string text = "{";
  const auto add = [&text](std::string_view key, const std::string& value) {
    text.append(text.size() > 1 ? ", " : "").append(key).append(": ").append(value);
  };
  if (!task.name.empty()) add("name", quotedText(task.name));
  if (task.path.empty()) add("kind", std::string(choiceName(task.kind)));
  for (const TaskFile& file : kTaskFiles)
    if (const std::string& name = task.*file.member; !name.empty()) add(file.key, quotedText(name));
  if (!task.text.empty())
    add("text", task.text.size() == 1 ? quotedText(task.text.front()) : valueText(field, task.text));
  if (!task.label.empty()) add("label", quotedText(task.label));
  if (task.metric) add("metric", std::string(choiceName(*task.metric)));
  return text + "}";
}

std::string valueText(const Field& field, const std::vector<EvalSetConfig>& values) {
  std::string text = "{";
  for (const EvalSetConfig& set : values) {
    const std::string files = valueText(field, set.text);
    text.append(text.size() > 1 ? ", " : "").append(quotedText(set.name)).append(": ");
    text += set.weight == 1.0 ? files : "{text: " + files + ", weight: " + formatExact(set.weight) + "}";
  }
  return text + "}";
}

}  // namespace batchwise::config
