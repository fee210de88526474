// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/config_form.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtCore/QTimer>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "core/config/path_fields.h"
#include "core/config/value_text.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/widgets/parts/layouts.h"

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

namespace {

enum GridColumn { kLabel, kEditor, kUnit, kReset };

QString sourceText(ValueSource source) {
  switch (source) {
    case ValueSource::Default: return ConfigForm::tr("default");
    case ValueSource::Preset: return ConfigForm::tr("from the preset");
    case ValueSource::File: return ConfigForm::tr("from the file");
    case ValueSource::Typed: return ConfigForm::tr("typed here");
  }
  return {};
}

/// Returns true if `field` is a parameter of the chosen schedule, or no schedule parameter at all.
bool belongsToSchedule(const Field& field, const TrainConfig& config) {
  if (field.group != "scheduler" || field.path == "scheduler.name") return true;
  const auto own = scheduleParameters(config.scheduler.name);
  return std::find(own.begin(), own.end(), field.path.substr(field.group.size() + 1)) != own.end();
}

}  // namespace

ConfigForm::ConfigForm(ConfigDraft& draft, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), draft_(draft), theme_(theme) {
  auto* content = new QWidget(this);
  column_ = new QVBoxLayout(content);
  column_->setContentsMargins(8, 0, 8, 8);
  column_->setSpacing(8);
  fillScrollArea(*this, content);
  makeGroups();
  column_->addStretch(1);
  connect(&draft_, &ConfigDraft::changed, this, &ConfigForm::readDraft);
  connect(&theme_, &Theme::changed, this, &ConfigForm::retheme);
  retheme();
  readDraft();
}

void ConfigForm::makeGroups() {
  const auto& schema = configSchema();
  for (const Field& field : schema) {
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == field.group; });
    if (group == groups_.end()) {
      Group made;
      made.name = field.group;
      made.box = new QWidget(widget());
      made.grid = new QGridLayout(made.box);
      made.grid->setContentsMargins(8, 8, 8, 8);
      made.grid->setHorizontalSpacing(8);
      made.grid->setVerticalSpacing(4);
      made.grid->setColumnStretch(kEditor, 1);
      Theme::setCard(made.box);
      made.box->setAttribute(Qt::WA_StyledBackground);
      auto* title = new QLabel(groupTitle(field.group), made.box);
      Theme::setLook(title, TextLook::Heading);
      made.grid->addWidget(title, 0, kLabel, 1, kReset + 1);
      column_->addWidget(made.box);
      groups_.push_back(made);
      group = std::prev(groups_.end());
    }
    makeRow(*group, field);
  }
  for (Group& group : groups_) {
    group.more = new QToolButton(group.box);
    group.more->setAutoRaise(true);
    group.grid->addWidget(group.more, group.grid->rowCount(), kEditor, 1, 3);
    connect(group.more, &QToolButton::clicked, this, [this, name = group.name] {
      for (Group& each : groups_)
        if (each.name == name) each.open = !each.open;
      showRows();
    });
  }
}

void ConfigForm::makeRow(Group& group, const Field& field) {
  Row row;
  row.field = &field;
  row.label = new QLabel(fieldLabel(field.path), group.box);
  row.label->setToolTip(toQt(field.path));
  row.label->setWordWrap(true);
  row.editor = new FieldEditor(field, group.box);
  row.editor->control()->setToolTip(plainToolTip(fieldHelp(field)));
  row.label->setBuddy(row.editor->control());
  row.unit = new QLabel(fieldUnit(field), group.box);
  Theme::setLook(row.unit, TextLook::Muted);
  row.reset = new QToolButton(group.box);
  row.reset->setAutoRaise(true);
  row.help = new QLabel(group.box);
  for (QLabel* label : {row.label, row.unit, row.help}) label->setTextFormat(Qt::PlainText);
  row.help->setWordWrap(true);

  const int line = group.grid->rowCount();
  group.grid->addWidget(row.label, line, kLabel, Qt::AlignRight | Qt::AlignVCenter);
  group.grid->addWidget(row.editor, line, kEditor);
  group.grid->addWidget(row.unit, line, kUnit);
  group.grid->addWidget(row.reset, line, kReset);
  group.grid->addWidget(row.help, line + 1, kEditor, 1, 3);
  const std::size_t index = rows_.size();
  group.rows.push_back(index);
  rows_.push_back(row);

  const std::string path = field.path;
  connect(row.editor, &FieldEditor::edited, this, [this, path](const QString& text) {
    typing_ = path;
    draft_.setText(path, text);
    typing_.clear();
  });
  connect(row.reset, &QToolButton::clicked, this, [this, path] { draft_.reset(path); });
  connect(row.editor, &FieldEditor::focused, this, [this, index](bool has) {
    rows_[index].focused = has;
    if (!has) rows_[index].editor->setText(draft_.text(rows_[index].field->path));
    showRow(rows_[index]);
  });
}

void ConfigForm::retheme() {
  const int unit = fontMetrics().horizontalAdvance(QLatin1Char('x'));
  const int side = std::max(16, fontMetrics().height() - 2);
  for (Group& group : groups_) group.grid->setColumnMinimumWidth(kReset, rows_.front().reset->sizeHint().width());
  for (Row& row : rows_) {
    row.reset->setIconSize({side, side});
    row.reset->setIcon(theme_.icon(QStringLiteral("reset"), theme_.colors().muted));
    row.label->setFixedWidth(unit * 22);
    row.label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
}

QString ConfigForm::helpText(const Row& row) const {
  QStringList parts;
  if (!row.field->help.empty()) parts << fieldHelp(*row.field);
  parts << tr("Source: %1.").arg(sourceText(draft_.source(row.field->path)));
  return parts.join(QLatin1Char(' '));
}

void ConfigForm::showRow(Row& row) {
  const std::string& path = row.field->path;
  const QString error = draft_.error(path);
  const QString note = draft_.warning(path);
  const bool shown = row.editor->isVisibleTo(widget());
  if (!error.isEmpty()) {
    Theme::setLook(row.help, TextLook::Bad);
    row.help->setText(error);
  } else if (!note.isEmpty()) {
    Theme::setLook(row.help, TextLook::Warning);
    row.help->setText(note);
  } else {
    Theme::setLook(row.help, TextLook::Small);
    row.help->setText(helpText(row));
  }
  const bool changed = draft_.isChanged(path);
  row.label->setText(changed ? QStringLiteral("• ") + fieldLabel(path) : fieldLabel(path));
  row.label->setToolTip(changed && !draft_.parent().isEmpty()
                            ? plainToolTip(tr("%1: differs from %2").arg(toQt(path), draft_.parent()))
                            : toQt(path));
  row.help->setVisible(shown && (row.focused || !error.isEmpty() || !note.isEmpty()));
  const QString accessible = error.isEmpty() ? fieldHelp(*row.field) : error;
  row.editor->control()->setAccessibleDescription(accessible);
  row.reset->setVisible(shown && draft_.canReset(path));
  if (draft_.canReset(path)) {
    const QString value = draft_.resetText(path);
    const QString what = value.isEmpty() ? tr("Reset to nothing") : tr("Reset to %1").arg(value);
    row.reset->setToolTip(plainToolTip(what));
    row.reset->setAccessibleName(tr("%1: %2").arg(fieldLabel(path), what));
  }
}

void ConfigForm::readDraft() {
  for (Row& row : rows_) {
    if (row.field->path != typing_) row.editor->setText(draft_.text(row.field->path));
    row.editor->setBaseFolder(QString::fromStdString(draft_.baseFolder().string()));
  }
  showRows();
}

bool ConfigForm::matches(const Row& row) const {
  if (filter_.isEmpty()) return true;
  const auto has = [this](const QString& text) { return text.contains(filter_, Qt::CaseInsensitive); };
  return has(fieldLabel(row.field->path)) || has(toQt(row.field->path)) || has(fieldHelp(*row.field));
}

void ConfigForm::showRows() {
  int found = 0;
  for (Group& group : groups_) {
    int shown = 0, folded = 0;
    for (const std::size_t index : group.rows) {
      Row& row = rows_[index];
      const bool changed = draft_.source(row.field->path) != ValueSource::Default;
      const bool wanted = !row.field->advanced || group.open || changed || !filter_.isEmpty() ||
                          !draft_.error(row.field->path).isEmpty();
      const bool applies = belongsToSchedule(*row.field, draft_.config());
      const bool visible = applies && matches(row) && wanted;
      const bool mayFold = row.field->advanced && !changed && draft_.error(row.field->path).isEmpty();
      if (applies && mayFold) ++folded;
      shown += visible ? 1 : 0;
      for (QWidget* widget :
           {static_cast<QWidget*>(row.label), static_cast<QWidget*>(row.editor), static_cast<QWidget*>(row.unit)})
        widget->setVisible(visible);
    }
    found += shown;
    group.more->setVisible(folded > 0 && filter_.isEmpty());
    group.more->setText(group.open ? tr("Show fewer") : tr("Show %n more", nullptr, folded));
    group.box->setVisible(shown > 0 || (folded > 0 && filter_.isEmpty()));
    for (const std::size_t index : group.rows) showRow(rows_[index]);  // asks what is visible within the box
  }
  Q_EMIT filtered(found);
}

void ConfigForm::setFilter(const QString& text) {
  filter_ = text.trimmed();
  showRows();
}

void ConfigForm::showField(const std::string& path) {
  for (Group& group : groups_) {
    for (const std::size_t index : group.rows) {
      if (rows_[index].field->path != path) continue;
      if (rows_[index].field->advanced) group.open = true;
      filter_.clear();
      showRows();
      FieldEditor* editor = rows_[index].editor;
      editor->control()->setFocus(Qt::OtherFocusReason);
      QTimer::singleShot(0, editor, [this, editor] { ensureWidgetVisible(editor, 0, 80); });
    }
  }
}

void ConfigForm::showGroup(const std::string& name) {
  for (const Group& group : groups_)
    if (group.name == name)
      QTimer::singleShot(0, group.box, [this, box = group.box] {
        widget()->layout()->activate();  // a cleared filter has shown rows again
        widget()->resize(widget()->width(), std::max(viewport()->height(), widget()->minimumSizeHint().height()));
        ensureWidgetVisible(box, 0, 0);
        ensureVisible(0, box->y() + viewport()->height() - 1, 0, 0);
      });
}

std::vector<std::string> ConfigForm::groups() const {
  std::vector<std::string> names;
  for (const Group& group : groups_) names.push_back(group.name);
  return names;
}

FieldEditor* ConfigForm::editor(const std::string& path) const {
  for (const Row& row : rows_)
    if (row.field->path == path) return row.editor;
  return nullptr;
}

}  // namespace batchwise
