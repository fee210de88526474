// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <stop_token>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/analysis/statistics.h"
#include "core/analysis/task_examples.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/task_config.h"
#include "core/run/trainer.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

constexpr const char* kFineTune = "finetune";
constexpr const char* kValidation = "validation";

struct JudgeArguments {
  std::vector<std::string> models;
  std::string task;
  std::string method = "probe";
  std::string pooling = "mean";
  std::string device = "auto";
  bool again = false;
  FineTuneOptions fineTuning;  // without rate and seed
  std::vector<double> rates = {1e-5, 3e-5, 5e-5};
  std::int64_t seeds = 5;
  std::string exportFolder;
  Replaces replaces = Replaces::Nothing;

  bool fineTunes() const { return method == kFineTune; }
};

/// A model to score, as the person named it and as scores name it.
struct JudgedModel {
  std::string name;
  ModelSource source;
  std::string file;  ///< Score::model
  std::vector<Score> scores = {};
  std::vector<std::string> notes = {};
  double samples = 0, seconds = 0;  // of fine-tuning
};

Result<JudgedModel> findJudged(const Globals& globals, const std::string& name) {
  JudgedModel model{name, {}, {}};
  RETURN_IF_ERROR(findModel(globals, name, model.source));
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  model.source.workspace = workspace->folder();
  if (model.source.run.empty()) {
    model.file = model.source.folder.native();
    return model;
  }
  if (model.source.checkpoint.empty()) {
    ASSIGN_OR_RETURN(const auto run, workspace->findRun(model.source.run));
    ASSIGN_OR_RETURN(const auto all, workspace->checkpoints(model.source.run));
    const auto order = resumeOrder(run.segments, all);
    if (order.empty()) return Error::notFound(formatText("run {} has no checkpoint that can be judged", name));
    model.source.checkpoint = order.front().id;
  }
  ASSIGN_OR_RETURN(const auto record, workspace->findCheckpoint(model.source.checkpoint));
  model.file = record.file;
  return model;
}

/// Returns when a file of the folder was last written, in milliseconds since 1970.
std::int64_t lastWrittenMs(const std::filesystem::path& folder) {
  std::int64_t last = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, failed)) {
    const auto written = std::chrono::file_clock::to_sys(entry.last_write_time(failed));
    last = std::max<std::int64_t>(
        last, std::chrono::duration_cast<std::chrono::milliseconds>(written.time_since_epoch()).count());
  }
  return last;
}

std::string methodOf(const JudgeArguments& arguments) {
  return arguments.pooling == "mean" || arguments.fineTunes() ? arguments.method
                                                              : arguments.method + "-" + arguments.pooling;
}

/// Returns the hash that scores are stored under. Those of other settings of a fine-tuning are not comparable.
std::string scoreHash(const TaskData& task, const JudgeArguments& arguments) {
  const FineTuneOptions& o = arguments.fineTuning;
  if (!arguments.fineTunes()) return task.hash;
  return hash128(formatText("{} {} {} {} {} {}", task.hash, o.epochs, o.mostSteps, o.batch, o.maxSeqLen,
                            formatExact(o.weightDecay)))
      .hex();
}

/// Returns the stored scores of a model on the task; none of a folder that was written later.
Result<std::vector<Score>> storedScores(const Globals& globals, const JudgedModel& model, const TaskData& task,
                                        const std::string& hash, const std::string& method) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(auto scores, workspace->scores({model.source.run, model.file, task.task.name}));
  const std::int64_t changed = model.source.run.empty() ? lastWrittenMs(model.source.folder) : 0;
  std::erase_if(scores, [&](const Score& score) {
    return score.taskHash != hash || score.method != method || score.atMs < changed;
  });
  return scores;
}

/// Scores a model. The workspace is open before and after only, as the trainer opens it.
Result<void> probe(const Globals& globals, const std::shared_ptr<const TaskData>& task, const JudgeArguments& arguments,
                   JudgedModel& model, EventSink& events, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ProbeRequest request{model.source, task, *choiceFromName<Pooling>(arguments.pooling), arguments.device};
  const auto found = trainer->probe(request, events, stop);
  if (!found.ok()) return found.error().within(model.name);
  model.notes = found->notes;
  model.scores.clear();
  for (const PartScore& part : found->parts)
    model.scores.push_back({model.source.run, model.file, task->task.name, task->hash, methodOf(arguments),
                            std::string(choiceName(metricOf(task->task))), part.split, 0, 0, part.value,
                            std::ssize(part.predictions), SystemClock().wallMs(), part.predictions});
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  return workspace->addScores(model.scores);
}

/// Fine-tunes a model once and stores its scores.
Result<std::vector<Score>> fineTuneOnce(const Globals& globals, const std::shared_ptr<const TaskData>& task,
                                        const JudgeArguments& arguments, JudgedModel& model, FineTuneRequest request,
                                        EventSink& events, const std::stop_token& stop) {
  const FineTuneOptions& options = request.options;
  const std::string hash = scoreHash(*task, arguments);
  const std::string unfinished =
      hash128(formatText("{} {} {} {} {}", model.source.run, model.file, hash, formatExact(options.rate), options.seed))
          .hex();
  {
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
    request.unfinishedFile = workspace->cacheFolder() / ("finetune-" + unfinished);
  }
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  const auto found = trainer->fineTune(request, events, stop);
  if (!found.ok()) return found.error().within(model.name);
  model.notes = found->notes;
  std::vector<Score> scores;
  for (const PartScore& part : found->parts)
    scores.push_back({model.source.run, model.file, task->task.name, hash, kFineTune,
                      std::string(choiceName(metricOf(task->task))), part.split, options.seed, options.rate, part.value,
                      std::ssize(part.predictions), SystemClock().wallMs(), part.predictions});
  model.samples += static_cast<double>(found->samples);
  model.seconds += found->seconds;
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  RETURN_IF_ERROR(workspace->addScores(scores));
  return scores;
}

double meanOfRate(const std::vector<Score>& scores, double rate) {
  std::vector<double> values;
  for (const Score& score : scores)
    if (score.rate == rate && score.split == kValidation) values.push_back(score.value);
  return meanOf(values);
}

/// Fine-tunes a model with each rate and seed that has no stored score, and leaves the scores of the rate whose mean on
/// the validation part is best.
Result<void> fineTune(const Globals& globals, const std::shared_ptr<const TaskData>& task,
                      const JudgeArguments& arguments, JudgedModel& model, EventSink& events,
                      const std::stop_token& stop) {
  const bool exports = !arguments.exportFolder.empty(), single = arguments.rates.size() == 1 && arguments.seeds == 1;
  FineTuneRequest request{model.source,      task, arguments.fineTuning, arguments.device, {}, arguments.exportFolder,
                          arguments.replaces};
  std::vector<Score> stored, all;
  if (!arguments.again) stored = std::move(model.scores);
  bool exported = false;
  for (const double rate : arguments.rates) {
    for (std::int64_t seed = 1; seed <= arguments.seeds; ++seed) {
      std::vector<Score> scores;
      for (const Score& score : stored)
        if (score.rate == rate && score.seed == seed) scores.push_back(score);
      if (scores.empty()) {
        request.options.rate = rate;
        request.options.seed = seed;
        request.exports = exports && single;
        ASSIGN_OR_RETURN(scores, fineTuneOnce(globals, task, arguments, model, request, events, stop));
        exported = request.exports;
      }
      all.insert(all.end(), scores.begin(), scores.end());
    }
  }
  const double best =
      *std::ranges::max_element(arguments.rates, {}, [&](double rate) { return meanOfRate(all, rate); });
  std::erase_if(all, [best](const Score& score) { return score.rate != best; });
  model.scores = std::move(all);
  if (arguments.rates.size() > 1)
    model.notes.push_back(formatText("learning rate {} of {} has the best mean on the validation part",
                                     formatExact(best), joined(arguments.rates, ", ", formatExact)));
  if (task->parts.size() < 3)
    model.notes.push_back(
        "the task has no test part: the score is that of the validation part, by which epoch and "
        "learning rate were chosen, and so a little too good");
  if (!exports || exported) return {};
  // The weights of a training are not kept; the best one is made again, to the same bits on the same machine.
  const auto chosen = std::ranges::max_element(
      model.scores, {}, [](const Score& score) { return std::pair(score.split == kValidation, score.value); });
  request.options.rate = best;
  request.options.seed = chosen->seed;
  request.exports = true;
  const std::vector<std::string> notes = model.notes;
  const auto again = fineTuneOnce(globals, task, arguments, model, request, events, stop);
  model.notes = notes;
  return again.ok() ? Result<void>() : Result<void>(again.error());
}

/// The scores of a model on one part of a task, over seeds.
struct Judgement {
  const JudgedModel& model;
  std::vector<Score> scores;

  double mean() const { return meanOf(values()); }
  /// Of the sample; nothing of a single score.
  std::optional<double> deviation() const {
    return scores.size() < 2 ? std::nullopt : std::optional(deviationOf(values()));
  }
  std::vector<double> values() const {
    std::vector<double> all;
    for (const Score& score : scores) all.push_back(score.value);
    return all;
  }
};

std::vector<Judgement> judgementsOf(const std::vector<JudgedModel>& models) {
  std::vector<Judgement> all;
  for (const JudgedModel& model : models) {
    std::map<std::string, std::vector<Score>> bySplit;
    for (const Score& score : model.scores) bySplit[score.split].push_back(score);
    for (auto it = bySplit.rbegin(); it != bySplit.rend(); ++it) all.push_back({model, std::move(it->second)});
  }
  return all;
}

Json judgementJson(const Judgement& one) {
  const Score& first = one.scores.front();
  const ModelSource& source = one.model.source;
  return {{"model", one.model.name},
          {"file", one.model.file},
          {"run", source.run.empty() ? Json(nullptr) : Json(source.run)},
          {"checkpoint", source.run.empty() ? Json(nullptr) : Json(source.checkpoint)},
          {"task", first.task},
          {"method", first.method},
          {"metric", first.metric},
          {"split", first.split},
          {"mean", one.mean()},
          {"deviation", jsonNumber(one.deviation())},
          {"n", one.scores.size()},
          {"examples", first.examples},
          {"values", jsonList(one.scores,
                              [](const Score& score) -> Json {
                                return {{"seed", score.seed}, {"rate", score.rate}, {"value", score.value}};
                              })},
          {"samples_per_sec",
           jsonNumber(one.model.seconds > 0 ? std::optional(one.model.samples / one.model.seconds) : std::nullopt)},
          {"notes", one.model.notes}};
}

void printJudgements(const std::vector<Judgement>& all) {
  using enum Table::Align;
  Table table({{"model", Left},
               {"checkpoint", Left},
               {"part", Left},
               {"metric", Left},
               {"mean", Right},
               {"deviation", Right},
               {"n", Right},
               {"examples", Right}});
  for (const Judgement& one : all) {
    const auto deviation = one.deviation();
    table.add({one.model.name, one.model.source.checkpoint, one.scores.front().split, one.scores.front().metric,
               formatDecimals(one.mean(), 4), deviation ? formatDecimals(*deviation, 4) : "",
               std::to_string(one.scores.size()), formatInteger(one.scores.front().examples)});
  }
  table.print(std::cout);
}

Result<int> judge(const Globals& globals, const JudgeArguments& arguments) {
  if (!arguments.exportFolder.empty() && arguments.models.size() > 1)
    return Error::config("--export writes one model; name a single one");
  std::stop_source stop;
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  ASSIGN_OR_RETURN(const auto config, loadTask(std::filesystem::absolute(arguments.task)));
  ASSIGN_OR_RETURN(auto rows, readTask(config));
  const auto task = std::make_shared<const TaskData>(std::move(rows));
  showNotes(task->notes);
  if (arguments.fineTunes() && config.kind == TaskKind::Retrieval)
    return Error::config("a retrieval task has no labels to learn; score it with --method probe");
  {  // closed while the trainer reads it
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
    RETURN_IF_ERROR(rememberTaskFile(*workspace, scoreHash(*task, arguments), *task, arguments.task));
  }
  std::vector<JudgedModel> models;
  for (const std::string& name : arguments.models) {
    ASSIGN_OR_RETURN(auto model, findJudged(globals, name));
    models.push_back(std::move(model));
  }
  for (JudgedModel& model : models) {
    ASSIGN_OR_RETURN(model.scores,
                     storedScores(globals, model, *task, scoreHash(*task, arguments), methodOf(arguments)));
    if (arguments.fineTunes()) {
      ProgressDisplay display(globals.json, STDERR_FILENO);
      RETURN_IF_ERROR(fineTune(globals, task, arguments, model, display, stop.get_token()));
      display.close();
      for (const std::string& note : model.notes) showNotes({model.name + ": " + note});
      continue;
    }
    if (!model.scores.empty() && !arguments.again) continue;
    ProgressDisplay display(globals.json, STDERR_FILENO);
    RETURN_IF_ERROR(probe(globals, task, arguments, model, display, stop.get_token()));
    display.close();
    for (const std::string& note : model.notes) showNotes({model.name + ": " + note});
  }
  const std::vector<Judgement> all = judgementsOf(models);
  if (globals.json)
    return printJson({{"schema", "batchwise.judge/1"},
                      {"task", task->task.name},
                      {"task_hash", task->hash},
                      {"notes", task->notes},
                      {"scores", jsonList(all, judgementJson)}});
  printJudgements(all);
  return kDone;
}

}  // namespace

void addJudgeCommand(Commands& commands) {
  const auto arguments = std::make_shared<JudgeArguments>();
  CLI::App* command = commands.add(nullptr, "judge",
                                   "Score checkpoints and Hugging Face folders on a task; scores are kept, and a "
                                   "command that was interrupted goes on where it was",
                                   "batchwise judge first second --task movie-reviews.yaml",
                                   [&commands, arguments] { return judge(commands.globals(), *arguments); });
  command
      ->add_option("models", arguments->models,
                   "Runs (their newest good checkpoints), checkpoint ids, or folders in the Hugging Face layout")
      ->required()
      ->transform(pathName("a run, a checkpoint or a folder"));
  command->add_option("--task", arguments->task, "File of the task: labelled text and how it is scored")
      ->required()
      ->transform(pathName("a file"));
  command
      ->add_option("--method", arguments->method,
                   "probe: a linear model of the features of the frozen encoder, chosen by cross-validation; finetune: "
                   "the whole model learns the task, with several learning rates and seeds")
      ->check(CLI::IsMember({"probe", kFineTune}))
      ->capture_default_str();
  command->add_option("--pooling", arguments->pooling, "Vector of a text: mean of its tokens, or cls, that of [CLS]")
      ->check(CLI::IsMember({"mean", "cls"}))
      ->capture_default_str();
  command->add_option("--device", arguments->device, "Device, as devices.use: auto, cpu, cuda:0")
      ->capture_default_str();
  command->add_flag("--again", arguments->again, "Compute scores that are stored anew");
  FineTuneOptions& tuning = arguments->fineTuning;
  const std::string group = "With --method finetune";
  command->add_option("--rates", arguments->rates, "Learning rates; the one with the best mean on validation counts")
      ->delimiter(',')
      ->check(positiveNumber())
      ->group(group)
      ->capture_default_str();
  command->add_option("--seeds", arguments->seeds, "Seeds of each rate: of head, order and dropout")
      ->check(atLeast(1))
      ->group(group)
      ->capture_default_str();
  command->add_option("--epochs", tuning.epochs, "Most epochs; the best one on the validation part counts")
      ->check(atLeast(1))
      ->group(group)
      ->capture_default_str();
  command->add_option("--steps", tuning.mostSteps, "Most steps of the optimizer")
      ->check(atLeast(1))
      ->group(group)
      ->capture_default_str();
  command->add_option("--batch", tuning.batch, "Samples of a step")
      ->check(atLeast(1))
      ->group(group)
      ->capture_default_str();
  command->add_option("--weight-decay", tuning.weightDecay, "Weight decay")
      ->check(nonNegativeNumber())
      ->group(group)
      ->capture_default_str();
  command
      ->add_option("--max-seq-len", tuning.maxSeqLen,
                   "Longest text in tokens (default: what the model takes, at most 512)")
      ->check(atLeast(8))
      ->group(group);
  command
      ->add_option(
          "--export", arguments->exportFolder,
          "Folder for the best model, which AutoModelForSequenceClassification, or ForTokenClassification, reads")
      ->transform(pathName("a folder"))
      ->group(group);
  addForceFlag(*command, arguments->replaces)->group(group);
}

}  // namespace batchwise::cli
