// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace batchwise {

class Message;

/// An argument of a message: a text (a name, a path, a value as somebody wrote it), a number, or a message in its turn.
class MessageValue {
 public:
  MessageValue(const char* text) : value_(std::string(text)) {}       // NOLINT(google-explicit-constructor)
  MessageValue(std::string text) : value_(std::move(text)) {}         // NOLINT(google-explicit-constructor)
  MessageValue(std::string_view text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  MessageValue(std::integral auto number)                             // NOLINT(google-explicit-constructor)
      : value_(static_cast<std::int64_t>(number)) {}
  MessageValue(char) = delete;  // a letter is a text, not a number
  MessageValue(bool) = delete;
  MessageValue(double number) : value_(number) {}  // NOLINT(google-explicit-constructor)
  MessageValue(Message message);                   // NOLINT(google-explicit-constructor)

  /// Null unless the argument is of that kind.
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const Message* message() const;
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* real() const { return std::get_if<double>(&value_); }
  bool operator==(const MessageValue& other) const;

 private:
  std::variant<std::string, std::int64_t, double, std::shared_ptr<const Message>> value_;
};

struct MessageArgument {
  std::string name;
  MessageValue value;
  bool operator==(const MessageArgument&) const = default;
};

/// What core reports to people: errors, notes, progress, findings, refusals, reasons. The id ("store.run_is_busy")
/// names the entry of the catalog (core/<layer>/messages.def), the arguments fill its places, and the text is the
/// result. Programs compare ids, never texts; the window words some entries in its own way and fills in the same
/// arguments. A text from outside (the system's, a library's, or of a journal) has no id. A value.
class Message {
 public:
  Message() = default;
  Message(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Message(const char* text) : text_(text) {}             // NOLINT(google-explicit-constructor)
  Message(std::string_view text) : text_(text) {}        // NOLINT(google-explicit-constructor)
  Message(std::string id, std::vector<MessageArgument> arguments, std::string text)
      : id_(std::move(id)), arguments_(std::move(arguments)), text_(std::move(text)) {}

  /// A text without an entry in the catalog.
  static Message verbatim(std::string text) { return Message(std::move(text)); }

  const std::string& id() const { return id_; }
  const std::vector<MessageArgument>& arguments() const { return arguments_; }
  /// Null if there is no argument of that name.
  const MessageValue* argument(std::string_view name) const;
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  explicit operator const std::string&() const { return text_; }  // explicit: a text has lost its id

  bool operator==(const Message&) const = default;
  /// Compares the text: for tests. Programs compare ids.
  template <class Text>
  requires(std::convertible_to<const Text&, std::string_view> && !std::same_as<Text, Message>) bool operator==(
      const Text& text) const {
    return text_ == std::string_view(text);
  }

 private:
  std::string id_;
  std::vector<MessageArgument> arguments_;
  std::string text_;
};

std::ostream& operator<<(std::ostream& out, const Message& message);

/// Fills the places of a template. `{name}` is the argument as it is; `{name:format}` a number in one of the formats of
/// format.h (integer, value, count, bytes, duration, rate, exact); `{name?one|many}` the first text if the number is 1,
/// else the second; `{{` a brace. A place without its argument stays as it is written. `textOf`: the wording of a
/// message among the arguments; null: its text.
std::string fillMessage(std::string_view pattern, const std::vector<MessageArgument>& arguments,
                        std::string (*textOf)(const Message& message) = nullptr);

/// The names of the places of a template, each once, in the order in which they come first.
std::vector<std::string> messagePlaces(std::string_view pattern);

/// Adds "code" (the id) and "args" (by name; a message as an object of "code", "args" and "text") to `object`, which
/// has the text under a key of its own. Adds nothing for a message without an id.
void addMessageTo(nlohmann::json& object, const Message& message);
/// Sets `key` to the text and, for a message with an id, `key`_message to "code" and "args".
void writeMessage(nlohmann::json& object, const char* key, const Message& message);
/// Returns the message that writeMessage() wrote under `key`; empty if there is none.
Message readMessage(const nlohmann::json& object, const char* key);
/// The message of such an object and its text. One without a code, or with arguments of other types, is its text alone.
Message messageFromJson(const nlohmann::json& object, std::string text);

/// The text alone, for lists of texts in JSON.
void to_json(nlohmann::json& value, const Message& message);

/// How many arguments a template takes; -1 if a brace is not closed.
consteval int countMessagePlaces(std::string_view pattern) {
  std::array<std::string_view, 12> names{};
  int found = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') continue;
    if (i + 1 < pattern.size() && pattern[i + 1] == '{') {
      ++i;
      continue;
    }
    const std::size_t end = pattern.find('}', i);
    if (end == std::string_view::npos) return -1;
    const std::string_view inside = pattern.substr(i + 1, end - i - 1);
    const std::string_view name = inside.substr(0, inside.find_first_of(":?"));
    bool isNew = true;
    for (int k = 0; k < found; ++k) isNew = isNew && names[static_cast<std::size_t>(k)] != name;
    if (isNew) names[static_cast<std::size_t>(found++)] = name;
    i = end;
  }
  return found;
}

/// An entry of the catalog: call it with the values of its places, in the order in which they come first in the text.
template <int Places>
struct MessageTemplate {
  static_assert(Places >= 0, "a brace of the message is not closed");
  const char* id;
  const char* text;

  template <class... Values>
  requires(sizeof...(Values) == static_cast<std::size_t>(Places)) Message operator()(Values&&... values) const {
    if constexpr (Places == 0) {
      return Message(id, {}, fillMessage(text, {}));
    } else {
      return filled({MessageValue(std::forward<Values>(values))...});
    }
  }
  /// Whether `message` was made from this entry.
  bool made(const Message& message) const { return message.id() == id; }

 private:
  Message filled(std::vector<MessageValue> values) const;
};

/// Names `values` by the places of `pattern` and fills them in.
Message makeMessage(const char* id, const char* pattern, std::vector<MessageValue> values);

template <int Places>
Message MessageTemplate<Places>::filled(std::vector<MessageValue> values) const {
  return makeMessage(id, text, std::move(values));
}

}  // namespace batchwise

// NOLINTBEGIN(bugprone-macro-parentheses)
/// Declares the entry `name` of the catalog in namespace batchwise::messages.
#define BATCHWISE_MESSAGE(name, id, text) \
  inline constexpr ::batchwise::MessageTemplate<::batchwise::countMessagePlaces(text)> name{id, text};
// NOLINTEND(bugprone-macro-parentheses)
