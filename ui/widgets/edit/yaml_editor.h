// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

#include "ui/models/config_draft.h"
#include "ui/theme/theme.h"

class QLabel;
class QPlainTextEdit;

namespace batchwise {

/// Edits the draft as YAML text, in sync with the form. Applies the text after a short pause in typing; lists errors
/// with their lines.
class YamlEditor final : public QWidget {
  Q_OBJECT

 public:
  YamlEditor(ConfigDraft& draft, const Theme& theme, QWidget* parent = nullptr);

  QPlainTextEdit& text() { return *text_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void applyText();
  void readDraft();

  ConfigDraft& draft_;
  QPlainTextEdit* text_;
  QLabel* problems_;
  QTimer delay_;
  bool applying_ = false;
};

}  // namespace batchwise
