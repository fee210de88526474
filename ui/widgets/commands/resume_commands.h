// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class MessageBar;

/// Resumes runs: the offer for an interrupted run in the message bar, and the dialog that F7 opens.
class ResumeCommands final : public QObject {
  Q_OBJECT

 public:
  /// `window` is the parent of the dialogs.
  ResumeCommands(const StudioParts& parts, MessageBar& message, QWidget& window);

  /// Opens the dialog for a run. `checkpoint` is selected at first; empty: the newest.
  void openDialog(const QString& run, const QString& checkpoint = {});
  /// Returns the offer that the message shown makes; nothing: another message is shown.
  const std::optional<ResumeOffer>& offered() const { return offer_; }
  void showOffer(const ResumeOffer& offer);

 Q_SIGNALS:
  void launchRequested(const batchwise::LaunchRequest& request);

 private:
  void answer(int action);
  void showDialog(const ResumableRun& which);

  StudioParts parts_;
  MessageBar& message_;
  QWidget& window_;
  std::optional<ResumeOffer> offer_;
  QString requestedRun_, requestedCheckpoint_;  // of the dialog that opens once the run has been read
};

}  // namespace batchwise
