// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/presenters/failure_help.h"
#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class MessageBar;

/// A failed run, as the message reports it.
struct FailedRun {
  QString run;  ///< id; empty: it could not start
  QString name;
  Message reason;
  FailureCause cause = FailureCause::Unknown;
  RemainingCheckpoints left = RemainingCheckpoints::Unknown;
};

/// Reports that a run has failed, why and what to do about it, and does that on request.
class FailureCommands final : public QObject {
  Q_OBJECT

 public:
  FailureCommands(const StudioParts& parts, MessageBar& message, QWidget& window);

  void show(const FailedRun& failed);
  /// Returns the failed run that the message shown reports; nothing: another message is shown.
  const std::optional<FailedRun>& shown() const { return shown_; }

 Q_SIGNALS:
  void resumeRequested(const QString& run);
  void duplicateRequested(const batchwise::RunDetail& run);
  void logRequested(const QString& run);

 private:
  void answer();

  StudioParts parts_;
  MessageBar& message_;
  std::optional<FailedRun> shown_;
  QString duplicated_;  // id of the run that is being read to be duplicated
};

}  // namespace batchwise
