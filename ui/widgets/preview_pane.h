// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>

#include "ui/presenters/edit_presenter.h"
#include "ui/theme/theme.h"

class QLabel;
class QSpinBox;
class QTreeView;

namespace batchwise {

class SeriesChart;

/// What the draft would do: learning rate and batch size over the run, the stages, totals, notes.
class PreviewPane final : public QScrollArea {
  Q_OBJECT

 public:
  PreviewPane(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

 private:
  QWidget* makeAssumption(QWidget* parent);
  void makeStages(QWidget* parent);
  void readPreview();
  QString totalsText() const;
  void sizeStages();

  EditPresenter& presenter_;
  SeriesChart *rate_, *step_;
  QLabel *totals_, *notes_, *error_, *assumed_;
  QSpinBox* samples_;
  QTreeView* stages_;
};

}  // namespace batchwise
