// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <optional>

#include "core/config/import/config_import.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace batchwise {

class Theme;

/// Dialog that shows how the configuration of another trainer is imported: each setting taken, with any change to it,
/// and each one not taken, with a remedy. exec() returns Accepted if the user wants the result.
class ImportWindow final : public QDialog {
  Q_OBJECT

 public:
  /// `name`: of the file; `text`: its contents.
  ImportWindow(const QString& name, std::string text, const Theme& theme, QWidget* parent);

  /// Empty while the file cannot be imported.
  const std::optional<ConfigImport>& imported() const { return import_; }

 private:
  QWidget* makeChoices();
  void read();
  void describe(const ConfigImport& import);
  /// Lists the settings with this effect below a title with their number.
  void describeNotTaken(const ConfigImport& import, ImportEffect effect, const QString& title);

  const QString name_;
  const std::string text_;
  std::optional<ConfigImport> import_;
  QComboBox* format_;
  QSpinBox* devices_;
  QCheckBox* partly_;
  QLabel* summary_;
  QTreeWidget* report_;
  QPushButton* use_;
};

}  // namespace batchwise
