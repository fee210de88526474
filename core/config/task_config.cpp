// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/task_config.h"

#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/path_fields.h"
#include "core/config/yaml_value.h"

namespace batchwise {
namespace {

bool fits(const TaskConfig& task, TaskMetric metric) {
  const bool ofRanks = metric == TaskMetric::NdcgAt10, isRetrieval = task.kind == TaskKind::Retrieval;
  const bool ofNumbers = metric == TaskMetric::Pearson || metric == TaskMetric::Spearman;
  if (ofRanks || isRetrieval) return ofRanks == isRetrieval;
  return task.kind == TaskKind::Pair || ofNumbers == (task.kind == TaskKind::Regression);
}

}  // namespace

TaskMetric metricOf(const TaskConfig& task) {
  if (task.metric) return *task.metric;
  switch (task.kind) {
    case TaskKind::Regression: return TaskMetric::Pearson;
    case TaskKind::TokenLabels: return TaskMetric::F1;
    case TaskKind::Retrieval: return TaskMetric::NdcgAt10;
    case TaskKind::Classification:
    case TaskKind::Pair: break;
  }
  return TaskMetric::Accuracy;
}

bool isRegression(const TaskConfig& task) {
  const TaskMetric metric = metricOf(task);
  return metric == TaskMetric::Pearson || metric == TaskMetric::Spearman;
}

std::string problemOf(const TaskConfig& task) {
  if (!task.path.empty()) {
    TaskConfig only;
    only.path = task.path;
    return task == only ? "" : "names a file in path; everything else belongs into that file";
  }
  std::vector<std::string> missing, unused;
  const bool isRetrieval = task.kind == TaskKind::Retrieval;
  const auto check = [&](std::string_view key, bool given, bool fitsKind, bool needed) {
    if (fitsKind && needed && !given) missing.emplace_back(key);
    if (!fitsKind && given) unused.emplace_back(key);
  };
  for (const TaskFile& file : kTaskFiles)
    check(file.key, !(task.*file.member).empty(), file.ofRetrieval == isRetrieval, file.needed);
  check("label", !task.label.empty(), !isRetrieval, true);
  check("text", !task.text.empty(), true, !isRetrieval);
  const std::string kind(choiceName(task.kind));
  if (!missing.empty()) return formatText("is a task of kind {} without {}", kind, joined(missing));
  if (!unused.empty()) return formatText("is a task of kind {}, which has no {}", kind, joined(unused));
  if (!config::isName(task.name))
    return formatText("has the name '{}'; a name is 1 to 40 letters, digits, - and _", task.name);
  if (task.kind == TaskKind::Pair && task.text.size() != 2)
    return "is a task of kind pair; name two columns of text, such as text: [first, second]";
  if (task.kind != TaskKind::Pair && task.text.size() > 1)
    return formatText("has {} columns of text, but kind {} takes one; kind pair takes two", task.text.size(), kind);
  if (task.metric && !fits(task, *task.metric))
    return formatText("has the metric {}, which does not fit kind {}", std::string(choiceName(*task.metric)), kind);
  return {};
}

Result<TaskConfig> loadTask(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const auto text, readFile(file, std::int64_t{1} << 20));
  const config::ParsedYaml parsed = config::parseYaml(text);
  config::ValueProblems problems;
  TaskConfig task;
  if (parsed.problem) {
    problems.push_back(*parsed.problem);
  } else if (parsed.documents.size() != 1 || !parsed.documents.front().IsMap()) {
    problems.push_back({"", "is no task: it needs one section with name, kind, train, text and label"});
  } else {
    YAML::Node node = parsed.documents.front();
    if (!node["name"] && !node["path"]) node["name"] = file.stem().native();
    problems = config::readValue(node, *findField("tasks"), task);
    if (problems.empty() && !task.path.empty())
      problems.push_back({".path", "is for tasks of a configuration; a task file has the task itself"});
  }
  if (problems.empty()) {
    makePathsAbsolute(task, file.parent_path());
    return task;
  }
  const config::ValueProblem& first = problems.front();
  const std::string where = file.native() + (first.line > 0 ? ":" + std::to_string(first.line) : "");
  const std::string key = first.where.starts_with('.') ? first.where.substr(1) : first.where;
  return Error::config(key.empty() ? first.message : key + ": " + first.message).within(where);
}

Result<TaskConfig> resolvedTask(TaskConfig task, const std::filesystem::path& folder) {
  makePathsAbsolute(task, folder);
  if (task.path.empty()) return task;
  return loadTask(task.path);
}

}  // namespace batchwise
