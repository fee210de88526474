// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QMenu;
class QWidget;

namespace batchwise {

class WindowActions;

/// The commands of the File menu: where the configuration of the next run and the workspace come from.
class NewRunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. `window` is the parent of file dialogs.
  NewRunCommands(const StudioParts& parts, const WindowActions& actions, QWidget& window);

  void fromDemo();
  void fromFile();
  void editFile(const QString& path);
  /// Asks for a configuration of another trainer, and edits the result of its import.
  void fromExternalConfig();
  /// Shows how the file of another trainer is imported; edits the result if the user accepts.
  void editExternalConfig(const QString& path);
  void fromSelected();
  void duplicate(const RunDetail& run);
  /// Asks for a file and writes the edited configuration to it.
  void saveConfig();
  /// Writes the edited configuration. saved() or refused() follows, unless comments would be lost and the user cancels.
  void saveConfigTo(const QString& file);
  void openWorkspace();
  /// Opens the workspace in this folder or creates one; asks first if the folder holds other files.
  void openFolder(const QString& folder);
  /// Opens the workspace in this folder. Emits refused() if a run trains on this machine or another window has the
  /// workspace open.
  void switchWorkspace(const QString& folder,
                       WorkspacePresenter::OpenMode how = WorkspacePresenter::OpenMode::MustExist);
  /// Fills `menu` with actions that open the recently used workspaces.
  void fillRecent(QMenu& menu);

 Q_SIGNALS:
  /// The draft has been replaced.
  void draftLoaded();
  void saved(const QString& file);
  /// A command failed because of `why`.
  void refused(const QString& why);

 private:
  bool confirmNewWorkspaceIn(const QString& folder) const;
  bool confirmLosingComments(const QString& file) const;
  /// Returns an unused run name: "ramp-3" for "ramp" or "ramp-2" where those exist.
  QString freeName(const QString& like) const;

  StudioParts parts_;
  QWidget& window_;
};

}  // namespace batchwise
