// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/resume_commands.h"

#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>

#include "ui/checkpoints/checkpoints_page.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/resume_dialog.h"
#include "ui/window/run_commands.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_docks.h"

namespace batchwise {
namespace {

enum class OfferAction { Resume, Choose, Duplicate, KeepStopped };

std::vector<OfferAction> actionsFor(const ResumeOffer& offer) {
  if (offer.resumable.checkpoints.empty()) return {OfferAction::Duplicate, OfferAction::KeepStopped};
  return {OfferAction::Resume, OfferAction::Choose, OfferAction::KeepStopped};
}

QString buttonText(OfferAction action, const ResumeOffer& offer) {
  switch (action) {
    case OfferAction::Choose: return ResumeCommands::tr("Choose checkpoint");
    case OfferAction::Duplicate: return ResumeCommands::tr("Duplicate the run");
    case OfferAction::KeepStopped: return ResumeCommands::tr("Keep stopped");
    case OfferAction::Resume: break;
  }
  return ResumeCommands::tr("Resume from %1").arg(integerText(offer.resumable.checkpoints.front().at.batch));
}

/// Says what is left of the run.
QString restText(const ResumeOffer& offer) {
  const auto& left = offer.resumable.checkpoints;
  if (!left.empty())
    return ResumeCommands::tr("Last good checkpoint: global batch %1, verified just now.")
        .arg(integerText(left.front().at.batch));
  return offer.skipped.isEmpty()
             ? ResumeCommands::tr("It had not yet saved a checkpoint. Duplicate it to train it from the start.")
             : ResumeCommands::tr("None of its checkpoints can be used. Duplicate it to train it from the start.");
}

QString titleOf(const RunSummary& run) {
  const QString what =
      ResumeCommands::tr("Run %1 was interrupted at global batch %2").arg(toQt(run.name), integerText(run.at.batch));
  return run.reason.empty() ? what : ResumeCommands::tr("%1: %2").arg(what, toQt(run.reason));
}

}  // namespace

ResumeCommands::ResumeCommands(StudioParts& parts, const WindowViews& views, RunCommands& runs)
    : QObject(&views.window), parts_(parts), views_(views), runs_(runs) {
  connect(views.actions.resume, &QAction::triggered, this, [this] { openDialog(parts_.selection.run()); });
  connect(&views.checkpoints, &CheckpointsPage::resumeRequested, this, &ResumeCommands::openDialog);
  connect(&parts.resume, &ResumePresenter::offered, this, &ResumeCommands::showOffer);
  connect(&parts.resume, &ResumePresenter::ready, this, &ResumeCommands::showDialog);
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { requestedRun_.clear(); });
  connect(&parts.checkpoints, &CheckpointsPresenter::removed, this,
          [this] { outdatedOffers_.insert(parts_.checkpoints.run()); });
  connect(&parts.workspace, &WorkspacePresenter::opened, this, [this] {  // the run is in the previous one
    requestedRun_.clear();
    qDeleteAll(views_.window.findChildren<ResumeDialog*>());
  });
}

void ResumeCommands::openDialog(const QString& run, const QString& checkpoint) {
  if (run.isEmpty()) return;
  requestedRun_ = run;
  requestedCheckpoint_ = checkpoint;
  parts_.resume.load(run, parts_.checkpoints.removing());
}

void ResumeCommands::showOffer(const ResumeOffer& offer) {
  const RunSummary& run = offer.resumable.run.summary;
  outdatedOffers_.remove(toQt(run.id));
  QStringList actions;
  for (const OfferAction action : actionsFor(offer)) actions << buttonText(action, offer);
  views_.message.add({NoteLevel::Warning, titleOf(run),
                      (offer.skipped + QStringList{restText(offer)}).join(QLatin1Char('\n')), toQt(run.id), actions,
                      [this, offer](int action) { answer(offer, action); }});
}

void ResumeCommands::answer(const ResumeOffer& offer, int action) {
  const QString run = toQt(offer.resumable.run.summary.id);
  views_.message.withdraw(run);
  switch (actionsFor(offer)[static_cast<std::size_t>(action)]) {
    case OfferAction::Resume: {
      const ResumePreview preview = previewResume(offer.resumable, {}, parts_.workspace.workspace()->folder());
      if (preview.possible() && !outdatedOffers_.contains(run))
        runs_.start(preview.request);
      else
        openDialog(run);
      break;
    }
    case OfferAction::Choose: openDialog(run); break;
    case OfferAction::Duplicate:
      parts_.selection.select(run);
      views_.actions.newSelected->trigger();
      break;
    case OfferAction::KeepStopped: parts_.resume.dismiss(offer); break;
  }
}

void ResumeCommands::showDialog(const ResumableRun& which) {
  if (toQt(which.run.summary.id) != requestedRun_) return;
  requestedRun_.clear();
  qDeleteAll(views_.window.findChildren<ResumeDialog*>());  // one at a time: two could start the same run
  auto* card = new ResumeDialog(which, parts_.workspace.workspace()->folder(), requestedCheckpoint_, &views_.window);
  connect(card, &ResumeDialog::launchRequested, &runs_, &RunCommands::start);
  card->show();
}

namespace {

using Action = FailureHelp::Action;

QString buttonText(Action action) {
  switch (action) {
    case Action::Resume: return FailureCommands::tr("Resume…");
    case Action::Duplicate: return FailureCommands::tr("Duplicate the run");
    case Action::ShowLog: break;
  }
  return FailureCommands::tr("Show the log");
}

}  // namespace

FailureCommands::FailureCommands(StudioParts& parts, const WindowViews& views, NewRunCommands& newRun,
                                 ResumeCommands& resume)
    : QObject(&views.window), parts_(parts), views_(views), resume_(resume) {
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { duplicated_.clear(); });
  connect(&parts.resume, &ResumePresenter::ready, this, [this, &newRun](const ResumableRun& which) {
    if (toQt(which.run.summary.id) != duplicated_) return;
    duplicated_.clear();
    newRun.duplicate(which.run);
  });
}

void FailureCommands::show(const FailedRun& failed) {
  const FailureHelp help = failureHelp(failed.cause, failed.left);
  const bool started = !failed.run.isEmpty();
  QStringList details{sentenceCase(toQt(failed.reason))};
  if (started || help.action != Action::ShowLog) details << help.remedy;
  views_.message.add(
      {NoteLevel::Error, started ? tr("Run %1 has failed").arg(failed.name) : tr("The run could not start"),
       details.join(QLatin1Char('\n')), started ? failed.run : QString(kLaunchSubject),
       started ? QStringList{buttonText(help.action)} : QStringList(), [this, failed](int) { answer(failed); }});
}

void FailureCommands::answer(const FailedRun& failed) {
  const Action action = failureHelp(failed.cause, failed.left).action;
  if (action == Action::ShowLog) return showLog(failed.run);  // the message stays open beside the log
  views_.message.withdraw(failed.run);
  if (action == Action::Resume) {
    resume_.openDialog(failed.run);
  } else {
    duplicated_ = failed.run;
    parts_.resume.load(failed.run);
  }
}

void FailureCommands::showLog(const QString& run) {
  parts_.selection.select(run);
  views_.docks.showLog();
}

}  // namespace batchwise
