// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QUndoStack>

#include "ui/models/config_draft.h"

namespace batchwise {

/// Undo stack of the draft: changes of the form and of the YAML text, resets, and loaded configurations. Typing into
/// one field without a pause is one command.
class DraftHistory final : public QObject {
  Q_OBJECT

 public:
  explicit DraftHistory(ConfigDraft& draft, QObject* parent = nullptr);

  QUndoStack& stack() { return stack_; }

 private:
  void remember(const DraftState& before, const std::string& path);

  ConfigDraft& draft_;
  QUndoStack stack_;
};

}  // namespace batchwise
