// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/labels.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QStyle>
#include <QtWidgets/QToolBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QToolTip>

#include "ui/parts/display_text.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

/// Asks for the height of its text at its present width; QLabel asks for that at a width of its own choice, and a form
/// then leaves space below.
class WrappedLabel final : public QLabel {
 public:
  using QLabel::QLabel;

  QSize sizeHint() const override {
    const QSize hint = QLabel::sizeHint();
    return testAttribute(Qt::WA_Resized) ? QSize(hint.width(), heightForWidth(width())) : hint;
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QLabel::resizeEvent(event);
    if (event->oldSize().width() != width()) updateGeometry();
  }
};

QLabel* setUp(QLabel* label, TextLook look) {
  label->setTextFormat(Qt::PlainText);
  Theme::setLook(label, look);
  return label;
}

}  // namespace

QLabel* textLabel(QWidget* parent, TextLook look, const QString& text) {
  QLabel* label = setUp(new WrappedLabel(text, parent), look);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QString escapeMnemonic(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QLabel* plainLabel(QWidget* parent, TextLook look, const QString& text) {
  return setUp(new QLabel(text, parent), look);
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
}

bool ElidedLabel::event(QEvent* event) {
  const bool isElided = fontMetrics().horizontalAdvance(text()) > contentsRect().width();
  if (event->type() != QEvent::ToolTip || !isElided || !toolTip().isEmpty()) return QLabel::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainToolTip(text()), this);
  return true;
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
  style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shown,
                        foregroundRole());
}

void setUpExtension(const QToolBar& bar, const Theme& theme) {
  auto* more = bar.findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
  if (more == nullptr) return;
  more->setFocusPolicy(Qt::TabFocus);
  more->setAccessibleName(ElidedLabel::tr("More tools"));
  more->setToolTip(ElidedLabel::tr("Tools that do not fit here"));
  const auto recolor = [more, &theme] { more->setIcon(theme.icon(QStringLiteral("more"))); };
  QObject::connect(&theme, &Theme::changed, more, recolor);
  recolor();
}

QLineEdit* searchLine(QWidget* parent, const char* name, const QString& text) {
  auto* line = named(new QLineEdit(parent), name, text);
  line->setPlaceholderText(text);
  line->setClearButtonEnabled(true);
  return line;
}

QToolButton* textButton(QWidget* parent, const char* name, const QString& text, const QString& toolTip) {
  auto* button = named(new QToolButton(parent), name, {}, toolTip);
  button->setText(text);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

QToolButton* flatButton(QWidget* parent, const QString& name) {
  auto* button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setToolTip(name);
  button->setAccessibleName(name);
  return button;
}

}  // namespace batchwise
