// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSortFilterProxyModel>
#include <QtWidgets/QDialog>
#include <cstddef>
#include <vector>

#include "core/analysis/task_examples.h"
#include "ui/parts/table_model.h"
#include "ui/runs/compare_presenter.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace batchwise {

class StudioSettings;

/// The examples of a task on which two models differ most, with a filter, and the whole text of the selected one.
/// Deletes itself when closed. GUI thread.
class ExamplesWindow final : public QDialog {
  Q_OBJECT

 public:
  ExamplesWindow(ComparePresenter& presenter, StudioSettings& settings, const LineScore& model, const LineScore& other,
                 QWidget* parent);

 private:
  void read(const QString& taskFile);
  void showExamples(const Result<TaskExamples>& found);
  void fill();
  void showSelected();

  ComparePresenter& presenter_;
  const std::array<QString, 2> names_;
  const std::vector<Score> scores_, otherScores_;
  TaskExamples found_;
  std::vector<std::size_t> shown_;  // of found_: the rows of model_
  TextTableModel model_;
  QSortFilterProxyModel sorted_;
  QLineEdit* filter_;
  QCheckBox* oneIsRight_;
  QPushButton* file_;
  QLabel* state_;
  QTableView* table_;
  QPlainTextEdit* text_;
};

/// The scores of the compared runs on tasks, with their differences to the baseline.
class ScoresPane final : public QWidget {
  Q_OBJECT

 public:
  ScoresPane(ComparePresenter& presenter, StudioSettings& settings, QWidget* parent = nullptr);

 Q_SIGNALS:
  void judgeRequested();

 private:
  void showScores();
  void updateButtons();
  void openExamples();
  /// The score that the selected one is compared with: of the baseline, or for the baseline of the next line.
  const LineScore* counterpart() const;

  ComparePresenter& presenter_;
  StudioSettings& settings_;
  TextTableModel model_;
  QLabel* about_;
  QPushButton* examples_;
  QTableView* table_;
};

}  // namespace batchwise
