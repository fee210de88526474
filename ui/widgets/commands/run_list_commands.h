// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class RunListPane;
class WindowActions;
class RetainedState;

/// Commands for runs of the list: rename and clear the choice for comparison, both undoable, import and export.
class RunListCommands final : public QObject {
  Q_OBJECT

 public:
  RunListCommands(const StudioParts& parts, RetainedState& retained, RunListPane& list, const WindowActions& actions,
                  QWidget& window);

  /// Undoable. Does nothing if the name is empty or unchanged.
  void rename(const QString& run, const QString& name);
  /// Undoable. Does nothing if no run is chosen.
  void chooseNone();
  /// Writes the run with its newest checkpoint to `file`; ArchiveJobs reports the outcome.
  void exportTo(const QString& run, const QString& file);

 Q_SIGNALS:
  /// The user chose the archive of a run.
  void importRequested(const QString& file);

 private:
  void askName(const QString& run);
  void askFile(const QString& run);
  void askArchive();

  StudioParts parts_;
  RetainedState& retained_;
  QWidget& window_;
};

}  // namespace batchwise
