// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/config/random_config.h"

#include <algorithm>
#include <string>

#include "core/base/format.h"
#include "core/config/schema.h"

namespace batchwise::test {
namespace {

std::int64_t below(std::mt19937_64& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

std::string randomText(std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {
      "a", "Z", "9", " ", ":", ": ", "#", " #", "\"", "\\", "\n", "\t", "{",    "}",    "[",   "]",    ",", "é", "漢",
      "'", "&", "*", "!", "|", ">",  "%", "@",  "-",  "- ", "?",  "~",  "null", "true", "1e5", "\x01", "=", "."};
  std::string text;
  for (std::int64_t i = below(random, 8); i > 0; --i)
    text += pieces[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(pieces.size())))];
  return text;
}

double randomNumber(std::mt19937_64& random, const Field& field) {
  const double low = field.minimum.value_or(0);
  const double high = field.maximum.value_or(low + 10);
  const double share = std::uniform_real_distribution<double>(0.001, 0.999)(random);
  return low + share * std::min(high - low, 10.0);
}

std::string randomInteger(std::mt19937_64& random, const Field& field) {
  const auto low = static_cast<std::int64_t>(field.minimum.value_or(0));
  const std::int64_t span = field.maximum ? static_cast<std::int64_t>(*field.maximum) - low + 1 : std::int64_t{1} << 62;
  return std::to_string(low + below(random, span));
}

std::string randomTime(std::mt19937_64& random, const Field& field) {
  const TimeUnit unit =
      field.units[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(field.units.size())))];
  if (unit == TimeUnit::Duration || (unit == TimeUnit::Epoch && random() % 2 == 0))
    return formatExact(std::uniform_real_distribution<double>(0.001, 1)(random)) + std::string{unitName(unit)};
  return std::to_string(1 + below(random, std::int64_t{1} << 60)) + std::string{unitName(unit)};
}

template <class MakeItem>
std::string randomList(std::mt19937_64& random, std::int64_t atLeast, MakeItem makeItem) {
  std::string text = "[";
  for (std::int64_t i = atLeast + below(random, 3); i > 0; --i) text += (text.size() > 1 ? ", " : "") + makeItem();
  return text + "]";
}

std::string doubleQuoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') quoted += '\\';
    if (character == '\n') {
      quoted += "\\n";
    } else if (character == '\x01') {
      quoted += "\\x01";
    } else {
      quoted += character;
    }
  }
  return quoted + "\"";
}

std::string randomValue(std::mt19937_64& random, const Field& field) {
  const auto choice = [&] {
    return field.choices[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(field.choices.size())))];
  };
  if (field.optional && random() % 3 == 0) return field.unsetText;
  switch (field.kind) {
    case FieldKind::Integer: return randomInteger(random, field);
    case FieldKind::Number: return formatExact(randomNumber(random, field));
    case FieldKind::Boolean: return random() % 2 == 0 ? "true" : "false";
    case FieldKind::Text: return field.path == "devices.use" ? "\"cuda:0,3\"" : doubleQuoted(randomText(random));
    case FieldKind::Choice: return choice();
    case FieldKind::Time: return randomTime(random, field);
    case FieldKind::TimeList: return randomList(random, 0, [&] { return randomTime(random, field); });
    case FieldKind::TextList:
      return randomList(random, 0, [&] { return field.choices.empty() ? doubleQuoted(randomText(random)) : choice(); });
    case FieldKind::NumberList: return randomList(random, 1, [&] { return formatExact(randomNumber(random, field)); });
    case FieldKind::Bytes: return std::to_string(1 + below(random, std::int64_t{1} << 50));
    case FieldKind::Stages: return "[{at: 0ba, global_train_batch_size: 3}, {at: 0.25dur, global_train_batch_size: 9}]";
    case FieldKind::Schedule:
      return "[{name: linear, duration: 0.5ep, alpha_i: 0.25}, {name: multistep, milestones: [1ba, 0.5dur], duration: "
             "rest, gamma: 0.1}]";
    case FieldKind::EvalSets: return "{own: [own.txt, \"b c.txt\"], general-2: {text: [wiki.txt], weight: 0.5}}";
    case FieldKind::RunStages: return "[{until: 0.25dur}, {until: 1dur, data.max_seq_len: 64, data.train: [a.txt]}]";
  }
  return "";
}

}  // namespace

TrainConfig randomConfig(std::mt19937_64& random) {
  TrainConfig config;
  for (const Field& field : configSchema()) field.set(config, randomValue(random, field));
  return config;
}

}  // namespace batchwise::test
