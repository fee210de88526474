// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include <unistd.h>

#include <cmath>
#include <exception>
#include <iostream>
#include <utility>

#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/store/workspace_folder.h"

namespace batchwise::cli {

Result<void> checkWorkspaceExists(const Globals& globals) {
  const std::filesystem::path& folder = globals.workspace;
  if (folder.empty()) return Error::config(kWorkspaceFolderUnknown);
  if (folder == defaultWorkspacePath() || holdsWorkspace(folder)) return {};
  RETURN_IF_ERROR(checkNotInFile(folder));
  return Error::notFound(
      formatText("there is no workspace in '{}'; the first run trained with --workspace creates one", folder.native()));
}

Result<std::shared_ptr<Workspace>> openExisting(const Globals& globals) {
  RETURN_IF_ERROR(checkWorkspaceExists(globals));
  const std::filesystem::path& folder = globals.workspace;
  const bool writable = ::access(folder.c_str(), W_OK) == 0 || !std::filesystem::exists(folder);
  return Workspace::open(folder, writable ? Workspace::Mode::ReadWrite : Workspace::Mode::ReadOnly);
}

Commands::Commands(CLI::App& app) : app_(app) {
  globals_.workspace = defaultWorkspacePath();
  app.add_option("--workspace", globals_.workspace, "Folder with runs, metrics, checkpoints and cache")
      ->capture_default_str()
      ->transform(pathName("a folder"));
  app.add_flag("--json", globals_.json, "Machine-readable output: JSON on stdout, messages on stderr");
}

CLI::App* Commands::group(const std::string& name, const std::string& help) {
  CLI::App* command = app_.add_subcommand(name, help);
  command->require_subcommand(1);
  command->fallthrough();
  return command;
}

CLI::App* Commands::add(CLI::App* parent, const std::string& name, const std::string& help, const std::string& example,
                        std::function<Result<int>()> run) {
  CLI::App* command = (parent == nullptr ? &app_ : parent)->add_subcommand(name, help);
  command->fallthrough();
  command->footer("Example:\n  " + example);
  command->callback([this, run = std::move(run)] { chosen_ = run; });
  return command;
}

int Commands::runChosen() const {
  const Result<int> code = chosen_();
  return code.ok() ? *code : fail(code.error(), globals_.json);
}

void addConfigArguments(CLI::App& command, ConfigArguments& arguments) {
  command.add_option("config", arguments.config, "Configuration file (YAML), or demo for the bundled one")
      ->required()
      ->transform(pathName("a configuration"));
  command
      .add_option("--set", arguments.assignments, "Change one value of it, such as optimizer.lr=1e-3; may be repeated")
      ->allow_extra_args(false);
}

CLI::Option* addForceFlag(CLI::App& command, Replaces& replaces) {
  return command.add_flag_callback(
      "--force", [&replaces] { replaces = Replaces::AnyFiles; }, "Replace files that exist");
}

Result<void> checkStdoutIsFree(const Globals& globals, const std::vector<std::filesystem::path>& files) {
  const auto output = fileIdOf("/dev/stdout");
  if (!globals.json || !output) return {};
  for (const std::filesystem::path& file : files)
    if (isStream(file) && fileIdOf(file) == output) return Error::config(stdoutHoldsJsonText(file.native()));
  return {};
}

namespace {

template <typename Number, typename Accepts>
CLI::Validator numberThat(const std::string& wanted, Accepts accepts) {
  return CLI::Validator(
      [wanted, accepts](const std::string& text) {
        const auto number = numberFrom<Number>(text);
        return number && accepts(*number) ? std::string() : "'" + text + "' is not " + wanted;
      },
      wanted);
}

/// Returns the arguments that may name commands: no flags, and not the value of --workspace.
std::vector<std::string> positionalArguments(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--workspace") {
      ++i;
    } else if (!word.starts_with("-")) {
      words.push_back(word);
    }
  }
  return words;
}

/// Returns a message if `words` name an unknown command, else an empty text.
std::string unknownCommandMessage(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* group = &app;
  for (const std::string& word : words) {
    std::vector<std::string> known;
    CLI::App* named = nullptr;
    // CLI11 lists an option group as a subcommand without a name.
    for (CLI::App* command : group->get_subcommands([](CLI::App* any) { return !any->get_name().empty(); })) {
      known.push_back(command->get_name());
      if (command->get_name() == word) named = command;
    }
    if (known.empty()) return "";  // the rest are its arguments
    if (named == nullptr) {
      const std::string nearest = nearestName(word, known);
      const std::string path = group == &app ? "" : group->get_name() + " ";
      return "unknown command '" + path + word + "'" +
             (nearest.empty() ? "" : ", did you mean '" + path + nearest + "'?") + "; see batchwise " + path + "--help";
    }
    group = named;
  }
  return "";
}

void addAll(Commands& commands) {
  addTrainCommands(commands);
  addQueueCommands(commands);
  addSubmitCommand(commands);
  CLI::App* study = commands.group("study", "Measurements and searches by several runs");
  addCriticalBatchCommand(commands, study);
  addSearchCommand(commands, study);
  addPlanCommands(commands);
  addScaleCommand(commands);

  addRunCommands(commands);
  addMetricsCommand(commands);
  addCheckpointCommands(commands);
  addModelCommands(commands);
  addEvalCommand(commands);
  addNoiseCommand(commands);
  addJudgeCommand(commands);
  addImportCommand(commands);
  addDataCommands(commands);
  addConfigCommands(commands);
  addStoreCommands(commands);
  addDoctorCommand(commands);
  addSetupCommand(commands);
}

/// Prints what the last word can become, one in a line: `batchwise complete WORDS...`, which the shells' completions
/// call (resources/completions).
int printCompletions(CLI::App& app, const Globals& globals, const std::vector<std::string>& words) {
  constexpr std::string_view kWorkspace = "--workspace";
  std::filesystem::path folder = globals.workspace;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == kWorkspace)
      folder = expandedHome(words[words[i + 1] == "=" && i + 2 < words.size() ? i + 2 : i + 1]);
    if (words[i].starts_with(std::string(kWorkspace) + "="))
      folder = expandedHome(words[i].substr(kWorkspace.size() + 1));
  }
  const auto runs = [&folder] {
    std::vector<std::string> names;
    if (const auto workspace = Workspace::open(folder, Workspace::Mode::ReadOnly); workspace.ok())
      if (const auto all = (*workspace)->listRuns(); all.ok())
        for (const RunSummary& run : *all) names.push_back(run.name);
    return names;
  };
  for (const std::string& word : completions(app, words, runs)) std::cout << word << '\n';
  return flushStdout(kDone);
}

}  // namespace

CLI::Validator positiveNumber() {
  return numberThat<double>("a number above 0", [](double number) { return std::isfinite(number) && number > 0; });
}

CLI::Validator nonNegativeNumber() {
  return numberThat<double>("a number that is 0 or more",
                            [](double number) { return std::isfinite(number) && number >= 0; });
}

CLI::Validator numberBetween(double least, double most) {
  return numberThat<double>("a number from " + formatExact(least) + " to " + formatExact(most),
                            [least, most](double number) { return number >= least && number <= most; });
}

CLI::Validator nonEmptyName(const std::string& what) {
  return CLI::Validator([what](const std::string& name) { return name.empty() ? "name " + what : std::string(); }, "");
}

CLI::Validator pathName(const std::string& what) {
  return CLI::Validator(
      [what](std::string& name) {
        name = expandedHome(name).native();
        return name.empty() ? "name " + what : std::string();
      },
      "");
}

CLI::Validator outputFileName() {
  return CLI::Validator(
      [](std::string& name) {
        if (name == "-") return std::string("'-' is not supported here: name a file (./- if it is called that)");
        name = expandedHome(name).native();
        return std::string(name.empty() ? "name a file" : "");
      },
      "");
}

CLI::Option* addRunArgument(CLI::App& command, std::string& run) {
  return command.add_option("run", run, "Id, name, or latest")->required()->check(nonEmptyName("a run"));
}

CLI::Validator atLeast(std::int64_t least) {
  return numberThat<std::int64_t>("a whole number, at least " + std::to_string(least),
                                  [least](std::int64_t number) { return number >= least; });
}

int runCommandLine(int argc, const char* const* argv) try {
  CLI::App app("Batchwise trains BERT-like encoders and records their runs. Batch size is a schedule here.",
               "batchwise");
  app.set_version_flag("--version", std::string("batchwise ") + BATCHWISE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 bad arguments or configuration, 3 stopped by the user with a checkpoint.");
  Commands commands(app);
  addAll(commands);
  if (argc <= 1) {
    std::cout << app.help();
    return flushStdout(kDone);
  }
  if (std::string_view(argv[1]) == "complete")
    return printCompletions(app, commands.globals(), {argv + 2, argv + argc});
  if (const std::string unknown = unknownCommandMessage(app, positionalArguments(argc, argv)); !unknown.empty())
    return fail(Error::config(unknown));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return flushStdout(app.exit(error, std::cout, std::cerr) == 0 ? kDone : kBadInput);
  }
  return flushStdout(commands.runChosen());
} catch (const std::exception& error) {
  // No user input may reach this handler; an exception here is a bug of ours.
  return fail(Error::internal(std::string("unexpected: ") + error.what()));
}

}  // namespace batchwise::cli
