// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/window/studio_parts.h"

namespace batchwise {

/// The commands of the File menu for the configuration of the next run: where it comes from and goes to. Their failures
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

 private:
  void writeConfig(const QString& file, const QString& text, bool asked);
  bool mayLoseComments(const QString& what, const QString& why);
  /// Asks for the name of a variant; edits a run like the selected one, in the same experiment.
  void variantOfSelected();
  void saveConfig();
  /// Returns an unused run name: "ramp-3" for "ramp" or "ramp-2" where those exist.
  QString freeName(const QString& like) const;

  StudioParts& parts_;
  WindowViews views_;
};

}  // namespace batchwise
