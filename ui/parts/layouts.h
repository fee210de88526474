// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QMargins>
#include <QtCore/QSize>
#include <QtCore/QString>
#include <QtWidgets/QBoxLayout>
#include <QtWidgets/QLayout>
#include <initializer_list>
#include <vector>

class QScrollArea;

namespace batchwise {

/// A widget, a layout or a stretch() in a row or column.
struct Cell {
  Cell(QWidget* content, int share = 0, Qt::Alignment where = {}) : widget(content), stretch(share), alignment(where) {}
  Cell(QLayout* content, int share = 0) : layout(content), stretch(share) {}

  QWidget* widget = nullptr;
  QLayout* layout = nullptr;
  int stretch;
  Qt::Alignment alignment;
};

/// An empty space that takes `share` of what the others leave.
inline Cell stretch(int share) {
  return {static_cast<QLayout*>(nullptr), share};
}

/// Margins and spacing of a row or column in pixels; negative: those of the style.
struct Gaps {
  QMargins margins{-1, -1, -1, -1};
  int spacing = -1;
};

/// Lays out cells side by side or one below the other in `parent`; without a parent, to be added to another layout.
QHBoxLayout* row(QWidget* parent, std::initializer_list<Cell> cells, const Gaps& gaps = {});
QVBoxLayout* column(QWidget* parent, std::initializer_list<Cell> cells, const Gaps& gaps = {});

/// Resizes a window to `wanted`, or less where its screen has no room for that.
void resizeWithinScreen(QWidget& window, const QSize& wanted);

/// Makes a window that is placed, but not yet shown, fit into its screen.
void keepWithinScreen(QWidget& window);

/// Fills a frameless scroll area, which scrolls `content` only vertically.
void fillScrollArea(QScrollArea& area, QWidget* content);

/// Sets the object name, what screen readers call the widget, and its tooltip; an empty text: none. Returns the widget.
template <typename Widget>
Widget* named(Widget* widget, const char* name, const QString& accessible = {}, const QString& toolTip = {}) {
  widget->setObjectName(QString::fromLatin1(name));
  widget->setAccessibleName(accessible);
  widget->setToolTip(toolTip);
  return widget;
}

/// Places widgets side by side, in as many rows as the width needs.
class FlowLayout final : public QLayout {
 public:
  explicit FlowLayout(QWidget* parent);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override { items_.push_back(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place({0, 0, width, 0}, Placing::Measure); }
  QSize sizeHint() const override { return minimumSize(); }
  QSize minimumSize() const override;
  void setGeometry(const QRect& area) override;

 private:
  enum class Placing { Measure, Move };
  /// Places or only measures the items; returns the height needed.
  int place(const QRect& area, Placing placing) const;

  std::vector<QLayoutItem*> items_;
};

}  // namespace batchwise
