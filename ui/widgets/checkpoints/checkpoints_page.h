// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSortFilterProxyModel>
#include <QtWidgets/QWidget>

#include "ui/bridge/studio_settings.h"
#include "ui/presenters/checkpoints_presenter.h"
#include "ui/theme/theme.h"

class QLabel;
class QPushButton;
class QTreeView;

namespace batchwise {

class MessageBar;
class TryPanel;

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
  void makeTable(const Theme& theme);
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
