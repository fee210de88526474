// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class WindowActions;

/// Launches on a Slurm cluster. Shows its actions only where this machine can submit jobs, and follows the runs whose
/// jobs were queued before the window existed.
class SlurmCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. `window` is the parent of the dialog.
  SlurmCommands(const StudioParts& parts, const WindowActions& actions, QWidget& window);

 private:
  void openWindow();
  void followJobs();

  StudioParts parts_;
  QWidget& window_;
  TaskQueue tasks_;  // Slurm may take long to answer
};

}  // namespace batchwise
