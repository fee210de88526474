// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/resume_outlook.h"

#include <QtCore/QCoreApplication>
#include <algorithm>

#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "core/config/value_text.h"
#include "core/run/launch/resume_changes.h"
#include "core/store/record_text.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

struct ResumeWords {
  Q_DECLARE_TR_FUNCTIONS(ResumeWords)
};

const CheckpointRecord* chosen(const ResumeCase& which, const QString& id) {
  const auto& all = which.checkpoints;
  if (id.isEmpty()) return all.empty() ? nullptr : &all.front();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& record) { return toQt(record.id) == id; });
  return found == all.end() ? nullptr : &*found;
}

/// Of the numbers only: samples and masks stay.
bool changesNumbersOnly(const std::string& field) {
  return field == "devices" || field.starts_with("devices.") || field == "batch.device_train_microbatch_size";
}

bool isAtTheEnd(const RunSummary& run, const CheckpointRecord& checkpoint) {
  return run.status == RunStatus::Finished && run.plannedBatches > 0 && checkpoint.at.batch >= run.plannedBatches;
}

QString exactnessOf(const std::vector<ConfigDifference>& differences, const ResumeChoice& choice, bool anotherRun) {
  if (choice.fork && anotherRun)
    return ResumeWords::tr(
        "A new run begins with the weights of the checkpoint. Clocks, optimiser moments and the order of samples "
        "start anew.");
  const bool close = std::any_of(differences.begin(), differences.end(),
                                 [](const ConfigDifference& each) { return changesNumbersOnly(each.field); });
  if (close)
    return ResumeWords::tr(
        "Weights, optimiser moments, schedule and position go on. Every step has the same samples and masks; the "
        "numbers are close, not equal, because the devices or the micro-batch change.");
  return ResumeWords::tr(
      "Weights, optimiser moments, loss scaler, schedule, order of samples, masks and dropout go on from the "
      "checkpoint: bit for bit on the same devices and libraries. If those differ, the log says so.");
}

QString overlapOf(const RunDetail& run, const CheckpointRecord& from, const ResumeChoice& choice) {
  const std::int64_t again = run.summary.at.batch - from.at.batch;
  if (choice.fork) return ResumeWords::tr("The rows of %1 stay as they are.").arg(toQt(run.summary.name));
  if (again <= 0) return ResumeWords::tr("Nothing is trained twice.");
  return ResumeWords::tr(
      "%n global batch(es) after the checkpoint are trained again. Their old rows are kept and drawn dimmed.", nullptr,
      static_cast<int>(again));
}

/// What is wrong with what was typed, without the option of the command line that stands for it there.
QString shown(const ConfigIssue& issue) {
  ConfigIssue typed = issue;
  if (issue.source == "--set") typed.source.clear();
  return sentenceCase(coreText(typed.text()));
}

QString shown(const ResumeRefusal& refused) {
  const QString change = coreText(refused.change);
  switch (refused.why) {
    case ResumeRefusal::Why::RenamesRun:
      return ResumeWords::tr("%1 would rename the run; a fork is a new run of that name").arg(change);
    case ResumeRefusal::Why::KeptSinceThen:
      return ResumeWords::tr("%1 was resolved at launch and is kept; resolve the schedule anew, or fork").arg(change);
    case ResumeRefusal::Why::AnotherRun: break;
  }
  return ResumeWords::tr("%1 would make it another run; it is possible as a fork").arg(change);
}

}  // namespace

QString forkName(const ResumeCase& which) {
  const QString suffix = QStringLiteral("-fork");
  QString name = toQt(which.run.summary.name);
  while ((name + suffix).toUtf8().size() > static_cast<int>(kLongestRunName))
    name.chop(name.back().isSurrogate() ? 2 : 1);
  return name + suffix;
}

ResumeOutlook resumeOutlook(const ResumeCase& which, const ResumeChoice& choice,
                            const std::filesystem::path& workspace) {
  ResumeOutlook outlook;
  const RunSummary& run = which.run.summary;
  std::vector<std::string> assignments;
  if (choice.fork && !choice.name.trimmed().isEmpty())
    assignments.push_back("name=" + config::quotedText(choice.name.trimmed().toStdString()));
  if (!choice.maxDuration.trimmed().isEmpty())
    assignments.push_back("max_duration=" + choice.maxDuration.trimmed().toStdString());
  for (const QString& change : choice.changes)
    if (!change.trimmed().isEmpty()) assignments.push_back(change.trimmed().toStdString());
  LaunchRequest& request = outlook.request;
  request.workspace = workspace;
  request.resumeRun = run.id;
  request.fork = choice.fork;
  request.stretch = choice.stretch;
  if (const auto fine = checkRunName(choice.name.trimmed().toStdString());
      choice.fork && !choice.name.trimmed().isEmpty() && !fine.ok())
    outlook.problems << sentenceCase(coreText(fine.error().message));
  request.config = parseConfigWith(which.run.configYaml, "run " + run.name, {}, assignments);
  for (const ConfigIssue& issue : request.config.errors) outlook.problems << shown(issue);

  const CheckpointRecord* from = chosen(which, choice.checkpoint);
  if (from == nullptr) {
    outlook.problems << ResumeWords::tr("There is no checkpoint to go on from.");
    return outlook;
  }
  request.resumeCheckpoint = from->id;
  if (choice.stretch && !stretchRefusal(*from).empty())
    outlook.problems << ResumeWords::tr(
        "This checkpoint was taken inside a global batch, which a schedule resolved anew would cut into other parts. "
        "Choose one that was taken between two, or keep the schedule.");
  if (!request.config.ok()) return outlook;
  const TrainConfig before = parseResolvedConfig(which.run.resolvedYaml, "run " + run.name).config;
  const TrainConfig now = changedConfig(before, which.run.configYaml, request.config);
  const ResumeChanges judged = judgeChanges(before, now, choice.stretch ? ResumePlan::Stretch : ResumePlan::Keep);
  for (const std::string& note : judged.notes) outlook.changed << coreText(note);
  if (judged.keepsCourse)
    outlook.changed << ResumeWords::tr(
        "The learning rate keeps its schedule, and holds its last value behind the end of it. Resolve the schedule "
        "anew to spread it over the new length.");
  for (const ResumeRefusal& refused : judged.refused) {
    if (choice.fork && refused.why == ResumeRefusal::Why::RenamesRun) continue;  // it has a field of its own
    if (choice.fork)
      outlook.changed << coreText(refused.change);
    else
      outlook.problems << shown(refused);
  }
  outlook.forkWouldDo = !choice.fork && !judged.refused.empty() &&
                        outlook.problems.size() == static_cast<qsizetype>(judged.refused.size());
  if (!judged.makesAnotherRun() && now.maxDuration == before.maxDuration && isAtTheEnd(run, *from))
    outlook.problems << ResumeWords::tr(
        "This checkpoint is at the end of the run. Give a greater length, or choose an earlier checkpoint.");
  outlook.exactness = exactnessOf(compareConfigs(before, now), choice, judged.makesAnotherRun());
  outlook.overlap = overlapOf(which.run, *from, choice);
  return outlook;
}

}  // namespace batchwise
