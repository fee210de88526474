// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/run/trainer.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct EvalArguments {
  std::string model;
  std::string name;  // of the text; empty: that of the first file
  std::string format;
  std::vector<std::string> data;
  EvaluationRequest request;
};

/// Returns the scores to store. Where another tokenizer makes other tokens, the hash of the task has the tokenizer.
std::vector<Score> scoresOf(const std::string& run, const std::string& task, const EvaluatedModel& found) {
  const std::string ofTokens = hash128(found.measured + found.tokenizer).hex();
  std::vector<Score> scores;
  const auto add = [&](const char* metric, std::optional<double> value, const std::string& taskHash) {
    if (value)
      scores.push_back({run, found.model, task, taskHash, "eval", metric, "test", found.seed, 0, *value,
                        found.documents, SystemClock().wallMs()});
  };
  add("loss", found.result.loss, ofTokens);
  add("accuracy", found.result.accuracy, ofTokens);
  add("bits_per_byte", found.result.bitsPerByte, found.measured);
  add("pseudo_perplexity", found.pseudoPerplexity, ofTokens);
  return scores;
}

Json evaluationJson(const std::string& run, const std::string& task, const EvaluatedModel& found) {
  Json pseudo;
  if (found.pseudoPerplexity)
    pseudo = {{"value", *found.pseudoPerplexity}, {"words", found.pseudoWords}, {"samples", found.pseudoSamples}};
  const EvalResult& result = found.result;
  return {{"schema", "batchwise.eval/1"},
          {"run", run.empty() ? Json(nullptr) : Json(run)},
          {"checkpoint", found.checkpoint.id.empty() ? Json(nullptr) : Json(found.checkpoint.id)},
          {"model", found.model},
          {"task", task},
          {"task_hash", found.measured},
          {"tokenizer", found.tokenizer},
          {"loss", result.loss},
          {"perplexity", jsonNumber(result.perplexity)},
          {"accuracy", result.accuracy},
          {"bits_per_byte", jsonNumber(result.bitsPerByte)},
          {"draw_error", jsonNumber(result.drawError)},
          {"pseudo_perplexity", pseudo},
          {"draws", found.draws},
          {"seed", found.seed},
          {"mlm_probability", found.mlmProbability},
          {"max_seq_len", found.maxSeqLen},
          {"documents", found.documents},
          {"text_bytes", found.textBytes},
          {"samples", result.samples},
          {"tokens", result.tokens},
          {"predicted", result.predicted},
          {"bytes", result.bytes},
          {"seconds", result.seconds},
          {"notes", found.checkpoint.notes}};
}

void printEvaluation(const std::string& task, const EvaluatedModel& found) {
  const EvalResult& result = found.result;
  std::cout << (found.checkpoint.id.empty() ? found.model : "checkpoint " + found.checkpoint.id) << " on " << task
            << ": " << countText(found.documents, "document") << ", " << countText(result.tokens, "token") << "\n";
  using enum Table::Align;
  Table table({{"metric", Left}, {"value", Right}, {"", Left}});
  table.add(
      {"loss", formatValue(result.loss),
       "nats per masked token" +
           (result.drawError ? ", ± " + formatValue(*result.drawError) + " by the draws of masks" : std::string())});
  table.add({"accuracy", formatValue(100 * result.accuracy), "% of the masked tokens"});
  if (result.bitsPerByte)
    table.add(
        {"bits per byte", formatValue(*result.bitsPerByte),
         "of " + formatInteger(result.bytes) + " bytes under " + formatInteger(result.predicted) + " masked tokens"});
  if (found.pseudoPerplexity)
    table.add({"pseudo-perplexity", formatValue(*found.pseudoPerplexity),
               "per word, of the " + countText(found.pseudoWords, "word") + " of the first " +
                   countText(found.pseudoSamples, "sequence")});
  table.print(std::cout);
}

Result<int> evaluate(const Globals& globals, const EvalArguments& arguments) {
  RETURN_IF_ERROR(checkStdoutIsFree(globals, {arguments.request.masksFile}));
  EvaluationRequest request = arguments.request;
  if (!request.masksFile.empty()) RETURN_IF_ERROR(checkOutputFile(request.masksFile, request.masksReplace));
  for (const std::string& path : arguments.data) request.text.push_back(std::filesystem::absolute(path).native());
  if (!arguments.format.empty()) request.format = choiceFromName<TextFormat>(arguments.format);
  request.workspace = globals.workspace;
  RETURN_IF_ERROR(findModel(globals, arguments.model, request));
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ProgressDisplay display(globals.json, STDERR_FILENO);
  ASSIGN_OR_RETURN(auto found, trainer->evaluate(request, display));
  display.close();
  const std::string task =
      arguments.name.empty() ? std::filesystem::path(request.text.front()).filename().native() : arguments.name;
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  if (const auto stored = workspace->addScores(scoresOf(request.run, task, found)); !stored.ok())
    found.checkpoint.notes.push_back("the scores were not stored: " + stored.error().text());
  std::vector<std::string>& notes = found.checkpoint.notes;
  showNotes(notes);
  notes.insert(notes.begin(), display.notes().begin(), display.notes().end());  // which the display has shown
  if (globals.json) return printJson(evaluationJson(request.run, task, found));
  printEvaluation(task, found);
  return kDone;
}

}  // namespace

Result<void> findModel(const Globals& globals, const std::string& name, ModelSource& source) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  const auto run = workspace->findRun(name);
  if (run.ok()) {
    source.run = run->summary.id;
    return {};
  }
  if (run.error().code != ErrorCode::NotFound) return run.error();
  if (const auto checkpoint = workspace->findCheckpoint(name); checkpoint.ok()) {
    source.run = checkpoint->run;
    source.checkpoint = checkpoint->id;
    return {};
  }
  std::error_code unreadable;
  source.folder = std::filesystem::canonical(name, unreadable);
  if (!unreadable && std::filesystem::is_directory(source.folder, unreadable)) return {};
  return Error::notFound(formatText(
      "there is no run, checkpoint or folder '{}'; `batchwise runs list` and `batchwise checkpoints list RUN` "
      "list what there is",
      name));
}

void addEvalCommand(Commands& commands) {
  const auto arguments = std::make_shared<EvalArguments>();
  EvaluationRequest& request = arguments->request;
  CLI::App* command = commands.add(nullptr, "eval", "Evaluate a checkpoint or a Hugging Face folder on a text",
                                   "batchwise eval latest --data wiki.txt --draws 4",
                                   [&commands, arguments] { return evaluate(commands.globals(), *arguments); });
  command
      ->add_option("model", arguments->model,
                   "Run (its newest good checkpoint), checkpoint id, or folder in the Hugging Face layout")
      ->required()
      ->transform(pathName("a run, a checkpoint or a folder"));
  command->add_option("--data", arguments->data, "Files, folders or patterns of text of any kind that a run reads")
      ->required()
      ->transform(pathName("a file, a folder or a pattern"));
  command->add_option("--format", arguments->format, "Format of the text, as data.format (default: guessed)")
      ->check(CLI::IsMember({"text", "lines", "jsonl", "csv", "parquet", "mds"}));
  command->add_option("--text-field", request.textField, "Field or column of the text (default: guessed)")
      ->check(nonEmptyName("a column"));
  command
      ->add_option("--name", arguments->name,
                   "Name of the text for the stored scores (default: that of the first file)")
      ->check(nonEmptyName("a text"));
  command
      ->add_option("--draws", request.draws, "Draws of masks, of which the mean is taken (default: as the run, or 1)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--seed", request.seed, "Seed of the masks (default: as the run, or 0)")->check(atLeast(0));
  command
      ->add_option("--mlm-probability", request.mlmProbability,
                   "Share of the tokens to predict (default: as the run, or 0.15)")
      ->check(numberBetween(1e-6, 1));
  command
      ->add_option("--max-seq-len", request.maxSeqLen,
                   "Tokens of a sequence; longer documents become several (default: as the run, or 512)")
      ->check(CLI::Range(3, 65'536));
  command->add_option("--limit", request.documents, "Only the first so many documents")->check(atLeast(1));
  command->add_option("--device", request.device, "Device, as devices.use: auto, cpu, cuda:0")->capture_default_str();
  command->add_flag("--pseudo-perplexity", request.pseudoPerplexity,
                    "Also hide each word of the first 50 sequences by itself; takes a pass per token");
  command
      ->add_option("--masks", request.masksFile,
                   "File for masked ids and labels, as JSON Lines that transformers can be given")
      ->transform(outputFileName());
  addForceFlag(*command, request.masksReplace);
}

}  // namespace batchwise::cli
