// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/run_list_commands.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>

#include "ui/models/display_text.h"
#include "ui/widgets/docks/run_list_pane.h"
#include "ui/widgets/parts/ask_text.h"
#include "ui/widgets/parts/retranslatable_command.h"
#include "ui/widgets/window/retained_state.h"
#include "ui/widgets/window/window_actions.h"

namespace batchwise {
namespace {

class RenameRun final : public RetranslatableCommand {
 public:
  RenameRun(ComparePresenter& runs, const QString& run, const QString& from, const QString& to)
      : runs_(runs), run_(run), from_(from), to_(to) {
    setText(name());
  }
  QString name() const override { return RunListCommands::tr("rename %1").arg(from_); }
  void redo() override { runs_.setName(run_, to_); }
  void undo() override { runs_.setName(run_, from_); }

 private:
  ComparePresenter& runs_;
  const QString run_, from_, to_;
};

/// Clears the choice for comparison. undo() and redo() swap the present choice with the stored one: no choice is lost.
class ChooseNone final : public RetranslatableCommand {
 public:
  explicit ChooseNone(ComparePresenter& runs) : runs_(runs) { setText(name()); }
  QString name() const override { return RunListCommands::tr("choose none"); }
  void redo() override { swap(); }
  void undo() override { swap(); }

 private:
  void swap() {
    CompareView view = runs_.view();
    view.runs.swap(other_);
    runs_.clear();  // also of runs that have left the list
    runs_.setView(view);
  }

  ComparePresenter& runs_;
  QStringList other_;  // the choice that the next undo() or redo() restores
};

/// Key of the dialogs' folder in the settings.
QString archivePurpose() {
  return QStringLiteral("archive");
}

}  // namespace

RunListCommands::RunListCommands(const StudioParts& parts, RetainedState& retained, RunListPane& list,
                                 const WindowActions& actions, QWidget& window)
    : QObject(&window), parts_(parts), retained_(retained), window_(window) {
  connect(&list, &RunListPane::clearChoiceRequested, this, &RunListCommands::chooseNone);
  connect(&list, &RunListPane::renameRequested, this, &RunListCommands::askName);
  connect(actions.exportRun, &QAction::triggered, this, [this] { askFile(parts_.watch.selected()); });
  connect(actions.importRun, &QAction::triggered, this, &RunListCommands::askArchive);
  list.addCommands({actions.newSelected, actions.resume, actions.exportRun});
}

void RunListCommands::chooseNone() {
  if (!retained_.comparing.view().runs.isEmpty()) retained_.runListUndo.push(new ChooseNone(retained_.comparing));
}

void RunListCommands::rename(const QString& run, const QString& name) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  const QString wanted = name.trimmed();
  if (summary == nullptr || wanted.isEmpty() || wanted == toQt(summary->name)) return;
  retained_.runListUndo.push(new RenameRun(retained_.comparing, run, toQt(summary->name), wanted));
}

void RunListCommands::askName(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const auto name = askText(window_, {tr("Rename"), tr("Name of the selected run"), tr("Rename"), toQt(summary->name)});
  if (name) rename(run, *name);
}

void RunListCommands::askFile(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const QString file = QFileDialog::getSaveFileName(
      &window_, tr("Export the selected run"),
      QStringLiteral("%1/%2.batchwise").arg(parts_.settings.folder(archivePurpose()), fileNameFor(toQt(summary->name))),
      tr("Runs (*.batchwise)"));
  if (file.isEmpty()) return;
  parts_.settings.setFolder(archivePurpose(), QFileInfo(file).absolutePath());
  exportTo(run, file);
}

void RunListCommands::askArchive() {
  const QString file = QFileDialog::getOpenFileName(
      &window_, tr("Import a run"), parts_.settings.folder(archivePurpose()), tr("Runs (*.batchwise);;All files (*)"));
  if (file.isEmpty()) return;
  parts_.settings.setFolder(archivePurpose(), QFileInfo(file).absolutePath());
  Q_EMIT importRequested(file);
}

void RunListCommands::exportTo(const QString& run, const QString& file) {
  if (const auto workspace = parts_.workspace.workspace()) retained_.archiveJobs.exportRun(workspace, run, file);
}

}  // namespace batchwise
