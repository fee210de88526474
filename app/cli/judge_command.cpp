// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
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
#include "core/store/workspace.h"
#include "core/text/file_identity.h"
#include "core/text/tokenizer.h"

namespace batchwise::cli {
namespace {

constexpr const char* kFineTune = "finetune";
constexpr const char* kValidation = "validation";
constexpr const char* kProbeOptions = "With --method probe";
constexpr const char* kFineTuneOptions = "With --method finetune";

struct JudgeArguments {
  const CLI::App* command = nullptr;
  std::vector<std::string> models;
  std::string task;
  std::string method = "probe";
  std::string pooling = "mean";
  bool again = false;
  JudgeRequest request;        // without model, task, pooling and options of fine-tuning
  FineTuneOptions fineTuning;  // without rate and seed
  std::vector<double> rates = {1e-5, 3e-5, 5e-5};
  std::int64_t seeds = 5;

  bool fineTunes() const { return method == kFineTune; }
};

/// A model to score, as the person named it and as scores name it.
struct JudgedModel {
  std::string name;
  ModelSource source;
  std::string file = {};      ///< Score::model
  std::string taskHash = {};  ///< Score::taskHash
  std::vector<Score> scores = {};
  std::vector<std::string> notes = {};
  double samples = 0, seconds = 0;  // of fine-tuning
};

/// Forgets the scores of a folder whose model has changed: content counts, not times, which mv and cp -a keep.
Result<void> forgetIfChanged(Workspace& workspace, const std::filesystem::path& folder) {
  static const std::set<std::string> kRead = {"config.json",  "tokenizer.json",        "vocab.txt",
                                              "modules.json", "tokenizer_config.json", "special_tokens_map.json"};
  std::set<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& place : {folder, modelFolder(folder).transformer})
    for (const auto& entry : std::filesystem::directory_iterator(place, failed))
      if (const std::string name = entry.path().filename();
          kRead.contains(name) || name.find(".safetensors") != name.npos || name.starts_with("pytorch_model"))
        files.insert(entry.path());
  FileIdentities identities(workspace.cacheFolder() / "files.json");
  ASSIGN_OR_RETURN(const auto found,
                   identities.of({files.begin(), files.end()}, [](std::int64_t, std::int64_t) {}, {}));
  std::string all;
  for (const FileIdentity& file : found) all += file.path.native() + " " + file.content.hex() + "\n";
  const std::string key = "folder." + folder.native(), now = hash128(all).hex();
  ASSIGN_OR_RETURN(const auto before, workspace.setting(key));
  if (before == now) return {};
  if (before) RETURN_IF_ERROR(workspace.deleteFolderScores(folder.native()));
  return workspace.saveSetting(key, now);
}

bool areNested(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code failed;
  const std::string a = std::filesystem::weakly_canonical(one, failed) / "";
  const std::string b = std::filesystem::weakly_canonical(other, failed) / "";
  return a.starts_with(b) || b.starts_with(a);
}

Result<JudgedModel> findJudged(const Globals& globals, const JudgeArguments& arguments, const std::string& name) {
  JudgedModel model{name, {}};
  RETURN_IF_ERROR(findModel(globals, name, model.source));
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  model.source.workspace = workspace->folder();
  if (!model.source.run.empty()) return model;
  const std::filesystem::path &folder = model.source.folder, &exported = arguments.request.exportFolder;
  if (!exported.empty() && areNested(exported, folder))
    return Error::config(formatText("--export {} would write into the folder of the model {}; name another folder",
                                    exported.native(), folder.native()));
  RETURN_IF_ERROR(forgetIfChanged(*workspace, folder));
  return model;
}

/// Judges models on a task. The workspace is open between calls of the trainer only, which opens it itself.
class Judge final : public EventSink {
 public:
  Judge(const Globals& globals, const JudgeArguments& arguments, std::shared_ptr<const TaskData> task)
      : globals_(globals),
        arguments_(arguments),
        task_(std::move(task)),
        method_(arguments.method),
        display_(globals.json, STDERR_FILENO) {
    if (!arguments.fineTunes() && arguments.pooling != "mean") method_ += "-" + arguments.pooling;
  }

  /// Says what is wrong with a model or to be noted of it, and reads its stored scores.
  Result<void> check(JudgedModel& model) {
    JudgeRequest request = requestFor(model);
    request.onlyChecks = true;
    ASSIGN_OR_RETURN(const auto found, ask(request, model));
    model.file = found.model;
    model.source.checkpoint = found.checkpoint;
    model.taskHash = task_->hash;
    if (const FineTuneOptions& o = arguments_.fineTuning; arguments_.fineTunes())  // others are not comparable
      model.taskHash = hash128(formatText("{} {} {} {} {} {} {}", task_->hash, o.epochs, o.mostSteps, o.batch,
                                          o.maxSeqLen, formatExact(o.weightDecay), found.precision))
                           .hex();
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals_));
    RETURN_IF_ERROR(rememberTaskFile(*workspace, model.taskHash, *task_, arguments_.task));
    if (arguments_.again) return {};
    ASSIGN_OR_RETURN(model.scores, workspace->scores({model.source.run, model.file, task_->task.name}));
    std::erase_if(model.scores,
                  [&](const Score& one) { return one.taskHash != model.taskHash || one.method != method_; });
    return {};
  }

  /// Scores a model where scores are missing, and leaves those that count.
  Result<void> judge(JudgedModel& model) {
    if (arguments_.fineTunes()) return fineTune(model);
    if (!model.scores.empty()) return {};
    ASSIGN_OR_RETURN(model.scores, scored(requestFor(model), model));
    return {};
  }

  /// Ends the progress line.
  void close() { display_.close(); }

  /// Keeps each note once: every training of a model says the same.
  void publish(const RunEvent& event) override {
    const auto* note = std::get_if<RunNote>(&event);
    if (note == nullptr) return display_.publish(event);
    if (std::ranges::find(asked_->notes, note->text) != asked_->notes.end()) return;
    asked_->notes.push_back(note->text);
    display_.publish(RunNote{note->level, asked_->name + ": " + note->text, {}});
  }

 private:
  JudgeRequest requestFor(const JudgedModel& model) const {
    JudgeRequest request = arguments_.request;
    static_cast<ModelSource&>(request) = model.source;
    request.task = task_;
    request.pooling = *choiceFromName<Pooling>(arguments_.pooling);
    if (arguments_.fineTunes()) request.fineTuning = arguments_.fineTuning;
    return request;
  }

  Result<JudgeResult> ask(const JudgeRequest& request, JudgedModel& model) {
    asked_ = &model;
    ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
    auto found = trainer->judge(request, *this, stop_.get_token());
    if (!found.ok()) return found.error().within(model.name);
    return found;
  }

  /// Scores a model once and stores the scores.
  Result<std::vector<Score>> scored(const JudgeRequest& request, JudgedModel& model) {
    ASSIGN_OR_RETURN(const auto found, ask(request, model));
    const auto& tuned = request.fineTuning;
    std::vector<Score> scores;
    for (const PartScore& part : found.parts)
      scores.push_back({model.source.run, model.file, task_->task.name, model.taskHash, method_, scoreMetric(*task_),
                        part.split, tuned ? tuned->seed : 0, tuned ? tuned->rate : 0, part.value,
                        std::ssize(part.predictions), SystemClock().wallMs(), part.predictions});
    model.samples += static_cast<double>(found.samples);
    model.seconds += found.seconds;
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals_));
    RETURN_IF_ERROR(workspace->addScores(scores));
    return scores;
  }

  /// Trains with each rate and seed that has no score; those of the rate with the best mean on validation count.
  Result<void> fineTune(JudgedModel& model) {
    const std::vector<double>& rates = arguments_.rates;
    JudgeRequest request = requestFor(model);
    std::vector<Score> all;
    for (const double rate : rates) {
      for (std::int64_t seed = 1; seed <= arguments_.seeds; ++seed) {
        std::vector<Score> scores;
        std::ranges::copy_if(model.scores, std::back_inserter(scores),
                             [&](const Score& one) { return one.rate == rate && one.seed == seed; });
        if (scores.empty()) {
          request.fineTuning->rate = rate;
          request.fineTuning->seed = seed;
          request.exports = !arguments_.request.exportFolder.empty() && rates.size() == 1 && arguments_.seeds == 1;
          ASSIGN_OR_RETURN(scores, scored(request, model));
        }
        all.insert(all.end(), scores.begin(), scores.end());
      }
    }
    const double best = *std::ranges::max_element(rates, {}, [&](double rate) {
      std::vector<double> values;
      for (const Score& score : all)
        if (score.rate == rate && score.split == kValidation) values.push_back(score.value);
      return meanOf(values);
    });
    std::erase_if(all, [best](const Score& score) { return score.rate != best; });
    model.scores = std::move(all);
    asked_ = &model;
    if (rates.size() > 1)
      note(formatText("learning rate {} of {} has the best mean on the validation part", formatExact(best),
                      joined(rates, ", ", formatExact)));
    note(formatText("the validation part chose the epoch{}, so that its score is a little too good; {}",
                    rates.size() > 1 ? " and the learning rate" : "",
                    task_->parts.size() < 3 ? "the task has no test part" : "compare by the test part"));
    if (arguments_.request.exportFolder.empty() || request.exports) return {};
    // The weights of a training are not kept; the best one is made again, to the same bits on the same machine.
    const auto chosen = std::ranges::max_element(
        model.scores, {}, [](const Score& score) { return std::pair(score.split == kValidation, score.value); });
    request.fineTuning->rate = best;
    request.fineTuning->seed = chosen->seed;
    request.exports = true;
    const auto again = scored(request, model);
    return again.ok() ? Result<void>() : Result<void>(again.error());
  }

  void note(std::string text) { publish(RunNote{NoteLevel::Info, std::move(text), {}}); }

  const Globals& globals_;
  const JudgeArguments& arguments_;
  const std::shared_ptr<const TaskData> task_;
  std::string method_;  // Score::method
  std::stop_source stop_;
  const StopSignals signals_{[this](int) { stop_.request_stop(); }};  // before threads, which inherit its mask
  ProgressDisplay display_;
  JudgedModel* asked_ = nullptr;  // whose notes are published
};

/// The scores of a model on one part of a task, over seeds.
struct Judgement {
  const JudgedModel& model;
  std::vector<Score> scores;
  double mean;
  std::optional<double> deviation;  ///< of the sample; nothing of a single score
};

std::vector<Judgement> judgementsOf(const std::vector<JudgedModel>& models) {
  std::vector<Judgement> all;
  for (const JudgedModel& model : models) {
    std::map<std::string, std::vector<Score>, std::greater<>> bySplit;
    for (const Score& score : model.scores) bySplit[score.split].push_back(score);
    for (const auto& [split, scores] : bySplit) {
      std::vector<double> values;
      for (const Score& score : scores) values.push_back(score.value);
      all.push_back(
          {model, scores, meanOf(values), values.size() < 2 ? std::nullopt : std::optional(deviationOf(values))});
    }
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
          {"mean", one.mean},
          {"deviation", jsonNumber(one.deviation)},
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
    table.add({one.model.name, one.model.source.checkpoint, one.scores.front().split, one.scores.front().metric,
               formatDecimals(one.mean, 4), one.deviation ? formatDecimals(*one.deviation, 4) : "",
               std::to_string(one.scores.size()), formatInteger(one.scores.front().examples)});
  }
  table.print(std::cout);
}

/// Fails with Config if options are given that the other method has.
Result<void> checkOptions(const CLI::App& command, bool fineTunes) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && option->get_group() == (fineTunes ? kProbeOptions : kFineTuneOptions))
      return Error::config(formatText("{} has no effect with --method {}; leave it out", option->get_name(),
                                      fineTunes ? kFineTune : "probe"));
  return {};
}

Result<int> judge(const Globals& globals, JudgeArguments& arguments) {
  std::ranges::sort(arguments.rates);
  arguments.rates.erase(std::unique(arguments.rates.begin(), arguments.rates.end()), arguments.rates.end());
  if (!arguments.request.exportFolder.empty() && arguments.models.size() > 1)
    return Error::config("--export writes one model; name a single one");
  ASSIGN_OR_RETURN(const auto config, loadTask(std::filesystem::absolute(arguments.task)));
  ASSIGN_OR_RETURN(auto rows, readTask(config));
  const auto task = std::make_shared<const TaskData>(std::move(rows));
  showNotes(task->notes);
  if (arguments.fineTunes() && config.kind == TaskKind::Retrieval)
    return Error::config("a retrieval task has no labels to learn; score it with --method probe");
  std::vector<JudgedModel> models;
  for (const std::string& name : arguments.models) {
    ASSIGN_OR_RETURN(auto model, findJudged(globals, arguments, name));
    models.push_back(std::move(model));
  }
  Judge judges(globals, arguments, task);
  for (JudgedModel& model : models) RETURN_IF_ERROR(judges.check(model));
  for (JudgedModel& model : models) RETURN_IF_ERROR(judges.judge(model));
  judges.close();
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
  CLI::App* command =
      commands.add(nullptr, "judge",
                   "Score checkpoints and Hugging Face folders on a task; scores are kept, and a "
                   "command that was interrupted goes on where it was",
                   "batchwise judge first second --task movie-reviews.yaml", [&commands, arguments]() -> Result<int> {
                     RETURN_IF_ERROR(checkOptions(*arguments->command, arguments->fineTunes()));
                     return judge(commands.globals(), *arguments);
                   });
  arguments->command = command;
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
      ->group(kProbeOptions)
      ->capture_default_str();
  command->add_option("--device", arguments->request.device, "Device, as devices.use: auto, cpu, cuda:0")
      ->capture_default_str();
  command->add_flag("--again", arguments->again, "Compute scores that are stored anew");
  FineTuneOptions& tuning = arguments->fineTuning;
  command->add_option("--rates", arguments->rates, "Learning rates; the one with the best mean on validation counts")
      ->delimiter(',')
      ->check(positiveNumber())
      ->group(kFineTuneOptions)
      ->capture_default_str();
  command->add_option("--seeds", arguments->seeds, "Seeds of each rate: of head, order and dropout")
      ->check(atLeast(1))
      ->group(kFineTuneOptions)
      ->capture_default_str();
  command->add_option("--epochs", tuning.epochs, "Most epochs; the best one on the validation part counts")
      ->check(atLeast(1))
      ->group(kFineTuneOptions)
      ->capture_default_str();
  command->add_option("--steps", tuning.mostSteps, "Most steps of the optimizer")
      ->check(atLeast(1))
      ->group(kFineTuneOptions)
      ->capture_default_str();
  command->add_option("--batch", tuning.batch, "Samples of a step")
      ->check(atLeast(1))
      ->group(kFineTuneOptions)
      ->capture_default_str();
  command->add_option("--weight-decay", tuning.weightDecay, "Weight decay")
      ->check(nonNegativeNumber())
      ->group(kFineTuneOptions)
      ->capture_default_str();
  command
      ->add_option("--max-seq-len", tuning.maxSeqLen,
                   "Longest text in tokens (default: what the model takes, at most 512)")
      ->check(atLeast(8))
      ->group(kFineTuneOptions);
  command
      ->add_option(
          "--export", arguments->request.exportFolder,
          "Folder for the best model, which AutoModelForSequenceClassification, or ForTokenClassification, reads")
      ->transform(pathName("a folder"))
      ->group(kFineTuneOptions);
  addForceFlag(*command, arguments->request.exportReplaces)->group(kFineTuneOptions);
}

}  // namespace batchwise::cli
