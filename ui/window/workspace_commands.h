// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/window/studio_parts.h"

class QMenu;

namespace batchwise {

/// Opens, switches and restores workspaces; the message bar reports what goes wrong with the open one.
class WorkspaceCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions and the welcome page.
  WorkspaceCommands(StudioParts& parts, const WindowViews& views);

  void open();
  /// Opens the workspace in this folder or creates one; asks first if the folder holds other files.
  void openFolder(const QString& folder);
  /// Opens the workspace in this folder, unless a run trains on this machine or another window has it open.
  void switchTo(const QString& folder, WorkspacePresenter::OpenMode how = WorkspacePresenter::OpenMode::MustExist);
  /// Fills `menu` with actions that open the recently used workspaces.
  void fillRecent(QMenu& menu);

 private:
  void connectReports();
  void showRecent();
  void offerRestore(const QString& folder, const QString& why);

  StudioParts& parts_;
  WindowViews views_;
  TaskQueue checks_;  // of folders that may be slow, and of other windows
};

}  // namespace batchwise
