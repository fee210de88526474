// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/run_list_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMap>
#include <QtCore/QSet>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMainWindow>
#include <utility>

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

/// Subject of the offer to undo the newest command.
const QString kUndoSubject = QStringLiteral("run list");

const QString kArchiveEnding = QStringLiteral(".batchwise");

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
  connect(&list, &RunListPane::noteRequested, this, &RunListCommands::askNote);
  connect(&list, &RunListPane::tagsRequested, this, &RunListCommands::askTags);
  connect(&list, &RunListPane::archiveRequested, this, &RunListCommands::archive);
  connect(&list, &RunListPane::exportRequested, this, &RunListCommands::askFolder);
  connect(&list, &RunListPane::tickLimited, this, [this](int wanted) {
    views_.message.showInfo(tr("Only %1 of %n run(s) are ticked, the most that the charts can show", nullptr, wanted)
                                .arg(RunsTable::kMostTicked));
  });
  connect(actions.exportRun, &QAction::triggered, this, [this] { askFile(parts_.desk.selected()); });
  list.addCommands({actions.newSelected, actions.newVariant, actions.resume, actions.exportRun});
  // An offer to undo concerns the newest command only.
  connect(&parts.runListUndo, &QUndoStack::indexChanged, this, [this] { views_.message.withdraw(kUndoSubject); });
  connect(&parts.runExports, &ArchiveJobs::exported, &views.message, &MessageBar::showWritten);
  connect(&parts.runExports, &ArchiveJobs::exportFailed, &views.message, &MessageBar::showError);
}

/// undo() and redo() swap the present choice with the stored one: no choice is lost.
void RunListCommands::chooseNone() {
  ComparePresenter& runs = parts_.comparing;
  if (runs.view().runs.isEmpty()) return;
  parts_.runListUndo.push(new Switch(tr("untick all runs"), [&runs, other = QStringList()](bool) mutable {
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

void RunListCommands::archive(const QStringList& runs) {
  const QStringList known = knownRuns(runs);
  if (known.isEmpty()) return;
  const auto count = static_cast<int>(known.size());
  const QString name = toQt(parts_.workspace.runs().find(known.front())->name);
  const QString step = count == 1 ? tr("archive %1").arg(name) : tr("archive %n run(s)", nullptr, count);
  parts_.runListUndo.push(
      new Switch(step, [&presenter = parts_.comparing, known](bool on) { presenter.setArchived(known, on); }));
  const QString done = count == 1 ? tr("Run %1 is archived").arg(name) : tr("%n run(s) are archived", nullptr, count);
  views_.message.add({NoteLevel::Info, done, tr("Nothing was deleted."), kUndoSubject, {tr("Undo")}, [this](int) {
                        parts_.runListUndo.undo();
                      }});
}

void RunListCommands::changeTags(const QStringList& runs, const QStringList& add, const QStringList& remove) {
  QMap<QString, QStringList> tagsBefore, tagsAfter;  // of the runs that change
  for (const QString& run : knownRuns(runs)) {
    const QStringList before = tagsOf(run);
    QStringList after = before;
    after.removeIf([&remove](const QString& tag) { return remove.contains(tag); });
    for (const QString& tag : add)
      if (!after.contains(tag)) after << tag;
    if (after == before) continue;
    tagsBefore[run] = before;
    tagsAfter[run] = after;
  }
  if (tagsAfter.isEmpty()) return;
  parts_.runListUndo.push(new Switch(tr("change tags of %n run(s)", nullptr, static_cast<int>(tagsAfter.size())),
                                     [&presenter = parts_.comparing, tagsBefore, tagsAfter](bool on) {
                                       presenter.setTags(on ? tagsAfter : tagsBefore);
                                     }));
}

QStringList RunListCommands::knownRuns(const QStringList& runs) const {
  QStringList known;
  for (const QString& run : runs)
    if (parts_.workspace.runs().find(run) != nullptr) known << run;
  return known;
}

QStringList RunListCommands::tagsOf(const QString& run) const {
  QStringList tags;
  if (const RunSummary* summary = parts_.workspace.runs().find(run))
    for (const std::string& tag : summary->tags) tags << toQt(tag);
  return tags;
}

/// Asks for the tags that all the runs have: new ones are added to all, those left out are removed from all.
void RunListCommands::askTags(const QStringList& runs) {
  const QStringList known = knownRuns(runs);
  if (known.isEmpty()) return;
  QStringList common = tagsOf(known.front());
  for (const QString& run : known)
    common.removeIf([own = tagsOf(run)](const QString& tag) { return !own.contains(tag); });
  const QString label = known.size() == 1 ? tr("Tags of the selected run, separated by commas")
                                          : tr("Tags that all %n selected run(s) have, separated by commas", nullptr,
                                               static_cast<int>(known.size()));
  const auto text = askText(views_.window, {tr("Tags"), label, tr("Set tags"), common.join(QStringLiteral(", "))});
  if (!text) return;
  QStringList wanted;
  for (const QString& tag : text->split(QLatin1Char(','), Qt::SkipEmptyParts))
    if (!tag.trimmed().isEmpty()) wanted << tag.trimmed();
  QStringList removed = common;
  removed.removeIf([&wanted](const QString& tag) { return wanted.contains(tag); });
  changeTags(known, wanted, removed);
}

void RunListCommands::askNote(const QString& run) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  if (summary == nullptr) return;
  const auto note = askText(views_.window, {tr("Note"), tr("Note on the selected run (Markdown)"), tr("Save note"),
                                            toQt(summary->note), true});
  if (note) parts_.comparing.setNote(run, *note);
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
  const QString file = askForFileToWrite(
      views_.window, parts_.settings, archivePurpose(),
      {tr("Export the selected run"), fileNameFor(toQt(summary->name)) + kArchiveEnding, tr("Runs (*.batchwise)")});
  if (!file.isEmpty()) exportTo(run, file);
}

/// Each run gets a file of its own; no file is replaced.
void RunListCommands::askFolder(const QStringList& runs) {
  const QString folder = QFileDialog::getExistingDirectory(&views_.window, tr("Folder for the exported runs"),
                                                           parts_.settings.folder(archivePurpose()));
  if (folder.isEmpty()) return;
  parts_.settings.setFolder(archivePurpose(), folder);
  QSet<QString> chosen;  // these files are written later
  for (const QString& run : knownRuns(runs)) {
    const QString base = QDir(folder).filePath(fileNameFor(toQt(parts_.workspace.runs().find(run)->name)));
    QString file = base + kArchiveEnding;
    for (int number = 2; chosen.contains(file) || QFileInfo::exists(file); ++number)
      file = base + QLatin1Char('-') + QString::number(number) + kArchiveEnding;
    chosen.insert(file);
    exportTo(run, file);
  }
}

void RunListCommands::exportTo(const QString& run, const QString& file) {
  if (const auto workspace = parts_.workspace.workspace()) parts_.runExports.exportRun(workspace, run, file);
}

}  // namespace batchwise
