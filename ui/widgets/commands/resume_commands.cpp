// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/resume_commands.h"

#include "ui/models/display_text.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/watch/resume_dialog.h"

namespace batchwise {
namespace {

enum OfferAction { Resume, Choose, KeepStopped };

QString titleOf(const RunSummary& run) {
  const QString what =
      ResumeCommands::tr("Run %1 was interrupted at global batch %2").arg(toQt(run.name), integerText(run.at.batch));
  return run.reason.empty() ? what : ResumeCommands::tr("%1: %2").arg(what, reasonText(run.reason));
}

}  // namespace

ResumeCommands::ResumeCommands(const StudioParts& parts, MessageBar& message, QWidget& window)
    : QObject(&window), parts_(parts), message_(message), window_(window) {
  connect(&parts.resume, &ResumePresenter::offered, this, &ResumeCommands::showOffer);
  connect(&parts.resume, &ResumePresenter::ready, this, &ResumeCommands::showDialog);
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { requestedRun_.clear(); });
  connect(&message, &MessageBar::actionTriggered, this, &ResumeCommands::answer);
  connect(&message, &MessageBar::replaced, this, [this] { offer_.reset(); });
}

void ResumeCommands::openDialog(const QString& run, const QString& checkpoint) {
  if (run.isEmpty()) return;
  requestedRun_ = run;
  requestedCheckpoint_ = checkpoint;
  parts_.resume.load(run);
}

void ResumeCommands::showOffer(const ResumeOffer& offer) {
  const RunSummary& run = offer.resumable.run.summary;
  QStringList details = offer.skipped;
  QStringList actions;
  if (offer.resumable.checkpoints.empty()) {
    details << tr("None of its checkpoints can be used.");
  } else {
    const QString from = integerText(offer.resumable.checkpoints.front().at.batch);
    details << tr("Last good checkpoint: global batch %1, verified just now.").arg(from);
    actions = {tr("Resume from %1").arg(from), tr("Choose checkpoint"), tr("Keep stopped")};
  }
  message_.showActions(NoteLevel::Warning, titleOf(run), details.join(QLatin1Char('\n')), actions);
  offer_ = offer;  // after showActions(), which clears it
}

void ResumeCommands::answer(int action) {
  if (!offer_) return;
  const ResumeOffer offer = *offer_;
  message_.clear();
  const QString run = toQt(offer.resumable.run.summary.id);
  switch (action) {
    case Resume: {
      const ResumePreview preview = previewResume(offer.resumable, {}, parts_.workspace.workspace()->folder());
      if (preview.possible())
        Q_EMIT launchRequested(preview.request);
      else
        openDialog(run);
      break;
    }
    case Choose: openDialog(run); break;
    case KeepStopped: parts_.resume.dismiss(offer); break;
  }
}

void ResumeCommands::showDialog(const ResumableRun& which) {
  if (toQt(which.run.summary.id) != requestedRun_) return;
  requestedRun_.clear();
  qDeleteAll(window_.findChildren<ResumeDialog*>());  // one at a time: two could start the same run
  auto* card = new ResumeDialog(which, parts_.workspace.workspace()->folder(), requestedCheckpoint_, &window_);
  connect(card, &ResumeDialog::launchRequested, this, &ResumeCommands::launchRequested);
  card->show();
}

}  // namespace batchwise
