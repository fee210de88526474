// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/window_memory.h"

#include "ui/widgets/parts/named_step.h"

namespace batchwise {

WindowMemory::WindowMemory(const StudioParts& parts)
    : comparing(parts.workspace),
      queue(parts.workspace, parts.run, parts.settings),
      alerts(parts.workspace, parts.run, parts.settings),
      saving(parts.workspace.tasks()),
      moving(parts.slow),
      draftSteps(parts.edit.draft()) {
  connect(&parts.workspace, &WorkspacePresenter::opened, &archiveSteps, &QUndoStack::clear);
  connect(&parts.edit, &EditPresenter::draftTakenUp, &draftSteps.stack(), &QUndoStack::clear);
}

void WindowMemory::retranslate() {
  nameStepsAnew(draftSteps.stack());
  nameStepsAnew(archiveSteps);
}

}  // namespace batchwise
