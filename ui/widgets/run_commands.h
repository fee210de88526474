// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/studio_parts.h"

namespace batchwise {

class WindowActions;

/// Launch, stop, resume: what the commands of the Run menu do, when they are on, and why they are off.
class RunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions.
  RunCommands(const StudioParts& parts, WindowActions& actions, QObject* parent);

  /// Trains with the draft, if that is possible.
  void launch();
  /// Goes on with the selected run, if that is possible.
  void resumeSelected();
  /// Sets the actions on or off by what is the case now.
  void update();

 Q_SIGNALS:
  /// A run is about to start.
  void starting();
  /// Why nothing can be launched whatever the draft is; empty: it can.
  void blockedChanged(const QString& why);
  /// A command could not be carried out.
  void failed(const QString& what, const QString& details);

 private:
  QString whyBlocked() const;
  void updateResume();

  StudioParts parts_;
  WindowActions& actions_;
};

}  // namespace batchwise
