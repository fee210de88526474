// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/yaml_editor.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QFontDatabase>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QVBoxLayout>

#include "ui/models/display_text.h"
#include "ui/widgets/edit/field_editor.h"

namespace batchwise {
namespace {
constexpr int kPauseMs = 300;
constexpr std::size_t kMaxProblems = 6;
}  // namespace

YamlEditor::YamlEditor(ConfigDraft& draft, const Theme& theme, QWidget* parent)
    : QWidget(parent), draft_(draft), text_(new QPlainTextEdit(this)), problems_(new QLabel(this)) {
  text_->setObjectName(QStringLiteral("yaml"));
  text_->setAccessibleName(tr("Configuration as YAML text"));
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setTabChangesFocus(true);
  text_->setUndoRedoEnabled(false);
  text_->installEventFilter(this);
  text_->setFrameShape(QFrame::NoFrame);
  problems_->setTextFormat(Qt::PlainText);
  problems_->setWordWrap(true);
  problems_->setContentsMargins(8, 0, 8, 0);
  Theme::setLook(problems_, TextLook::Bad);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 0, 8, 8);
  layout->setSpacing(4);
  layout->addWidget(text_, 1);
  layout->addWidget(problems_);
  delay_.setSingleShot(true);
  delay_.setInterval(kPauseMs);
  connect(text_, &QPlainTextEdit::textChanged, &delay_, qOverload<>(&QTimer::start));
  connect(&delay_, &QTimer::timeout, this, &YamlEditor::applyText);
  connect(&draft_, &ConfigDraft::changed, this, &YamlEditor::readDraft);
  const auto setFonts = [this, &theme] {
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(theme.bodyFont().pointSizeF());
    text_->setFont(mono);
  };
  connect(&theme, &Theme::changed, this, setFonts);
  setFonts();
  readDraft();
}

bool YamlEditor::eventFilter(QObject* watched, QEvent* event) {
  if (!isUndoKey(*event)) return QWidget::eventFilter(watched, event);
  if (delay_.isActive()) {
    delay_.stop();
    applyText();
  }
  event->ignore();  // left to the window, which undoes in form and text
  return true;
}

void YamlEditor::applyText() {
  applying_ = true;
  draft_.setYaml(text_->toPlainText());
  applying_ = false;
}

void YamlEditor::readDraft() {
  if (!applying_ && text_->toPlainText() != draft_.yaml()) {
    const QSignalBlocker quiet(text_);
    delay_.stop();
    text_->setPlainText(draft_.yaml());
  }
  QStringList lines;
  for (const ConfigIssue& issue : draft_.issues()) {
    if (lines.size() == static_cast<qsizetype>(kMaxProblems)) {
      lines << tr("and %n more", nullptr, static_cast<int>(draft_.issues().size() - kMaxProblems));
      break;
    }
    const QString where = issue.line > 0 ? tr("Line %1: ").arg(issue.line) : QString();
    const QString field = issue.field.empty() ? QString() : toQt(issue.field) + QStringLiteral(": ");
    lines << where + field + coreText(issue.message);
  }
  problems_->setText(lines.join(QLatin1Char('\n')));
  problems_->setVisible(!lines.isEmpty());
}

}  // namespace batchwise
