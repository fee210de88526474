// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/run_commands.h"

#include <QtGui/QAction>

#include "ui/models/words.h"
#include "ui/widgets/window_actions.h"

namespace batchwise {
namespace {

bool canResume(RunStatus status) {
  return status == RunStatus::Stopped || status == RunStatus::Interrupted || status == RunStatus::Failed;
}

}  // namespace

RunCommands::RunCommands(const StudioParts& parts, WindowActions& actions, QObject* parent)
    : QObject(parent), parts_(parts), actions_(actions) {
  connect(actions.launch, &QAction::triggered, this, &RunCommands::launch);
  connect(actions.stop, &QAction::triggered, this, [this] { parts_.run.stopAndSave(); });
  connect(actions.resume, &QAction::triggered, this, &RunCommands::resumeSelected);
  connect(&parts_.edit.draft(), &ConfigDraft::changed, this, &RunCommands::update);
}

void RunCommands::launch() {
  if (!actions_.launch->isEnabled()) return;
  LaunchRequest request;
  request.workspace = parts_.workspace.workspace()->folder();
  request.config = parts_.edit.draft().loaded();
  parts_.watch.select({});
  Q_EMIT starting();
  parts_.run.launch(request);
  update();
}

void RunCommands::resumeSelected() {
  if (!actions_.resume->isEnabled()) return;
  const RunDetail& detail = parts_.watch.view().detail;
  LaunchRequest request;
  request.workspace = parts_.workspace.workspace()->folder();
  request.resumeRun = detail.summary.id;
  request.config = parseConfig(detail.configYaml, detail.summary.name, {});
  if (!request.config.ok()) {
    Q_EMIT failed(tr("The stored configuration cannot be read"), toQt(request.config.errorText()));
    return;
  }
  Q_EMIT starting();
  parts_.run.launch(request);
  update();
}

QString RunCommands::whyBlocked() const {
  if (parts_.run.busy()) return tr("A run is training. Stop it before launching the next one.");
  return parts_.workspace.workspace() == nullptr ? tr("No workspace is open") : QString();
}

void RunCommands::update() {
  const QString blocked = whyBlocked();
  Q_EMIT blockedChanged(blocked);
  actions_.launch->setEnabled(blocked.isEmpty() && parts_.edit.draft().ready());
  actions_.launch->setToolTip(actions_.launch->isEnabled() ? tr("Train with the configuration under Edit (F5)")
                              : blocked.isEmpty()          ? tr("The configuration under Edit has errors")
                                                           : blocked);
  actions_.stop->setEnabled(parts_.run.busy() && parts_.run.progress().phase != RunPhase::Stopping);
  actions_.newSelected->setEnabled(parts_.watch.hasRun());
  updateResume();
}

void RunCommands::updateResume() {
  const RunSummary* run = parts_.workspace.runs().find(parts_.watch.selected());
  const bool saved = parts_.watch.hasRun() && parts_.watch.view().checkpointBatch.has_value();
  const QString from = saved ? integerText(parts_.watch.view().checkpointBatch.value_or(0)) : QString();
  const bool possible = whyBlocked().isEmpty() && run != nullptr && canResume(run->status) && saved;
  actions_.resume->setEnabled(possible);
  actions_.resume->setText(possible ? tr("&Resume from %1").arg(from) : tr("&Resume"));
  actions_.resume->setToolTip(possible ? tr("Go on from the checkpoint at global batch %1 (F7)").arg(from)
                                       : tr("Select a run that was stopped or interrupted and has a checkpoint"));
}

}  // namespace batchwise
