// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QElapsedTimer>
#include <QtCore/QTimer>
#include <QtWidgets/QDialog>
#include <optional>
#include <vector>

#include "core/run/launch/study.h"
#include "ui/charts/series_chart.h"
#include "ui/list/workspace_presenter.h"
#include "ui/parts/table_model.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace batchwise {

/// The study of the critical batch of a run: what it would cost, its branches and what they decide, the law over tokens
/// and the ramp that follows. Shows the study that was begun last, or plans one. Deletes itself when closed. GUI
/// thread.
class StudyWindow final : public QDialog {
  Q_OBJECT

 public:
  StudyWindow(WorkspacePresenter& workspace, const QString& run, const QString& name, const Theme& theme,
              QWidget* parent);

  /// Closes once branches that are being added have been; called again, at once.
  void done(int result) override;

 Q_SIGNALS:
  /// So many branches were added to the queue.
  void queued(qint64 branches);
  /// The configuration of the run with the ramp; `what` says what it saves.
  void rampRequested(const batchwise::LoadedConfig& config, const QString& what);

 private:
  struct Answer {
    Result<Study> study;
    std::vector<std::int64_t> positions;  ///< of the checkpoints of the run, ascending
    bool isStored = false;
    std::int64_t branchTokens = 0;  ///< without a length in the form, of a study that fails; 0: unknown
  };
  enum class Source { Stored, Form };

  QWidget* makeForm();
  QWidget* makeResults(const Theme& theme);
  /// Returns what the form asks for; empty with a `problem` if it cannot be read.
  std::optional<StudyRequest> request(QString& problem) const;
  void read(Source source);
  void receive(Answer answer);
  void fillForm(const Study& study, const std::vector<std::int64_t>& positions);
  void showProblem(const QString& problem);
  void showPlan();
  void showTable();
  void showLosses();
  void showLaw();
  void refresh();
  void start();
  const StudyColumn& columnOf(const CheckpointDecision& decision) const;
  qint64 missing() const;

  WorkspacePresenter& workspace_;
  const QString run_;
  std::optional<Study> study_;
  std::optional<StudyRequest> begun_;  // stored, and as the form has it
  bool filling_ = false, reading_ = false, starting_ = false, closesOnceStarted_ = false;
  int generation_ = 0;
  QTimer delay_;
  QElapsedTimer sinceRead_;
  TextTableModel model_;
  QListWidget* checkpoints_;
  QLineEdit *factors_, *tokens_;
  QSpinBox* replicates_;
  QDoubleSpinBox* tolerance_;
  QComboBox *unit_, *cooldown_, *column_, *place_;
  QLabel *plan_, *problem_, *law_;
  SeriesChart *losses_, *critical_;
  QPushButton *start_, *use_;
  TaskQueue clusterTasks_;  // Slurm may take long to answer
};

}  // namespace batchwise
