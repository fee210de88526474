// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

namespace batchwise {

/// Commands for runs of the list: rename, archive and clear the choice for comparison, all undoable; import and export.
class RunListCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions and the list.
  RunListCommands(StudioParts& parts, const WindowViews& views);

  /// Undoable. Does nothing if the name is empty or unchanged.
  void rename(const QString& run, const QString& name);
  /// Undoable. Does nothing if no run is chosen.
  void chooseNone();
  /// Undoable, which the message bar offers.
  void archive(const QString& run);
  /// Returns whether the message shown offers to undo the archiving of a run.
  bool offersUndo() const { return offersUndo_; }
  /// Writes the run with its newest checkpoint to `file`; ArchiveJobs reports the outcome.
  void exportTo(const QString& run, const QString& file);
  /// Imports the archive of a run; ArchiveJobs reports the outcome. Without a workspace, the message bar says so.
  void importArchive(const QString& archive);

 private:
  void askName(const QString& run);
  void askFile(const QString& run);
  void askArchive();

  StudioParts& parts_;
  WindowViews views_;
  bool offersUndo_ = false;
};

}  // namespace batchwise
