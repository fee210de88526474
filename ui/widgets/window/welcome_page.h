// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

class QPushButton;

namespace batchwise {

/// Page of a workspace without runs: introduces the program and offers to start the first run.
class WelcomePage final : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(const Theme& theme, QWidget* parent = nullptr);

  /// Disabled while no run can be launched.
  void setDemoEnabled(bool enabled);

 Q_SIGNALS:
  void demoRequested();
  void fileRequested();
  void workspaceRequested();

 private:
  QPushButton* demo_;
};

}  // namespace batchwise
