// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

class QPushButton;

namespace batchwise {

/// What a window without runs shows: what it is for, and the way to the first run.
class WelcomePage final : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(const Theme& theme, QWidget* parent = nullptr);

  /// The demo cannot be started while a run trains.
  void setDemoEnabled(bool enabled);

 Q_SIGNALS:
  void demoWanted();
  void fileWanted();
  void workspaceWanted();

 private:
  QPushButton* demo_;
};

}  // namespace batchwise
