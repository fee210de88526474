// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/window/studio_parts.h"

class QMenu;

namespace batchwise {

class FirstRunCommands;

/// The commands of the File menu: where the configuration of the next run and the workspace come from. Their failures
/// are reported in the message bar.
class NewRunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions and the pages.
  NewRunCommands(StudioParts& parts, const WindowViews& views);

  void fromDemo();
  void fromRecipe(const QString& name);
  void fromFile();
  void editFile(const QString& path);
  /// Asks for a file of another trainer; see editExternalConfig().
  void fromExternalConfig();
  /// Shows how the file of another trainer is imported; edits the result if the user accepts.
  void editExternalConfig(const QString& path);
  void duplicate(const RunDetail& run);
  /// Writes the edited configuration, unless comments would be lost and the user cancels.
  void saveConfigTo(const QString& file);
  void openWorkspace();
  /// Opens the workspace in this folder or creates one; asks first if the folder holds other files.
  void openFolder(const QString& folder);
  /// Opens the workspace in this folder, unless a run trains on this machine or another window has it open.
  void switchWorkspace(const QString& folder,
                       WorkspacePresenter::OpenMode how = WorkspacePresenter::OpenMode::MustExist);
  /// Fills `menu` with actions that open the recently used workspaces.
  void fillRecent(QMenu& menu);

 private:
  void writeConfig(const QString& file, const QString& text, bool asked);
  bool mayLoseComments(const QString& what, const QString& why);
  void connectWorkspace();
  void showRecent();
  void offerRestore(const QString& folder, const QString& why);
  void fromSelected();
  /// Asks for the name of a variant; edits a run like the selected one, in the same experiment.
  void variantOfSelected();
  void saveConfig();
  /// Returns an unused run name: "ramp-3" for "ramp" or "ramp-2" where those exist.
  QString freeName(const QString& like) const;

  StudioParts& parts_;
  WindowViews views_;
};

/// Handles what is dropped on the window: a configuration, a workspace, archives of runs, a trained model, text.
class DropCommands final : public QObject {
  Q_OBJECT

 public:
  DropCommands(const WindowViews& views, NewRunCommands& newRun, FirstRunCommands& firstRun);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static bool isText(const QString& path);
  static bool isModel(const QString& folder);
  bool open(const QString& path);

  WindowViews views_;
  NewRunCommands& newRun_;
  FirstRunCommands& firstRun_;
};

}  // namespace batchwise
