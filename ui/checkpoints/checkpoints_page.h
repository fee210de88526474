// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSortFilterProxyModel>
#include <QtWidgets/QWidget>

#include "ui/bridge/studio_settings.h"
#include "ui/checkpoints/checkpoints_presenter.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;
class QTreeView;
class QTreeWidget;

namespace batchwise {

class ElidedLabel;
class MessageBar;

/// Fills each [MASK] of an entered sentence with the model of a checkpoint and shows the candidates with their
/// probabilities, optionally beside those of another run.
class TryPanel final : public QWidget {
  Q_OBJECT

 public:
  TryPanel(CheckpointsPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

  /// Empty: none.
  void setCheckpoint(const QString& checkpoint);
  /// Gives the sentence the keyboard focus.
  void focusSentence();

 Q_SIGNALS:
  /// The user tries the checkpoint.
  void used();

 private:
  void fill();
  void show(const MaskComparison& tried);
  void listOthers();
  void updateButton();

  CheckpointsPresenter& presenter_;
  QString checkpoint_;
  QString asked_, besideName_;  // checkpoint and other run of the last fill()
  QLineEdit* text_;
  QComboBox* beside_;  // runs with their ids; the first entry is none
  std::vector<NamedRun> others_;
  QPushButton* fill_;
  QLabel* state_;
  QTreeWidget* answers_;
  bool busy_ = false;
};

/// Lists the checkpoints of the selected run with the results of each, the actions on the selected one in a row above
/// the table, and the panel that tries it below.
class CheckpointsPage final : public QWidget {
  Q_OBJECT

 public:
  /// `message`: where it offers to undo a deletion.
  CheckpointsPage(CheckpointsPresenter& presenter, StudioSettings& settings, MessageBar& message, const Theme& theme,
                  QWidget* parent = nullptr);

 Q_SIGNALS:
  void resumeRequested(const QString& run, const QString& checkpoint);
  /// To evaluate a checkpoint on a text, or to judge it on a task.
  void evaluateRequested(const QString& checkpoint);
  void judgeRequested(const QString& checkpoint);

 private:
  void makeTable();
  void showScores();
  QWidget* makeButtons();
  void connectPresenter();
  void showRun();
  void offerUndo(std::int64_t batch);
  void watchChoice();
  void propose();
  QString selected() const;
  void select(const QString& checkpoint);
  void updateButtons();
  void chooseFolder();

  CheckpointsPresenter& presenter_;
  StudioSettings& settings_;
  QSortFilterProxyModel proxy_;
  MessageBar& message_;
  ElidedLabel* heading_;
  QStackedWidget* list_;  // the table, or why it is empty
  QTreeView* table_;
  TextTableModel scores_;
  QTableView* scoresView_;  // of the selected checkpoint; hidden without scores
  QPushButton *verify_, *tryIt_, *resume_, *export_, *evaluate_, *judge_, *pin_, *remove_;
  TryPanel* try_;
  QString selectedBefore_;  // the rows are reset
  bool proposing_ = false;  // the current row changes, but not by the user
  bool chosen_ = false;     // the user has selected or used a checkpoint of the run
};

}  // namespace batchwise
