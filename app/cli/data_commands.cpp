// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "app/cli/stop_signals.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

Json datasetJson(const TokenDataset& data) {
  const DatasetStatistics& counts = data.statistics();
  return {{"samples", data.size()},
          {"tokens", counts.tokens},
          {"documents", counts.text.documents},
          {"text_bytes", counts.text.textBytes},
          {"longest", counts.longest},
          {"unknown_tokens", counts.unknown},
          {"replaced_bytes", counts.text.replacedSequences},
          {"identity", data.identity().hex()}};
}

void printDataset(const std::string& name, const TokenDataset& data) {
  const DatasetStatistics& counts = data.statistics();
  std::cout << name << ": " << formatInteger(data.size()) << " samples, " << formatInteger(counts.tokens)
            << " tokens from " << formatInteger(counts.text.documents) << " documents; longest " << counts.longest
            << ", unknown " << formatInteger(counts.unknown) << "\n";
}

void printPrepared(const PreparedData& data) {
  printDataset("train", data.train);
  if (data.eval) printDataset("eval", *data.eval);
  for (const NamedDataset& set : data.evalSets) printDataset("eval." + set.name, set.samples);
  std::cout << "vocabulary: " << data.tokenizer.vocabulary().size() << " pieces; guessing by frequency alone costs "
            << formatValue(data.unigramNats) << " nats per token\n";
  for (const Message& note : data.notes) std::cout << "note: " << note << "\n";
}

Json preparedJson(const PreparedData& data) {
  Json sets = Json::object();
  for (const NamedDataset& set : data.evalSets) sets[set.name] = datasetJson(set.samples);
  return {{"schema", "batchwise.prepare/1"},
          {"train", datasetJson(data.train)},
          {"eval", data.eval ? datasetJson(*data.eval) : Json(nullptr)},
          {"eval_sets", std::move(sets)},
          {"vocabulary_size", data.tokenizer.vocabulary().size()},
          {"unigram_nats", jsonNumber(data.unigramNats)},
          {"from_cache", data.fromCache},
          {"notes", data.notes}};
}

Result<int> prepare(const ConfigArguments& arguments, const Globals& globals) {
  const LoadedConfig config = checkedForLaunch(loadConfig(arguments.config, arguments.assignments));
  if (!config.ok()) return fail(config);
  showNotes(config);
  ASSIGN_OR_RETURN(const auto data, prepareWithProgress(config, globals, STDOUT_FILENO));
  if (globals.json) return printJson(preparedJson(data));
  printPrepared(data);
  return kDone;
}

}  // namespace

void addDataCommands(Commands& commands) {
  const auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* command = commands.add(
      nullptr, "prepare", "Tokenize the text of a configuration into the workspace's cache",
      "batchwise prepare run.yaml", [&commands, arguments] { return prepare(*arguments, commands.globals()); });
  addConfigArguments(*command, *arguments);
}

Result<PreparedData> prepareWithProgress(const LoadedConfig& config, const Globals& globals, int descriptor) {
  CommandMailbox commands;
  const StopSignals signals([&commands](int) { commands.post(RunCommand::Abort); });
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ProgressDisplay display(globals.json, descriptor);
  return prepareLaunchData(config, workspace->cacheFolder(), display, commands);
}

Result<TokenDataset> prepareStageWithProgress(const LoadedConfig& config, const RunStage& stage, const Globals& globals,
                                              int descriptor) {
  CommandMailbox commands;
  const StopSignals signals([&commands](int) { commands.post(RunCommand::Abort); });
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ProgressDisplay display(globals.json, descriptor);
  return prepareStageSamples(config, stage, workspace->cacheFolder(), display, commands);
}

}  // namespace batchwise::cli
