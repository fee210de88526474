// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/slurm_commands.h"

#include <QtGui/QAction>

#include "core/run/slurm/slurm_submission.h"
#include "ui/models/display_text.h"
#include "ui/widgets/edit/slurm_window.h"
#include "ui/widgets/window/window_actions.h"

namespace batchwise {

SlurmCommands::SlurmCommands(const StudioParts& parts, const WindowActions& actions, QWidget& window)
    : QObject(&window), parts_(parts), window_(window) {
  const bool here = SlurmClient::isAvailable();
  actions.onSlurm->setVisible(here);
  actions.slurmJob->setVisible(here);
  if (!here) return;
  connect(actions.slurmJob, &QAction::triggered, this, &SlurmCommands::openWindow);
  // Shows the job options before the first launch uses them.
  connect(actions.onSlurm, &QAction::triggered, this, &SlurmCommands::openWindow);
  connect(&parts_.workspace, &WorkspacePresenter::opened, this, &SlurmCommands::followJobs);
  followJobs();
}

void SlurmCommands::openWindow() {
  auto* dialog = new SlurmWindow(parts_.settings.slurm(), &window_);
  connect(dialog, &SlurmWindow::chosen, this,
          [this](const SlurmOptions& options) { parts_.settings.setSlurm(options); });
  dialog->open();
}

void SlurmCommands::followJobs() {
  const auto workspace = parts_.workspace.workspace();
  if (!workspace) return;
  tasks_.post(
      this,
      [folder = workspace->folder()](std::stop_token stop) {
        return runsInSlurmQueue(folder, SlurmClient(std::move(stop)));
      },
      [this, workspace](const Result<std::vector<std::string>>& runs) {
        if (!runs.ok() || workspace != parts_.workspace.workspace())
          return;  // a launch reports what is wrong with Slurm
        for (const std::string& run : *runs) parts_.run.follow(workspace->folder(), toQt(run));
      });
}

}  // namespace batchwise
