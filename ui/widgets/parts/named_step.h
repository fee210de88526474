// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QUndoStack>

namespace batchwise {

/// A step that can say its name again after the language has changed. Every command on the stacks of the window is one.
class NamedStep : public QUndoCommand {
 public:
  virtual QString name() const = 0;
};

/// Each step gets the name it has now.
void nameStepsAnew(const QUndoStack& steps);

}  // namespace batchwise
