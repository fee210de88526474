// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/message.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/base/format.h"
#include "core/base/json.h"

namespace batchwise {
namespace {

using nlohmann::json;

/// A place of a template: `{name}`, `{name:format}` or `{name?one|many}`.
struct Place {
  std::string_view name, format, one, many;
  bool isPlural = false;
};

Place placeOf(std::string_view inside) {
  const std::size_t end = inside.find_first_of(":?");
  Place place;
  place.name = inside.substr(0, end);
  if (end == std::string_view::npos) return place;
  const std::string_view rest = inside.substr(end + 1);
  place.isPlural = inside[end] == '?';
  if (!place.isPlural) {
    place.format = rest;
    return place;
  }
  const std::size_t bar = rest.find('|');
  place.one = rest.substr(0, bar);
  place.many = bar == std::string_view::npos ? rest : rest.substr(bar + 1);
  return place;
}

/// Calls `literal(text)` and `place(Place, whole)` for the parts of a template, in order.
template <class Literal, class PlaceFound>
void forEachPart(std::string_view pattern, const Literal& literal, const PlaceFound& place) {
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    literal(pattern.substr(0, open));
    if (open == std::string_view::npos) return;
    pattern.remove_prefix(open);
    const std::size_t close = pattern.find('}');
    if (pattern.starts_with("{{") || close == std::string_view::npos) {
      literal("{");
      pattern.remove_prefix(pattern.starts_with("{{") ? 2 : 1);
      continue;
    }
    place(placeOf(pattern.substr(1, close - 1)), pattern.substr(0, close + 1));
    pattern.remove_prefix(close + 1);
  }
}

double numberOf(const MessageValue& value) {
  if (value.integer() != nullptr) return static_cast<double>(*value.integer());
  return value.real() != nullptr ? *value.real() : 0;
}

/// Returns the nearest integer of 64 bits; 0 for NaN.
std::int64_t integerOf(const MessageValue& value) {
  constexpr double kLimit = 9223372036854774784.0;  // the largest double below 2^63
  if (value.integer() != nullptr) return *value.integer();
  const double number = numberOf(value);
  return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -kLimit, kLimit));
}

std::string formatted(const MessageValue& value, std::string_view format) {
  const double number = numberOf(value);
  if (format == "integer") return formatInteger(integerOf(value));
  if (format == "value") return formatValue(number);
  if (format == "count") return formatCount(number);
  if (format == "bytes") return formatBytes(integerOf(value));
  if (format == "duration") return formatDuration(number);
  if (format == "rate") return formatRate(number);
  if (format == "exact") return formatExact(number);
  return value.integer() != nullptr ? std::to_string(*value.integer()) : formatValue(number);
}

std::string textOfValue(const MessageValue& value, std::string_view format, std::string (*textOf)(const Message&)) {
  if (value.text() != nullptr) return *value.text();
  if (value.message() != nullptr) return textOf != nullptr ? textOf(*value.message()) : value.message()->text();
  return formatted(value, format);
}

constexpr int kDeepest = 8;         // messages within messages of a stored text
constexpr int kDeepestWritten = 5;  // deeper ones are written as their text: JsonLimits must admit what is around, too

void addMessage(json& object, const Message& message, int depth);

json valueToJson(const MessageValue& value, int depth) {
  if (value.text() != nullptr) return *value.text();
  if (value.integer() != nullptr) return *value.integer();
  if (value.real() != nullptr) return jsonNumber(*value.real());
  if (depth >= kDeepestWritten) return value.message()->text();
  json nested = {{"text", value.message()->text()}};
  addMessage(nested, *value.message(), depth + 1);
  return nested;
}

void addMessage(json& object, const Message& message, int depth) {
  if (message.id().empty()) return;
  object["code"] = message.id();
  json args = json::object();
  for (const MessageArgument& argument : message.arguments()) args[argument.name] = valueToJson(argument.value, depth);
  object["args"] = std::move(args);
}

std::optional<Message> parseMessage(const json& object, std::string text, int depth);

std::optional<MessageValue> valueFromJson(const json& value, int depth) {
  if (value.is_string()) return MessageValue(value.get<std::string>());
  if (value.is_number_integer()) return MessageValue(value.get<std::int64_t>());
  if (value.is_number()) return MessageValue(value.get<double>());
  if (!value.is_object() || depth >= kDeepest) return std::nullopt;
  const auto text = value.find("text");
  if (text == value.end() || !text->is_string()) return std::nullopt;
  const std::optional<Message> message = parseMessage(value, text->get<std::string>(), depth + 1);
  return message ? std::optional(MessageValue(*message)) : std::nullopt;
}

/// Returns nullopt if an argument is neither text, number nor message, or is nested too deep.
std::optional<Message> parseMessage(const json& object, std::string text, int depth) {
  const auto code = object.find("code"), args = object.find("args");
  if (code == object.end() || !code->is_string()) return Message::verbatim(std::move(text));
  std::vector<MessageArgument> arguments;
  if (args != object.end() && args->is_object()) {
    for (const auto& [name, stored] : args->items()) {
      std::optional<MessageValue> value = valueFromJson(stored, depth);
      if (!value) return std::nullopt;
      arguments.push_back({name, std::move(*value)});
    }
  }
  return Message(code->get<std::string>(), std::move(arguments), std::move(text));
}

}  // namespace

MessageValue::MessageValue(Message message) : value_(std::make_shared<const Message>(std::move(message))) {}

const Message* MessageValue::message() const {
  const auto* held = std::get_if<std::shared_ptr<const Message>>(&value_);
  return held == nullptr ? nullptr : held->get();
}

bool MessageValue::operator==(const MessageValue& other) const {
  if (message() != nullptr && other.message() != nullptr) return *message() == *other.message();
  if (real() != nullptr && other.real() != nullptr)
    return *real() == *other.real() || (std::isnan(*real()) && std::isnan(*other.real()));
  return value_ == other.value_;
}

const MessageValue* Message::argument(std::string_view name) const {
  const auto found = std::ranges::find(arguments_, name, &MessageArgument::name);
  return found == arguments_.end() ? nullptr : &found->value;
}

std::ostream& operator<<(std::ostream& out, const Message& message) {
  return out << message.text();
}

std::string fillMessage(std::string_view pattern, const std::vector<MessageArgument>& arguments,
                        std::string (*textOf)(const Message& message)) {
  std::string out;
  forEachPart(
      pattern, [&](std::string_view literal) { out += literal; },
      [&](const Place& place, std::string_view whole) {
        const auto found = std::ranges::find(arguments, place.name, &MessageArgument::name);
        if (found == arguments.end())
          out += whole;
        else if (place.isPlural)
          out += numberOf(found->value) == 1 ? place.one : place.many;
        else
          out += textOfValue(found->value, place.format, textOf);
      });
  return out;
}

std::vector<std::string> messagePlaces(std::string_view pattern) {
  std::vector<std::string> names;
  forEachPart(
      pattern, [](std::string_view) {},
      [&names](const Place& place, std::string_view) {
        if (std::ranges::find(names, place.name) == names.end()) names.emplace_back(place.name);
      });
  return names;
}

Message makeMessage(const char* id, const char* pattern, std::vector<MessageValue> values) {
  const std::vector<std::string> names = messagePlaces(pattern);
  assert(names.size() == values.size());
  std::vector<MessageArgument> arguments;
  arguments.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) arguments.push_back({names[i], std::move(values[i])});
  std::string text = fillMessage(pattern, arguments);
  std::ranges::sort(arguments, {}, &MessageArgument::name);
  return Message(id, std::move(arguments), std::move(text));
}

void addMessageTo(json& object, const Message& message) {
  addMessage(object, message, 0);
}

Message messageFromJson(const json& object, std::string text) {
  std::optional<Message> message = parseMessage(object, text, 0);
  return message ? std::move(*message) : Message::verbatim(std::move(text));
}

void writeMessage(json& object, const char* key, const Message& message) {
  object[key] = message.text();
  if (!message.id().empty()) addMessageTo(object[std::string(key) + "_message"], message);
}

Message readMessage(const json& object, const char* key) {
  const auto text = object.find(key);
  if (text == object.end() || !text->is_string()) return {};
  const auto stored = object.find(std::string(key) + "_message");
  const json none = json::object();
  return messageFromJson(stored == object.end() || !stored->is_object() ? none : *stored, text->get<std::string>());
}

void to_json(json& value, const Message& message) {
  value = message.text();
}

}  // namespace batchwise
