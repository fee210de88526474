// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "app/cli/commands.h"

namespace batchwise::cli {
namespace {

using Words = std::vector<std::string>;

std::vector<CLI::App*> subcommands(const CLI::App& command) {
  // CLI11 lists an option group as a subcommand without a name, a hidden one as one without a group.
  auto all = const_cast<CLI::App&>(command).get_subcommands([](CLI::App* any) { return !any->get_name().empty(); });
  std::erase_if(all, [](const CLI::App* any) { return any->get_group().empty(); });
  return all;
}

/// Returns the options of the command with those of its groups, then those of the commands it belongs to.
std::vector<const CLI::Option*> optionsOf(const CLI::App* command) {
  std::vector<const CLI::Option*> options;
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* option : command->get_options()) options.push_back(option);
    for (const CLI::App* group : command->get_subcommands([](const CLI::App* any) { return any->get_name().empty(); }))
      for (const CLI::Option* option : group->get_options()) options.push_back(option);
  }
  return options;
}

const CLI::Option* optionNamed(const CLI::App* command, const std::string& word) {
  if (word.empty() || word.front() != '-') return nullptr;
  for (const CLI::Option* option : optionsOf(command))
    if (option->check_name(word)) return option;
  return nullptr;
}

bool takesValue(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

Words optionNames(const CLI::App* command) {
  Words names;
  for (const CLI::Option* option : optionsOf(command))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Makes two words of `--option=value`, which bash passes on as three.
Words withoutEquals(const Words& words) {
  Words split;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const bool afterOption = !split.empty() && split.back().starts_with("--");
    if (word.starts_with("--") && equals != word.npos) {
      split.push_back(word.substr(0, equals));
      split.push_back(word.substr(equals + 1));
    } else if (word != "=" || !afterOption) {
      split.push_back(word);
    } else if (&word == &words.back()) {
      split.emplace_back();
    }
  }
  return split;
}

/// Returns the `index`-th argument without a dash that the command takes, or the last one if that may be repeated.
const CLI::Option* argumentAt(const CLI::App& command, std::size_t index) {
  std::vector<const CLI::Option*> arguments;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) arguments.push_back(option);
  if (arguments.empty()) return nullptr;
  if (index < arguments.size()) return arguments[index];
  return arguments.back()->get_items_expected_max() > 1 ? arguments.back() : nullptr;
}

bool namesRun(const CLI::Option* option) {
  return option != nullptr && (option->check_name("run") || option->check_name("runs"));
}

}  // namespace

Words completions(CLI::App& app, const Words& typedWords, const std::function<Words()>& runs) {
  const Words words = withoutEquals(typedWords);
  const std::string typed = words.empty() ? "" : words.back();
  CLI::App* command = &app;
  const CLI::Option* waiting = nullptr;  // the option whose value is next
  std::size_t arguments = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::exchange(waiting, nullptr) != nullptr) continue;
    if (!word.empty() && word.front() == '-') {
      if (const CLI::Option* option = optionNamed(command, word); takesValue(option)) waiting = option;
    } else {
      const auto below = subcommands(*command);
      const auto named = std::ranges::find(below, word, [](const CLI::App* any) { return any->get_name(); });
      if (named != below.end()) {
        command = *named;
        arguments = 0;
      } else {
        ++arguments;
      }
    }
  }
  Words found;
  if (waiting != nullptr) {
    if (namesRun(waiting)) found = runs();
  } else if (!typed.empty() && typed.front() == '-') {
    found = optionNames(command);
  } else if (const auto below = subcommands(*command); !below.empty()) {
    for (const CLI::App* each : below) found.push_back(each->get_name());
  } else if (namesRun(argumentAt(*command, arguments))) {
    found = runs();
  }
  std::erase_if(found, [&typed](const std::string& word) { return !word.starts_with(typed); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (!typedWords.empty() && typedWords.back().size() > typed.size())  // --option=value in one word
    for (std::string& word : found) word.insert(0, typedWords.back(), 0, typedWords.back().size() - typed.size());
  return found;
}

}  // namespace batchwise::cli
