// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/retained_state.h"

#include "ui/widgets/parts/retranslatable_command.h"

namespace batchwise {

RetainedState::RetainedState(const StudioParts& parts)
    : comparing(parts.workspace),
      queue(parts.workspace, parts.run, parts.settings),
      alerts(parts.workspace, parts.run, parts.settings),
      saving(parts.workspace.tasks()),
      archiveJobs(parts.slow),
      draftHistory(parts.edit.draft()) {
  connect(&parts.workspace, &WorkspacePresenter::opened, &runListUndo, &QUndoStack::clear);
  connect(&parts.edit, &EditPresenter::draftRestored, &draftHistory.stack(), &QUndoStack::clear);
}

void RetainedState::retranslate() {
  retranslateCommands(draftHistory.stack());
  retranslateCommands(runListUndo);
}

}  // namespace batchwise
