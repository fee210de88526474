// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/presenters/run_moving.h"
#include "ui/widgets/window/studio_parts.h"

class QMimeData;
class QWidget;

namespace batchwise {

/// What can be dropped on the window: a configuration, a workspace, archives of runs.
class DropCommands final : public QObject {
  Q_OBJECT

 public:
  DropCommands(const StudioParts& parts, RunMoving& moving, QWidget& window);

  /// RunMoving tells what came of it.
  void import(const QString& archive);

 Q_SIGNALS:
  void configWanted(const QString& file);
  /// A configuration of another trainer.
  void otherConfigWanted(const QString& file);
  void workspaceWanted(const QString& folder);
  /// `what` was dropped and could not be used, and why.
  void refused(const QString& what, const QString& why);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static QStringList filesIn(const QMimeData& data);
  void take(const QString& path);

  StudioParts parts_;
  RunMoving& moving_;
};

}  // namespace batchwise
