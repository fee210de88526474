// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QUndoStack>

namespace batchwise {

/// Undo command whose text can be translated again after a change of language. Every command on the undo stacks of the
/// window derives from it.
class RetranslatableCommand : public QUndoCommand {
 public:
  virtual QString name() const = 0;
};

/// Sets the text of each command to its name in the present language.
void retranslateCommands(const QUndoStack& steps);

}  // namespace batchwise
