// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class RunListPane;
class WindowActions;
class WindowMemory;

/// What is done with runs of the list beside training and comparing them: another name, a choice given up (both can be
/// undone), a file to hand on.
class RunListCommands final : public QObject {
  Q_OBJECT

 public:
  RunListCommands(const StudioParts& parts, WindowMemory& memory, RunListPane& list, const WindowActions& actions,
                  QWidget& window);

  /// A step to undo. Nothing happens if the name stays.
  void rename(const QString& run, const QString& name);
  /// A step to undo. Nothing happens if no run is chosen.
  void chooseNone();
  /// Writes the run with its newest checkpoint to `file`; RunMoving tells what came of it.
  void exportTo(const QString& run, const QString& file);

 Q_SIGNALS:
  /// The person has chosen the archive of a run.
  void importWanted(const QString& file);

 private:
  void askName(const QString& run);
  void askFile(const QString& run);
  void askArchive();

  StudioParts parts_;
  WindowMemory& memory_;
  QWidget& window_;
};

}  // namespace batchwise
