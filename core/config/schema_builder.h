// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/config/messages.h"
#include "core/config/schema_entries.h"
#include "core/config/value_text.h"

namespace batchwise::config {

/// Sets the value from a node, checked by the type and limits of the field.
using FieldReader = std::function<ValueProblems(const Field&, TrainConfig&, const YAML::Node&)>;

/// The schema and its implementation. readers[i] belongs to fields[i].
struct Schema {
  std::vector<Field> fields;
  std::vector<FieldReader> readers;
  std::map<std::string, FieldCheck> checks;   ///< by path
  std::map<std::string, std::size_t> places;  ///< by path
};

template <class T>
constexpr FieldKind kindOf() {
  if constexpr (std::is_same_v<T, std::int64_t>) return FieldKind::Integer;
  if constexpr (std::is_same_v<T, double>) return FieldKind::Number;
  if constexpr (std::is_same_v<T, bool>) return FieldKind::Boolean;
  if constexpr (std::is_same_v<T, std::string>) return FieldKind::Text;
  if constexpr (std::is_same_v<T, Time>) return FieldKind::Time;
  if constexpr (std::is_same_v<T, std::vector<Time>>) return FieldKind::TimeList;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return FieldKind::TextList;
  if constexpr (std::is_same_v<T, std::vector<double>>) return FieldKind::NumberList;
  if constexpr (std::is_same_v<T, std::vector<RampStageConfig>>) return FieldKind::Stages;
  if constexpr (std::is_same_v<T, std::vector<SchedulerConfig>>) return FieldKind::Schedule;
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Value = T;
};

/// Fluent interface that adds properties to the field declared last.
class FieldBuilder {
 public:
  FieldBuilder(Schema& schema, std::size_t place) : schema_(schema), place_(place) {}

  FieldBuilder& unit(Message noun) {
    return with([&](Field& f) { f.unit = std::move(noun); });
  }
  FieldBuilder& help(std::string text) {
    return with([&](Field& f) { f.help = std::move(text); });
  }
  FieldBuilder& min(double number) {
    return with([&](Field& f) { f.minimum = number; });
  }
  FieldBuilder& max(double number) {
    return with([&](Field& f) { f.maximum = number; });
  }
  FieldBuilder& above(double number) {
    return with([&](Field& f) { f.minimum = number, f.minimumOpen = true; });
  }
  FieldBuilder& below(double number) {
    return with([&](Field& f) { f.maximum = number, f.maximumOpen = true; });
  }
  /// Text for "not set" of an optional field, or of a text that may be empty.
  FieldBuilder& empty(std::string word) {
    return with([&](Field& f) { f.unsetText = std::move(word); });
  }
  FieldBuilder& advanced() {
    return with([](Field& f) { f.advanced = true; });
  }
  FieldBuilder& units(std::vector<TimeUnit> allowed) {
    return with([&](Field& f) { f.units = std::move(allowed); });
  }
  FieldBuilder& bytes() {
    return with([](Field& f) { f.kind = FieldKind::Bytes, f.unit = messages::unitBytes(); });
  }
  /// Allowed values; for a list, of each item.
  FieldBuilder& choices(std::vector<std::string> names) {
    return with([&](Field& f) {
      f.choices = std::move(names);
      if (f.kind == FieldKind::Text) f.kind = FieldKind::Choice;
    });
  }
  FieldBuilder& check(FieldCheck check) {
    schema_.checks[schema_.fields[place_].path] = std::move(check);
    return *this;
  }

 private:
  template <class Change>
  FieldBuilder& with(Change change) {
    change(schema_.fields[place_]);
    return *this;
  }

  Schema& schema_;
  std::size_t place_;
};

class SchemaBuilder {
 public:
  /// Declares the field reached from a TrainConfig through `members`, one after the other.
  template <class... Members>
  FieldBuilder field(const std::string& path, Members... members) {
    const auto access = [members...](auto& config) -> auto& {
      return (config.*....*members);
    };
    using Value = std::remove_cvref_t<decltype(access(std::declval<TrainConfig&>()))>;
    Field field;
    field.path = path;
    field.group = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.find('.'));
    field.optional = IsOptional<Value>::value;
    if constexpr (IsOptional<Value>::value) {
      field.kind = kindOf<typename IsOptional<Value>::Value>();
      field.unsetText = "auto";
    } else {
      field.kind = kindOf<Value>();
    }
    const std::size_t place = schema_.fields.size();
    schema_.places[path] = place;
    schema_.readers.push_back([access](const Field& declared, TrainConfig& config, const YAML::Node& node) {
      return readValue(node, declared, access(config));
    });
    field.get = [access, path](const TrainConfig& config) { return valueText(*findField(path), access(config)); };
    field.set = [path](TrainConfig& config, const std::string& text) {
      return setFromText(*findField(path), config, text);
    };
    schema_.fields.push_back(std::move(field));
    return FieldBuilder(schema_, place);
  }

  Schema take() { return std::move(schema_); }

 private:
  static Message setFromText(const Field& field, TrainConfig& config, const std::string& text);

  Schema schema_;
};

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
void declareDataFields(SchemaBuilder& s);
void declareBatchFields(SchemaBuilder& s);
void declareRateFields(SchemaBuilder& s);
void declareRunFields(SchemaBuilder& s);

}  // namespace batchwise::config
