// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QLabel>

#include "ui/theme/theme.h"

class QLineEdit;
class QString;
class QToolBar;
class QToolButton;
class QWidget;

namespace batchwise {

/// Returns a label for sentences, which may contain user input: plain text, word-wrapped, selectable with the mouse.
/// `parent` owns it.
QLabel* textLabel(QWidget* parent, TextLook look = TextLook::Body, const QString& text = {});

/// Returns `text` for a menu or a button, where `&` would mark a mnemonic.
QString escapeMnemonic(QString text);

/// Returns a label of one line of plain text. `parent` owns it.
QLabel* plainLabel(QWidget* parent, TextLook look = TextLook::Body, const QString& text = {});

/// One line of plain text, elided at its right end where it does not fit; its tool tip then has the whole text.
class ElidedLabel final : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);

  QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  /// Shows the whole text as the tool tip where it is elided and no other tool tip is set.
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
};

/// The button for what does not fit into `bar`: reached by keys, with a name and an icon of the theme.
void setUpExtension(const QToolBar& bar, const Theme& theme);

/// Returns a line to search in, with `text` in it while it is empty, which is also its accessible name. `parent` owns
/// it.
QLineEdit* searchLine(QWidget* parent, const char* name, const QString& text);

/// Returns a tool button with a text, reached by Tab. `parent` owns it.
QToolButton* textButton(QWidget* parent, const char* name, const QString& text, const QString& toolTip = {});

/// Returns a frameless tool button for an icon. `name` is its tooltip and accessible name; `parent` owns it.
QToolButton* flatButton(QWidget* parent, const QString& name);

}  // namespace batchwise
