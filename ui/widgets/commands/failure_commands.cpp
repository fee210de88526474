// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/failure_commands.h"

#include <QtWidgets/QWidget>

#include "ui/models/display_text.h"
#include "ui/widgets/parts/message_bar.h"

namespace batchwise {
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

FailureCommands::FailureCommands(const StudioParts& parts, MessageBar& message, QWidget& window)
    : QObject(&window), parts_(parts), message_(message) {
  connect(&message, &MessageBar::replaced, this, [this] { shown_.reset(); });
  connect(&message, &MessageBar::actionTriggered, this, &FailureCommands::answer);
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { duplicated_.clear(); });
  connect(&parts.resume, &ResumePresenter::ready, this, [this](const ResumableRun& which) {
    if (toQt(which.run.summary.id) != duplicated_) return;
    duplicated_.clear();
    Q_EMIT duplicateRequested(which.run);
  });
}

void FailureCommands::show(const FailedRun& failed) {
  const FailureHelp help = failureHelp(failed.cause, failed.left);
  const bool started = !failed.run.isEmpty();
  QStringList details{sentenceCase(reasonText(failed.reason))};
  if (started || help.action != Action::ShowLog) details << help.remedy;
  message_.showActions(NoteLevel::Error,
                       started ? tr("Run %1 has failed").arg(failed.name) : tr("The run could not start"),
                       details.join(QLatin1Char('\n')), started ? QStringList{buttonText(help.action)} : QStringList());
  shown_ = failed;  // after showActions(), which clears it
}

void FailureCommands::answer() {
  if (!shown_) return;
  const FailedRun failed = *shown_;
  const Action action = failureHelp(failed.cause, failed.left).action;
  if (action == Action::ShowLog) {
    Q_EMIT logRequested(failed.run);
    return;  // the message stays open beside the log
  }
  message_.clear();
  if (action == Action::Resume) {
    Q_EMIT resumeRequested(failed.run);
  } else {
    duplicated_ = failed.run;
    parts_.resume.load(failed.run);
  }
}

}  // namespace batchwise
