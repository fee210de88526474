// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/archive_commands.h"

#include <QtWidgets/QWidget>

#include "ui/models/words.h"
#include "ui/presenters/compare_presenter.h"
#include "ui/widgets/message_bar.h"

namespace batchwise {
namespace {

/// Hides a run from the list, or shows it again.
class ArchiveRun final : public QUndoCommand {
 public:
  ArchiveRun(ComparePresenter& runs, const QString& run, const QString& name)
      : QUndoCommand(ArchiveCommands::tr("archive %1").arg(name)), runs_(runs), run_(run) {}
  void redo() override { runs_.setArchived(run_, true); }
  void undo() override { runs_.setArchived(run_, false); }

 private:
  ComparePresenter& runs_;
  const QString run_;
};

}  // namespace

ArchiveCommands::ArchiveCommands(const StudioParts& parts, ComparePresenter& runs, MessageBar& message, QWidget& window)
    : QObject(&window), parts_(parts), runs_(runs), message_(message) {
  connect(&parts.workspace, &WorkspacePresenter::opened, &undo_, &QUndoStack::clear);
  connect(&message, &MessageBar::replaced, this, [this] { offering_ = false; });
  connect(&message, &MessageBar::actionTriggered, this, [this] {
    if (!offering_) return;
    message_.clear();
    undo_.undo();
  });
}

void ArchiveCommands::archive(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const QString name = toQt(summary->name);
  undo_.push(new ArchiveRun(runs_, run, name));
  message_.showActions(NoteLevel::Info, tr("Run %1 is archived").arg(name), tr("Nothing of it is deleted."), {tr("Undo")});
  offering_ = true;  // after the message, which takes the place of any other
}

}  // namespace batchwise
