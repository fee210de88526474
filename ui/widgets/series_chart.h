// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <memory>
#include <optional>

#include "ui/models/chart_content.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// One chart over global batches. The only place that knows Qt Charts: it gets all points and gives Qt Charts what its
/// pixels show, with axis ranges from finite values. Call setContent() at most some 30 times a second.
class SeriesChart final : public QWidget {
  Q_OBJECT

 public:
  struct Spec {
    QString title;
    QString unit;  ///< after the title; may be empty
    ValueFormat format = ValueFormat::Plain;
    bool fromZero = false;  ///< the value axis begins at 0
    QString emptyText;      ///< while there is no value
  };

  SeriesChart(Spec spec, const Theme& theme, QWidget* parent = nullptr);
  ~SeriesChart() override;

  void setContent(ChartContent content);
  const ChartContent& content() const;
  /// The line that all charts of a page share, with a card of the values there. Nothing: no line.
  void showCursorAt(std::optional<double> x);

  /// Points handed to Qt Charts at the last setContent(), over all lines.
  int drawnPoints() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The mouse is over the position x of the axis, or has left.
  void cursorMoved(std::optional<double> x);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  class View;
  std::unique_ptr<View> view_;
};

}  // namespace batchwise
