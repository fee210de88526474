// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/config/value_text.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {

inline constexpr const char* kUnitPerStep = "per step";
inline constexpr const char* kUnitSamples = "samples";
inline constexpr const char* kUnitTokens = "tokens";

struct Schema {
  std::vector<Field> fields;
  std::map<std::string, std::size_t> places;  ///< by path
  std::map<std::string, std::string> groupTitles;
};

template <class T>
constexpr FieldKind kindOf() {
  if constexpr (std::is_same_v<T, std::int64_t>) return FieldKind::Integer;
  if constexpr (std::is_same_v<T, double>) return FieldKind::Number;
  if constexpr (std::is_same_v<T, bool>) return FieldKind::Boolean;
  if constexpr (std::is_same_v<T, std::string>) return FieldKind::Text;
  if constexpr (Choice<T>) return FieldKind::Choice;
  if constexpr (std::is_same_v<T, Time>) return FieldKind::Time;
  if constexpr (std::is_same_v<T, std::vector<Time>>) return FieldKind::TimeList;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return FieldKind::TextList;
  if constexpr (std::is_same_v<T, TrainingText>) return FieldKind::TextList;
  if constexpr (std::is_same_v<T, std::vector<StepSizeCause>>) return FieldKind::TextList;
  if constexpr (std::is_same_v<T, std::vector<double>>) return FieldKind::NumberList;
  if constexpr (std::is_same_v<T, std::vector<RampLevelConfig>>) return FieldKind::Stages;
  if constexpr (std::is_same_v<T, std::vector<SchedulerConfig>>) return FieldKind::Schedule;
  if constexpr (std::is_same_v<T, std::vector<EvalSetConfig>>) return FieldKind::EvalSets;
  if constexpr (std::is_same_v<T, std::vector<TaskConfig>>) return FieldKind::Tasks;
  if constexpr (std::is_same_v<T, std::vector<StageConfig>>) return FieldKind::RunStages;
}

/// The type of a value, of an optional value, or of the items of a list.
template <class T>
struct Inner {
  using Type = T;
};
template <class T>
struct Inner<std::optional<T>> : Inner<T> {};
template <class T>
struct Inner<std::vector<T>> : Inner<T> {};

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

/// What a field accepts beyond its type. Limits apply to the number of a Time and to list items, too.
struct FieldOptions {
  std::optional<double> min = {}, above = {};  ///< inclusive, exclusive
  std::optional<double> max = {}, below = {};
  std::string unit = {};                       ///< bytes: an integer that may have a unit such as MiB
  std::vector<TimeUnit> units = {};            ///< allowed units of a Time
  std::string unset = "auto";                  ///< text for "not set" of an optional field
  std::vector<std::string> choices = {};       ///< where not all names of the type are allowed, or it is a text
  std::vector<std::string> choiceLabels = {};  ///< of the choices of a text
  decltype(Field::check) check = nullptr;      ///< see Field
  bool advanced = false;
};

class SchemaBuilder {
 public:
  /// Declares the title of a group of fields or of a part of one: "batch", "batch.rampup".
  void group(const std::string& path, const char* title) { schema_.groupTitles[path] = title; }

  /// Declares the field reached from a TrainConfig through `members`, one after the other. See Field for `label`.
  template <class... Members>
  void field(const std::string& path, const char* label, FieldOptions options, const char* help, Members... members) {
    const auto access = [members...](auto& config) -> auto& {
      return (config.*....*members);
    };
    using Value = std::remove_cvref_t<decltype(access(std::declval<TrainConfig&>()))>;
    using Item = typename Inner<Value>::Type;
    if (options.choices.empty()) options.choices = namesOf<Item>();
    if constexpr (kIsOptional<Value> && Choice<Item>) options.choices.insert(options.choices.begin(), options.unset);
    if constexpr (Choice<Value> || (kIsOptional<Value> && Choice<Item>))
      for (const std::string& choice : options.choices) options.choiceLabels.push_back(labelOf<Item>(choice));
    Field field = described(path, label, std::move(options), help);
    if constexpr (kIsOptional<Value>) {
      field.kind = kindOf<typename Value::value_type>();
    } else {
      field.kind = kindOf<Value>();
      field.unsetText.clear();
    }
    field.optional = kIsOptional<Value> && field.kind != FieldKind::Choice;
    if (field.kind == FieldKind::Text && !field.choices.empty()) field.kind = FieldKind::Choice;
    if (field.unit == "bytes") field.kind = FieldKind::Bytes;
    field.get = [access, path](const TrainConfig& config) { return valueText(*findField(path), access(config)); };
    field.read = [access, path](TrainConfig& config, const YAML::Node& node) {
      return readValue(node, *findField(path), access(config));
    };
    add(std::move(field));
  }

  Schema take() { return std::move(schema_); }

 private:
  template <class T>
  static std::vector<std::string> namesOf() {
    if constexpr (Choice<T>) {
      return {kChoiceNames<T>.begin(), kChoiceNames<T>.end()};
    } else {
      return {};
    }
  }
  template <Choice T>
  static std::string labelOf(const std::string& choice) {
    const auto value = choiceFromName<T>(choice);
    return value ? std::string(kChoiceLabels<T>[static_cast<std::size_t>(*value)]) : choice;
  }
  static Field described(const std::string& path, const char* label, FieldOptions options, const char* help);
  void add(Field field);

  Schema schema_;
};

/// Far above any sensible size; products of two or three sizes fit 64 bits.
inline constexpr double kLargestSize = 1099511627776.0;  // 2^40

// Allowed units by kind of Time.
inline std::vector<TimeUnit> anyUnit() {
  return {TimeUnit::Epoch, TimeUnit::Batch, TimeUnit::Sample, TimeUnit::Token, TimeUnit::Duration, TimeUnit::Second};
}
inline std::vector<TimeUnit> scheduleUnits() {
  return {TimeUnit::Epoch, TimeUnit::Batch, TimeUnit::Sample, TimeUnit::Token, TimeUnit::Duration};
}
inline std::vector<TimeUnit> lengthUnits() {
  return {TimeUnit::Epoch, TimeUnit::Batch, TimeUnit::Sample, TimeUnit::Token, TimeUnit::Second};
}

// Declare all fields, in the order of the reference page and of the form.
void declareNameFields(SchemaBuilder& s);
void declareModelFields(SchemaBuilder& s);
void declareDataFields(SchemaBuilder& s);
void declareBatchFields(SchemaBuilder& s);
void declareRateFields(SchemaBuilder& s);
void declareRunFields(SchemaBuilder& s);

}  // namespace batchwise::config
