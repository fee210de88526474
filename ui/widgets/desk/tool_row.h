// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <vector>

class QAction;
class QMenu;
class QToolButton;

namespace batchwise {

/// One row of controls that neither wraps nor moves: those that do not fit are hidden, and their actions are in a menu
/// at the end.
class ToolRow final : public QWidget {
  Q_OBJECT

 public:
  explicit ToolRow(QWidget* parent = nullptr);

  /// Adds a control at the end of the row. `action`: what stands for it in the menu, with a submenu for choices.
  /// `rank`: the control of the highest rank is hidden first.
  void add(QWidget* control, QAction* action, int rank);
  /// Adds a button for `action`.
  QToolButton* addButton(QAction* action, int rank);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Tool {
    QWidget* control;
    QAction* action;
    int rank;
    bool hidden = false;
  };
  void fit();
  void place();
  int widthOf(const QWidget& control) const;

  std::vector<Tool> tools_;
  QToolButton* more_;
  QMenu* menu_;
};

}  // namespace batchwise
