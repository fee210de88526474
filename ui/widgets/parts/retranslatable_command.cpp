// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/retranslatable_command.h"

namespace batchwise {

void retranslateCommands(const QUndoStack& steps) {
  for (int i = 0; i < steps.count(); ++i) {
    const auto* step = static_cast<const RetranslatableCommand*>(steps.command(i));
    // QUndoStack gives const access only, since the effect of a command must not change; its text may.
    const_cast<RetranslatableCommand*>(step)->setText(step->name());
  }
}

}  // namespace batchwise
