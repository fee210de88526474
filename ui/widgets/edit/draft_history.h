// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QUndoStack>

#include "ui/models/config_draft.h"

namespace batchwise {

/// Every change of the draft as a step that can be undone: of the form, of the YAML text, a reset, another
/// configuration in its place. Letters typed into one field without a pause are one step.
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
