// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/presenters/checkpoints_presenter.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace batchwise {

/// Fills each [MASK] of a typed sentence with the weights of a checkpoint, with probabilities.
class TryPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit TryPanel(CheckpointsPresenter& presenter, QWidget* parent = nullptr);

  /// Empty: there is none to try.
  void setCheckpoint(const QString& checkpoint);

 private:
  void fill();
  void show(const FilledMasks& filled);
  void updateButton();

  CheckpointsPresenter& presenter_;
  QString checkpoint_;
  QLineEdit* text_;
  QPushButton* fill_;
  QLabel* state_;
  QTreeWidget* answers_;
  bool busy_ = false;
};

}  // namespace batchwise
