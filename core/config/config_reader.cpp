// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise::config {
namespace {

/// Fields that may be given as the value of their group: `devices: cuda`.
const std::map<std::string, std::string>& shorthands() {
  static const std::map<std::string, std::string> table = {{"devices", "devices.use"},
                                                           {"scheduler", "scheduler.name"},
                                                           {"optimizer", "optimizer.name"},
                                                           {"model", "model.preset"}};
  return table;
}

std::string pathBelow(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string leafOf(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// Returns the valid names directly below `group`, "" for the top level.
std::vector<std::string> namesBelow(const std::string& group) {
  const std::string prefix = group.empty() ? "" : group + ".";
  std::vector<std::string> names;
  for (const Field& field : configSchema()) {
    if (field.path.rfind(prefix, 0) != 0) continue;
    const std::string rest = field.path.substr(prefix.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Returns the field with this leaf name in another group; "" if there is none or more than one.
std::string fieldElsewhere(const std::string& leaf) {
  std::string found;
  for (const Field& field : configSchema()) {
    if (leafOf(field.path) != leaf) continue;
    if (!found.empty()) return "";
    found = field.path;
  }
  return found;
}

/// Returns "100" for "100.7"; empty if the text is not a decimal fraction.
std::optional<std::string> wholePart(const std::string& text) {
  const std::size_t point = text.find('.');
  const bool digits = text.find_first_not_of("0123456789.") == std::string::npos;
  if (!digits || point == std::string::npos || point == 0 || text.find('.', point + 1) != std::string::npos)
    return std::nullopt;
  return text.substr(0, point);
}

}  // namespace

bool isSweep(const Field& field, const YAML::Node& node) {
  if (!node.IsSequence() || node.size() == 0) return false;
  switch (field.kind) {
    case FieldKind::TimeList:
    case FieldKind::TextList:
    case FieldKind::NumberList:
    case FieldKind::Stages:
    case FieldKind::Schedule:
    case FieldKind::Tasks:
    case FieldKind::RunStages:
      return std::all_of(node.begin(), node.end(), [](const YAML::Node& item) { return item.IsSequence(); });
    default: return true;
  }
}

void ConfigReader::addError(const std::string& field, int line, std::string message, const std::string& nearest) {
  const FieldLocation place = locationOf(line);
  target_.errors.push_back({field, place.source, place.line, std::move(message), nearest});
}

void ConfigReader::addNote(const std::string& field, int line, std::string message) {
  const FieldLocation place = locationOf(line);
  target_.notes.push_back({field, place.source, place.line, std::move(message)});
}

FieldLocation ConfigReader::locationOf(int line) const {
  return inChanges_ ? FieldLocation{"--set", 0} : FieldLocation{source_, line};
}

void ConfigReader::readRoot(const YAML::Node& root) {
  if (root.IsNull() || !root.IsDefined())
    return addError("", 0, "is empty; a configuration names at least the data and what differs from the defaults");
  if (!root.IsMap())
    return addError("", lineOf(root),
                    formatText("holds {}, expected a section of the form 'name: value'", describeNode(root)));
  readSection("", root);
}

void ConfigReader::readChanges(const YAML::Node& root) {
  if (root.IsNull() || !root.IsDefined()) return;
  if (!root.IsMap())
    return addError("", lineOf(root),
                    formatText("a second YAML document holds changes of the form 'optimizer.lr: 1e-3', but this is {}",
                               describeNode(root)));
  inChanges_ = true;
  for (const auto& entry : root) readEntry(keyOf(entry.first), entry.second, lineOf(entry.first));
  inChanges_ = false;
}

void ConfigReader::readSection(const std::string& path, const YAML::Node& node) {
  std::set<std::string> keys;
  for (const auto& entry : node) {
    const int line = lineOf(entry.first);
    if (!entry.first.IsScalar()) {
      addError(path, line, formatText("has a name that is {}, expected a plain name", describeNode(entry.first)));
      continue;
    }
    const std::string key = pathBelow(path, entry.first.Scalar());
    if (!keys.insert(key).second) {
      addError(key, line, "is given twice in the same section; keep one");
    } else {
      readEntry(key, entry.second, line);
    }
  }
}

void ConfigReader::readEntry(const std::string& path, const YAML::Node& node, int line) {
  if (const Field* field = findField(path)) return readFieldNode(*field, node, line);
  if (path == "dynamic_batching" || path == "data_efficiency.data_sampling.dynamic_batching")
    return readDynamicBatching(path, node, line);
  if (path == "data_efficiency" || path == "data_efficiency.data_sampling") return readSection(path, node);
  if (const ExternalName* peer = externalName(path)) {
    addNote(peer->ours, line, formatText("read from '{}', the name that {} uses", path, peer->owner));
    return readEntry(peer->ours, node, line);
  }
  if (!isFieldGroup(path)) return reportUnknown(path, line);
  if (node.IsMap()) return readSection(path, node);
  if (node.IsNull()) return;  // an empty section: all defaults
  const auto shorthand = shorthands().find(path);
  if (shorthand != shorthands().end() && node.IsScalar())
    return readFieldNode(*findField(shorthand->second), node, line);
  addError(path, line, formatText("{} is not a section with {}", describeNode(node), joined(namesBelow(path))));
}

void ConfigReader::readFieldNode(const Field& field, const YAML::Node& node, int line) {
  if (!claim(field.path, line)) return;
  if (axes_ != nullptr) {
    std::erase_if(*axes_, [&field](const SweepAxis& axis) { return axis.field == field.path; });
    if (isSweep(field, node)) return readAxis(field, node, line);
  }
  const std::size_t first = target_.errors.size();
  for (ValueProblem& problem : field.read(target_.config, node))
    addError(field.path + problem.where, problem.line > 0 ? problem.line : line, std::move(problem.message),
             problem.nearest);
  // Only the first error has the value: a list can have as many errors as items.
  if (target_.errors.size() > first) target_.errors[first].value = flowText(node);
}

void ConfigReader::readAxis(const Field& field, const YAML::Node& node, int line) {
  SweepAxis axis{field.path, {}};
  // Backwards, so that the first value remains set.
  for (std::size_t i = node.size(); i-- > 0;) {
    const YAML::Node item = node[i];
    for (ValueProblem& problem : field.read(target_.config, item))
      addError(field.path + "[" + std::to_string(i) + "]" + problem.where, problem.line > 0 ? problem.line : line,
               std::move(problem.message), problem.nearest);
    axis.values.push_back(field.get(target_.config));
  }
  std::reverse(axis.values.begin(), axis.values.end());
  axes_->push_back(std::move(axis));
}

bool ConfigReader::claim(const std::string& path, int line) {
  const auto [place, isNew] = target_.locations.emplace(path, locationOf(line));
  if (inChanges_) place->second = locationOf(line);
  if (isNew || inChanges_) return true;
  addError(path, line, formatText("is given twice, first in line {}; keep one", place->second.line));
  return false;
}

/// Reads DeepSpeed's section. Its switch `enabled` is off by default, as in DeepSpeed.
void ConfigReader::readDynamicBatching(const std::string& path, const YAML::Node& node, int line) {
  static const std::map<std::string, std::string> names = {
      {"max_tokens", "batch.tokens.max_tokens"},
      {"min_batch_size", "batch.tokens.min_batch_size"},
      {"max_batch_size", "batch.tokens.max_batch_size"},
      {"sequence_picking_order", "batch.tokens.sequence_picking_order"},
      {"required_microbatches_of_same_size", "batch.tokens.required_microbatches_of_same_size"},
      {"required_microbatches_of_same_seqlen", "batch.tokens.required_microbatches_of_same_seqlen"},
      {"metrics_path", "batch.tokens.metrics_path"},
      {"lr_scaling_method", "lr_scaling.method"},
  };
  if (node.IsNull()) return addError(path, line, "is empty; give a section with enabled, max_tokens, ...");
  if (!node.IsMap())
    return addError(path, line, formatText("{} is not a section with enabled, max_tokens, ...", describeNode(node)));
  const bool enabled = node["enabled"] && flagOf(node["enabled"]).value_or(false);
  if (!enabled) return addNote(path, line, "is off (enabled is not true, DeepSpeed's default) and changes nothing");
  addNote("batch.tokens", line, formatText("read from '{}', a section of DeepSpeed", path));
  for (const auto& entry : node) {
    const std::string key = keyOf(entry.first);
    const int keyLine = lineOf(entry.first);
    const auto found = names.find(key);
    const std::string text = entry.second.IsScalar() ? entry.second.Scalar() : "";
    if (key == "max_tokens" && wholePart(text)) {
      addNote(found->second, keyLine, formatText("'{}' is truncated to {}, as DeepSpeed does", text, *wholePart(text)));
      readEntry(found->second, YAML::Node(*wholePart(text)), keyLine);
    } else if (key == "lr_scaling_method" && (entry.second.IsNull() || text == "None")) {
      readEntry(found->second, YAML::Node("none"), keyLine);
    } else if (found != names.end()) {
      readEntry(found->second, entry.second, keyLine);
    } else if (key == "verbose") {
      addNote(path + ".verbose", keyLine, "has no meaning here; see the command batches");
    } else if (key != "enabled") {
      std::vector<std::string> known = {"enabled", "verbose"};
      for (const auto& [name, ours] : names) known.push_back(name);
      const std::string nearest = nearestName(key, known);
      addError(path + "." + key, keyLine,
               nearest.empty() ? formatText("unknown name; known: {}", joined(known))
                               : formatText("unknown name; did you mean '{}'? Known: {}", nearest, joined(known)),
               nearest);
    }
  }
  if (!node["max_tokens"]) addError(path + ".max_tokens", line, "is required when dynamic_batching is enabled");
  if (!node["lr_scaling_method"])
    addNote(
        "lr_scaling.method", line,
        "stays none; DeepSpeed would scale linearly, which is lr_scaling: {method: linear, reference_batch_size: N}");
}

void ConfigReader::reportUnknown(const std::string& path, int line) {
  const std::string parent = parentOf(path);
  const std::string leaf = leafOf(path);
  if (!parent.empty() && !isFieldGroup(parent)) {
    return addError(path, line,
                    findField(parent) != nullptr ? formatText("unknown field: '{}' is a value, not a section", parent)
                                                 : formatText("unknown field: there is no section '{}'", parent));
  }
  const std::vector<std::string> siblings = namesBelow(parent);
  const std::string nearest = nearestName(leaf, siblings);
  const std::string elsewhere = fieldElsewhere(leaf);
  const std::string meant = !elsewhere.empty() ? elsewhere : nearest.empty() ? "" : pathBelow(parent, nearest);
  const std::string where = parent.empty() ? "at top level" : formatText("in '{}'", parent);
  addError(path, line,
           meant.empty() ? formatText("unknown field; known {}: {}", where, joined(siblings))
                         : formatText("unknown field; did you mean '{}'? Known {}: {}", meant, where, joined(siblings)),
           meant);
}

void ConfigReader::finish() {
  if (!target_.errors.empty()) return;  // rules over several fields require valid fields
  const auto issue = [this](const std::string& field, std::string message) {
    ConfigIssue made = target_.issueAt(field, std::move(message));
    if (made.source.empty()) made.source = source_;
    return made;
  };
  for (FieldProblem& problem : checkRules(target_.config))
    target_.errors.push_back(issue(problem.field, std::move(problem.message)));
  for (FieldProblem& slip : findLikelyMistakes(target_.config))
    target_.notes.push_back(issue(slip.field, std::move(slip.message)));
  const BatchConfig& batch = target_.config.batch;
  // A size other than the default is certainly set by the user; resolving the plan notes it.
  if (target_.locations.count("batch.global_train_batch_size") && !batch.rampup.stages.empty() &&
      batch.globalTrainBatchSize == BatchConfig{}.globalTrainBatchSize &&
      batch.rampup.stages.back().globalTrainBatchSize != batch.globalTrainBatchSize)
    target_.notes.push_back(
        issue("batch.global_train_batch_size",
              formatText("{} is not used; the last size of batch.rampup.stages, {}, is the global batch",
                         batch.globalTrainBatchSize, batch.rampup.stages.back().globalTrainBatchSize)));
  if (target_.locations.count("tokenizer.path") && target_.locations.count("tokenizer.train.vocab_size") &&
      !target_.config.tokenizer.path.empty())
    target_.notes.push_back(
        issue("tokenizer.train.vocab_size", "has no effect, as the vocabulary of tokenizer.path is used"));
}

const std::vector<ExternalName>& externalNames() {
  static const std::vector<ExternalName> rows = {
      {"global_train_batch_size", "batch.global_train_batch_size", "Composer"},
      {"device_train_microbatch_size", "batch.device_train_microbatch_size", "Composer"},
      {"batch_rampup", "batch.rampup.duration", "bert24"},
      {"inital_global_train_batch_size", "batch.rampup.initial_global_train_batch_size", "bert24"},  // misspelled there
      {"initial_global_train_batch_size", "batch.rampup.initial_global_train_batch_size", "bert24"},
      {"batch.rampup.inital_global_train_batch_size", "batch.rampup.initial_global_train_batch_size", "bert24"},
      {"batch.batch_increase_function", "batch.growth.batch_increase_function", "torchtune"},
      {"batch_increase_function", "batch.growth.batch_increase_function", "torchtune"},
      {"use_maximum_batch_size", "batch.use_maximum_batch_size", "torchtune"},
      {"max_seq_len", "data.max_seq_len", "Composer"},
      {"eval_interval", "eval.interval", "Composer"},
      {"save_interval", "checkpoint.interval", "Composer"},
  };
  return rows;
}

const ExternalName* externalName(const std::string& theirs) {
  const auto found = std::ranges::find(externalNames(), theirs, &ExternalName::theirs);
  return found == externalNames().end() ? nullptr : &*found;
}

}  // namespace batchwise::config
