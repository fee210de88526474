// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspace_commands.h"

#include <QtCore/QDir>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>

#include "core/store/workspace_folder.h"
#include "ui/bridge/desktop_session.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/labels.h"
#include "ui/parts/message_bar.h"
#include "ui/window/window_actions.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

/// Subject of the message that the open workspace cannot be read.
const QString kWorkspaceSubject = QStringLiteral("workspace");
/// Subject of the message that another workspace, which was to be opened, is damaged.
const QString kDamagedSubject = QStringLiteral("workspace damaged");
/// Subject of the message that the open workspace cannot be updated.
const QString kSyncSubject = QStringLiteral("workspace sync");
/// Subject of the report of a restore.
const QString kRestoredSubject = QStringLiteral("workspace restored");

}  // namespace

WorkspaceCommands::WorkspaceCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  connect(views.actions.openWorkspace, &QAction::triggered, this, &WorkspaceCommands::open);
  connect(&views.welcome, &WelcomePage::recentRequested, this, [this](const QString& folder) { switchTo(folder); });
  connectReports();
}

void WorkspaceCommands::connectReports() {
  const WorkspacePresenter& workspace = parts_.workspace;
  // Only once it is open: if it cannot be opened, the present workspace stays.
  connect(&workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    parts_.run.unfollowOtherWorkspaces(parts_.workspace.workspace()->folder());
    parts_.settings.setWorkspace(folder);
    showRecent();
    views_.message.clear();
  });
  const auto tell = [&](auto signal, NoteLevel level, const QString& title, const QString& subject = {}) {
    connect(&workspace, signal, &views_.message, [this, level, title, subject](const QString& what) {
      views_.message.showMessage(level, title, what, subject);
    });
  };
  tell(&WorkspacePresenter::failed, NoteLevel::Error,
       tr("The workspace cannot be used. Choose another one under File > Open workspace."), kWorkspaceSubject);
  tell(&WorkspacePresenter::backupFailed, NoteLevel::Warning, tr("The workspace could not be backed up."));
  tell(&WorkspacePresenter::syncFailed, NoteLevel::Warning,
       tr("The list of runs may be out of date. Batchwise keeps trying to update it."), kSyncSubject);
  tell(&WorkspacePresenter::switchFailed, NoteLevel::Error,
       tr("The other workspace cannot be opened. This one stays open."));
  connect(&workspace, &WorkspacePresenter::damaged, this, &WorkspaceCommands::offerRestore);
  connect(&workspace, &WorkspacePresenter::restored, this, [this](const QString& report) {
    views_.message.add({NoteLevel::Warning,  // with a button, so that it stays
                        tr("The workspace was restored."),
                        report,
                        kRestoredSubject,
                        {tr("OK")},
                        [this](int) { views_.message.withdraw(kRestoredSubject); }});
  });
  connect(&workspace, &WorkspacePresenter::refreshed, &views_.message, [this] {
    views_.message.withdraw(kWorkspaceSubject);
    if (parts_.workspace.syncProblem().isEmpty()) views_.message.withdraw(kSyncSubject);
  });
}

void WorkspaceCommands::offerRestore(const QString& folder, const QString& why) {
  const QString subject = folder == parts_.workspace.folder() ? kWorkspaceSubject : kDamagedSubject;
  views_.message.add({NoteLevel::Error,
                      tr("The database of the workspace is damaged."),
                      tr("%1\n\nBatchwise can put the newest good backup in its place and add what checkpoints and "
                         "journals tell. The damaged file is kept.")
                          .arg(why),
                      subject,
                      {tr("Restore")},
                      [this, folder, subject](int) {
                        views_.message.withdraw(subject);
                        parts_.workspace.restore(folder);
                      }});
}

/// On the welcome page: workspaces other than the open one.
void WorkspaceCommands::showRecent() {
  QStringList folders = parts_.settings.recentWorkspaces();
  folders.removeAll(parts_.workspace.folder());
  views_.welcome.setRecent(folders);
}

void WorkspaceCommands::open() {
  const QString folder = QFileDialog::getExistingDirectory(
      &views_.window, tr("Open workspace"),
      parts_.settings.workspacesFolder().isEmpty() ? parts_.workspace.folder() : parts_.settings.workspacesFolder());
  if (!folder.isEmpty()) openFolder(folder);
}

void WorkspaceCommands::openFolder(const QString& folder) {
  const Confirmation question = {tr("There is no workspace in this folder"),
                                 tr("%1 contains other files but no workspace.").arg(QDir::toNativeSeparators(folder)),
                                 tr("A new workspace would put its database, checkpoints and cache next to them."),
                                 tr("Create a workspace here")};
  checks_.post(
      this, [folder] { return holdsWorkspace(folder.toStdString()) || QDir(folder).isEmpty(); },
      [this, folder, question](bool fresh) {
        if (fresh || confirm(views_.window, question)) switchTo(folder, WorkspacePresenter::OpenMode::CreateIfMissing);
      });
}

void WorkspaceCommands::fillRecent(QMenu& menu) {
  menu.clear();
  for (const QString& folder : parts_.settings.recentWorkspaces()) {
    auto* action = menu.addAction(escapeMnemonic(QDir::toNativeSeparators(folder)));
    connect(action, &QAction::triggered, this, [this, folder] { switchTo(folder); });
  }
}

void WorkspaceCommands::switchTo(const QString& folder, WorkspacePresenter::OpenMode how) {
  const auto maySwitch = [this, folder] {
    if (folder == parts_.workspace.folder()) return false;
    if (!parts_.run.busyOnThisMachine()) return true;
    views_.message.showWarning(tr("A run is training in this workspace. Stop it before opening another one."));
    return false;
  };
  if (!maySwitch()) return;
  checks_.post(
      this, [folder] { return SingleWindow::raiseExisting(folder, {}); },
      [this, folder, how, maySwitch](bool isOpen) {
        if (!maySwitch()) return;  // a run may have begun meanwhile
        if (isOpen)
          views_.message.showWarning(tr("This workspace is open in another window. That window is now in front."));
        else
          parts_.workspace.open(folder, how);
      });
}

}  // namespace batchwise
