// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <optional>
#include <string>
#include <vector>

#include "ui/edit/config_draft.h"

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace batchwise {

class FieldChoice;

/// Edits the sweep of the draft: fields with lists or ranges of values, and which of them advance together.
class SweepWindow final : public QDialog {
  Q_OBJECT

 public:
  /// `field`: gets a row of its own to begin with; empty: none. Deletes itself when it is closed.
  SweepWindow(ConfigDraft& draft, const std::string& field, QWidget* parent = nullptr);

 private:
  /// One field with its values.
  struct Line {
    FieldChoice* field;
    QLineEdit* values;
    QCheckBox* together;
    QToolButton* remove;
  };
  void addLine(const std::string& field, bool together);
  void removeLine(const QToolButton* remove);
  std::optional<SweepAxis> axisOf(const Line& line, QString& problem) const;
  void check();
  void apply();

  ConfigDraft& draft_;
  QGridLayout* grid_;
  std::vector<Line> lines_;
  int nextRow_ = 1;
  QLabel* summary_;
  QPushButton* accept_;
  std::vector<SweepAxis> axes_;  // of the lines, as far as they are valid
  std::vector<std::string> zip_;
};

}  // namespace batchwise
