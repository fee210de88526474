// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "core/base/output_file.h"
#include "core/config/config_file.h"
#include "core/config/run_stages.h"
#include "core/run/trainer.h"
#include "core/store/workspace.h"
#include "core/text/prepare_data.h"

// The commands of the program `batchwise`, one file per family. Each reads its arguments, calls core and prints the
// result.

namespace batchwise::cli {

/// Options of every command.
struct Globals {
  std::filesystem::path workspace;
  bool json = false;
};

/// Opens an existing workspace, read-only if its folder is not writable; creates the default workspace if it is
/// missing. Marks runs whose process died as Interrupted. Fails with NotFound if --workspace names a folder without a
/// workspace.
Result<std::shared_ptr<Workspace>> openExisting(const Globals& globals);
/// Fails with NotFound if --workspace names a folder without a workspace.
Result<void> checkWorkspaceExists(const Globals& globals);

/// Registers the commands and stores the one that the arguments select.
class Commands {
 public:
  explicit Commands(CLI::App& app);

  const Globals& globals() const { return globals_; }

  /// Adds a command that only groups subcommands, such as "runs".
  CLI::App* group(const std::string& name, const std::string& help);
  /// Adds a command below `parent` (null: top level). `run` is called once all arguments are parsed; it returns the
  /// exit code, or an error that is printed.
  CLI::App* add(CLI::App* parent, const std::string& name, const std::string& help, const std::string& example,
                std::function<Result<int>()> run);

  /// Runs the selected command, prints its error if it fails, and returns the exit code.
  int runChosen() const;

 private:
  CLI::App& app_;
  Globals globals_;
  std::function<Result<int>()> chosen_;
};

/// CONFIG and --set, shared by several commands.
struct ConfigArguments {
  std::string config;
  std::vector<std::string> assignments;
};
/// Validator of an option: an integer of at least `least`.
CLI::Validator atLeast(std::int64_t least);
/// Validators of an option: a finite number above 0; a finite number of 0 or more; a number from `least` to `most`.
/// CLI::Range accepts NaN.
CLI::Validator positiveNumber();
CLI::Validator nonNegativeNumber();
CLI::Validator numberBetween(double least, double most);
/// Validator of an option that names a file, folder, run or checkpoint: refuses an empty text, such as the value of a
/// variable that is not set. `what`: the kind with its article, "a folder".
CLI::Validator nonEmptyName(const std::string& what);
/// Transformer of an option that names a file or folder: likewise, and puts the home folder in place of "~", which a
/// shell does not behind "=" and in quotes.
CLI::Validator pathName(const std::string& what);
/// Likewise for a file to write; refuses "-", which many programs take for stdout.
CLI::Validator outputFileName();

/// Finds what `name` stands for: a run, a checkpoint or a folder, the first of these that there is. Fails with
/// NotFound.
Result<void> findModel(const Globals& globals, const std::string& name, ModelSource& source);

/// Adds the argument that names a run.
CLI::Option* addRunArgument(CLI::App& command, std::string& run);

void addConfigArguments(CLI::App& command, ConfigArguments& arguments);
/// Returns one run per combination of the lists in the configuration and in `over` ("optimizer.lr=1e-4,5e-4"), or a
/// single run if there is no list. All are validated for launch; their notes are printed, with those of
/// withLaunchNotes(). Fails with Config.
Result<std::vector<LoadedConfig>> expandSweep(const ConfigArguments& arguments, const std::vector<std::string>& over,
                                              const Globals& globals);
/// Returns the runs of the configuration, as expandSweep(), each as `check` returns it: with its errors. Fails with
/// Config if they cannot be told apart.
Result<std::vector<LoadedConfig>> checkedRuns(const ConfigArguments& arguments,
                                              const std::function<LoadedConfig(LoadedConfig)>& check);
/// What the sources of the text have in an epoch; for JSON output.
Json sourcesJson(const std::vector<SourceShare>& sources);
/// Prepares the data of a configuration in the workspace's cache. Shows progress on `descriptor` (stdout or stderr)
/// unless --json is given. Fails with Stopped after a signal, otherwise as prepareData.
Result<PreparedData> prepareWithProgress(const LoadedConfig& config, const Globals& globals, int descriptor);
/// The same for each stage of the run: see prepareStageData().
Result<std::vector<PreparedData>> prepareStagesWithProgress(const LoadedConfig& config, const PreparedData& own,
                                                            const Globals& globals, int descriptor);

/// Adds --force: lets an output file replace any file outside of a workspace.
CLI::Option* addForceFlag(CLI::App& command, Replaces& replaces);

/// Fails with Config if --json is given and one of the output files is stdout, which then holds the JSON. Empty names
/// are ignored.
Result<void> checkStdoutIsFree(const Globals& globals, const std::vector<std::filesystem::path>& files);

void addConfigCommands(Commands& commands);
void addPlanCommands(Commands& commands);
/// plan-scale
void addScaleCommand(Commands& commands);
void addTrainCommands(Commands& commands);
/// sweep and queue
void addQueueCommands(Commands& commands);
void addSubmitCommand(Commands& commands);
/// Adds `search` below `study`.
void addSearchCommand(Commands& commands, CLI::App* study);
/// Adds `add-seeds` below `runs`.
void addSeedsCommand(Commands& commands, CLI::App* runs);
void addDataCommands(Commands& commands);
void addRunCommands(Commands& commands);
/// Adds `compare` below `runs`.
void addCompareCommand(Commands& commands, CLI::App* runs);
void addRunLabelCommands(Commands& commands, CLI::App* runs);
void addMetricsCommand(Commands& commands);
void addCheckpointCommands(Commands& commands);
/// find-batch, fill-mask and export
void addModelCommands(Commands& commands);
void addEvalCommand(Commands& commands);
void addNoiseCommand(Commands& commands);
void addJudgeCommand(Commands& commands);
void addCriticalBatchCommand(Commands& commands, CLI::App* study);
void addImportCommand(Commands& commands);
/// Adds `names` below `runs`.
void addSeriesNamesCommand(Commands& commands, CLI::App* runs);
void addStoreCommands(Commands& commands);
void addDoctorCommand(Commands& commands);
void addSetupCommand(Commands& commands);

/// The whole program: parses the arguments, runs the command, returns the exit code (output.h).
int runCommandLine(int argc, const char* const* argv);

/// Returns what the last of `words`, of which the user may have typed the beginning, can become: commands, options or
/// names of runs. Empty where a file or another value may stand. `words`: those after the program's name. `runs` is
/// called only where a run may be named.
std::vector<std::string> completions(CLI::App& app, const std::vector<std::string>& words,
                                     const std::function<std::vector<std::string>()>& runs);

}  // namespace batchwise::cli
