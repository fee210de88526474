// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>

#include "ui/presenters/edit_presenter.h"
#include "ui/theme/theme.h"

class QGridLayout;
class QLabel;
class QSpinBox;
class QTreeView;

namespace batchwise {

class SeriesChart;

/// Preview of the draft: learning rate and batch size over the run, totals, stages, notes.
class PreviewPane final : public QScrollArea {
  Q_OBJECT

 public:
  PreviewPane(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

 private:
  QWidget* makeAssumption(QWidget* parent);
  void makeStages(QWidget* parent);
  void readPreview();
  void showPreviewedRun();
  void showFacts();
  void sizeStages();

  EditPresenter& presenter_;
  SeriesChart *rate_, *step_;
  QLabel *previewedRun_, *outdated_, *headline_, *notes_, *error_, *assumed_;
  QWidget* facts_;
  QGridLayout* factGrid_;
  std::vector<std::pair<QLabel*, QLabel*>> factLabels_;  // name, value
  QSpinBox* samples_;
  QTreeView* stages_;
};

}  // namespace batchwise
