// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_list_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMap>
#include <QtCore/QSet>
#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMessageBox>
#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "ui/list/run_list_pane.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/values_pane.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_docks.h"

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

/// The removal of a checkpoint, while it waits.
class Removal final : public QUndoCommand {
 public:
  explicit Removal(CheckpointsPresenter& checkpoints)
      : QUndoCommand(RunListCommands::tr("delete a checkpoint")),
        checkpoints_(checkpoints),
        checkpoint_(checkpoints.removing()) {}
  void undo() override {
    setObsolete(true);
    if (waits()) checkpoints_.undoRemove();
  }
  bool waits() const { return checkpoints_.removing() == checkpoint_; }

 private:
  CheckpointsPresenter& checkpoints_;
  QString checkpoint_;
};

/// Subject of the offer to undo the newest command.
const QString kUndoSubject = QStringLiteral("run list");

constexpr std::size_t kLargestRuns = 10;
constexpr qsizetype kNamed = 5;  // runs in a question

std::int64_t bytesOf(const std::vector<CheckpointRecord>& records) {
  std::int64_t bytes = 0;
  for (const CheckpointRecord& record : records) bytes += record.bytes;
  return bytes;
}

const QString kArchiveEnding = QStringLiteral(".batchwise");
const QString kArchivePurpose = QStringLiteral("archive");  // of the dialogs, whose folder is in the settings

}  // namespace

RunListCommands::RunListCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  RunListPane& list = views.docks.runs();
  const WindowActions& actions = views.actions;
  connect(&list, &RunListPane::clearChoiceRequested, this, &RunListCommands::chooseNone);
  connect(&list, &RunListPane::renameRequested, this, &RunListCommands::askName);
  connect(&list, &RunListPane::noteRequested, this, &RunListCommands::askNote);
  connect(&list, &RunListPane::tagsRequested, this, &RunListCommands::askTags);
  connect(&list, &RunListPane::seedsRequested, this, &RunListCommands::addSeeds);
  connect(&views.runs.values(), &ValuesPane::seedsRequested, this, &RunListCommands::addSeeds);
  connect(&parts.queue, &QueuePresenter::seedsAdded, &parts.selection, &Selection::tickWith);
  connect(&list, &RunListPane::archiveRequested, this, &RunListCommands::archive);
  connect(&list, &RunListPane::restoreRequested, this, &RunListCommands::restore);
  connect(&list, &RunListPane::deleteRequested, this, &RunListCommands::askDelete);
  connect(&list, &RunListPane::keepBestRequested, this, &RunListCommands::askKeepBest);
  connect(&list, &RunListPane::diskUseRequested, this, &RunListCommands::showDiskUse);
  connect(&list, &RunListPane::exportRequested, this, &RunListCommands::askFolder);
  connect(&list, &RunListPane::tickLimited, this, [this](int wanted) {
    views_.message.showInfo(plural(wanted, tr("Only %1 of %n run is ticked, the most that the charts can show"),
                                   tr("Only %1 of %n runs are ticked, the most that the charts can show"))
                                .arg(RunsTable::kMostTicked));
  });
  connect(actions.exportRun, &QAction::triggered, this, [this] { askFile(parts_.selection.run()); });
  list.addCommands({actions.newSelected, actions.newVariant, actions.resume, actions.study, actions.exportRun});
  connect(&parts.runs, &RunsPresenter::chartsReplaced, this, &RunListCommands::keepCharts);
  QUndoStack& stack = parts.runListUndo;
  connect(&parts.checkpoints, &CheckpointsPresenter::removed, this,
          [&stack, &parts] { stack.push(new Removal(parts.checkpoints)); });
  const auto takeOutEnded = [&stack] {
    const auto* newest = dynamic_cast<const Removal*>(stack.command(stack.index() - 1));
    if (newest != nullptr && !newest->isObsolete() && !newest->waits()) stack.undo();  // only takes it out
  };
  connect(&parts.checkpoints, &CheckpointsPresenter::removalEnded, this, takeOutEnded);
  connect(&stack, &QUndoStack::indexChanged, this, takeOutEnded);  // it was not the newest when it ended
  // An offer to undo concerns the newest command only.
  connect(&parts.runListUndo, &QUndoStack::indexChanged, this, [this] { views_.message.withdraw(kUndoSubject); });
}

/// Those that are ticked come first, so that the new runs are seeds of theirs, and are ticked with them.
void RunListCommands::addSeeds(QStringList runs) {
  std::ranges::stable_sort(runs, std::ranges::greater(),
                           [this](const QString& run) { return parts_.selection.isTicked(run); });
  parts_.queue.addSeeds(runs);
}

/// undo() and redo() swap the present choice with the stored one: no choice is lost.
void RunListCommands::chooseNone() {
  Selection& selection = parts_.selection;
  if (selection.ticked().isEmpty()) return;
  parts_.runListUndo.push(new Switch(tr("untick all runs"), [&selection, other = QStringList()](bool) mutable {
    const QStringList next = std::exchange(other, selection.ticked());
    selection.untickAll();
    selection.setTicked(next);
  }));
}

/// What was chosen with the charts, as by an own preset, goes back with them.
void RunListCommands::keepCharts(const ChartLayout& before) {
  if (swapsCharts_) return;
  ChartLayout sameOptions = parts_.runs.layout();
  sameOptions.charts = before.charts;
  sameOptions.perRun = before.perRun;
  const bool isWhole = sameOptions != before;
  const auto swap = [this, isWhole, other = before, isDone = false](bool) mutable {
    if (!std::exchange(isDone, true)) return;  // the first call is by QUndoStack::push()
    ChartLayout layout = parts_.runs.layout();
    if (isWhole) {
      std::swap(layout, other);
    } else {
      std::swap(layout.charts, other.charts);
      std::swap(layout.perRun, other.perRun);
    }
    swapsCharts_ = true;
    parts_.runs.setLayout(layout);
    swapsCharts_ = false;
  };
  parts_.runListUndo.push(new Switch(tr("change of the charts"), swap));
}

void RunListCommands::rename(const QString& run, const QString& name) {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  const QString wanted = name.trimmed();
  if (summary == nullptr || wanted.isEmpty() || wanted == toQt(summary->name)) return;
  const QString before = toQt(summary->name);
  parts_.runListUndo.push(new Switch(
      tr("rename %1").arg(before),
      [&runs = parts_.workspace, run, before, wanted](bool on) { runs.setName(run, on ? wanted : before); }));
}

void RunListCommands::archive(const QStringList& runs) {
  const QStringList known = runsWith(runs, false);
  if (known.isEmpty()) return;
  const auto count = static_cast<int>(known.size());
  const QString name = toQt(parts_.workspace.runs().find(known.front())->name);
  const QString step =
      count == 1 ? tr("archive %1").arg(name) : plural(count, tr("archive %n run"), tr("archive %n runs"));
  parts_.runListUndo.push(
      new Switch(step, [&presenter = parts_.workspace, known](bool on) { presenter.setArchived(known, on); }));
  const QString done = count == 1 ? tr("Run %1 is archived").arg(name)
                                  : plural(count, tr("%n run is archived"), tr("%n runs are archived"));
  views_.message.add({NoteLevel::Info,
                      done,
                      tr("Nothing was deleted. Archived, below the list, shows them."),
                      kUndoSubject,
                      {tr("Undo")},
                      [this](int) { parts_.runListUndo.undo(); }});
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
  parts_.runListUndo.push(
      new Switch(plural(tagsAfter.size(), tr("change tags of %n run"), tr("change tags of %n runs")),
                 [&presenter = parts_.workspace, tagsBefore, tagsAfter](bool on) {
                   presenter.setTags(on ? tagsAfter : tagsBefore);
                 }));
}

void RunListCommands::restore(const QStringList& runs) {
  const QStringList known = runsWith(runs, true);
  if (known.isEmpty()) return;
  parts_.runListUndo.push(
      new Switch(plural(known.size(), tr("restore %n run"), tr("restore %n runs")),
                 [&presenter = parts_.workspace, known](bool on) { presenter.setArchived(known, !on); }));
}

void RunListCommands::readCheckpoints(const QStringList& runs, CheckpointsOfRun of, CheckpointsRead done) {
  const auto workspace = parts_.workspace.workspace();
  if (runs.isEmpty() || !workspace) return;
  parts_.tasks.post(
      this,
      [workspace, runs, of = std::move(of)]() -> Result<std::vector<CheckpointRecord>> {
        std::vector<CheckpointRecord> all;
        for (const QString& run : runs) {
          ASSIGN_OR_RETURN(const auto found, of(*workspace, run.toStdString()));
          all.insert(all.end(), found.begin(), found.end());
        }
        return all;
      },
      [this, workspace, done = std::move(done)](const Result<std::vector<CheckpointRecord>>& found) {
        if (workspace != parts_.workspace.workspace()) return;
        if (!found.ok()) return views_.message.showError(toQt(found.error().text()));
        done(*found);
      });
}

void RunListCommands::askDelete(const QStringList& runs) {
  const QStringList known = knownRuns(runs);
  readCheckpoints(
      known, [](const Workspace& workspace, const std::string& run) { return workspace.checkpoints(run); },
      [this, known](const std::vector<CheckpointRecord>& found) {
        deleteFor(known, bytesOf(found), static_cast<std::int64_t>(found.size()));
      });
}

void RunListCommands::deleteFor(const QStringList& runs, std::int64_t bytes, std::int64_t checkpoints) {
  const auto count = static_cast<int>(runs.size());
  const QString room = toQt(formatBytes(bytes));
  const bool accepted =
      confirm(views_.window,
              {tr("Delete for good?"),
               plural(count, tr("%n run will be deleted: %1"), tr("%n runs will be deleted: %1")).arg(namesOf(runs)),
               plural(checkpoints, tr("This frees %1: %n checkpoint, besides metrics and notes. It cannot be undone."),
                      tr("This frees %1: %n checkpoints, besides metrics and notes. It cannot be undone."))
                   .arg(room),
               tr("Delete for good")});
  if (!accepted) return;
  parts_.runListUndo.clear();  // its steps may concern these runs
  if (runs.contains(parts_.selection.run())) parts_.selection.select({});
  parts_.workspace.deleteRuns(runs, [this, count, room] {
    views_.message.showInfo(
        plural(count, tr("%n run is deleted, %1 freed"), tr("%n runs are deleted, %1 freed")).arg(room));
  });
}

void RunListCommands::askKeepBest(const QStringList& runs) {
  const QStringList known = knownRuns(runs);
  readCheckpoints(known, &checkpointsBesidesBest,
                  [this, count = static_cast<int>(known.size())](const std::vector<CheckpointRecord>& found) {
                    keepBestFor(count, found);
                  });
}

void RunListCommands::keepBestFor(int runs, const std::vector<CheckpointRecord>& others) {
  if (others.empty())
    return views_.message.showInfo(tr("The ticked runs have no checkpoint besides the best and pinned ones"));
  const QString room = toQt(formatBytes(bytesOf(others)));
  const auto count = static_cast<int>(others.size());
  const bool accepted =
      confirm(views_.window, {tr("Keep only the best checkpoints?"),
                              plural(runs, tr("Of %n ticked run only the best checkpoint stays, and pinned ones."),
                                     tr("Of %n ticked runs only the best checkpoint stays, and pinned ones.")),
                              plural(count, tr("This deletes %n checkpoint and frees %1. It cannot be undone."),
                                     tr("This deletes %n checkpoints and frees %1. It cannot be undone."))
                                  .arg(room),
                              tr("Delete the others")});
  if (!accepted) return;
  QStringList ids;
  for (const CheckpointRecord& record : others) ids << toQt(record.id);
  parts_.workspace.deleteCheckpoints(ids, [this, count, room] {
    views_.message.showInfo(
        plural(count, tr("%n checkpoint is deleted, %1 freed"), tr("%n checkpoints are deleted, %1 freed")).arg(room));
  });
}

void RunListCommands::showDiskUse() {
  const auto workspace = parts_.workspace.workspace();
  if (!workspace) return;
  parts_.slow.post(
      this, [workspace] { return diskUse(*workspace); },
      [this](const Result<DiskUse>& use) {
        if (!use.ok()) return views_.message.showError(toQt(use.error().text()));
        const auto size = [](std::int64_t bytes) { return toQt(formatBytes(bytes)); };
        QStringList lines{
            tr("Checkpoints: %1, of it of archived runs %2").arg(size(use->checkpoints), size(use->archived)),
            tr("Metrics, events and notes: %1").arg(size(use->database)),
            tr("Tokenized text, made again when needed: %1").arg(size(use->cache)),
            tr("Other files: %1").arg(size(use->other)),
            QString(),
            tr("Largest runs:")};
        for (std::size_t i = 0; i < std::min(kLargestRuns, use->runs.size()); ++i)
          lines << QStringLiteral("%1  %2").arg(size(use->runs[i].bytes), toQt(use->runs[i].run.name));
        QMessageBox box(&views_.window);
        box.setObjectName(QStringLiteral("diskUse"));
        setTexts(box, tr("Disk use"), tr("This workspace takes %1").arg(size(use->total())),
                 lines.join(QLatin1Char('\n')));
        box.exec();
      });
}

/// Names of the first runs: "one, two and 3 more".
QString RunListCommands::namesOf(const QStringList& runs) const {
  QStringList names;
  for (const QString& run : runs.mid(0, kNamed))
    if (const RunSummary* summary = parts_.workspace.runs().find(run)) names << toQt(summary->name);
  const auto more = static_cast<int>(runs.size() - names.size());
  const QString list = names.join(QStringLiteral(", "));
  return more == 0 ? list : tr("%1 and %2 more").arg(list, QString::number(more));
}

QStringList RunListCommands::runsWith(const QStringList& runs, bool archived) const {
  QStringList found;
  for (const QString& run : knownRuns(runs))
    if (parts_.workspace.runs().find(run)->archived == archived) found << run;
  return found;
}

QStringList RunListCommands::knownRuns(const QStringList& runs) const {
  QStringList known;
  for (const QString& run : runs)
    if (parts_.workspace.runs().find(run) != nullptr) known << run;
  return known;
}

QStringList RunListCommands::tagsOf(const QString& run) const {
  const RunSummary* summary = parts_.workspace.runs().find(run);
  return summary == nullptr ? QStringList() : toQt(summary->tags);
}

/// Asks for the tags that all the runs have: new ones are added to all, those left out are removed from all.
void RunListCommands::askTags(const QStringList& runs) {
  const QStringList known = knownRuns(runs);
  if (known.isEmpty()) return;
  QStringList common = tagsOf(known.front());
  for (const QString& run : known)
    common.removeIf([own = tagsOf(run)](const QString& tag) { return !own.contains(tag); });
  const QString label = known.size() == 1
                            ? tr("Tags of the selected run, separated by commas")
                            : plural(known.size(), tr("Tags that the selected run has, separated by commas"),
                                     tr("Tags that all %n selected runs have, separated by commas"));
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
  if (note) parts_.workspace.setNote(run, *note);
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
      views_.window, parts_.settings, kArchivePurpose,
      {tr("Export the selected run"), fileNameFor(toQt(summary->name)) + kArchiveEnding, tr("Runs (*.batchwise)")});
  if (!file.isEmpty()) exportTo(run, file);
}

/// Each run gets a file of its own; no file is replaced.
void RunListCommands::askFolder(const QStringList& runs) {
  const QString folder =
      askForFolder(views_.window, parts_.settings, kArchivePurpose, tr("Folder for the exported runs"));
  if (folder.isEmpty()) return;
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
