// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/presenters/failure_help.h"
#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class MessageBar;

/// A run that has failed, as the message tells it.
struct FailedRun {
  QString run;  ///< id; empty: it could not start
  QString name;
  std::string reason;
  CheckpointsLeft left = CheckpointsLeft::NotKnown;
};

/// Tells that a run has failed, why, what to do, and does it on request.
class FailureCommands final : public QObject {
  Q_OBJECT

 public:
  FailureCommands(const StudioParts& parts, MessageBar& message, QWidget& window);

  void show(const FailedRun& failed);
  /// What the message shown tells; nothing: it is another one.
  const std::optional<FailedRun>& shown() const { return shown_; }

 Q_SIGNALS:
  void resumeWanted(const QString& run);
  void duplicateWanted(const batchwise::RunDetail& run);
  void logWanted(const QString& run);

 private:
  void answer();

  StudioParts parts_;
  MessageBar& message_;
  std::optional<FailedRun> shown_;
  QString duplicated_;  // is being read
};

}  // namespace batchwise
