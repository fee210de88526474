// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QMenu;
class QWidget;

namespace batchwise {

class WindowActions;

/// Where the next run's configuration and the workspace come from: the commands of the File menu.
class NewRunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions. `window` is the parent of file dialogs.
  NewRunCommands(const StudioParts& parts, const WindowActions& actions, QWidget& window);

  void fromDemo();
  void fromFile();
  void editFile(const QString& path);
  /// Asks for a configuration of another trainer, and edits what it becomes here.
  void fromOther();
  /// Shows what becomes of the other trainer's file; edits it if the person wants that.
  void editOther(const QString& path);
  void fromSelected();
  void duplicate(const RunDetail& run);
  /// Asks for a file, and writes the configuration that is being edited to it.
  void saveConfig();
  /// Writes it there; saved() or refused() follows, unless comments would be lost and the person wants them kept.
  void saveConfigTo(const QString& file);
  void openWorkspace();
  /// Opens the workspace in this folder, or makes one there: of a folder with other files only if the person says so.
  void openFolder(const QString& folder);
  /// Opens the workspace in this folder, unless a run of the present one needs the window.
  void switchWorkspace(const QString& folder,
                       WorkspacePresenter::Opening how = WorkspacePresenter::Opening::MustBeThere);
  /// Lists the workspaces used before, each of which can be opened.
  void fillRecent(QMenu& menu);

 Q_SIGNALS:
  /// The draft of the next run is another one.
  void draftLoaded();
  void saved(const QString& file);
  /// A command could not be carried out, and why.
  void refused(const QString& why);

 private:
  bool wantsWorkspaceIn(const QString& folder) const;
  bool wantsWithoutComments(const QString& file) const;
  /// "ramp-3" for "ramp" or "ramp-2" where those are taken.
  QString freeName(const QString& like) const;

  StudioParts parts_;
  QWidget& window_;
};

}  // namespace batchwise
