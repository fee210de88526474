// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/task_examples.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/config/task_config.h"
#include "core/store/workspace.h"
#include "core/text/task_data.h"

namespace batchwise {
namespace {

std::string taskSetting(const std::string& taskHash) {
  return "task." + taskHash;
}

/// The predictions of a model on one example, over its seeds.
struct SeedPredictions {
  std::string label;
  std::map<std::string, int> counts;
  double sum = 0;
  int seeds = 0;

  std::string commonest() const {
    const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    return most->second == seeds ? most->first : formatText("{} ({} of {})", most->first, most->second, seeds);
  }
};

using ByExample = std::map<std::int64_t, SeedPredictions>;

Result<ByExample> predictionsOf(const Workspace& workspace, std::span<const Score> scores, bool& areRightOrWrong) {
  ByExample found;
  for (const Score& score : scores) {
    ASSIGN_OR_RETURN(const auto predictions, workspace.predictions(score));
    for (const ExampleScore& one : predictions) {
      SeedPredictions& each = found[one.example];
      each.label = one.label;
      ++each.counts[one.prediction];
      each.sum += one.score;
      ++each.seeds;
      areRightOrWrong = areRightOrWrong && (one.score == 0 || one.score == 1);
    }
  }
  if (found.empty()) return Error::notFound("the predictions of this score are not kept; judge the model again");
  return found;
}

/// `remembered`: of rememberTaskFile().
Result<TaskConfig> taskOf(const Workspace& workspace, const Score& score, const std::filesystem::path& file,
                          const std::string& remembered) {
  if (!file.empty()) return loadTask(file);
  if (!remembered.empty()) return loadTask(remembered.substr(remembered.find(' ') + 1));
  if (!score.run.empty()) {
    ASSIGN_OR_RETURN(const auto run, workspace.findRun(score.run));
    const LoadedConfig loaded = parseConfig(run.resolvedYaml, score.run, {});
    const auto folder = run.resolvedValues.find(resolved_names::kBaseFolder);
    for (const TaskConfig& each : loaded.config.tasks) {
      auto task = resolvedTask(each, folder == run.resolvedValues.end() ? std::string() : folder->second);
      if (task.ok() && task->name == score.task) return task;
    }
  }
  return Error::notFound("the file of the task is not known");
}

Result<void> addTexts(const Workspace& workspace, const Score& score, const std::filesystem::path& file,
                      TaskExamples& found) {
  ASSIGN_OR_RETURN(const auto setting, workspace.setting(taskSetting(score.taskHash)));
  const std::string remembered = setting.value_or("");
  ASSIGN_OR_RETURN(const auto task, taskOf(workspace, score, file, remembered));
  ASSIGN_OR_RETURN(const auto data, readTask(task));
  if (data.hash != (remembered.empty() ? score.taskHash : remembered.substr(0, remembered.find(' '))))
    found.note = "the files of the task have changed since it was scored: these texts may be others";
  const std::string wanted = data.task.kind == TaskKind::Retrieval ? "queries" : score.split;
  std::map<std::int64_t, std::string> texts;
  for (const TaskPart& part : data.parts) {
    if (part.name != wanted) continue;
    for (const TaskExample& one : part.examples) {
      const bool ofWords = data.task.kind == TaskKind::TokenLabels;
      const std::string text = joined(one.texts, ofWords ? " " : "\n");
      if (!ofWords) texts[one.number] = text;
      for (std::size_t word = 0; ofWords && word < one.texts.size(); ++word)
        texts[one.number + static_cast<std::int64_t>(word)] = one.texts[word] + " – " + text;
    }
  }
  for (ComparedExample& one : found.examples)
    if (const auto text = texts.find(one.example); text != texts.end()) one.text = text->second;
  return {};
}

}  // namespace

Result<void> rememberTaskFile(Workspace& workspace, const std::string& taskHash, const TaskData& data,
                              const std::filesystem::path& file) {
  return workspace.saveSetting(taskSetting(taskHash), data.hash + " " + std::filesystem::absolute(file).native());
}

Result<TaskExamples> compareExamples(const Workspace& workspace, std::span<const Score> model,
                                     std::span<const Score> other, const std::filesystem::path& file) {
  if (model.empty() || other.empty()) return Error::notFound("there is no score to compare");
  TaskExamples found{{}, true, {}};
  ASSIGN_OR_RETURN(const auto own, predictionsOf(workspace, model, found.areRightOrWrong));
  ASSIGN_OR_RETURN(const auto others, predictionsOf(workspace, other, found.areRightOrWrong));
  for (const auto& [example, one] : own) {
    const auto beside = others.find(example);
    if (beside == others.end()) continue;
    found.examples.push_back({example,
                              {},
                              one.label,
                              {one.commonest(), beside->second.commonest()},
                              {one.sum / one.seeds, beside->second.sum / beside->second.seeds}});
  }
  std::ranges::stable_sort(found.examples, std::ranges::greater{},
                           [](const ComparedExample& one) { return std::abs(one.scores[0] - one.scores[1]); });
  if (const auto texts = addTexts(workspace, model.front(), file, found); !texts.ok())
    found.note = "the texts are not shown: " + texts.error().text();
  return found;
}

}  // namespace batchwise
