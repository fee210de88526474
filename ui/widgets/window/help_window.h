// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

class QTextBrowser;

namespace batchwise {

/// The built-in manual in the language of the window. Stays open beside the window.
class HelpWindow final : public QDialog {
  Q_OBJECT

 public:
  explicit HelpWindow(QWidget* parent);

  /// Name of the page that links to all others.
  static QString contents() { return QStringLiteral("index"); }

  /// Shows a page of resources/help by its name without ".md", for example "watch".
  void showPage(const QString& name);
  QString text() const;

 private:
  QTextBrowser* text_;
};

}  // namespace batchwise
