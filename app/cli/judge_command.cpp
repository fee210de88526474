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
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/task_config.h"
#include "core/run/trainer.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct JudgeArguments {
  std::vector<std::string> models;
  std::string task;
  std::string method = "probe";
  std::string pooling = "mean";
  std::string device = "auto";
  std::string features;
  bool again = false;
};

/// A model to score, as the person named it and as scores name it.
struct JudgedModel {
  std::string name;
  ModelSource source;
  std::string file;  ///< Score::model
  std::vector<Score> scores = {};
  std::vector<std::string> notes = {};
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
  return arguments.pooling == "mean" ? arguments.method : arguments.method + "-" + arguments.pooling;
}

/// Returns the stored scores of a model on the task; none of a folder that was written later.
Result<std::vector<Score>> storedScores(const Globals& globals, const JudgedModel& model, const TaskData& task,
                                        const std::string& method) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(auto scores, workspace->scores({model.source.run, model.file, task.task.name}));
  const std::int64_t changed = model.source.run.empty() ? lastWrittenMs(model.source.folder) : 0;
  std::erase_if(scores, [&](const Score& score) {
    return score.taskHash != task.hash || score.method != method || score.atMs < changed;
  });
  return scores;
}

/// Scores a model. The workspace is open before and after only, as the trainer opens it.
Result<void> probe(const Globals& globals, const std::shared_ptr<const TaskData>& task, const JudgeArguments& arguments,
                   JudgedModel& model, EventSink& events, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ProbeRequest request{model.source, task, *choiceFromName<Pooling>(arguments.pooling), arguments.device, {}};
  if (!arguments.features.empty()) request.featuresFolder = arguments.features;
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
  if (!arguments.features.empty() && arguments.models.size() > 1)
    return Error::config("--features holds those of one model; name a single one");
  std::stop_source stop;
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  ASSIGN_OR_RETURN(const auto config, loadTask(std::filesystem::absolute(arguments.task)));
  ASSIGN_OR_RETURN(auto rows, readTask(config));
  const auto task = std::make_shared<const TaskData>(std::move(rows));
  showNotes(task->notes);
  std::vector<JudgedModel> models;
  for (const std::string& name : arguments.models) {
    ASSIGN_OR_RETURN(auto model, findJudged(globals, name));
    models.push_back(std::move(model));
  }
  for (JudgedModel& model : models) {
    ASSIGN_OR_RETURN(model.scores, storedScores(globals, model, *task, methodOf(arguments)));
    if (!model.scores.empty() && !arguments.again && arguments.features.empty()) continue;
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
                   "probe: a linear model of the features of the frozen encoder, chosen by cross-validation")
      ->check(CLI::IsMember({"probe"}))
      ->capture_default_str();
  command->add_option("--pooling", arguments->pooling, "Vector of a text: mean of its tokens, or cls, that of [CLS]")
      ->check(CLI::IsMember({"mean", "cls"}))
      ->capture_default_str();
  command->add_option("--device", arguments->device, "Device, as devices.use: auto, cpu, cuda:0")
      ->capture_default_str();
  command->add_option("--features", arguments->features, "Folder for the features of each part of the task, as .npy")
      ->transform(pathName("a folder"));
  command->add_flag("--again", arguments->again, "Compute scores that are stored anew");
}

}  // namespace batchwise::cli
