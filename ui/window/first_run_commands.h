// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>

#include "ui/window/studio_parts.h"

class QMenu;

namespace batchwise {

class FirstRunDialog;
class RunCommands;

/// The ways to a run that need no configuration: text of one's own, a trained model, runs from elsewhere. Each opens
/// one dialog.
class FirstRunCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions and the welcome page.
  FirstRunCommands(StudioParts& parts, const WindowViews& views, RunCommands& run);

  /// Opens the dialog for a new model, with this text if it is not empty.
  void trainOn(const QStringList& paths) {
    if (open(false) != nullptr) parts_.firstRun.chooseText(paths);
  }
  /// Opens the dialog for a trained model, with this model folder if it is not empty.
  void continueModel(const QString& folder);
  /// Imports these archives; the message bar tells what becomes of each, or that there is no workspace.
  void bringRuns(const QStringList& archives);
  /// Reads the runs of other programs in these folders and files, and follows them.
  void follow(const QStringList& paths);
  /// Fills `menu` with actions that end the following of a folder.
  void fillFollowed(QMenu& menu);

 private:
  void askForArchives();
  void followFolder();
  void askForSteps(const QString& path, const std::vector<std::string>& columns);
  void reportRead(const QString& path, const ImportReport& report);
  /// Shows the configuration under Edit.
  void edit(const LoadedConfig& config);
  void launch(const LoadedConfig& config);
  FirstRunDialog* open(bool trained);

  StudioParts& parts_;
  WindowViews views_;
  RunCommands& run_;
};

}  // namespace batchwise
