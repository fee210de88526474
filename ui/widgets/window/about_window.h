// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

namespace batchwise {

/// Version, licence, and the licences of what the program is made of.
class AboutWindow final : public QDialog {
  Q_OBJECT

 public:
  explicit AboutWindow(QWidget* parent);

 private:
  static QString facts();
};

}  // namespace batchwise
