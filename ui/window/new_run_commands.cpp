// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/new_run_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QRegularExpression>
#include <QtCore/QSet>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QDropEvent>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>

#include "core/base/file.h"
#include "core/store/workspace_folder.h"
#include "ui/bridge/desktop_session.h"
#include "ui/edit/edit_page.h"
#include "ui/edit/import_window.h"
#include "ui/edit/yaml_assist.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/file_jobs.h"
#include "ui/parts/labels.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/runs_page.h"
#include "ui/window/first_run_commands.h"
#include "ui/window/run_list_commands.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_actions.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

/// Subject of the message that the open workspace cannot be read.
const QString kWorkspaceSubject = QStringLiteral("workspace");
/// Subject of the message that the open workspace cannot be updated.
const QString kSyncSubject = QStringLiteral("workspace sync");
/// Subject of the report of a restore.
const QString kRestoredSubject = QStringLiteral("workspace restored");

}  // namespace

NewRunCommands::NewRunCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  const WindowActions& actions = views.actions;
  connect(actions.newDemo, &QAction::triggered, this, &NewRunCommands::fromDemo);
  for (const QAction* recipe : actions.recipes)
    connect(recipe, &QAction::triggered, this, [this, recipe] { fromRecipe(recipe->data().toString()); });
  views.welcome.setRecipes(actions.recipes);
  connect(actions.newFile, &QAction::triggered, this, &NewRunCommands::fromFile);
  connect(actions.newFromExternal, &QAction::triggered, this, &NewRunCommands::fromExternalConfig);
  connect(actions.newSelected, &QAction::triggered, this, &NewRunCommands::fromSelected);
  connect(actions.newVariant, &QAction::triggered, this, &NewRunCommands::variantOfSelected);
  connect(actions.saveConfig, &QAction::triggered, this, &NewRunCommands::saveConfig);
  connect(actions.openWorkspace, &QAction::triggered, this, &NewRunCommands::openWorkspace);
  connect(&views.welcome, &WelcomePage::fileRequested, this, &NewRunCommands::fromFile);
  connect(&views.welcome, &WelcomePage::workspaceRequested, this, &NewRunCommands::openWorkspace);
  connect(&views.welcome, &WelcomePage::recentRequested, this,
          [this](const QString& folder) { switchWorkspace(folder); });
  connect(&views.runs, &RunsPage::newRunRequested, this, &NewRunCommands::fromDemo);
  views.edit.setRuns(parts.workspace.runs());
  connectWorkspace();
}

void NewRunCommands::connectWorkspace() {
  const WorkspacePresenter& workspace = parts_.workspace;
  // Only once it is open: if it cannot be opened, the present workspace stays.
  connect(&workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    parts_.run.unfollowOtherWorkspaces(parts_.workspace.workspace()->folder());
    parts_.settings.setWorkspace(folder);
    showRecent();
    views_.message.clear();
  });
  connect(&workspace, &WorkspacePresenter::failed, this, [this](const QString& what) {
    views_.message.showMessage(NoteLevel::Error,
                               tr("The workspace cannot be used. Choose another one under File > Open workspace."),
                               what, kWorkspaceSubject);
  });
  connect(&workspace, &WorkspacePresenter::damaged, this, &NewRunCommands::offerRestore);
  connect(&workspace, &WorkspacePresenter::restored, this, [this](const QString& report) {
    views_.message.add({NoteLevel::Warning,  // with a button, so that it stays
                        tr("The workspace was restored."),
                        report,
                        kRestoredSubject,
                        {tr("OK")},
                        [this](int) { views_.message.withdraw(kRestoredSubject); }});
  });
  connect(&workspace, &WorkspacePresenter::backupFailed, this, [this](const QString& what) {
    views_.message.showMessage(NoteLevel::Warning, tr("The workspace could not be backed up."), what);
  });
  connect(&workspace, &WorkspacePresenter::syncFailed, this, [this](const QString& what) {
    views_.message.showMessage(NoteLevel::Warning,
                               tr("The list of runs may be out of date. Batchwise keeps trying to update it."), what,
                               kSyncSubject);
  });
  connect(&workspace, &WorkspacePresenter::refreshed, &views_.message, [this] {
    views_.message.withdraw(kWorkspaceSubject);
    if (parts_.workspace.syncProblem().isEmpty()) views_.message.withdraw(kSyncSubject);
  });
  connect(&workspace, &WorkspacePresenter::switchFailed, this, [this](const QString& what) {
    views_.message.showMessage(NoteLevel::Error, tr("The other workspace cannot be opened. This one stays open."),
                               what);
  });
}

void NewRunCommands::offerRestore(const QString& folder, const QString& why) {
  views_.message.add({NoteLevel::Error,
                      tr("The database of the workspace is damaged."),
                      tr("%1\n\nBatchwise can put the newest good backup in its place and add what checkpoints and "
                         "journals tell. The damaged file is kept.")
                          .arg(why),
                      kWorkspaceSubject,
                      {tr("Restore")},
                      [this, folder](int) {
                        views_.message.withdraw(kWorkspaceSubject);
                        parts_.workspace.restore(folder);
                      }});
}

/// On the welcome page: workspaces other than the open one.
void NewRunCommands::showRecent() {
  QStringList folders = parts_.settings.recentWorkspaces();
  folders.removeAll(parts_.workspace.folder());
  views_.welcome.setRecent(folders);
}

void NewRunCommands::fromDemo() {
  parts_.edit.loadNew(parts_.settings.newRunDevices());
  views_.pages.open(&views_.edit);
}

void NewRunCommands::fromRecipe(const QString& name) {
  parts_.edit.loadPreset(name);
  views_.pages.open(&views_.edit);
}

void NewRunCommands::fromFile() {
  const QString path =
      askForFileToRead(views_.window, parts_.settings, QStringLiteral("config"),
                       {tr("New run from a file"), {}, tr("Configurations (*.yaml *.yml);;All files (*)")});
  if (!path.isEmpty()) editFile(path);
}

void NewRunCommands::editFile(const QString& path) {
  parts_.edit.loadFile(path);
  views_.pages.open(&views_.edit);
}

void NewRunCommands::fromExternalConfig() {
  const QString path = askForFileToRead(views_.window, parts_.settings, QStringLiteral("other"),
                                        {tr("New run from another trainer's file"),
                                         {},
                                         tr("Composer, torchtune, DeepSpeed (*.yaml *.yml *.json);;All files (*)")});
  if (!path.isEmpty()) editExternalConfig(path);
}

void NewRunCommands::editExternalConfig(const QString& path) {
  parts_.tasks.post(
      this, [file = path.toStdString()] { return readFile(file, kMaxImportedBytes); },
      [this, path](Result<std::string> text) {
        if (!text.ok()) return views_.message.showWarning(toQt(text.error().text()));
        if (views_.window.findChild<ImportWindow*>() != nullptr)
          return;  // one at a time: of several dropped files only the first
        ImportWindow dialog(QFileInfo(path).fileName(), std::move(*text), parts_.theme, &views_.window);
        if (dialog.exec() != QDialog::Accepted || !dialog.imported()) return;
        parts_.edit.loadImport(*dialog.imported(), path);
        views_.pages.open(&views_.edit);
      });
}

void NewRunCommands::fromSelected() {
  if (parts_.runs.hasRun()) duplicate(parts_.runs.selectedView().detail);
}

void NewRunCommands::duplicate(const RunDetail& run) {
  parts_.edit.loadRun(run, freeName(toQt(run.summary.name)));
  views_.pages.open(&views_.edit);
}

void NewRunCommands::variantOfSelected() {
  if (!parts_.runs.hasRun()) return;
  const RunDetail run = parts_.runs.selectedView().detail;  // the selection may change while the dialog is open
  const QString experiment = EditPresenter::proposedExperiment(run);
  const auto variant =
      askText(views_.window, {tr("Duplicate as variant"),
                              tr("Name of the new variant of %1:", "%1: an experiment").arg(experiment),
                              tr("Duplicate"),
                              {}});
  if (!variant || variant->trimmed().isEmpty()) return;
  parts_.edit.loadVariant(run, experiment, variant->trimmed());
  views_.pages.open(&views_.edit);
}

QString NewRunCommands::freeName(const QString& like) const {
  static const QRegularExpression number(QStringLiteral("-\\d+$"));
  QSet<QString> taken;
  for (int row = 0; row < parts_.workspace.runs().size(); ++row)
    taken.insert(toQt(parts_.workspace.runs().at(row)->name));
  // Only a number appended here is replaced; another one, a date or a seed, is part of the name.
  const QString withoutNumber = QString(like).remove(number);
  const QString stem = taken.contains(withoutNumber) ? withoutNumber : like;
  for (int next = 2;; ++next)
    if (const QString name = QStringLiteral("%1-%2").arg(stem).arg(next); !taken.contains(name)) return name;
}

void NewRunCommands::saveConfig() {
  views_.edit.commitEdit();
  const QString name = fileNameFor(parts_.edit.draft().text("name"));
  const QString file =
      askForFileToWrite(views_.window, parts_.settings, QStringLiteral("config"),
                        {tr("Save the configuration"), (name.isEmpty() ? tr("run") : name) + QStringLiteral(".yaml"),
                         tr("Configurations (*.yaml *.yml);;All files (*)")});
  if (!file.isEmpty()) saveConfigTo(file);
}

void NewRunCommands::saveConfigTo(const QString& file) {
  const auto [text, rewritten] = parts_.edit.draft().yamlFor(QFileInfo(file).absolutePath().toStdString());
  const bool mayWrite =
      !rewritten ||
      mayLoseComments(tr("In %1, relative file names have to become absolute.").arg(QDir::toNativeSeparators(file)),
                      tr("This text has to be rewritten for that, without its comments. In its original "
                         "folder it can be saved unchanged."));
  if (mayWrite) writeConfig(file, text, /*asked=*/rewritten);
}

/// Reads and writes in one task, so that the file is written though the window closes. Asks before comments of the file
/// are lost, unless the person was asked already.
void NewRunCommands::writeConfig(const QString& file, const QString& text, bool asked) {
  parts_.tasks.post(
      this,
      [file, text, asked]() -> std::optional<QString> {
        const auto before = readFile(file.toStdString(), kMaxImportedBytes);
        if (!asked && before.ok() && losesComments(toQt(*before), text)) return std::nullopt;
        return writeChosenFile(file, text.toUtf8());
      },
      [this, file, text](const std::optional<QString>& problem) {
        if (problem)
          problem->isEmpty() ? views_.message.showWritten(file) : views_.message.showWarning(*problem);
        else if (mayLoseComments(tr("%1 has comments that would be overwritten.").arg(QDir::toNativeSeparators(file)),
                                 tr("The text that is being saved has none. Save under another name to keep the file "
                                    "as it is.")))
          writeConfig(file, text, /*asked=*/true);
      },
      TaskQueue::AtEnd::Run);
}

bool NewRunCommands::mayLoseComments(const QString& what, const QString& why) {
  return confirm(views_.window, {tr("Comments would be lost"), what, why, tr("Save without comments")});
}

void NewRunCommands::openWorkspace() {
  const QString folder = QFileDialog::getExistingDirectory(
      &views_.window, tr("Open workspace"),
      parts_.settings.workspacesFolder().isEmpty() ? parts_.workspace.folder() : parts_.settings.workspacesFolder());
  if (!folder.isEmpty()) openFolder(folder);
}

void NewRunCommands::openFolder(const QString& folder) {
  const bool fresh = holdsWorkspace(folder.toStdString()) || QDir(folder).isEmpty();
  const Confirmation question = {tr("There is no workspace in this folder"),
                                 tr("%1 contains other files but no workspace.").arg(QDir::toNativeSeparators(folder)),
                                 tr("A new workspace would put its database, checkpoints and cache next to them."),
                                 tr("Create a workspace here")};
  if (fresh || confirm(views_.window, question)) switchWorkspace(folder, WorkspacePresenter::OpenMode::CreateIfMissing);
}

void NewRunCommands::fillRecent(QMenu& menu) {
  menu.clear();
  for (const QString& folder : parts_.settings.recentWorkspaces()) {
    auto* action = menu.addAction(escapeMnemonic(QDir::toNativeSeparators(folder)));
    connect(action, &QAction::triggered, this, [this, folder] { switchWorkspace(folder); });
  }
}

void NewRunCommands::switchWorkspace(const QString& folder, WorkspacePresenter::OpenMode how) {
  if (folder == parts_.workspace.folder()) return;
  if (parts_.run.busyOnThisMachine())
    views_.message.showWarning(tr("A run is training in this workspace. Stop it before opening another one."));
  else if (SingleWindow::raiseExisting(folder, {}))
    views_.message.showWarning(tr("This workspace is open in another window. That window is now in front."));
  else
    parts_.workspace.open(folder, how);
}

DropCommands::DropCommands(const WindowViews& views, NewRunCommands& newRun, FirstRunCommands& firstRun)
    : QObject(&views.window), views_(views), newRun_(newRun), firstRun_(firstRun) {
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
  QStringList texts, archives;
  for (const QUrl& url : files) {
    const QString file = url.toLocalFile();
    if (isText(file))
      texts << file;
    else if (!open(file))
      archives << file;
  }
  if (!texts.isEmpty()) firstRun_.trainOn(texts);
  if (!archives.isEmpty()) firstRun_.bringRuns(archives);
  return true;
}

/// Returns whether it is a text file, or a folder that holds neither a workspace nor a model.
bool DropCommands::isText(const QString& path) {
  static const QRegularExpression text(QStringLiteral("\\.(txt|text|md|raw|tokens|jsonl|ndjson)(\\.gz)?$"),
                                       QRegularExpression::CaseInsensitiveOption);
  if (!QFileInfo(path).isDir()) return text.match(path).hasMatch();
  return !holdsWorkspace(path.toStdString()) && !isModel(path);
}

bool DropCommands::isModel(const QString& folder) {
  return QFileInfo::exists(folder + QStringLiteral("/config.json"));
}

/// Returns false for a file that can only be an archive of a run.
bool DropCommands::open(const QString& path) {
  const QFileInfo info(path);
  const QString suffix = info.suffix().toLower();
  if (info.isDir() && holdsWorkspace(path.toStdString())) {
    newRun_.switchWorkspace(path);
  } else if (info.fileName() == QLatin1String(kDatabaseName)) {
    newRun_.switchWorkspace(info.absolutePath());
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
