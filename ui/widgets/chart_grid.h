// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>
#include <vector>

class QGridLayout;

namespace batchwise {

class SeriesChart;

/// Charts in as many columns as their text leaves room for, the first one over the whole width; scrolls where the
/// window is too low. The charts share one cursor.
class ChartGrid final : public QScrollArea {
  Q_OBJECT

 public:
  explicit ChartGrid(QWidget* parent = nullptr);

  /// Takes ownership. The first one added is the wide one.
  void addChart(SeriesChart* chart);
  int columns() const { return columns_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void arrange();

  QWidget* content_;
  QGridLayout* layout_;
  std::vector<SeriesChart*> charts_;
  int columns_ = 0;
};

}  // namespace batchwise
