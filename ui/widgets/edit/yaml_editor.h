// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

#include "ui/models/config_draft.h"
#include "ui/theme/theme.h"

class QLabel;
class QPlainTextEdit;

namespace batchwise {

/// The draft as YAML text, in step with the form. What is typed is taken over after a short pause; errors are listed
/// with their lines.
class YamlEditor final : public QWidget {
  Q_OBJECT

 public:
  YamlEditor(ConfigDraft& draft, const Theme& theme, QWidget* parent = nullptr);

  QPlainTextEdit& text() { return *text_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void take();
  void readDraft();

  ConfigDraft& draft_;
  QPlainTextEdit* text_;
  QLabel* problems_;
  QTimer delay_;
  bool taking_ = false;
};

}  // namespace batchwise
