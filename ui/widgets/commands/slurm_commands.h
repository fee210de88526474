// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QWidget;

namespace batchwise {

class WindowActions;

/// Launches on a Slurm cluster: the commands that choose it, shown only where this machine can submit jobs, and the
/// runs whose jobs were in the queue before the window was there, which are followed.
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
