// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/new_run_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <QtCore/QSet>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

#include "core/base/file.h"
#include "core/store/workspace_folder.h"
#include "ui/bridge/single_window.h"
#include "ui/models/display_text.h"
#include "ui/presenters/output_writing.h"
#include "ui/widgets/edit/import_window.h"
#include "ui/widgets/window/window_actions.h"

namespace batchwise {

NewRunCommands::NewRunCommands(const StudioParts& parts, const WindowActions& actions, QWidget& window)
    : QObject(&window), parts_(parts), window_(window) {
  connect(actions.newDemo, &QAction::triggered, this, &NewRunCommands::fromDemo);
  connect(actions.newFile, &QAction::triggered, this, &NewRunCommands::fromFile);
  connect(actions.newFromExternal, &QAction::triggered, this, &NewRunCommands::fromExternalConfig);
  connect(actions.newSelected, &QAction::triggered, this, &NewRunCommands::fromSelected);
  connect(actions.saveConfig, &QAction::triggered, this, &NewRunCommands::saveConfig);
  // Only once it is open: if it cannot be opened, the present workspace stays.
  connect(&parts.workspace, &WorkspacePresenter::opened, this,
          [this] { parts_.run.unfollowOtherWorkspaces(parts_.workspace.workspace()->folder()); });
  connect(actions.openWorkspace, &QAction::triggered, this, &NewRunCommands::openWorkspace);
}

void NewRunCommands::fromDemo() {
  parts_.edit.loadNew();
  Q_EMIT draftLoaded();
}

void NewRunCommands::fromFile() {
  const QString path = QFileDialog::getOpenFileName(&window_, tr("New run from a file"),
                                                    parts_.settings.folder(QStringLiteral("config")),
                                                    tr("Configurations (*.yaml *.yml);;All files (*)"));
  if (path.isEmpty()) return;
  parts_.settings.setFolder(QStringLiteral("config"), QFileInfo(path).absolutePath());
  editFile(path);
}

void NewRunCommands::editFile(const QString& path) {
  parts_.edit.loadFile(path);
  Q_EMIT draftLoaded();
}

void NewRunCommands::fromExternalConfig() {
  const QString purpose = QStringLiteral("other");
  const QString path =
      QFileDialog::getOpenFileName(&window_, tr("New run from another trainer's file"), parts_.settings.folder(purpose),
                                   tr("Composer, torchtune, DeepSpeed (*.yaml *.yml *.json);;All files (*)"));
  if (path.isEmpty()) return;
  parts_.settings.setFolder(purpose, QFileInfo(path).absolutePath());
  editExternalConfig(path);
}

void NewRunCommands::editExternalConfig(const QString& path) {
  if (window_.findChild<ImportWindow*>() != nullptr) return;  // one at a time: of several dropped files only the first
  Result<std::string> text = readFile(path.toStdString(), kMaxImportedBytes);
  if (!text.ok()) {
    Q_EMIT refused(coreText(text.error().full()));
    return;
  }
  ImportWindow dialog(QFileInfo(path).fileName(), std::move(*text), parts_.theme, &window_);
  if (dialog.exec() != QDialog::Accepted || !dialog.imported()) return;
  parts_.edit.loadImport(*dialog.imported(), path);
  Q_EMIT draftLoaded();
}

void NewRunCommands::fromSelected() {
  if (parts_.watch.hasRun()) duplicate(parts_.watch.view().detail);
}

void NewRunCommands::duplicate(const RunDetail& run) {
  parts_.edit.loadRun(run, freeName(toQt(run.summary.name)));
  Q_EMIT draftLoaded();
}

QString NewRunCommands::freeName(const QString& like) const {
  static const QRegularExpression number(QStringLiteral("-\\d+$"));
  QSet<QString> taken;
  for (int row = 0; row < parts_.workspace.runs().rowCount(); ++row)
    taken.insert(toQt(parts_.workspace.runs().at(row)->name));
  // Only a number appended here is replaced; another one, a date or a seed, is part of the name.
  const QString withoutNumber = QString(like).remove(number);
  const QString stem = taken.contains(withoutNumber) ? withoutNumber : like;
  for (int next = 2;; ++next)
    if (const QString name = QStringLiteral("%1-%2").arg(stem).arg(next); !taken.contains(name)) return name;
}

void NewRunCommands::saveConfig() {
  const QString purpose = QStringLiteral("config");
  const QString name = fileNameFor(parts_.edit.draft().text("name"));
  const QString file = QFileDialog::getSaveFileName(
      &window_, tr("Save the configuration"),
      QStringLiteral("%1/%2.yaml").arg(parts_.settings.folder(purpose), name.isEmpty() ? tr("run") : name),
      tr("Configurations (*.yaml *.yml);;All files (*)"));
  if (file.isEmpty()) return;
  parts_.settings.setFolder(purpose, QFileInfo(file).absolutePath());
  saveConfigTo(file);
}

void NewRunCommands::saveConfigTo(const QString& file) {
  const auto [text, losesComments] = parts_.edit.draft().yamlFor(QFileInfo(file).absolutePath().toStdString());
  if (losesComments && !confirmLosingComments(file)) return;
  const QString problem = writeChosenFile(file, text.toUtf8());
  if (problem.isEmpty())
    Q_EMIT saved(file);
  else
    Q_EMIT refused(problem);
}

bool NewRunCommands::confirmLosingComments(const QString& file) const {
  QMessageBox box(&window_);
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(tr("Comments would be lost"));
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("In %1 the relative names of files have to be written in full.").arg(QDir::toNativeSeparators(file)));
  box.setInformativeText(
      tr("The way in which this text gives them allows that only by writing the text anew, without its comments. Saved "
         "into the folder that it came from, it stays as it is."));
  auto* save = box.addButton(tr("Save without comments"), QMessageBox::AcceptRole);
  auto* cancel = box.addButton(tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  return box.clickedButton() == save;
}

void NewRunCommands::openWorkspace() {
  const QString folder = QFileDialog::getExistingDirectory(&window_, tr("Open workspace"), parts_.workspace.folder());
  if (!folder.isEmpty()) openFolder(folder);
}

void NewRunCommands::openFolder(const QString& folder) {
  const bool fresh = holdsWorkspace(folder.toStdString()) || QDir(folder).isEmpty();
  if (fresh || confirmNewWorkspaceIn(folder)) switchWorkspace(folder, WorkspacePresenter::OpenMode::CreateIfMissing);
}

bool NewRunCommands::confirmNewWorkspaceIn(const QString& folder) const {
  QMessageBox box(&window_);
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(tr("There is no workspace in this folder"));
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("%1 holds other files and no workspace.").arg(QDir::toNativeSeparators(folder)));
  box.setInformativeText(tr("A new workspace would put its database, checkpoints and cache beside them."));
  auto* make = box.addButton(tr("Make a workspace here"), QMessageBox::AcceptRole);
  auto* cancel = box.addButton(tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  return box.clickedButton() == make;
}

void NewRunCommands::fillRecent(QMenu& menu) {
  menu.clear();
  for (const QString& folder : parts_.settings.recentWorkspaces()) {
    auto* action = menu.addAction(QDir::toNativeSeparators(folder).replace(QLatin1Char('&'), QStringLiteral("&&")));
    connect(action, &QAction::triggered, this, [this, folder] { switchWorkspace(folder); });
  }
}

void NewRunCommands::switchWorkspace(const QString& folder, WorkspacePresenter::OpenMode how) {
  if (folder == parts_.workspace.folder()) return;
  if (parts_.run.busyOnThisMachine())
    Q_EMIT refused(tr("A run is training in this workspace. Stop it before opening another one."));
  else if (SingleWindow::raiseExisting(folder, {}))
    Q_EMIT refused(tr("This workspace is open in another window, which is in front now."));
  else
    parts_.workspace.open(folder, how);
}

}  // namespace batchwise
