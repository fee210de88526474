// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/presenters/archive_jobs.h"
#include "ui/widgets/window/studio_parts.h"

class QMimeData;
class QWidget;

namespace batchwise {

/// Handles what is dropped on the window: a configuration, a workspace, archives of runs.
class DropCommands final : public QObject {
  Q_OBJECT

 public:
  DropCommands(const StudioParts& parts, ArchiveJobs& archiveJobs, QWidget& window);

  /// Imports the archive of a run; ArchiveJobs reports the outcome.
  void importArchive(const QString& archive);

 Q_SIGNALS:
  void configRequested(const QString& file);
  /// A configuration of another trainer.
  void externalConfigRequested(const QString& file);
  void workspaceRequested(const QString& folder);
  /// `what` was dropped but cannot be used, because of `why`.
  void refused(const QString& what, const QString& why);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static QStringList filesIn(const QMimeData& data);
  void take(const QString& path);

  StudioParts parts_;
  ArchiveJobs& archiveJobs_;
};

}  // namespace batchwise
