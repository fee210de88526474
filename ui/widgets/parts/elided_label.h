// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QLabel>

namespace batchwise {

/// One line of plain text, elided at its right end where it does not fit.
class ElidedLabel final : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);

  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace batchwise
