// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class MessageBar;
class WindowMemory;

/// Putting runs away and getting them back: steps to undo, and the offer to do so beside the page.
class ArchiveCommands final : public QObject {
  Q_OBJECT

 public:
  ArchiveCommands(const StudioParts& parts, WindowMemory& memory, MessageBar& message, QWidget& window);

  void archive(const QString& run);
  /// The name of the run, if the message shown is the offer to undo its archiving; else empty.
  const QString& offered() const { return offered_; }
  /// Offers to undo the newest step, which archived the run with this name.
  void offer(const QString& name);

 private:
  StudioParts parts_;
  WindowMemory& memory_;
  MessageBar& message_;
  QString offered_;
};

}  // namespace batchwise
