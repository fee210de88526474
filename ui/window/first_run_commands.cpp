// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/first_run_commands.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMainWindow>
#include <algorithm>
#include <cmath>

#include "ui/edit/edit_page.h"
#include "ui/edit/first_run_dialog.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/window/run_commands.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_help.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

const QString kArchiveFolder = QStringLiteral("archive");  // purpose of a folder in the settings

}  // namespace

FirstRunCommands::FirstRunCommands(StudioParts& parts, const WindowViews& views, RunCommands& run)
    : QObject(&views.window), parts_(parts), views_(views), run_(run) {
  connect(&views.welcome, &WelcomePage::textRequested, this, [this] { trainOn({}); });
  connect(&views.welcome, &WelcomePage::modelRequested, this, [this] { continueModel({}); });
  connect(&views.welcome, &WelcomePage::runsRequested, this, &FirstRunCommands::askForArchives);
  connect(views.actions.trainOnText, &QAction::triggered, this, [this] { trainOn({}); });
  connect(views.actions.continueModel, &QAction::triggered, this, [this] { continueModel({}); });
  connect(&parts.runImports, &FileJobs::importFailed, &views.message, &MessageBar::showUnusable);
  connect(views.actions.importRun, &QAction::triggered, this, &FirstRunCommands::askForArchives);
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

void FirstRunCommands::trainOn(const QStringList& paths) {
  if (open(false) != nullptr) parts_.firstRun.chooseText(paths);
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
  const QStringList files =
      QFileDialog::getOpenFileNames(&views_.window, tr("Archives of runs"), parts_.settings.folder(kArchiveFolder),
                                    tr("Runs (*.batchwise *.bwrun);;All files (*)"));
  if (files.isEmpty()) return;
  parts_.settings.setFolder(kArchiveFolder, QFileInfo(files.front()).absolutePath());
  bringRuns(files);
}

void FirstRunCommands::bringRuns(const QStringList& archives) {
  const auto workspace = parts_.workspace.workspace();
  if (!workspace) return views_.message.showUnusable(archives.join(QStringLiteral(", ")), tr("No workspace is open."));
  for (const QString& archive : archives) parts_.runImports.importRun(workspace, archive);
}

}  // namespace batchwise
