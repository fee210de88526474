// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/first_run_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QRegularExpression>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QDropEvent>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>
#include <algorithm>
#include <cmath>

#include "core/store/workspace_folder.h"
#include "core/text/tokenizer.h"
#include "ui/edit/edit_page.h"
#include "ui/edit/first_run_dialog.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/message_bar.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/run_commands.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_help.h"
#include "ui/window/workspace_commands.h"
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

DropCommands::DropCommands(const WindowViews& views, NewRunCommands& newRun, FirstRunCommands& firstRun,
                           WorkspaceCommands& workspaces)
    : QObject(&views.window), newRun_(newRun), firstRun_(firstRun), workspaces_(workspaces) {
  views.window.setAcceptDrops(true);
  views.window.installEventFilter(this);
}

bool DropCommands::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::DragEnter && event->type() != QEvent::Drop) return QObject::eventFilter(watched, event);
  auto* drop = static_cast<QDropEvent*>(event);
  QList<QUrl> files = drop->mimeData()->urls();
  files.removeIf([](const QUrl& url) { return !url.isLocalFile(); });
  if (files.isEmpty()) return false;
  drop->acceptProposedAction();
  if (event->type() == QEvent::DragEnter) return true;
  QStringList paths;
  for (const QUrl& url : files) paths << url.toLocalFile();
  openAll(paths);
  return true;
}

void DropCommands::openAll(const QStringList& paths) {
  QStringList texts, archives, logs;
  for (const QString& file : paths) {
    if (isLog(file))
      logs << file;
    else if (isText(file))
      texts << file;
    else if (!open(file))
      archives << file;
  }
  if (!texts.isEmpty()) firstRun_.trainOn(texts);
  if (!archives.isEmpty()) firstRun_.bringRuns(archives);
  if (!logs.isEmpty()) firstRun_.follow(logs);
}

/// Returns whether it is a log of another program, or a folder with some that is neither a workspace nor a model.
bool DropCommands::isLog(const QString& path) {
  const bool isOther = QFileInfo(path).isDir() && (holdsWorkspace(path.toStdString()) || isModel(path));
  return !isOther && looksLikeRuns(path.toStdString());
}

/// Returns whether it is a text file, or a folder that holds neither a workspace nor a model.
bool DropCommands::isText(const QString& path) {
  static const QRegularExpression text(
      QStringLiteral(
          "\\.(txt|text|md|raw|tokens|jsonl|ndjson|csv|tsv|parquet|pq|arrow|feather|mds)(\\.gz|\\.zst|\\.zstd)?$"),
      QRegularExpression::CaseInsensitiveOption);
  if (!QFileInfo(path).isDir()) return text.match(path).hasMatch();
  return !holdsWorkspace(path.toStdString()) && !isModel(path);
}

bool DropCommands::isModel(const QString& folder) {
  std::error_code unknown;
  return std::filesystem::exists(modelFolder(folder.toStdString()).transformer / "config.json", unknown);
}

/// Returns false for a file that can only be an archive of a run.
bool DropCommands::open(const QString& path) {
  const QFileInfo info(path);
  const QString suffix = info.suffix().toLower();
  if (info.isDir() && holdsWorkspace(path.toStdString())) {
    workspaces_.switchTo(path);
  } else if (info.fileName() == QLatin1String(kDatabaseName)) {
    workspaces_.switchTo(info.absolutePath());
  } else if (info.isDir()) {
    firstRun_.continueModel(path);
  } else if (suffix == QLatin1String("yaml") || suffix == QLatin1String("yml")) {
    newRun_.editFile(path);
  } else if (suffix == QLatin1String("json")) {
    // Later: it opens a dialog, and the drop has to end first.
    QMetaObject::invokeMethod(
        &newRun_, [this, path] { newRun_.editExternalConfig(path); }, Qt::QueuedConnection);
  } else {
    return false;
  }
  return true;
}

}  // namespace batchwise
