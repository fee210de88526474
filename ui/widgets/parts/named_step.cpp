// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/named_step.h"

namespace batchwise {

void nameStepsAnew(const QUndoStack& steps) {
  for (int i = 0; i < steps.count(); ++i) {
    const auto* step = static_cast<const NamedStep*>(steps.command(i));
    // The stack hands out its commands for reading, because what they do must not change; their name may.
    const_cast<NamedStep*>(step)->setText(step->name());
  }
}

}  // namespace batchwise
