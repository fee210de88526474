// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <vector>

#include "core/config/train_config.h"
#include "ui/list/model_jobs.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace batchwise {

class StudioSettings;

/// A model that can be scored.
struct ScoredModel {
  QString name;
  QString argument;  ///< id of a run or of a checkpoint, or a folder, for the command line
  bool ticked = true;
};

/// Describes a task whose labelled text is in a table: the columns are chosen among those of the file. Writes the task
/// to a file. Deletes itself when closed. GUI thread.
class TaskDialog final : public QDialog {
  Q_OBJECT

 public:
  /// `table`: file of the training part.
  TaskDialog(const QString& table, StudioSettings& settings, TaskQueue& tasks, QWidget* parent);

 Q_SIGNALS:
  void saved(const QString& file);

 private:
  void readColumns();
  void showColumns(const QStringList& columns);
  TaskConfig task() const;
  void update();
  void save();

  const QString table_;
  StudioSettings& settings_;
  TaskQueue& tasks_;
  QFormLayout* form_;
  QLineEdit *name_, *test_;
  QComboBox *kind_, *metric_, *text_, *second_, *label_;
  QLabel* problem_;
  QPushButton* save_;
  QString unreadable_;  // why there are no columns
};

/// Asks which models are scored, on what and how: evaluated on a text, or judged on a task by a probe or by
/// fine-tuning. Deletes itself when closed. GUI thread.
class ScoreDialog final : public QDialog {
  Q_OBJECT

 public:
  enum class Method { Evaluate, Probe, FineTune };
  ScoreDialog(Method method, const std::vector<ScoredModel>& models, StudioSettings& settings, TaskQueue& tasks,
              QWidget* parent);

 Q_SIGNALS:
  void requested(const std::vector<batchwise::ModelJob>& jobs);

 private:
  QWidget* makeModels(const std::vector<ScoredModel>& models);
  void addModel(const ScoredModel& model);
  void addFolder();
  void describeTask();
  Method method() const;
  QStringList rates() const;
  QString problem() const;
  std::vector<ModelJob> jobs() const;
  void update();

  StudioSettings& settings_;
  TaskQueue& tasks_;
  QFormLayout* form_;
  QListWidget* models_;
  QComboBox* method_;
  QLineEdit *text_, *task_, *rates_;
  QSpinBox *draws_, *seeds_, *epochs_;
  QLabel* problem_;
  QPushButton* start_;
};

}  // namespace batchwise
