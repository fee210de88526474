// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/config_difference.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "core/config/value_text.h"

namespace batchwise {
namespace {

const std::string kNoValue = "–";

const std::string& valueOr(const ConfigValues& values, const std::string& field, const std::string& fallback) {
  const auto found = values.find(field);
  return found == values.end() ? fallback : found->second;
}

/// Fields of the model that a folder to start from decides: resolveModelShape() only compares them with it.
constexpr std::array<std::string_view, 9> kDecidedByFolder = {"model.preset",
                                                              "model.hidden_size",
                                                              "model.num_hidden_layers",
                                                              "model.num_attention_heads",
                                                              "model.num_key_value_heads",
                                                              "model.intermediate_size",
                                                              "model.type_vocab_size",
                                                              "model.local_attention",
                                                              "model.global_attn_every_n_layers"};

bool hasEffectBeside(std::string_view field, bool startsFromFolder, bool hasTokenizer, bool ramps) {
  if (field == "batch.rampup.initial_global_train_batch_size" || field == "batch.rampup.increment" ||
      field == "batch.rampup.growth" || field == "batch.rampup.spacing" || field == "batch.rampup.from_schedule.cap")
    return ramps;
  const bool trainsTokenizer = field.starts_with("tokenizer.train.");
  if (!trainsTokenizer && std::ranges::find(kDecidedByFolder, field) == kDecidedByFolder.end()) return true;
  return !startsFromFolder && !(trainsTokenizer && hasTokenizer);
}

bool hasRamp(const ConfigValues& values) {
  const std::string duration = plainValue(values, "batch.rampup.duration");
  const std::string stages = plainValue(values, "batch.rampup.stages");
  const std::string factor = plainValue(values, "batch.rampup.from_schedule.factor");
  return (!duration.empty() && duration != "none") || (!stages.empty() && stages != "[]") ||
         (!factor.empty() && factor != "none");
}

}  // namespace

const std::string& valueOf(const ConfigValues& values, std::string_view field) {
  static const std::string none;
  const auto found = values.find(field);
  return found == values.end() ? none : found->second;
}

std::string plainValue(const ConfigValues& values, std::string_view path) {
  return config::unquotedText(valueOf(values, path));
}

bool hasEffect(const ConfigValues& values, std::string_view field) {
  return hasEffectBeside(field, !plainValue(values, "model.init_from").empty(),
                         !plainValue(values, "tokenizer.path").empty(), hasRamp(values));
}

bool hasEffect(const TrainConfig& config, std::string_view field) {
  return hasEffectBeside(field, !config.model.initFrom.empty(), !config.tokenizer.path.empty(),
                         config.batch.rampup.enabled());
}

ConfigValues configValues(const TrainConfig& config) {
  ConfigValues values;
  for (const Field& field : configSchema()) values.emplace(field.path, field.get(config));
  return values;
}

Result<ConfigValues> configValuesOf(const std::string& resolvedYaml, const std::string& runName) {
  const LoadedConfig loaded = parseConfig(resolvedYaml, runContextText(runName), {});
  if (!loaded.ok()) return Error::config(loaded.errorText());
  return configValues(loaded.config);
}

Result<ConfigValues> configValuesOf(const RunDetail& run) {
  if (isExternal(run.summary)) return ConfigValues(run.resolvedValues.begin(), run.resolvedValues.end());
  return configValuesOf(run.resolvedYaml, run.summary.name);
}

IgnoredFields IgnoredFields::standard() {
  return IgnoredFields({"name", "experiment", "variant", "zip", "seed", "version", "launch.*", "log.*",
                        "batch.tokens.metrics_path", "eval.seed", "data.demo_seed"});
}

bool IgnoredFields::has(std::string_view field) const {
  return std::any_of(patterns_.begin(), patterns_.end(), [field](const std::string& pattern) {
    if (pattern.ends_with(".*")) return field.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
    return field == pattern;
  });
}

ConfigComparison compareConfigValues(std::span<const ConfigValues> runs, const IgnoredFields& ignored) {
  ConfigComparison comparison;
  std::vector<std::string> fields;
  std::set<std::string> logged;  // what runs of other programs call their settings, once those of ours are taken out
  for (const ConfigValues& values : runs)
    for (const auto& [name, value] : values) logged.insert(name);
  for (const Field& field : configSchema())
    if (logged.erase(field.path) > 0) fields.push_back(field.path);
  fields.insert(fields.end(), logged.begin(), logged.end());
  for (const std::string& field : fields) {
    FieldRow row{field, {}};
    std::set<std::string> different;
    for (const ConfigValues& values : runs) {
      const bool matters = hasEffect(values, field);
      const std::string& value = row.values.emplace_back(matters ? valueOr(values, field, kNoValue) : kNoValue);
      if (!values.empty() && matters) different.insert(value);
    }
    const bool counts = !ignored.has(field);
    comparison.compared += counts ? 1 : 0;
    if (different.size() < 2) continue;
    if (counts)
      comparison.rows.push_back(std::move(row));
    else if (field != "name")
      comparison.ignoredDifferences.push_back(field);
  }
  return comparison;
}

std::string experimentKey(const ConfigValues& values, const IgnoredFields& ignored) {
  std::string key;
  for (const auto& [field, value] : values)
    if (!ignored.has(field) && hasEffect(values, field)) key += field + '\x1f' + value + '\x1e';
  return key;
}

}  // namespace batchwise
