// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>
#include <vector>

#include "core/run/launch/launch_check.h"
#include "ui/edit/config_draft.h"
#include "ui/edit/yaml_assist.h"
#include "ui/theme/theme.h"

class QAction;
class QMenu;

namespace batchwise {

class ElidedLabel;
class YamlText;

/// Edits the draft as YAML text, in step with the form: line numbers, colors, the errors and warnings of each line with
/// their corrections, completion from the schema. Applies the text after a short pause in typing. Undo is that
/// of the draft. Tab indents; Escape leaves the text.
class YamlEditor final : public QWidget {
  Q_OBJECT

 public:
  YamlEditor(ConfigDraft& draft, const Theme& theme, QWidget* parent = nullptr);

  QString text() const;
  /// Sets the findings of the preflight, which are marked at their fields.
  void setFindings(const std::vector<PreflightFinding>& findings);
  /// Moves the cursor to the next line, or the previous one, that has an error or a warning.
  void showNextProblem() { showProblem(1); }
  void showPreviousProblem() { showProblem(-1); }

  /// The errors and warnings shown; line 0: of the whole text.
  const std::vector<DraftMark>& marks() const { return marks_; }
  /// Corrections that a line offers, from 1.
  std::vector<YamlFix> fixesAt(int line) const;
  /// Applies a correction as one change of the draft.
  void apply(const YamlFix& fix);
  /// Shows what may stand at the cursor.
  void complete();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void makeActions();
  QAction* makeAction(const QString& text, const QKeySequence& keys, void (YamlEditor::*run)());
  void retheme();
  void applyText();
  void applyPendingText();
  void readDraft();
  void readMarks();
  void addFindings();
  void showMarks();
  void showStatus();
  void showProblem(int direction);
  QString problemsAt(int line) const;
  QString fieldHelpAt(int line) const;
  void typed(int character);
  void showFieldHelp();
  void showHover(int line, const QPoint& position);
  void addFixes(QMenu& menu, int line);
  void showMenu(const QPoint& position);
  bool leave();

  ConfigDraft& draft_;
  const Theme& theme_;
  YamlText* text_;
  ElidedLabel* status_;
  QTimer delay_;
  std::vector<PreflightFinding> findings_;
  std::vector<DraftMark> marks_;
  bool applying_ = false;
};

}  // namespace batchwise
