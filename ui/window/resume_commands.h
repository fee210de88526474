// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QSet>
#include <QtWidgets/QDialog>

#include "ui/window/studio_parts.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace batchwise {

class FieldValues;
class NewRunCommands;
class RunCommands;

/// Dialog that shows what resuming a run will do: from which checkpoint, how exactly, with which changes, and what
/// becomes of rows that are trained again. Deletes itself when closed.
class ResumeDialog final : public QDialog {
  Q_OBJECT

 public:
  /// `checkpoint`: selected at first; empty: the newest.
  ResumeDialog(ResumableRun which, std::filesystem::path workspace, const QString& checkpoint, QWidget* parent);

 Q_SIGNALS:
  void launchRequested(const batchwise::LaunchRequest& request);

 private:
  enum class Action { Resume, Fork };

  void makeChoices(const QString& checkpoint);
  void makeForkName();
  void makeButtons();
  void describe();
  /// Returns the choices of the user.
  ResumeChoice choice(Action action) const;
  void submit(Action action);

  const ResumableRun which_;
  const std::filesystem::path workspace_;
  QComboBox* checkpoints_;
  QLineEdit *duration_, *forkName_;
  QCheckBox* stretch_;
  FieldValues* changes_;
  QLabel *exactness_, *overlap_, *changed_, *problems_;
  QPushButton *resume_, *fork_;
};

/// Resumes runs: the offer for an interrupted run in the message bar, and the dialog that F7 opens.
class ResumeCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the action and the page with the checkpoints.
  ResumeCommands(StudioParts& parts, const WindowViews& views, RunCommands& runs, NewRunCommands& newRun);

  /// Opens the dialog for a run. `checkpoint` is selected at first; empty: the newest.
  void openDialog(const QString& run, const QString& checkpoint = {});

 private:
  void showOffer(const ResumeOffer& offer);
  void answer(const ResumeOffer& offer, bool isQueued, int action);
  void showDialog(const ResumableRun& which);

  StudioParts& parts_;
  WindowViews views_;
  RunCommands& runs_;
  NewRunCommands& newRun_;
  QString requestedRun_, requestedCheckpoint_;  // of the dialog that opens once the run has been read
  QSet<QString> outdatedOffers_;                // runs of which a checkpoint was deleted after the offer
};

}  // namespace batchwise
