// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/completion.h"

#include <algorithm>
#include <utility>

namespace batchwise::cli {
namespace {

using Words = std::vector<std::string>;

std::vector<CLI::App*> subcommands(const CLI::App& command) {
  // CLI11 lists an option group as a subcommand without a name, a hidden one as one without a group.
  auto all = const_cast<CLI::App&>(command).get_subcommands([](CLI::App* any) { return !any->get_name().empty(); });
  std::erase_if(all, [](const CLI::App* any) { return any->get_group().empty(); });
  return all;
}

/// Returns the option of the command, or of those it belongs to, that `word` names.
const CLI::Option* optionNamed(const CLI::App* command, const std::string& word) {
  for (; command != nullptr; command = command->get_parent())
    for (const CLI::Option* option : command->get_options())
      if (!word.empty() && word.front() == '-' && option->check_name(word)) return option;
  return nullptr;
}

bool takesValue(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

Words optionNames(const CLI::App* command) {
  Words names;
  for (; command != nullptr; command = command->get_parent())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
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

Words completions(CLI::App& app, const Words& words, const std::function<Words()>& runs) {
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
      if (named != below.end())
        command = *named;
      else
        ++arguments;
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
  return found;
}

}  // namespace batchwise::cli
