// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/import/external_document.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise::config {
namespace {

constexpr int kDeepest = 32;                 // maximum nesting of sections and references; more is a cycle
constexpr std::size_t kMostNodes = 100'000;  // references can make endless ones of a short text
constexpr const char* kMerge = "<<";

std::vector<std::string> namesOf(const std::string& dotted) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= dotted.size();) {
    const std::size_t dot = std::min(dotted.find('.', from), dotted.size());
    if (dot > from) names.push_back(dotted.substr(from, dot - from));
    from = dot + 1;
  }
  return names;
}

/// Replaces tabs by spaces: YAML rejects JSON indented with tabs, and JSON strings cannot contain tabs.
std::string asYaml(std::string text) {
  text = withLineFeeds(std::move(text));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

/// Returns a scalar's text, that of an octal, hexadecimal or binary number in decimal: PyYAML, which reads the files of
/// the other trainers, takes 017 for 15, 0x1F for 31 and 0b101 for 5.
std::string scalarText(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const bool quoted = node.Tag() != "?";
  if (quoted || text.size() < sign + 2 || text[sign] != '0') return text;
  const int base = text[sign + 1] == 'b' ? 2 : text[sign + 1] == 'x' ? 16 : 8;
  std::string digits = text.substr(base == 8 ? sign : sign + 2);
  std::erase(digits, '_');
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return text;
  return (text.front() == '-' ? "-" : "") + std::to_string(number);
}

struct Word {
  std::string text;
  bool isVariable = false;  ///< holds a "$" that the shell replaces
};

/// Splits one line as a shell does: quotes hold words together, "#" begins a comment.
std::vector<Word> wordsOf(const std::string& line) {
  std::vector<Word> words;
  std::string text;
  bool open = false, variable = false;
  char quote = 0;
  const auto close = [&] {
    if (open) words.push_back({std::exchange(text, ""), std::exchange(variable, false)});
    open = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      close();
    } else if (quote == 0 && c == '#' && !open) {
      break;
    } else if (c == quote || (quote == 0 && (c == '\'' || c == '"'))) {
      quote = quote == 0 ? c : 0;
      open = true;
    } else {
      const bool lineEnd =
          quote == 0 && (c == '\\' || c == '^') && line.find_first_not_of(" \t\r", i + 1) == std::string::npos;
      if (lineEnd) continue;
      variable = variable || (c == '$' && quote != '\'');
      text += c;
      open = true;
    }
  }
  close();
  return words;
}

bool isFlag(const Word& word) {
  return word.text.size() > 2 && word.text.starts_with("--") &&
         std::isalpha(static_cast<unsigned char>(word.text[2])) != 0;
}

/// Returns the words of the command with the most flags. A command goes on after a backslash, and in lines that begin
/// with a flag: annotated commands have comments between them.
std::vector<Word> mainCommand(const std::string& text) {
  std::vector<Word> command, best;
  const auto flags = [](const std::vector<Word>& words) { return std::ranges::count_if(words, isFlag); };
  bool goesOn = false;
  for (const std::string& line : partsOf(text, '\n')) {
    const std::vector<Word> words = wordsOf(line);
    if (words.empty() && line.find('#') != std::string::npos) continue;
    if (!goesOn && !words.empty() && !isFlag(words.front())) command.clear();
    command.insert(command.end(), words.begin(), words.end());
    if (flags(command) > 0 && flags(command) >= flags(best)) best = command;
    const std::size_t end = line.find_last_not_of(" \t\r");
    goesOn = end != std::string::npos && (line[end] == '\\' || line[end] == '^');
  }
  return best;
}

}  // namespace

std::string withoutUnderscores(std::string text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if (text[i] == '_' && std::isdigit(static_cast<unsigned char>(text[i - 1])) &&
        std::isdigit(static_cast<unsigned char>(text[i + 1])))
      text.erase(i--, 1);
  return text;
}

std::optional<std::int64_t> ExternalValue::integer() const {
  return numberFrom<std::int64_t>(withoutUnderscores(text));
}

std::optional<double> ExternalValue::number() const {
  return numberFrom<double>(withoutUnderscores(text));
}

bool ExternalValue::isTrue() const {
  const std::string word = inLowerCase(text);
  return word == "true" || word == "yes" || word == "on";
}

bool ExternalValue::isFalse() const {
  const std::string word = inLowerCase(text);
  return word == "false" || word == "no" || word == "off";
}

Result<ExternalDocument> ExternalDocument::read(const std::string& text, const std::string& sourceName) try {
  const ParsedYaml parsedText = parseYaml(asYaml(text));
  const bool isSection = !parsedText.problem && !parsedText.documents.empty() && parsedText.documents.front().IsMap();
  if (!isSection) {
    ExternalDocument command{YAML::Node()};
    for (ExternalValue& value : commandFlags(text)) command.add(std::move(value));
    if (!command.values().empty()) return command;
  }
  if (parsedText.problem) {
    const std::string line = parsedText.problem->line > 0 ? ":" + std::to_string(parsedText.problem->line) : "";
    return Error::config(parsedText.problem->message).within(sourceName + line);
  }
  if (!isSection)
    return Error::config("holds no section of the form 'name: value', and no command with flags").within(sourceName);
  for (std::size_t i = 1; i < parsedText.documents.size(); ++i)
    if (!parsedText.documents[i].IsNull())
      return Error::config(
                 "holds several YAML documents, of which only the first would count; leave the one that is meant")
          .within(sourceName);
  ExternalDocument document(parsedText.documents.front());
  document.flatten("", document.root_, 0);
  if (!document.repeated_.empty())
    return Error::config(formatText("'{}' is given twice; leave only the one that is meant", document.repeated_))
        .within(sourceName);
  return document;
} catch (const YAML::Exception& error) {
  return Error::config(formatText("this YAML cannot be read: {}", error.msg)).within(sourceName);
}

const ExternalValue* ExternalDocument::find(const std::string& key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &values_[found->second];
}

bool ExternalDocument::has(const std::string& key) const {
  if (const ExternalValue* value = find(key)) return !value->null;
  for (auto below = places_.lower_bound(key + "."); below != places_.end() && below->first.starts_with(key + ".");
       ++below)
    if (!values_[below->second].null) return true;
  return false;
}

void ExternalDocument::flatten(const std::string& path, const YAML::Node& node, int depth) {
  constexpr std::size_t kLongestPath = 1'000;
  if (++nodes_ > kMostNodes || path.size() > kLongestPath) return;
  if (node.IsMap() && node.size() > 0 && depth < kDeepest) {
    std::set<std::string> names;
    return flattenEntries(path, node, depth, names);
  }
  if (node.IsScalar()) return addScalar(path, node, depth);
  if (node.IsSequence()) return addList(path, node, depth);
  add({path, node.IsMap() ? "{}" : "", node.IsNull(), ""});
}

/// Adds the entries of a section, then those of the sections that it merges, but for names that it has itself.
void ExternalDocument::flattenEntries(const std::string& path, const YAML::Node& section, int depth,
                                      std::set<std::string>& names) {
  if (++nodes_ > kMostNodes || depth >= kDeepest) return;
  std::set<std::string> own;
  for (const auto& entry : section) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : flowText(entry.first);
    if (name == kMerge) continue;
    const std::string key = path.empty() ? name : path + "." + name;
    if (!own.insert(name).second && repeated_.empty()) repeated_ = key;
    if (names.insert(name).second) flatten(key, entry.second, depth + 1);
  }
  for (const auto& entry : section) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != kMerge) continue;
    if (entry.second.IsMap()) flattenEntries(path, entry.second, depth + 1, names);
    if (!entry.second.IsSequence()) continue;
    for (const auto& merged : entry.second)
      if (merged.IsMap()) flattenEntries(path, merged, depth + 1, names);
  }
}

void ExternalDocument::add(ExternalValue value) {
  if (places_.emplace(value.key, values_.size()).second) values_.push_back(std::move(value));
}

void ExternalDocument::addScalar(const std::string& path, const YAML::Node& node, int depth) {
  const Resolved resolved = resolve(scalarText(node), path, depth);
  if (resolved.problem.empty() && resolved.section.IsDefined() && !resolved.section.IsNull())
    return flatten(path, resolved.section, depth + 1);
  const bool null = resolved.section.IsDefined() && resolved.section.IsNull() && resolved.text.empty() &&
                    node.Scalar().find("${") != std::string::npos && resolved.problem.empty();
  add({path, resolved.text, null, resolved.problem});
}

void ExternalDocument::addList(const std::string& path, const YAML::Node& node, int depth) {
  ExternalValue value{path, "", false, ""};
  YAML::Node items = YAML::Clone(node);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].IsScalar()) continue;
    const Resolved resolved = resolve(scalarText(items[i]), path, depth);
    if (!resolved.problem.empty()) value.problem = resolved.problem;
    if (resolved.text != items[i].Scalar()) items[i] = resolved.text;
  }
  value.text = flowText(items);
  add(std::move(value));
}

/// Resolves all references. A reference that is the whole text may stand for a section or a list.
ExternalDocument::Resolved ExternalDocument::resolve(const std::string& text, const std::string& path,
                                                     int depth) const {
  const std::size_t open = text.find("${");
  if (open == std::string::npos) return {text, YAML::Node(YAML::NodeType::Undefined), ""};
  const std::size_t close = text.find('}', open);
  const std::string reference = close == std::string::npos ? text : text.substr(open, close - open + 1);
  const auto failed = [&](const std::string& why) {
    return Resolved{text, YAML::Node(YAML::NodeType::Undefined), formatText("refers to {}, {}", reference, why)};
  };
  if (close == std::string::npos || text.find("${", open + 2) < close)
    return failed("a form that is not known; write the value itself");
  if (depth >= kDeepest) return failed("which refers back to itself");
  const YAML::Node found = target(text.substr(open + 2, close - open - 2), path);
  if (!found.IsDefined()) return failed("which this file does not define; write the value itself");
  if (!found.IsScalar()) {
    if (open == 0 && close + 1 == text.size()) return {"", found, ""};
    return failed("which is not a single value");
  }
  const std::string replaced = text.substr(0, open) + scalarText(found) + text.substr(close + 1);
  return resolve(replaced, path, depth + 1);
}

/// Returns what a reference names: from the top of the file, or with leading dots from the section of `path`, each
/// further dot one section up.
YAML::Node ExternalDocument::target(const std::string& reference, const std::string& path) const {
  std::vector<std::string> names;
  const std::size_t dots = std::min(reference.find_first_not_of('.'), reference.size());
  if (dots > 0) {
    names = namesOf(path);
    names.resize(names.size() > dots ? names.size() - dots : 0);
  }
  for (std::string& name : namesOf(reference.substr(dots))) names.push_back(std::move(name));
  YAML::Node node(root_);
  for (const std::string& name : names) {
    if (!node.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
    const YAML::Node next = std::as_const(node)[name];
    if (!next.IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
    node.reset(next);
  }
  return node;
}

std::vector<ExternalValue> commandFlags(const std::string& text) {
  std::vector<ExternalValue> flags;
  bool takesValue = false, ended = true;
  for (const Word& word : mainCommand(text)) {
    if (word.text.ends_with(".py")) {  // what stands before it belongs to a launcher such as torchrun
      ended = true;
    } else if (isFlag(word)) {
      ended = false;
      const std::size_t equals = word.text.find('=');
      takesValue = equals == std::string::npos;
      const std::string name = word.text.substr(2, takesValue ? equals : equals - 2);
      flags.push_back({name, takesValue ? "true" : word.text.substr(equals + 1), false, {}});
    } else if (!ended) {
      flags.back().text = takesValue ? word.text : flags.back().text + " " + word.text;  // further words: a list
      takesValue = false;
    }
    if (word.isVariable && !ended)
      flags.back().problem =
          formatText("refers to {}, which this file does not define; write the value itself", word.text);
  }
  for (ExternalValue& flag : flags)
    for (char& c : flag.key)
      if (c == '-') c = '_';
  std::vector<ExternalValue> last;  // argparse takes the last of a name
  for (ExternalValue& flag : flags) {
    const auto known = std::ranges::find(last, flag.key, &ExternalValue::key);
    if (known == last.end())
      last.push_back(std::move(flag));
    else
      *known = std::move(flag);
  }
  return last;
}

}  // namespace batchwise::config
