// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/field_editor.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QToolButton>

#include "core/config/path_fields.h"
#include "core/config/value_text.h"
#include "ui/models/display_text.h"
#include "ui/models/field_labels.h"

namespace batchwise {

namespace {
const QString kSeveral = QStringLiteral("several");  // data of the item for several values
const QString kBothText = QStringLiteral("true, false");
}  // namespace

bool isUndoKey(const QEvent& event) {
  if (event.type() != QEvent::ShortcutOverride) return false;
  const auto& key = static_cast<const QKeyEvent&>(event);
  return key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo);
}

FieldEditor::FieldEditor(const Field& field, QWidget* parent) : QWidget(parent) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  if (field.kind == FieldKind::Boolean) {
    box_ = new QCheckBox(tr("On"), this);
    connect(box_, &QCheckBox::toggled, this, [this] { Q_EMIT edited(text()); });
  } else if (field.kind == FieldKind::Choice) {
    list_ = new QComboBox(this);
    if (field.optional) list_->addItem(toQt(field.unsetText));
    for (const std::string& choice : field.choices) list_->addItem(toQt(choice));
    connect(list_, &QComboBox::currentTextChanged, this, &FieldEditor::edited);
  } else {
    makeLine(field);
  }
  layout->insertWidget(0, control(), line_ != nullptr ? 1 : 0);
  if (line_ == nullptr) layout->addStretch(1);
  setFocusProxy(control());
  control()->setAccessibleName(fieldLabel(field.path));
  control()->setAccessibleDescription(fieldHelp(field));
  control()->setObjectName(toQt(field.path));
  control()->setFocusPolicy(Qt::StrongFocus);  // the wheel scrolls the page instead of changing values
  control()->installEventFilter(this);
}

void FieldEditor::makeLine(const Field& field) {
  line_ = new QLineEdit(this);
  line_->setPlaceholderText(toQt(field.unsetText));
  connect(line_, &QLineEdit::textEdited, this, &FieldEditor::edited);
  const PathKind kind = pathKind(field.path);
  if (kind != PathKind::Files && kind != PathKind::Folder) return;
  auto* button = new QToolButton(this);
  button->setText(tr("Browse…"));
  button->setAccessibleName(tr("Browse for: %1").arg(fieldLabel(field.path)));
  layout()->addWidget(button);
  connect(button, &QToolButton::clicked, this, [this, kind] { browse(kind == PathKind::Files); });
}

void FieldEditor::browse(bool files) {
  QStringList chosen;
  if (files)
    chosen = QFileDialog::getOpenFileNames(this, tr("Choose text files"), baseFolder_,
                                           tr("Text (*.txt *.jsonl *.gz);;All files (*)"));
  else if (const QString folder = QFileDialog::getExistingDirectory(this, tr("Choose a folder"), baseFolder_);
           !folder.isEmpty())
    chosen = {folder};
  if (chosen.isEmpty()) return;
  QStringList quoted;
  for (const QString& path : chosen) quoted << (files ? toQt(config::quotedText(path.toStdString())) : path);
  line_->setText(quoted.join(QStringLiteral(", ")));
  Q_EMIT edited(line_->text());
}

/// Shows several values, which come from the YAML text, as a temporary item.
void FieldEditor::showChoice(const QString& text) {
  if (const int extra = list_->findData(kSeveral); extra >= 0) list_->removeItem(extra);
  if (list_->findText(text) < 0 && text.contains(QLatin1Char(','))) list_->addItem(text, kSeveral);
  list_->setCurrentIndex(list_->findText(text));
}

QWidget* FieldEditor::control() const {
  if (box_ != nullptr) return box_;
  return list_ != nullptr ? static_cast<QWidget*>(list_) : line_;
}

QString FieldEditor::text() const {
  if (box_ != nullptr && box_->checkState() == Qt::PartiallyChecked) return kBothText;
  if (box_ != nullptr) return box_->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
  return list_ != nullptr ? list_->currentText() : line_->text();
}

void FieldEditor::setText(const QString& text) {
  if (text == this->text()) return;
  const QSignalBlocker quiet(control());
  if (box_ != nullptr) {
    box_->setCheckState(text.contains(QLatin1Char(',')) ? Qt::PartiallyChecked
                        : text == QLatin1String("true") ? Qt::Checked
                                                        : Qt::Unchecked);
    box_->setTristate(false);  // only the YAML text can have several values; a click chooses one
  } else if (list_ != nullptr)
    showChoice(text);
  else
    line_->setText(text);
}

bool FieldEditor::eventFilter(QObject* watched, QEvent* event) {
  if (isUndoKey(*event)) {
    event->ignore();  // left to the window, which undoes in all fields
    return true;
  }
  if (event->type() == QEvent::FocusIn) Q_EMIT focused(true);
  if (event->type() == QEvent::FocusOut) Q_EMIT focused(false);
  if (event->type() == QEvent::Wheel && list_ != nullptr) {
    event->ignore();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace batchwise
