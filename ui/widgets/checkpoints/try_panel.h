// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/presenters/checkpoints_presenter.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace batchwise {

class Theme;

/// Fills each [MASK] of an entered sentence with the model of a checkpoint and shows the candidates with their
/// probabilities, optionally beside those of another run.
class TryPanel final : public QWidget {
  Q_OBJECT

 public:
  TryPanel(CheckpointsPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

  /// Empty: none.
  void setCheckpoint(const QString& checkpoint);

 private:
  void fill();
  void show(const MaskComparison& tried);
  void listOthers();
  void updateButton();

  CheckpointsPresenter& presenter_;
  QString checkpoint_;
  QLineEdit* text_;
  QComboBox* beside_;  // runs with their ids; the first entry is none
  std::vector<NamedRun> others_;
  QPushButton* fill_;
  QLabel* state_;
  QTreeWidget* answers_;
  bool busy_ = false;
};

}  // namespace batchwise
