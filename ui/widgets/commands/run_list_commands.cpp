// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/run_list_commands.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>

#include "ui/models/display_text.h"
#include "ui/widgets/docks/run_list_pane.h"
#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/window/window_actions.h"
#include "ui/widgets/window/window_docks.h"

namespace batchwise {
namespace {

/// Command that calls `set` with true to do it and with false to undo it.
class Switch final : public QUndoCommand {
 public:
  Switch(const QString& text, std::function<void(bool)> set) : QUndoCommand(text), set_(std::move(set)) {}
  void redo() override { set_(true); }
  void undo() override { set_(false); }

 private:
  std::function<void(bool)> set_;
};

/// Key of the dialogs' folder in the settings.
QString archivePurpose() {
  return QStringLiteral("archive");
}

}  // namespace

RunListCommands::RunListCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  RunListPane& list = views.docks.runs();
  const WindowActions& actions = views.actions;
  connect(&list, &RunListPane::clearChoiceRequested, this, &RunListCommands::chooseNone);
  connect(&list, &RunListPane::renameRequested, this, &RunListCommands::askName);
  connect(&list, &RunListPane::archiveRequested, this, &RunListCommands::archive);
  connect(actions.exportRun, &QAction::triggered, this, [this] { askFile(parts_.watch.selected()); });
  connect(actions.importRun, &QAction::triggered, this, &RunListCommands::askArchive);
  list.addCommands({actions.newSelected, actions.resume, actions.exportRun});
  connect(&views.message, &MessageBar::replaced, this, [this] { offersUndo_ = false; });
  connect(&views.message, &MessageBar::actionTriggered, this, [this] {
    if (offersUndo_) parts_.runListUndo.undo();
  });
  connect(&parts.runListUndo, &QUndoStack::indexChanged, this, [this] {
    if (offersUndo_) views_.message.clear();  // the offer concerns the newest command only
  });
  connect(&parts.archiveJobs, &ArchiveJobs::exported, &views.message, &MessageBar::showWritten);
  connect(&parts.archiveJobs, &ArchiveJobs::exportFailed, &views.message, &MessageBar::showError);
  connect(&parts.archiveJobs, &ArchiveJobs::importFailed, &views.message, &MessageBar::showUnusable);
}

/// undo() and redo() swap the present choice with the stored one: no choice is lost.
void RunListCommands::chooseNone() {
  ComparePresenter& runs = parts_.comparing;
  if (runs.view().runs.isEmpty()) return;
  parts_.runListUndo.push(new Switch(tr("choose none"), [&runs, other = QStringList()](bool) mutable {
    CompareView view = runs.view();
    view.runs.swap(other);
    runs.clear();  // also of runs that have left the list
    runs.setView(view);
  }));
}

void RunListCommands::rename(const QString& run, const QString& name) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  const QString wanted = name.trimmed();
  if (summary == nullptr || wanted.isEmpty() || wanted == toQt(summary->name)) return;
  const QString before = toQt(summary->name);
  parts_.runListUndo.push(new Switch(
      tr("rename %1").arg(before),
      [&runs = parts_.comparing, run, before, wanted](bool on) { runs.setName(run, on ? wanted : before); }));
}

void RunListCommands::archive(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const QString name = toQt(summary->name);
  parts_.runListUndo.push(
      new Switch(tr("archive %1").arg(name), [&runs = parts_.comparing, run](bool on) { runs.setArchived(run, on); }));
  views_.message.showActions(NoteLevel::Info, tr("Run %1 is archived").arg(name), tr("Nothing of it is deleted."),
                             {tr("Undo")});
  offersUndo_ = true;  // after showActions(), which clears it
}

void RunListCommands::askName(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const auto name =
      askText(views_.window, {tr("Rename"), tr("Name of the selected run"), tr("Rename"), toQt(summary->name)});
  if (name) rename(run, *name);
}

void RunListCommands::askFile(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const QString file =
      askForFileToWrite(views_.window, parts_.settings, archivePurpose(),
                        {tr("Export the selected run"), fileNameFor(toQt(summary->name)) + QStringLiteral(".batchwise"),
                         tr("Runs (*.batchwise)")});
  if (!file.isEmpty()) exportTo(run, file);
}

void RunListCommands::askArchive() {
  const QString file = askForFileToRead(views_.window, parts_.settings, archivePurpose(),
                                        {tr("Import a run"), {}, tr("Runs (*.batchwise);;All files (*)")});
  if (!file.isEmpty()) importArchive(file);
}

void RunListCommands::exportTo(const QString& run, const QString& file) {
  if (const auto workspace = parts_.workspace.workspace()) parts_.archiveJobs.exportRun(workspace, run, file);
}

void RunListCommands::importArchive(const QString& archive) {
  if (const auto workspace = parts_.workspace.workspace())
    parts_.archiveJobs.importRun(workspace, archive);
  else
    views_.message.showUnusable(QFileInfo(archive).fileName(), tr("No workspace is open."));
}

}  // namespace batchwise
