// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSortFilterProxyModel>
#include <QtWidgets/QWidget>

#include "ui/bridge/studio_settings.h"
#include "ui/presenters/checkpoints_presenter.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;
class QTreeWidget;

namespace batchwise {

class MessageBar;
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

/// Lists the checkpoints of the selected run and their condition, with buttons to resume, verify, pin, delete and
/// export.
class CheckpointsPage final : public QWidget {
  Q_OBJECT

 public:
  CheckpointsPage(CheckpointsPresenter& presenter, StudioSettings& settings, const Theme& theme,
                  QWidget* parent = nullptr);

 Q_SIGNALS:
  void resumeRequested(const QString& run, const QString& checkpoint);

 private:
  void makeTable();
  QWidget* makeButtons();
  void connectPresenter();
  QString selected() const;
  void updateButtons();
  void chooseFolder();

  CheckpointsPresenter& presenter_;
  StudioSettings& settings_;
  QSortFilterProxyModel proxy_;
  MessageBar* message_;
  QLabel* empty_;
  QTreeView* table_;
  QPushButton *resume_, *verify_, *pin_, *remove_, *export_;
  TryPanel* try_;
};

}  // namespace batchwise
