// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <optional>

#include "core/config/import/config_import.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace batchwise {

class Theme;

/// Shows what another trainer's configuration becomes here before it is used: each setting taken, with what changed
/// about it, and each one that has no place, with what would do. exec() is Accepted if the person wants it.
class ImportWindow final : public QDialog {
  Q_OBJECT

 public:
  /// `name` is that of the file, `text` what it holds.
  ImportWindow(const QString& name, std::string text, const Theme& theme, QWidget* parent);

  /// Empty while the file cannot be turned into a configuration.
  const std::optional<ConfigImport>& imported() const { return import_; }

 private:
  QWidget* makeChoices();
  void read();
  void describe(const ConfigImport& import);

  const QString name_;
  const std::string text_;
  std::optional<ConfigImport> import_;
  QComboBox* format_;
  QSpinBox* devices_;
  QLabel* summary_;
  QTreeWidget* account_;
  QPushButton* use_;
};

}  // namespace batchwise
