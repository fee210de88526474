// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class MessageBar;
class RetainedState;

/// Archives runs and restores them as undoable commands, and offers the undo in the message bar.
class ArchiveCommands final : public QObject {
  Q_OBJECT

 public:
  ArchiveCommands(const StudioParts& parts, RetainedState& retained, MessageBar& message, QWidget& window);

  void archive(const QString& run);
  /// Returns the name of the run whose archiving the message shown offers to undo; empty: another message is shown.
  const QString& offered() const { return offered_; }
  /// Offers to undo the newest command, which archived the run with this name.
  void offer(const QString& name);

 private:
  StudioParts parts_;
  RetainedState& retained_;
  MessageBar& message_;
  QString offered_;
};

}  // namespace batchwise
