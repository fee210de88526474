// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

class QTextBrowser;

namespace batchwise {

/// The manual, which is part of the program, in the language of the window. Stays open beside the window.
class HelpWindow final : public QDialog {
  Q_OBJECT

 public:
  explicit HelpWindow(QWidget* parent);

  /// Name of the page that links to all others.
  static QString contents() { return QStringLiteral("index"); }

  /// Shows a page of resources/help by its name without ".md", as "watch". Pages link to each other.
  void showPage(const QString& name);
  QString text() const;

 private:
  QTextBrowser* text_;
};

}  // namespace batchwise
