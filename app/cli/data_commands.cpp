// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/value_text.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/store/workspace.h"
#include "core/text/general_text.h"

namespace batchwise::cli {

Json sourcesJson(const std::vector<SourceShare>& sources) {
  return jsonList(sources, [](const SourceShare& source) -> Json {
    return {{"name", source.name},
            {"samples_per_epoch", source.samples},
            {"tokens_per_epoch", source.tokens},
            {"passes_per_epoch", jsonNumber(source.passes)}};
  });
}

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
  std::cout << "vocabulary: " << data.tokenizer.vocabulary().size()
            << " pieces; unigram cross-entropy (the loss of a model that knows frequencies only): "
            << formatValue(data.unigramNats) << " nats per token\n";
  for (const FieldProblem& note : data.notes) std::cout << "note: " << note.text() << "\n";
}

Json preparedJson(const PreparedData& data) {
  Json sets = Json::object();
  for (const NamedDataset& set : data.evalSets) sets[set.name] = datasetJson(set.samples);
  Json notes = Json::array();
  for (const FieldProblem& note : data.notes) notes.push_back(note.text());
  return {{"schema", "batchwise.prepare/1"},
          {"train", datasetJson(data.train)},
          {"sources", sourcesJson(data.sources)},
          {"eval", data.eval ? datasetJson(*data.eval) : Json(nullptr)},
          {"eval_sets", std::move(sets)},
          {"vocabulary_size", data.tokenizer.vocabulary().size()},
          {"unigram_nats", jsonNumber(data.unigramNats)},
          {"from_cache", data.fromCache},
          {"notes", std::move(notes)}};
}

Result<int> prepare(const ConfigArguments& arguments, const Globals& globals) {
  const LoadedConfig config = checkedForLaunch(loadConfig(arguments.config, arguments.assignments));
  if (!config.ok()) return fail(config, globals.json);
  showNotes(config);
  ASSIGN_OR_RETURN(const auto data, prepareWithProgress(config, globals, STDOUT_FILENO));
  if (globals.json) return printJson(preparedJson(data));
  printPrepared(data);
  return kDone;
}

struct GeneralArguments {
  std::vector<std::string> general;
  std::vector<std::string> own;
  double share = 0.05;
  std::optional<double> holdout;
  std::string output;
};

Result<TextSurvey> surveyed(const std::vector<std::string>& paths) {
  SurveyRequest request;
  for (const std::string& path : paths) request.paths.push_back(std::filesystem::absolute(path).native());
  return surveyText(request, {}, {});
}

/// Prints the lines that a configuration needs for the files.
void printGeneral(const GeneralText& made, double holdout) {
  std::cout << made.trainDocuments << (made.trainDocuments == 1 ? " document" : " documents") << " to train on, "
            << formatBytes(made.trainBytes) << "; " << made.evalDocuments << " others to evaluate on, "
            << formatBytes(made.evalBytes) << "\n\n";
  if (!made.train.empty()) std::cout << "In data.train, beside your own text: " << made.train.native() << "\n";
  std::cout << "eval: {sets: {general: {text: [" << config::quotedText(made.eval.native()) << "], weight: 0.5}}}\n"
            << "data: {holdout: " << formatExact(holdout) << "}  # your own text is evaluated beside it\n";
}

Result<int> generalText(const GeneralArguments& arguments, const Globals& globals) {
  GeneralTextRequest request;
  ASSIGN_OR_RETURN(request.general, surveyed(arguments.general));
  ASSIGN_OR_RETURN(request.own, surveyed(arguments.own));
  for (const std::string& path : arguments.general) request.paths.push_back(std::filesystem::absolute(path).native());
  request.share = arguments.share;
  request.holdout = arguments.holdout.value_or(automaticHoldout(static_cast<double>(request.own.textBytes)));
  request.folder = std::filesystem::absolute(arguments.output);
  ASSIGN_OR_RETURN(const auto made, writeGeneralText(request, {}, {}));
  showNotes(made.warnings);
  if (globals.json)
    return printJson({{"schema", "batchwise.general_text/1"},
                      {"train", made.train.native()},
                      {"train_documents", made.trainDocuments},
                      {"train_bytes", made.trainBytes},
                      {"eval", made.eval.native()},
                      {"eval_documents", made.evalDocuments},
                      {"eval_bytes", made.evalBytes},
                      {"notes", made.warnings}});
  printGeneral(made, request.holdout);
  return kDone;
}

void addGeneralCommand(Commands& commands) {
  const auto arguments = std::make_shared<GeneralArguments>();
  CLI::App* command = commands.add(
      nullptr, "general-text",
      "Draw documents of general text that limit and measure what a model forgets when it is continued on own text",
      "batchwise general-text wiki.txt --beside text --output general",
      [&commands, arguments] { return generalText(*arguments, commands.globals()); });
  command->add_option("general", arguments->general, "Files, folders or patterns with general text")
      ->required()
      ->transform(pathName("a file, a folder or a pattern"));
  command->add_option("--beside", arguments->own, "Your own text, as in data.train")
      ->required()
      ->transform(pathName("a file, a folder or a pattern"));
  command->add_option("--output", arguments->output, "Folder for the two files; they are replaced")
      ->required()
      ->transform(pathName("a folder"));
  command->add_option("--share", arguments->share, "Share of general text in all that is trained on")
      ->check(numberBetween(0.0, 0.9))
      ->capture_default_str();
  command
      ->add_option(
          "--holdout", arguments->holdout,
          "data.holdout of the run; documents that it would hold out are left out (default: by the size of the "
          "text, as a run does)")
      ->check(numberBetween(0.0, 0.5));
}

}  // namespace

void addDataCommands(Commands& commands) {
  addGeneralCommand(commands);
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

Result<std::vector<PreparedData>> prepareStagesWithProgress(const LoadedConfig& config, const PreparedData& own,
                                                            const Globals& globals, int descriptor) {
  CommandMailbox commands;
  const StopSignals signals([&commands](int) { commands.post(RunCommand::Abort); });
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));
  ProgressDisplay display(globals.json, descriptor);
  return prepareStageData(config, own, workspace->cacheFolder(), display, commands);
}

}  // namespace batchwise::cli
