// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/archive_commands.h"

#include <QtWidgets/QWidget>

#include "ui/models/display_text.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/retranslatable_command.h"
#include "ui/widgets/window/retained_state.h"

namespace batchwise {
namespace {

/// Hides a run from the list, or shows it again.
class ArchiveRun final : public RetranslatableCommand {
 public:
  ArchiveRun(ComparePresenter& runs, const QString& run, const QString& runName)
      : runs_(runs), run_(run), runName_(runName) {
    setText(name());
  }
  QString name() const override { return ArchiveCommands::tr("archive %1").arg(runName_); }
  void redo() override { runs_.setArchived(run_, true); }
  void undo() override { runs_.setArchived(run_, false); }

 private:
  ComparePresenter& runs_;
  const QString run_, runName_;
};

}  // namespace

ArchiveCommands::ArchiveCommands(const StudioParts& parts, RetainedState& retained, MessageBar& message,
                                 QWidget& window)
    : QObject(&window), parts_(parts), retained_(retained), message_(message) {
  connect(&message, &MessageBar::replaced, this, [this] { offered_.clear(); });
  connect(&message, &MessageBar::actionTriggered, this, [this] {
    if (!offered_.isEmpty()) retained_.runListUndo.undo();
  });
  connect(&retained_.runListUndo, &QUndoStack::indexChanged, this, [this] {
    if (!offered_.isEmpty()) message_.clear();  // the offer concerns the newest command only
  });
}

void ArchiveCommands::archive(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const QString name = toQt(summary->name);
  retained_.runListUndo.push(new ArchiveRun(retained_.comparing, run, name));
  offer(name);
}

void ArchiveCommands::offer(const QString& name) {
  message_.showActions(NoteLevel::Info, tr("Run %1 is archived").arg(name), tr("Nothing of it is deleted."),
                       {tr("Undo")});
  offered_ = name;  // after showActions(), which clears it
}

}  // namespace batchwise
