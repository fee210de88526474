// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class MessageBar;

/// Going on with runs: the offer for an interrupted one beside the page, and the card that F7 opens.
class ResumeCommands final : public QObject {
  Q_OBJECT

 public:
  /// `window` is the parent of cards.
  ResumeCommands(const StudioParts& parts, MessageBar& message, QWidget& window);

  /// Opens the card of a run; `checkpoint` is chosen at first, empty: the newest.
  void openCard(const QString& run, const QString& checkpoint = {});
  /// The offer that the message shown is; nothing: it is another one.
  const std::optional<ResumeOffer>& offered() const { return offer_; }
  void showOffer(const ResumeOffer& offer);

 Q_SIGNALS:
  void wanted(const batchwise::LaunchRequest& request);

 private:
  void answer(int action);
  void showCard(const ResumeCase& which);

  StudioParts parts_;
  MessageBar& message_;
  QWidget& window_;
  std::optional<ResumeOffer> offer_;
  QString wantedRun_, wantedCheckpoint_;  // of the card that is to open
};

}  // namespace batchwise
