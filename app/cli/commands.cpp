// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include <exception>
#include <iostream>
#include <utility>

#include "app/cli/output.h"
#include "core/base/file.h"

namespace batchwise::cli {

Commands::Commands(CLI::App& app) : app_(app) {
  globals_.workspace = defaultWorkspacePath();
  app.add_option("--workspace", globals_.workspace, "Folder with runs, metrics, checkpoints and cache")
      ->capture_default_str();
  app.add_flag("--json", globals_.json, "Machine-readable output: JSON on stdout, messages on stderr");
}

CLI::App* Commands::group(const std::string& name, const std::string& help) {
  CLI::App* command = app_.add_subcommand(name, help);
  command->require_subcommand(1);
  command->fallthrough();
  return command;
}

CLI::App* Commands::add(CLI::App* parent, const std::string& name, const std::string& help, const std::string& example,
                        std::function<int()> run) {
  CLI::App* command = (parent == nullptr ? &app_ : parent)->add_subcommand(name, help);
  command->fallthrough();
  command->footer("Example:\n  " + example);
  command->callback([this, run = std::move(run)] { chosen_ = run; });
  return command;
}

void addConfigArguments(CLI::App& command, ConfigArguments& arguments) {
  command.add_option("config", arguments.config, "Configuration file (YAML), or demo for the bundled one")->required();
  command.add_option("--set", arguments.assignments, "Change one value of it, as optimizer.lr=1e-3; may be repeated")
      ->allow_extra_args(false);
}

namespace {

void addAll(Commands& commands) {
  addTrainCommands(commands);
  addPlanCommands(commands);

  addRunCommands(commands);
  addMetricsCommand(commands);
  addCheckpointCommands(commands);
  addModelCommands(commands);
  addDataCommands(commands);
  addConfigCommands(commands);
  addStoreCommands(commands);
  addDoctorCommand(commands);
}

}  // namespace

int runCommandLine(int argc, const char* const* argv) try {
  CLI::App app("Batchwise trains BERT-like encoders and keeps their runs. Batch size is a schedule here.", "batchwise");
  app.set_version_flag("--version", std::string("batchwise ") + BATCHWISE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 bad arguments or configuration, 3 stopped by the user with a checkpoint.");
  Commands commands(app);
  addAll(commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? kDone : kBadInput;
  }
  return commands.runChosen();
} catch (const std::exception& error) {
  // Nothing that a person does may end here; what does is a fault of ours.
  return fail(Error::internal(std::string("unexpected: ") + error.what()));
}

}  // namespace batchwise::cli
