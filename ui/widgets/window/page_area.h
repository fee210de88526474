// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QBoxLayout;

namespace batchwise {

/// Pages with a message at their lower edge. Nothing under the mouse moves when a message appears or disappears: while
/// the mouse is over the pages, the message overlays their lowest part; it gets space of its own once the mouse leaves
/// the pages, for example to the message, or the user presses Tab. If the mouse is where the message would appear, it
/// appears at the upper edge.
class PageArea final : public QWidget {
  Q_OBJECT

 public:
  /// Both become its children.
  PageArea(QWidget& pages, QWidget& message, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int messageHeight() const;
  void chooseEdge();
  void messageChanged();
  /// Reserves space for the message, or releases it.
  void reserveSpace();
  void placeMessage();

  QWidget& pages_;
  QWidget& message_;
  QWidget* reserved_;  // space reserved under the message
  QBoxLayout* layout_;
  bool above_ = false;
};

}  // namespace batchwise
