// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

namespace batchwise {

/// Dialog with the version, the license, and the licenses of third-party parts.
class AboutWindow final : public QDialog {
  Q_OBJECT

 public:
  explicit AboutWindow(QWidget* parent);

 private:
  static QString versionText();
};

}  // namespace batchwise
