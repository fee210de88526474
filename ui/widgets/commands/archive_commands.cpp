// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/archive_commands.h"

#include <QtWidgets/QWidget>

#include "ui/models/words.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/named_step.h"
#include "ui/widgets/window/window_memory.h"

namespace batchwise {
namespace {

/// Hides a run from the list, or shows it again.
class ArchiveRun final : public NamedStep {
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

ArchiveCommands::ArchiveCommands(const StudioParts& parts, WindowMemory& memory, MessageBar& message, QWidget& window)
    : QObject(&window), parts_(parts), memory_(memory), message_(message) {
  connect(&message, &MessageBar::replaced, this, [this] { offered_.clear(); });
  connect(&message, &MessageBar::actionTriggered, this, [this] {
    if (!offered_.isEmpty()) memory_.archiveSteps.undo();
  });
  connect(&memory_.archiveSteps, &QUndoStack::indexChanged, this, [this] {
    if (!offered_.isEmpty()) message_.clear();  // the offer is for what was done last
  });
}

void ArchiveCommands::archive(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const QString name = toQt(summary->name);
  memory_.archiveSteps.push(new ArchiveRun(memory_.comparing, run, name));
  offer(name);
}

void ArchiveCommands::offer(const QString& name) {
  message_.showActions(NoteLevel::Info, tr("Run %1 is archived").arg(name), tr("Nothing of it is deleted."),
                       {tr("Undo")});
  offered_ = name;  // after the message, which takes the place of any other
}

}  // namespace batchwise
