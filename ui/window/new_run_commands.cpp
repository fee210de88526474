// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/new_run_commands.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <QtCore/QSet>
#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>

#include "core/base/file.h"
#include "ui/edit/edit_page.h"
#include "ui/edit/import_window.h"
#include "ui/edit/yaml_assist.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/file_jobs.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/runs_page.h"
#include "ui/window/window_actions.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
NewRunCommands::NewRunCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  const WindowActions& actions = views.actions;
  connect(actions.newDemo, &QAction::triggered, this, &NewRunCommands::fromDemo);
  for (const QAction* recipe : actions.recipes)
    connect(recipe, &QAction::triggered, this, [this, recipe] { fromRecipe(recipe->data().toString()); });
  connect(actions.newFile, &QAction::triggered, this, &NewRunCommands::fromFile);
  connect(actions.newFromExternal, &QAction::triggered, this, &NewRunCommands::fromExternalConfig);
  connect(actions.newSelected, &QAction::triggered, this, [this] {
    if (parts_.runs.hasRun()) duplicate(parts_.runs.selectedView().detail);
  });
  connect(actions.newVariant, &QAction::triggered, this, &NewRunCommands::variantOfSelected);
  connect(actions.saveConfig, &QAction::triggered, this, &NewRunCommands::saveConfig);
  connect(&views.runs, &RunsPage::newRunRequested, this, &NewRunCommands::fromDemo);
  views.edit.setRuns(parts.workspace.runs());
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
  for (const RunSummary& run : parts_.workspace.runs().all()) taken.insert(toQt(run.name));
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
      [file, text, asked]() -> std::optional<Result<void>> {
        const auto before = readFile(file.toStdString(), kMaxImportedBytes);
        if (!asked && before.ok() && losesComments(toQt(*before), text)) return std::nullopt;
        return writeOutput(file.toStdString(), kChosenFile, text.toStdString());
      },
      [this, file, text](const std::optional<Result<void>>& written) {
        if (written)
          written->ok() ? views_.message.showWritten(file) : views_.message.showWarning(toQt(written->error().text()));
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

}  // namespace batchwise
