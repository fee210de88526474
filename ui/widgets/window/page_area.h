// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QBoxLayout;

namespace batchwise {

/// Pages with a message at their lower edge. Nothing under the mouse moves because a message comes or goes: while the
/// mouse is over the pages, the message lies upon their lowest part, and room for it is made once the mouse has gone
/// elsewhere, the message itself included, or the person goes on with the Tab key. If the mouse is where the message
/// would come, it comes at the upper edge.
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
  /// Gives the message room of its own, or takes that back.
  void settle();
  void placeMessage();

  QWidget& pages_;
  QWidget& message_;
  QWidget* room_;  // beside the pages, under the message
  QBoxLayout* layout_;
  bool above_ = false;
};

}  // namespace batchwise
