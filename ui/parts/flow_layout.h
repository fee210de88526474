// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QLayout>
#include <vector>

namespace batchwise {

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
