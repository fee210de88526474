// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QCheckBox>

namespace batchwise {

/// A switch with its state as a word beside it, "On" or "Off"; "On and off" while it is partially checked. Its size is
/// the same in every state. To screen readers it is a check box.
class SwitchBox final : public QCheckBox {
  Q_OBJECT

 public:
  explicit SwitchBox(QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  /// A click on a switch that is partially checked switches it on.
  void nextCheckState() override { setCheckState(checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked); }
  bool hitButton(const QPoint& position) const override { return rect().contains(position); }
  void paintEvent(QPaintEvent* event) override;

 private:
  QRectF track() const;
};

}  // namespace batchwise
