// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointer>
#include <QtCore/QTimer>
#include <QtWidgets/QDialog>
#include <string>
#include <vector>

#include "ui/presenters/edit_presenter.h"

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace batchwise {

class FieldChoice;

/// Edits the sweep of the draft: fields with lists or ranges of values, which of them advance together, and the name of
/// the experiment. Shows the runs that this makes.
class SweepWindow final : public QDialog {
  Q_OBJECT

 public:
  /// `field`: gets a row of its own to begin with; empty: none. Deletes itself when it is closed.
  SweepWindow(EditPresenter& presenter, const std::string& field, QWidget* parent = nullptr);

 private:
  /// One field with its values.
  struct Line {
    FieldChoice* field;
    QLineEdit* values;
    QCheckBox* together;
    QToolButton* remove;
    QLabel* note;  // its error, or how its values are written
  };

  void addLine(const std::string& field, const QString& values, bool together);
  void addEmptyLine();
  void addCompanion();
  void showLastLine();
  void removeLine(QWidget* field);
  void readDraft(const std::string& field);
  std::optional<SweepAxis> axisOf(const Line& line, QString& problem) const;
  std::vector<std::string> zippedFields() const;
  static void showNote(const Line& line, const QString& problem);
  void keepHeights();
  void check();
  void showCompanion();
  void showRuns(const std::vector<LoadedConfig>& runs);
  void apply();

  EditPresenter& presenter_;
  QLineEdit* experiment_;
  QScrollArea* area_;
  QGridLayout* grid_;
  std::vector<Line> lines_;
  int nextRow_ = 1;
  QLabel *summary_, *names_;
  QPushButton *accept_, *companion_;
  QTimer delay_;
  LoadedConfig first_;                    // of the sweep shown
  std::vector<SweepAxis> axes_;           // the same
  std::optional<CompanionAxis> missing_;  // what companion_ adds
  int generation_ = 0;                    // of the newest plan; older ones are dropped
};

}  // namespace batchwise
