// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QScrollArea>

#include "ui/edit/edit_presenter.h"
#include "ui/edit/plan_drawing.h"
#include "ui/parts/table_model.h"
#include "ui/theme/theme.h"

class QGridLayout;
class QLabel;
class QSpinBox;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace batchwise {

class ElidedLabel;
class PlanChart;

/// Lists warnings about the draft, each with a button that names its field.
class WarningList final : public QWidget {
  Q_OBJECT

 public:
  explicit WarningList(QWidget* parent = nullptr);

  void setWarnings(const std::vector<FieldProblem>& warnings);

 Q_SIGNALS:
  /// The user wants to see the field with this path.
  void fieldChosen(const std::string& path);

 protected:
  bool event(QEvent* event) override;

 private:
  struct Row {
    QToolButton* field;
    QLabel* text;
  };
  void addRow();
  void fitLabels();

  QGridLayout* grid_;
  std::vector<Row> rows_;
  QLabel* more_;
};

/// What the launch of the draft will do: its text, model and batch sizes, totals, stages, warnings, and the runs of a
/// sweep. Learning rate and batch size are drawn below, where their values can be dragged.
class PreviewPane final : public QScrollArea {
  Q_OBJECT

 public:
  PreviewPane(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The user wants to see the field with this path.
  void fieldChosen(const std::string& path);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeText(QWidget* parent);
  QWidget* makeCharts(QWidget* parent);
  QWidget* makeAssumption(QWidget* parent);
  QWidget* makeFacts(QWidget* parent);
  void makeTables(QWidget* parent);
  void readPreview();
  void showOutdated();
  void showText();
  void showAssumption();
  void showPreviewedRun();
  void showFacts();
  void placeFacts(const std::vector<PlanFact>& facts);
  void showProblem();
  void showRuns();
  void sizeTables();
  void makeDrawable(PlanChart& chart);
  bool canDraw() const { return !isStale_ && presenter_.draft().ready(); }
  void readDrawing();
  void showDrawing(PlanDrawing drawing);
  void answer(PlanChart& chart, const HandleRequest& request);
  void typeValue(const PlanHandle& chosen);
  void draw(const TrainConfig& config);
  void takeDrawn();
  void endDrag(bool keep);
  void tellOfTable(const TrainConfig& before);

  EditPresenter& presenter_;
  const Theme& theme_;
  QVBoxLayout* column_ = nullptr;
  QWidget* charts_ = nullptr;
  PlanChart *rate_ = nullptr, *step_ = nullptr;
  QLabel *text_ = nullptr, *previewedRun_, *outdated_, *headline_, *error_, *assumed_ = nullptr;
  ElidedLabel* sample_ = nullptr;
  QWidget* facts_ = nullptr;
  QGridLayout* factGrid_ = nullptr;
  std::vector<std::pair<QLabel*, QLabel*>> factLabels_;  // name, value
  QSpinBox* samples_ = nullptr;
  WarningList* warnings_ = nullptr;
  TextTableModel runRows_;
  QTreeView *stages_ = nullptr, *runs_ = nullptr;
  QLabel* tableHint_ = nullptr;
  PlanDrawing drawing_;
  std::optional<PlanDrawing> beforeDrag_;
  std::optional<TrainConfig> drawn_;  // not yet in the draft
  QTimer takeDelay_;
  bool isDrawing_ = false, isStale_ = true;  // the draft changes by it; it is of an older draft
  bool reading_ = false;                     // the tables change by themselves, not by the user
};

}  // namespace batchwise
