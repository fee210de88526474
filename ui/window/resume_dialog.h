// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

#include "ui/checkpoints/resume_presenter.h"
#include "ui/theme/theme.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace batchwise {

class FieldValues;

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

}  // namespace batchwise
