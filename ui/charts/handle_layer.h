// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <optional>
#include <vector>

#include "ui/theme/theme.h"

namespace batchwise {

/// A value of a chart that can be dragged: an edge to the sides, a height up and down. Places in the units of the axes.
struct ChartHandle {
  QString name;   ///< "Start of stage 2"
  QString value;  ///< exact: "64 at 20,000,000 tokens"
  QString typed;  ///< as it is typed: "20000000tok"
  Qt::Orientation moves = Qt::Horizontal;
  QPointF at;        ///< of its dot
  QPointF from, to;  ///< of the line that it can be dragged by
};

/// The axes of a chart from 0 on, and the pixels of its plot.
struct ChartScale {
  QRectF plot;
  double xEnd = 1, yEnd = 1;

  /// Returns how much a pixel is.
  QPointF unit() const { return {xEnd / std::max(1.0, plot.width()), yEnd / std::max(1.0, plot.height())}; }
  QPointF pixel(const QPointF& value) const {
    return {plot.left() + value.x() / unit().x(), plot.bottom() - value.y() / unit().y()};
  }
  QPointF value(const QPointF& pixel) const {
    return {(pixel.x() - plot.left()) * unit().x(), (plot.bottom() - pixel.y()) * unit().y()};
  }
};

/// Returns the handle within a few pixels of `place`: the one whose line is nearest, of several that cross there the
/// one whose dot is nearest. Pure.
std::optional<std::size_t> handleNear(const std::vector<ChartHandle>& handles, const ChartScale& scale, QPointF place);

/// A number of steps that is all there are.
inline constexpr int kToLimit = 1'000'000'000;

/// What the user asks for, by mouse or keys.
struct HandleRequest {
  enum class Kind { Move, Step, Add, Remove, Type };
  Kind kind = Kind::Move;
  std::size_t handle = 0;  ///< of all but Add
  QPointF to;              ///< of Move and Add, in the units of the axes
  bool exact = false;      ///< of these: without rounding
  int steps = 0;           ///< of Step
};

/// Lies over the plot of a chart, and lets its values be dragged: by their lines and dots, with Shift or Alt to exact
/// values; a double click on one asks to type it, elsewhere to add one. Keys: Tab from dot to dot, arrows, with Shift
/// by large steps, Home and End, Enter to type, Insert, Delete, Escape while dragging. It changes nothing by itself.
class HandleLayer final : public QWidget {
  Q_OBJECT

 public:
  HandleLayer(const Theme& theme, QWidget* parent);

  /// `course`: drawn in front of the chart; may be empty. During a drag there are the same handles.
  void setHandles(std::vector<ChartHandle> handles, std::vector<QPointF> course);
  const std::vector<ChartHandle>& handles() const { return handles_; }
  void setScale(const ChartScale& scale);
  const ChartScale& scale() const { return scale_; }
  bool isDragging() const { return drag_.has_value(); }

 Q_SIGNALS:
  void dragBegun();
  void dragEnded(bool keep);
  void requested(const batchwise::HandleRequest& request);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent*) override {
    if (!drag_) pointAt(std::nullopt);
  }

 private:
  struct Drag {
    std::size_t handle;
    QPointF from, pressedAt, unit;  // values, pixels of the screen, value of a pixel
    bool byKeys = false, moved = false;
  };

  void placeDots();
  std::optional<std::size_t> focused() const;
  void pointAt(std::optional<std::size_t> handle);
  void beginDrag(const Drag& drag);
  void endDrag(bool keep);
  bool pressKey(std::size_t handle, const QKeyEvent& event);
  void paintLabel(QPainter& painter, const ChartHandle& handle);

  const Theme& theme_;
  std::vector<ChartHandle> handles_;
  std::vector<QPointF> course_;
  std::vector<QWidget*> dots_;  // have the keyboard focus of the handles, which are painted here
  ChartScale scale_;
  std::optional<Drag> drag_;
  std::optional<std::size_t> pointed_;  // by mouse or focus
};

}  // namespace batchwise
