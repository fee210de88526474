// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/drop_commands.h"

#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QDropEvent>
#include <QtWidgets/QWidget>

#include "core/store/workspace_folder.h"

namespace batchwise {

DropCommands::DropCommands(const StudioParts& parts, ArchiveJobs& archiveJobs, QWidget& window)
    : QObject(&window), parts_(parts), archiveJobs_(archiveJobs) {
  window.setAcceptDrops(true);
  window.installEventFilter(this);
}

QStringList DropCommands::filesIn(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  return files;
}

bool DropCommands::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::DragEnter && event->type() != QEvent::Drop) return QObject::eventFilter(watched, event);
  auto* drop = static_cast<QDropEvent*>(event);
  const QStringList files = filesIn(*drop->mimeData());
  if (files.isEmpty()) return false;
  drop->acceptProposedAction();
  if (event->type() == QEvent::Drop)
    for (const QString& file : files) take(file);
  return true;
}

void DropCommands::take(const QString& path) {
  const QFileInfo info(path);
  const QString suffix = info.suffix().toLower();
  if (info.isDir() && holdsWorkspace(path.toStdString()))
    Q_EMIT workspaceRequested(path);
  else if (info.fileName() == QLatin1String(kDatabaseName))
    Q_EMIT workspaceRequested(info.absolutePath());
  else if (info.isDir())
    Q_EMIT refused(info.fileName(), tr("This folder is no workspace: it holds no workspace.sqlite."));
  else if (suffix == QLatin1String("yaml") || suffix == QLatin1String("yml"))
    Q_EMIT configRequested(path);
  else if (suffix == QLatin1String("json"))
    Q_EMIT externalConfigRequested(path);
  else
    importArchive(path);
}

void DropCommands::importArchive(const QString& archive) {
  if (const auto workspace = parts_.workspace.workspace())
    archiveJobs_.importRun(workspace, archive);
  else
    Q_EMIT refused(QFileInfo(archive).fileName(), tr("No workspace is open."));
}

}  // namespace batchwise
