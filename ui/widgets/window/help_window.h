// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

class QTextBrowser;

namespace batchwise {

/// The pages of help, which are part of the program, in the language of the window. Stays open beside the window.
class HelpWindow final : public QDialog {
  Q_OBJECT

 public:
  explicit HelpWindow(QWidget* parent);

  /// "edit", "watch", "compare", "checkpoints". Pages link to each other.
  void showPage(const QString& name);
  QString text() const;

 private:
  QTextBrowser* text_;
};

}  // namespace batchwise
