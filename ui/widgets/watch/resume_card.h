// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

#include "ui/presenters/resume_outlook.h"
#include "ui/theme/theme.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace batchwise {

/// What going on with a run means, before it does: from which checkpoint, how exactly, with which changes, and what
/// becomes of rows that are trained again. Deletes itself when closed.
class ResumeCard final : public QDialog {
  Q_OBJECT

 public:
  /// `checkpoint`: the one chosen at first; empty: the newest.
  ResumeCard(ResumeCase which, std::filesystem::path workspace, const QString& checkpoint, QWidget* parent);

 Q_SIGNALS:
  void wanted(const batchwise::LaunchRequest& request);

 private:
  void makeChoices(const QString& checkpoint);
  void makeForkName();
  void makeButtons();
  void describe();
  /// What is chosen, as a fork or as the same run.
  ResumeChoice choice(bool fork) const;
  void goOn(bool fork);

  const ResumeCase which_;
  const std::filesystem::path workspace_;
  QComboBox* checkpoints_;
  QLineEdit *duration_, *forkName_;
  QCheckBox* stretch_;
  QPlainTextEdit* changes_;
  QLabel *exactness_, *overlap_, *changed_, *problems_;
  QPushButton *resume_, *fork_;
};

}  // namespace batchwise
