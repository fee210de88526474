// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/first_run_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>
#include <algorithm>
#include <cmath>

#include "ui/edit/edit_page.h"
#include "ui/edit/first_run_dialog.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/message_bar.h"
#include "ui/window/run_commands.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_help.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

const QString kArchiveFolder = QStringLiteral("archive");  // purpose of a folder in the settings

}  // namespace

FirstRunCommands::FirstRunCommands(StudioParts& parts, const WindowViews& views, RunCommands& run)
    : QObject(&views.window), parts_(parts), views_(views), run_(run) {
  connect(views.actions.trainOnText, &QAction::triggered, this, [this] { trainOn({}); });
  connect(views.actions.continueModel, &QAction::triggered, this, [this] { continueModel({}); });
  connect(&parts.runImports, &FileJobs::importFailed, &views.message, &MessageBar::showUnusable);
  connect(views.actions.importRun, &QAction::triggered, this, &FirstRunCommands::askForArchives);
  connect(views.actions.followRuns, &QAction::triggered, this, &FirstRunCommands::followFolder);
  connect(&parts.followed, &FollowedRuns::failed, &views.message, &MessageBar::showUnusable);
  connect(&parts.followed, &FollowedRuns::read, this, &FirstRunCommands::reportRead);
  connect(&parts.followed, &FollowedRuns::stepsRequested, this, &FirstRunCommands::askForSteps);
}

/// Returns null if one is open, or no workspace is.
FirstRunDialog* FirstRunCommands::open(bool trained) {
  if (views_.window.findChild<FirstRunDialog*>() != nullptr || !parts_.workspace.workspace()) return nullptr;
  if (trained) parts_.checkpoints.removeNow();  // it could be continued, and the dialog covers Undo
  auto* dialog = new FirstRunDialog(
      parts_.firstRun, parts_.settings, trained ? FirstRunDialog::Start::TrainedModel : FirstRunDialog::Start::NewModel,
      trainedRuns(parts_.workspace.runs()), toQt(parts_.workspace.workspace()->folder().string()), &views_.window);
  connect(dialog, &FirstRunDialog::launchRequested, this, &FirstRunCommands::launch);
  connect(dialog, &FirstRunDialog::editRequested, this, &FirstRunCommands::edit);
  // Its child: the dialog blocks the other windows.
  connect(dialog, &FirstRunDialog::helpRequested, dialog,
          [help = new HelpWindow(dialog)] { help->showPage(QStringLiteral("recipes")); });
  dialog->open();
  return dialog;
}

void FirstRunCommands::continueModel(const QString& folder) {
  if (open(true) != nullptr && !folder.isEmpty()) parts_.firstRun.chooseModel(folder);
}

void FirstRunCommands::edit(const LoadedConfig& config) {
  std::optional<EditPresenter::CountedText> counted;
  if (const auto& plan = parts_.firstRun.plan())
    counted = {std::max<std::int64_t>(1, std::llround(static_cast<double>(plan->first.samples) *
                                                      (1.0 - config.config.data.holdout.value_or(0.0)))),
               plan->first.tokensPerSample};
  parts_.edit.loadFirstRun(config, counted);
  views_.pages.open(&views_.edit);
}

void FirstRunCommands::launch(const LoadedConfig& config) {
  edit(config);
  if (!parts_.edit.draft().ready()) return;  // the page shows why
  LaunchRequest request;
  request.workspace = parts_.workspace.workspace()->folder();
  request.config = parts_.edit.draft().loadedRuns().front();
  run_.start(request);
}

void FirstRunCommands::askForArchives() {
  const QStringList files = QFileDialog::getOpenFileNames(
      &views_.window, tr("Archives of runs, or logs of other programs"), parts_.settings.folder(kArchiveFolder),
      tr("Runs (*.batchwise *.bwrun *tfevents* *.wandb *.db *.csv *.jsonl *.json);;All files (*)"));
  if (files.isEmpty()) return;
  parts_.settings.setFolder(kArchiveFolder, QFileInfo(files.front()).absolutePath());
  QStringList logs = files;
  logs.removeIf([](const QString& file) { return !looksLikeRuns(file.toStdString(), /*asksForSteps=*/true); });
  QStringList archives = files;
  archives.removeIf([&logs](const QString& file) { return logs.contains(file); });
  if (!archives.isEmpty()) bringRuns(archives);
  if (!logs.isEmpty()) follow(logs);
}

void FirstRunCommands::bringRuns(const QStringList& archives) {
  const auto workspace = parts_.workspace.workspace();
  if (!workspace) return views_.message.showUnusable(archives.join(QStringLiteral(", ")), tr("No workspace is open."));
  for (const QString& archive : archives) parts_.runImports.importRun(workspace, archive);
}

void FirstRunCommands::followFolder() {
  const QString folder =
      askForFolder(views_.window, parts_.settings, QStringLiteral("logs"), tr("Follow runs in a folder"));
  if (!folder.isEmpty()) follow({folder});
}

void FirstRunCommands::follow(const QStringList& paths) {
  if (!parts_.workspace.workspace())
    return views_.message.showUnusable(paths.join(QStringLiteral(", ")), tr("No workspace is open."));
  views_.message.showInfo(
      tr("Reading the runs in %1…").arg(QDir::toNativeSeparators(paths.join(QStringLiteral(", ")))));
  parts_.followed.follow(paths);
}

void FirstRunCommands::reportRead(const QString& path, const ImportReport& report) {
  const QStringList problems = toQt(report.problems);
  const QString text = plural(report.runs, tr("%n run of %1 is in the list; what is written to it appears by itself"),
                              tr("%n runs of %1 are in the list; what is written to them appears by itself"))
                           .arg(QDir::toNativeSeparators(path));
  views_.message.showMessage(problems.isEmpty() ? NoteLevel::Info : NoteLevel::Warning, text,
                             problems.join(QLatin1Char('\n')));
}

/// Of a table whose columns have no known names.
void FirstRunCommands::askForSteps(const QString& path, const std::vector<std::string>& columns) {
  bool accepted = false;
  const QString step =
      QInputDialog::getItem(&views_.window, tr("Column of the steps"),
                            tr("Which column of %1 counts the steps of the run?").arg(QFileInfo(path).fileName()),
                            toQt(columns), 0, /*editable=*/false, &accepted);
  if (accepted) parts_.followed.setSteps(path, columns, step);
}

void FirstRunCommands::fillFollowed(QMenu& menu) {
  menu.clear();
  for (const QString& path : parts_.followed.paths()) {
    auto* action = menu.addAction(tr("Stop following %1").arg(escapeMnemonic(QDir::toNativeSeparators(path))));
    connect(action, &QAction::triggered, this, [this, path] { parts_.followed.stop(path); });
  }
  menu.addSeparator();
  connect(menu.addAction(tr("&Names of series…")), &QAction::triggered, this, [this] {
    parts_.followed.editNames([this](const QString& lines, const QString& problem) {
      const QString about =
          tr("A line for each: name in the files = name here. Of several that a run has, the first "
             "counts; * at both ends stands for the rest.");
      return askText(views_.window, {.title = tr("Names of series of other programs"),
                                     .label = problem.isEmpty() ? about : problem,
                                     .accept = tr("Save"),
                                     .text = lines,
                                     .severalLines = true});
    });
  });
}

}  // namespace batchwise
