// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/resume_commands.h"

#include "ui/models/words.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/watch/resume_card.h"

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
  connect(&parts.resume, &ResumePresenter::ready, this, &ResumeCommands::showCard);
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { wantedRun_.clear(); });
  connect(&message, &MessageBar::actionTriggered, this, &ResumeCommands::answer);
  connect(&message, &MessageBar::replaced, this, [this] { offer_.reset(); });
}

void ResumeCommands::openCard(const QString& run, const QString& checkpoint) {
  if (run.isEmpty()) return;
  wantedRun_ = run;
  wantedCheckpoint_ = checkpoint;
  parts_.resume.look(run);
}

void ResumeCommands::showOffer(const ResumeOffer& offer) {
  const RunSummary& run = offer.which.run.summary;
  QStringList details = offer.passedOver;
  QStringList actions;
  if (offer.which.checkpoints.empty()) {
    details << tr("None of its checkpoints can be used.");
  } else {
    const QString from = integerText(offer.which.checkpoints.front().at.batch);
    details << tr("Last good checkpoint: global batch %1, verified just now.").arg(from);
    actions = {tr("Resume from %1").arg(from), tr("Choose checkpoint"), tr("Keep stopped")};
  }
  message_.showActions(NoteLevel::Warning, titleOf(run), details.join(QLatin1Char('\n')), actions);
  offer_ = offer;  // after the message, which takes the place of any other
}

void ResumeCommands::answer(int action) {
  if (!offer_) return;
  const ResumeOffer offer = *offer_;
  message_.clear();
  const QString run = toQt(offer.which.run.summary.id);
  switch (action) {
    case Resume: {
      const ResumeOutlook outlook = resumeOutlook(offer.which, {}, parts_.workspace.workspace()->folder());
      if (outlook.possible())
        Q_EMIT wanted(outlook.request);
      else
        openCard(run);
      break;
    }
    case Choose: openCard(run); break;
    case KeepStopped: parts_.resume.keepStopped(offer); break;
  }
}

void ResumeCommands::showCard(const ResumeCase& which) {
  if (toQt(which.run.summary.id) != wantedRun_) return;
  wantedRun_.clear();
  qDeleteAll(window_.findChildren<ResumeCard*>());  // one at a time: two could start the same run
  auto* card = new ResumeCard(which, parts_.workspace.workspace()->folder(), wantedCheckpoint_, &window_);
  connect(card, &ResumeCard::wanted, this, &ResumeCommands::wanted);
  card->show();
}

}  // namespace batchwise
