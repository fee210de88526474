// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/studio_parts.h"

namespace batchwise {
StudioParts::StudioParts(Theme& ofProgram, StudioSettings& kept, ControllerFactory makeController,
                         TrainerSource trainer)
    : theme(ofProgram),
      settings(kept),
      run(std::move(makeController), clock),
      checkpoints(tasks, slow, workspace, selection, trainer),
      firstRun(workspace, std::move(trainer)) {
  saving.setObjectName(QStringLiteral("savingValues"));
  runImports.setObjectName(QStringLiteral("importingRuns"));
  runExports.setObjectName(QStringLiteral("exportingRuns"));
  QObject::connect(&workspace, &WorkspacePresenter::opened, &runListUndo, &QUndoStack::clear);
  QObject::connect(&workspace, &WorkspacePresenter::opened, &edit,
                   [this] { edit.storeDraftIn(workspace.workspace()); });
  QObject::connect(&selection, &Selection::ticksChanged, &edit, [this] { edit.setBaseline(selection.baseline()); });
  QObject::connect(&edit, &EditPresenter::draftRestored, &draftHistory.stack(), &QUndoStack::clear);
}

}  // namespace batchwise
