// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/resume_preview.h"

#include <QtCore/QCoreApplication>
#include <algorithm>

#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "core/config/value_text.h"
#include "core/run/launch/resume_changes.h"
#include "core/store/record_text.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

struct ResumeTexts {
  Q_DECLARE_TR_FUNCTIONS(ResumeTexts)
};

const CheckpointRecord* chosen(const ResumableRun& which, const QString& id) {
  const auto& all = which.checkpoints;
  if (id.isEmpty()) return all.empty() ? nullptr : &all.front();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& record) { return toQt(record.id) == id; });
  return found == all.end() ? nullptr : &*found;
}

/// True for fields that change floating-point results only, not samples or masks.
bool changesRoundingOnly(const std::string& field) {
  return field == "devices" || field.starts_with("devices.") || field == "batch.device_train_microbatch_size";
}

bool isAtTheEnd(const RunSummary& run, const CheckpointRecord& checkpoint) {
  return run.status == RunStatus::Finished && run.plannedBatches > 0 && checkpoint.at.batch >= run.plannedBatches;
}

QString exactnessOf(const std::vector<ConfigDifference>& differences, const ResumeChoice& choice, bool anotherRun) {
  if (choice.fork && anotherRun)
    return ResumeTexts::tr(
        "A new run begins with the weights of the checkpoint. Clocks, optimizer moments and the order of samples "
        "start anew.");
  const bool close = std::any_of(differences.begin(), differences.end(),
                                 [](const ConfigDifference& each) { return changesRoundingOnly(each.field); });
  if (close)
    return ResumeTexts::tr(
        "Weights, optimizer moments, schedule and position go on. Every step has the same samples and masks; the "
        "numbers are close, not equal, because the devices or the micro-batch change.");
  return ResumeTexts::tr(
      "Weights, optimizer moments, loss scaler, schedule, order of samples, masks and dropout go on from the "
      "checkpoint: bit for bit on the same devices and libraries. If those differ, the log says so.");
}

QString overlapOf(const RunDetail& run, const CheckpointRecord& from, const ResumeChoice& choice) {
  const std::int64_t again = run.summary.at.batch - from.at.batch;
  if (choice.fork) return ResumeTexts::tr("The rows of %1 stay as they are.").arg(toQt(run.summary.name));
  if (again <= 0) return ResumeTexts::tr("Nothing is trained twice.");
  return ResumeTexts::tr(
      "%n global batch(es) after the checkpoint are trained again. Their old rows are kept and drawn dimmed.", nullptr,
      static_cast<int>(again));
}

/// The message for an invalid entry, without the source "--set", which is the command line's.
QString shown(const ConfigIssue& issue) {
  return sentenceCase(coreText(issue.source == "--set" ? issue.full(/*withSource=*/false) : issue.full()));
}

QString shown(const RejectedChange& rejected) {
  const QString change = coreText(rejected.change);
  switch (rejected.reason) {
    case RejectedChange::Reason::Rename:
      return ResumeTexts::tr("%1 would rename the run; a fork is a new run of that name").arg(change);
    case RejectedChange::Reason::StretchRequired:
      return ResumeTexts::tr("%1 was resolved at launch and is kept; resolve the schedule anew, or fork").arg(change);
    case RejectedChange::Reason::ForkRequired: break;
  }
  return ResumeTexts::tr("%1 would make it another run; it is possible as a fork").arg(change);
}

}  // namespace

QString forkName(const ResumableRun& which) {
  const QString suffix = QStringLiteral("-fork");
  QString name = toQt(which.run.summary.name);
  while ((name + suffix).toUtf8().size() > static_cast<int>(kMaxRunNameBytes))
    name.chop(name.back().isSurrogate() ? 2 : 1);
  return name + suffix;
}

ResumePreview previewResume(const ResumableRun& which, const ResumeChoice& choice,
                            const std::filesystem::path& workspace) {
  ResumePreview preview;
  const RunSummary& run = which.run.summary;
  std::vector<std::string> assignments;
  if (choice.fork && !choice.name.trimmed().isEmpty())
    assignments.push_back("name=" + config::quotedText(choice.name.trimmed().toStdString()));
  if (!choice.maxDuration.trimmed().isEmpty())
    assignments.push_back("max_duration=" + choice.maxDuration.trimmed().toStdString());
  for (const QString& change : choice.changes)
    if (!change.trimmed().isEmpty()) assignments.push_back(change.trimmed().toStdString());
  LaunchRequest& request = preview.request;
  request.workspace = workspace;
  request.resumeRun = run.id;
  request.fork = choice.fork;
  request.stretch = choice.stretch;
  if (const auto fine = checkRunName(choice.name.trimmed().toStdString());
      choice.fork && !choice.name.trimmed().isEmpty() && !fine.ok())
    preview.problems << sentenceCase(coreText(fine.error().message));
  request.config = parseConfigWith(which.run.configYaml, "run " + run.name, {}, assignments);
  for (const ConfigIssue& issue : request.config.errors) preview.problems << shown(issue);

  const CheckpointRecord* from = chosen(which, choice.checkpoint);
  if (from == nullptr) {
    preview.problems << ResumeTexts::tr("There is no checkpoint to go on from.");
    return preview;
  }
  request.resumeCheckpoint = from->id;
  if (choice.stretch && !stretchError(*from).empty())
    preview.problems << ResumeTexts::tr(
        "This checkpoint was taken inside a global batch, which a schedule resolved anew would cut into other parts. "
        "Choose one that was taken between two, or keep the schedule.");
  if (!request.config.ok()) return preview;
  const TrainConfig before = parseResolvedConfig(which.run.resolvedYaml, "run " + run.name).config;
  const TrainConfig now = resumedConfig(before, which.run.configYaml, request.config);
  const ResumeChanges changes = validateChanges(before, now, choice.stretch ? ResumePlan::Stretch : ResumePlan::Keep);
  for (const Message& note : changes.notes) preview.changed << coreText(note);
  if (changes.keepsSchedule)
    preview.changed << ResumeTexts::tr(
        "The learning rate keeps its schedule, and holds its last value behind the end of it. Resolve the schedule "
        "anew to spread it over the new length.");
  for (const RejectedChange& rejected : changes.rejected) {
    if (choice.fork && rejected.reason == RejectedChange::Reason::Rename)
      continue;  // the fork's name has its own field
    if (choice.fork)
      preview.changed << coreText(rejected.change);
    else
      preview.problems << shown(rejected);
  }
  preview.possibleAsFork = !choice.fork && !changes.rejected.empty() &&
                           preview.problems.size() == static_cast<qsizetype>(changes.rejected.size());
  if (!changes.startsFromWeights() && now.maxDuration == before.maxDuration && isAtTheEnd(run, *from))
    preview.problems << ResumeTexts::tr(
        "This checkpoint is at the end of the run. Give a greater length, or choose an earlier checkpoint.");
  preview.exactness = exactnessOf(compareConfigs(before, now), choice, changes.startsFromWeights());
  preview.overlap = overlapOf(which.run, *from, choice);
  return preview;
}

}  // namespace batchwise
