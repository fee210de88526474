// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QUndoStack>

#include "ui/widgets/studio_parts.h"

class QWidget;

namespace batchwise {

class ComparePresenter;
class MessageBar;

/// Putting runs away and getting them back: steps to undo, and the offer to do so above the page.
class ArchiveCommands final : public QObject {
  Q_OBJECT

 public:
  /// A new workspace starts with nothing to undo.
  ArchiveCommands(const StudioParts& parts, ComparePresenter& runs, MessageBar& message, QWidget& window);

  void archive(const QString& run);
  QUndoStack& stack() { return undo_; }
  /// The message shown is the offer to undo.
  bool offering() const { return offering_; }

 private:
  StudioParts parts_;
  ComparePresenter& runs_;
  MessageBar& message_;
  QUndoStack undo_;
  bool offering_ = false;
};

}  // namespace batchwise
