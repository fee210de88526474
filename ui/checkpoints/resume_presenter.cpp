// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/resume_presenter.h"

#include <QtCore/QObject>
#include <algorithm>
#include <optional>

#include "core/base/result.h"
#include "core/config/schema.h"
#include "core/config/value_text.h"
#include "core/run/launch/resume_decision.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/records.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

const CheckpointRecord* chosen(const ResumableRun& which, const QString& id) {
  const auto& all = which.checkpoints;
  if (id.isEmpty()) return all.empty() ? nullptr : &all.front();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& record) { return toQt(record.id) == id; });
  return found == all.end() ? nullptr : &*found;
}

QString labelsOf(const std::vector<std::string>& fields) {
  QStringList labels;
  for (const std::string& field : fields) labels << fieldLabel(field);
  return labels.join(QStringLiteral(", "));
}

QString exactnessOf(const ResumeDecision& decision) {
  if (decision.kind == ResumeDecision::Kind::ForkFromWeights)
    return QObject::tr(
        "A new run starts with the weights of the checkpoint. Clocks, optimizer moments and the order of samples start "
        "from the beginning.");
  if (decision.addsStage)
    return QObject::tr(
        "A new run goes on with weights, optimizer moments and clocks of the checkpoint. What changes applies from "
        "there on, as a further stage.");
  const QString why = decision.effectiveFields.empty()
                          ? QObject::tr("the schedule is recomputed")
                          : QObject::tr("changed: %1").arg(labelsOf(decision.effectiveFields));
  const QString restored = QObject::tr("Weights, optimizer moments and position are restored.");
  switch (decision.effect) {
    case ChangeEffect::Samples:
      return restored + QLatin1Char(' ') +
             QObject::tr("From there on, the samples of the steps differ, and with them the numbers (%1).").arg(why);
    case ChangeEffect::Masks:
      return restored + QLatin1Char(' ') +
             QObject::tr("Every step has the same samples; masks and numbers differ (%1).").arg(why);
    case ChangeEffect::Numbers:
      return restored + QLatin1Char(' ') +
             QObject::tr("Every step has the same samples and masks; rates or numbers may differ (%1).").arg(why);
    case ChangeEffect::Rounding:
      return restored + QLatin1Char(' ') +
             QObject::tr("Every step has the same samples and masks. The numbers are close but not equal (%1).")
                 .arg(why);
    case ChangeEffect::None: break;
  }
  return QObject::tr(
      "Weights, optimizer moments, loss scaler, schedule, order of samples, masks and dropout are restored from the "
      "checkpoint, bit for bit on the same devices and libraries. If those differ, the log reports it.");
}

QString overlapOf(const RunDetail& run, const ResumeDecision& decision, const ResumeChoice& choice) {
  if (choice.fork) return QObject::tr("The values of %1 do not change.").arg(toQt(run.summary.name));
  if (decision.repeatedBatches == 0) return QObject::tr("No step is repeated.");
  return plural(
      decision.repeatedBatches,
      QObject::tr(
          "%n global batch after the checkpoint is trained again. Its old values remain in the charts, dimmed."),
      QObject::tr(
          "%n global batches after the checkpoint are trained again. Their old values remain in the charts, dimmed."));
}

/// The message for an invalid entry, without the source "--set", which is the command line's.
QString shown(const ConfigIssue& issue) {
  if (issue.source != "--set") return sentenceCase(toQt(issue.text()));
  const std::string path = issue.field.substr(0, issue.field.find('['));
  if (findField(path) == nullptr) return sentenceCase(formText(issue.message));
  return QStringLiteral("%1: %2").arg(fieldLabel(path), formText(issue.message));
}

QString shown(const ResumeRefusal& refusal) {
  const QString change = formText(refusal.subject);
  switch (refusal.reason) {
    case ResumeRefusal::Reason::Rename:
      return QObject::tr("%1 would rename the run; a fork is a new run of that name").arg(change);
    case ResumeRefusal::Reason::StretchRequired:
      return QObject::tr("%1 was resolved at launch; recompute the schedule, or fork").arg(change);
    case ResumeRefusal::Reason::InsideBatch:
      return QObject::tr(
          "This checkpoint was taken inside a global batch, which a recomputed schedule would split differently. "
          "Choose a checkpoint between two global batches, or keep the schedule.");
    case ResumeRefusal::Reason::ForkRequired: break;
  }
  return QObject::tr("%1 would make it a different run; it is possible in a fork").arg(change);
}

std::string dismissedKey(const std::string& run) {
  return "resume/kept_stopped/" + run;
}

Result<ResumableRun> readResumable(const Workspace& workspace, const std::string& run, const std::string& without) {
  ASSIGN_OR_RETURN(auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(auto all, workspace.checkpoints(detail.summary.id));
  std::erase_if(all, [&without](const CheckpointRecord& record) { return record.id == without; });
  std::vector<CheckpointRecord> order = resumeOrder(detail.segments, all);
  return ResumableRun{std::move(detail), std::move(order)};
}

/// Returns none if the run is not interrupted or was dismissed.
Result<std::optional<ResumableRun>> readIfNotDismissed(const Workspace& workspace, const std::string& run,
                                                       const std::string& without) {
  ASSIGN_OR_RETURN(auto resumable, readResumable(workspace, run, without));
  ASSIGN_OR_RETURN(const auto settled, workspace.setting(dismissedKey(run)));
  const RunSummary& summary = resumable.run.summary;
  if (summary.status != RunStatus::Interrupted || settled == std::to_string(summary.endedMs))
    return std::optional<ResumableRun>();
  return std::optional(std::move(resumable));
}

/// Skips damaged checkpoints.
ResumeOffer withGoodCheckpoint(const std::filesystem::path& folder, ResumableRun resumable) {
  ResumeOffer offer;
  while (!resumable.checkpoints.empty()) {
    const auto reader = CheckpointReader::openIn(folder, resumable.checkpoints.front().file);
    const Result<void> good = reader.ok() ? reader->verify() : Result<void>(reader.error());
    if (good.ok()) break;
    offer.skipped << toQt(good.error().text());
    resumable.checkpoints.erase(resumable.checkpoints.begin());
  }
  offer.resumable = std::move(resumable);
  return offer;
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
    preview.problems << sentenceCase(toQt(fine.error().message));
  request.config = parseConfig(which.run.configYaml, runContextText(run.name), {}, assignments);
  for (const ConfigIssue& issue : request.config.errors) preview.problems << shown(issue);

  const CheckpointRecord* from = chosen(which, choice.checkpoint);
  if (from == nullptr) {
    preview.problems << QObject::tr(
        "There is no checkpoint to resume from. Duplicate the run to train it from the start.");
    return preview;
  }
  request.resumeCheckpoint = from->id;
  if (!request.config.ok()) return preview;
  const TrainConfig before = parseConfig(which.run.resolvedYaml, runContextText(run.name), {}).config;
  const ResumeDecision decision = decideResume(request, which.run, *from, before);
  for (const std::string& change : decision.changes) preview.changed << formText(change);
  if (decision.restAtZeroRate)
    preview.changed << QObject::tr(
        "The last value of the schedule is 0, so the global batches after its end learn nothing. Recompute the "
        "schedule to spread it over the new length.");
  else if (decision.keepsSchedule)
    preview.changed << QObject::tr(
        "The learning rate keeps its schedule and holds the last value after its end. Recompute the schedule to spread "
        "it over the new length.");
  for (const std::string& change : decision.forkChanges) preview.changed << formText(change);
  preview.possibleAsFork = preview.problems.isEmpty() && decision.possibleAsFork();
  for (const ResumeRefusal& refusal : decision.refusals) preview.problems << shown(refusal);
  if (decision.nothingLeft)
    preview.problems << QObject::tr(
        "This checkpoint is at the end of the run. Enter a greater length, or choose an earlier checkpoint.");
  preview.exactness = exactnessOf(decision);
  preview.overlap = overlapOf(which.run, decision, choice);
  return preview;
}

ResumePresenter::ResumePresenter(TaskQueue& tasks, TaskQueue& slow, WorkspacePresenter& workspace, QObject* parent)
    : QObject(parent), tasks_(tasks), slow_(slow), workspace_(workspace) {}

void ResumePresenter::offerNewest() {
  for (const RunSummary& run : workspace_.runs().all())
    if (run.status == RunStatus::Interrupted) return offer(toQt(run.id));
}

void ResumePresenter::offer(const QString& run, const QString& without) {
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = run.toStdString(), left = without.toStdString()] {
        return readIfNotDismissed(*workspace, id, left);
      },
      [this](Result<std::optional<ResumableRun>> resumable) {
        if (resumable.ok() && *resumable) verify(std::move(**resumable));
      });
}

void ResumePresenter::verify(ResumableRun resumable) {
  slow_.post(
      this,
      [folder = workspace_.workspace()->folder(), resumable = std::move(resumable)]() mutable {
        return withGoodCheckpoint(folder, std::move(resumable));
      },
      [this, of = workspace_.folder()](const ResumeOffer& found) {
        if (of == workspace_.folder()) Q_EMIT offered(found);
      });
}

void ResumePresenter::dismiss(const ResumeOffer& offer) {
  const RunSummary& run = offer.resumable.run.summary;
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = run.id, ended = run.endedMs] {
        return workspace->saveSetting(dismissedKey(id), std::to_string(ended));
      },
      [this](const Result<void>& saved) {
        if (!saved.ok()) Q_EMIT failed(toQt(saved.error().text()));
      },
      TaskQueue::AtEnd::Run);
}

void ResumePresenter::load(const QString& run, const QString& without) {
  tasks_.post(
      this,
      [workspace = workspace_.workspace(), id = run.toStdString(), left = without.toStdString()] {
        return readResumable(*workspace, id, left);
      },
      [this](const Result<ResumableRun>& resumable) {
        if (resumable.ok())
          Q_EMIT ready(*resumable);
        else
          Q_EMIT failed(toQt(resumable.error().text()));
      });
}

}  // namespace batchwise
