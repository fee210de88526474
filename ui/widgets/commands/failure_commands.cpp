// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/failure_commands.h"

#include <QtWidgets/QWidget>

#include "ui/models/words.h"
#include "ui/widgets/parts/message_bar.h"

namespace batchwise {
namespace {

using Way = FailureHelp::Way;

QString wordOf(Way way) {
  switch (way) {
    case Way::Resume: return FailureCommands::tr("Resume…");
    case Way::Duplicate: return FailureCommands::tr("Duplicate the run");
    case Way::ShowLog: break;
  }
  return FailureCommands::tr("Show the log");
}

}  // namespace

FailureCommands::FailureCommands(const StudioParts& parts, MessageBar& message, QWidget& window)
    : QObject(&window), parts_(parts), message_(message) {
  connect(&message, &MessageBar::replaced, this, [this] { shown_.reset(); });
  connect(&message, &MessageBar::actionTriggered, this, &FailureCommands::answer);
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { duplicated_.clear(); });
  connect(&parts.resume, &ResumePresenter::ready, this, [this](const ResumeCase& which) {
    if (toQt(which.run.summary.id) != duplicated_) return;
    duplicated_.clear();
    Q_EMIT duplicateWanted(which.run);
  });
}

void FailureCommands::show(const FailedRun& failed) {
  const FailureHelp help = failureHelp(failed.reason, failed.left);
  const bool started = !failed.run.isEmpty();
  QStringList details{sentenceCase(reasonText(failed.reason))};
  if (started || help.way != Way::ShowLog) details << help.remedy;
  message_.showActions(NoteLevel::Error,
                       started ? tr("Run %1 has failed").arg(failed.name) : tr("The run could not start"),
                       details.join(QLatin1Char('\n')), started ? QStringList{wordOf(help.way)} : QStringList());
  shown_ = failed;  // after the message, which takes the place of any other
}

void FailureCommands::answer() {
  if (!shown_) return;
  const FailedRun failed = *shown_;
  const Way way = failureHelp(failed.reason, failed.left).way;
  if (way == Way::ShowLog) {
    Q_EMIT logWanted(failed.run);
    return;  // the message is read beside the log
  }
  message_.clear();
  if (way == Way::Resume) {
    Q_EMIT resumeWanted(failed.run);
  } else {
    duplicated_ = failed.run;
    parts_.resume.look(failed.run);
  }
}

}  // namespace batchwise
