// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/import/command_flags.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "core/base/format.h"

namespace batchwise::config {
namespace {

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
  std::istringstream lines(text);
  bool goesOn = false;
  for (std::string line; std::getline(lines, line);) {
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
