// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QDockWidget;
class QToolButton;

namespace batchwise {

class ElidedLabel;
class Theme;

/// The title of a dock, with buttons that take it out of the window and close it: as large as the text of the program,
/// where that of the style keeps the size the program began with. What the mouse does on the title is the dock's.
class DockTitle final : public QWidget {
  Q_OBJECT

 public:
  DockTitle(const Theme& theme, QDockWidget& dock);

 private:
  void dress();

  const Theme& theme_;
  QDockWidget& dock_;
  ElidedLabel* title_;
  QToolButton *float_, *close_;
};

}  // namespace batchwise
