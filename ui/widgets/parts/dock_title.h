// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QDockWidget;
class QToolButton;

namespace batchwise {

class ElidedLabel;
class Theme;

/// Title bar of a dock with buttons to float and to close it. Its font follows the font of the application; the style's
/// own title bar keeps the font size of the program's start. Mouse events on the title are left to the dock.
class DockTitle final : public QWidget {
  Q_OBJECT

 public:
  DockTitle(const Theme& theme, QDockWidget& dock);

 private:
  void updateIcons();

  const Theme& theme_;
  QDockWidget& dock_;
  ElidedLabel* title_;
  QToolButton *float_, *close_;
};

}  // namespace batchwise
