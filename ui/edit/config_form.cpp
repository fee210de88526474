// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/config_form.h"

#include <QtCore/QEvent>
#include <QtCore/QFileInfo>
#include <QtCore/QSignalBlocker>
#include <QtCore/QTimer>
#include <QtGui/QAction>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "core/analysis/config_difference.h"
#include "core/base/format.h"
#include "core/config/path_fields.h"
#include "core/config/value_text.h"
#include "core/model/shape/family_format.h"
#include "core/plan/published_ramps.h"
#include "ui/bridge/studio_settings.h"
#include "ui/edit/section_table.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/search_words.h"
#include "ui/parts/shortcuts.h"

namespace batchwise {
namespace {
const QString kSeveral = QStringLiteral("several");  // data of the item for several values
const QString kBothText = QStringLiteral("true, false");
constexpr int kMarkedMs = 3000;
const QString kChangedMark = QStringLiteral("• ");
}  // namespace

bool isUndoKey(const QEvent& event) {
  if (event.type() != QEvent::ShortcutOverride) return false;
  const auto& key = static_cast<const QKeyEvent&>(event);
  return key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo);
}

FieldEditor::FieldEditor(const Field& field, const Theme& theme, QWidget* parent) : QWidget(parent) {
  makeControl(field, theme);
  runs_ = named(new QToolButton(this), "runs");
  runs_->setToolTip(tr("Edit the several values"));
  runs_->hide();
  connect(runs_, &QToolButton::clicked, this, &FieldEditor::runsClicked);
  auto* layout = row(this, {{control(), box_ == nullptr ? 1 : 0}, runs_}, {{0, 0, 0, 0}, 8});
  if (box_ != nullptr) layout->addStretch(1);
  if (auto* button = findChild<QToolButton*>(QStringLiteral("browse")); button != nullptr) layout->addWidget(button);
  setFocusProxy(control());
  control()->setAccessibleName(fieldLabel(field.path));
  control()->setAccessibleDescription(fieldHelp(field));
  control()->setObjectName(toQt(field.path));
  control()->setFocusPolicy(Qt::StrongFocus);  // the wheel scrolls the page instead of changing values
  control()->installEventFilter(this);
}

void FieldEditor::makeControl(const Field& field, const Theme& theme) {
  if (field.kind == FieldKind::Boolean) {
    box_ = new QCheckBox(this);
    connect(box_, &QCheckBox::stateChanged, this, [this] {
      showSwitch();
      Q_EMIT edited(text());
    });
    showSwitch();
  } else if (field.kind == FieldKind::Choice) {
    makeList(field);
  } else if (!requiredKeys(field).empty()) {
    table_ = new SectionTable(field, theme, this);
    connect(table_, &SectionTable::edited, this, &FieldEditor::edited);
    connect(table_, &SectionTable::focused, this, &FieldEditor::focused);
  } else {
    makeLine(field);
  }
}

void FieldEditor::makeList(const Field& field) {
  list_ = new QComboBox(this);
  list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const std::string& choice : field.choices) {
    list_->addItem(choiceLabel(field, choice), toQt(choice));
    list_->setItemData(list_->count() - 1, toQt(choice), Qt::ToolTipRole);  // as the YAML text and the help have it
  }
  connect(list_, &QComboBox::currentIndexChanged, this, [this] { Q_EMIT edited(text()); });
}

void FieldEditor::makeLine(const Field& field) {
  line_ = new QLineEdit(this);
  line_->setPlaceholderText(toQt(field.unsetText));
  connect(line_, &QLineEdit::textEdited, this, &FieldEditor::edited);
  const PathKind kind = pathKind(field.path);
  if (kind != PathKind::Files && kind != PathKind::Folder) return;
  auto* button = named(new QToolButton(this), "browse", tr("Browse for: %1").arg(fieldLabel(field.path)));
  button->setText(tr("Browse…"));
  connect(button, &QToolButton::clicked, this, [this, kind] { browse(kind == PathKind::Files); });
}

void FieldEditor::setRuns(const QString& runs) {
  runs_->setText(runs);
  runs_->setAccessibleName(tr("%1: %2").arg(control()->accessibleName(), runs));
  runs_->setVisible(!runs.isEmpty());
}

void FieldEditor::browse(bool files) {
  QStringList chosen;
  const QString start = QFileInfo(baseFolder_).isDir() ? baseFolder_ : StudioSettings::documentsFolder();
  if (files)
    chosen = QFileDialog::getOpenFileNames(
        this, tr("Choose text files"), start,
        tr("Text (*.txt *.jsonl *.csv *.tsv *.gz *.zst *.parquet *.arrow *.mds);;All files (*)"));
  else if (const QString folder = QFileDialog::getExistingDirectory(this, tr("Choose a folder"), start);
           !folder.isEmpty())
    chosen = {folder};
  if (chosen.isEmpty()) return;
  QStringList quoted;
  for (const QString& path : chosen) quoted << (files ? toQt(config::quotedText(path.toStdString())) : path);
  line_->setText(quoted.join(QStringLiteral(", ")));
  Q_EMIT edited(line_->text());
}

/// Says the state as a word. Both values come from the YAML text, not by a click.
void FieldEditor::showSwitch() {
  const bool isBoth = box_->checkState() == Qt::PartiallyChecked;
  box_->setTristate(isBoth);
  box_->setText(isBoth ? tr("On and off") : box_->isChecked() ? tr("On") : tr("Off"));
}

/// Shows several values, which come from the YAML text, as a temporary item.
void FieldEditor::showChoice(const QString& text) {
  if (const int extra = list_->findData(kSeveral); extra >= 0) list_->removeItem(extra);
  const bool isChoice = list_->findData(text) >= 0;
  if (!isChoice && text.contains(QLatin1Char(','))) list_->addItem(text, kSeveral);
  list_->setCurrentIndex(list_->findData(isChoice ? text : kSeveral));
}

QWidget* FieldEditor::control() const {
  if (box_ != nullptr) return box_;
  if (table_ != nullptr) return table_;
  return list_ != nullptr ? static_cast<QWidget*>(list_) : line_;
}

QString FieldEditor::text() const {
  if (box_ != nullptr && box_->checkState() == Qt::PartiallyChecked) return kBothText;
  if (box_ != nullptr) return box_->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
  if (table_ != nullptr) return table_->text();
  if (list_ == nullptr) return line_->text();
  return list_->currentData() == kSeveral ? list_->currentText() : list_->currentData().toString();
}

void FieldEditor::setText(const QString& text) {
  if (text == this->text()) return;
  if (table_ != nullptr) return table_->setText(text);
  const QSignalBlocker quiet(control());
  if (box_ != nullptr) {
    box_->setCheckState(text.contains(QLatin1Char(',')) ? Qt::PartiallyChecked
                        : text == QLatin1String("true") ? Qt::Checked
                                                        : Qt::Unchecked);
    showSwitch();
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

QString sourceText(ValueSource source) {
  switch (source) {
    case ValueSource::Default: return ConfigForm::tr("default");
    case ValueSource::Preset: return ConfigForm::tr("from the preset");
    case ValueSource::File: return ConfigForm::tr("from the file");
    case ValueSource::Typed: return ConfigForm::tr("entered here");
  }
  return {};
}

/// Returns true if `field` is a parameter of the chosen schedule, or no schedule parameter at all.
bool belongsToSchedule(const Field& field, const TrainConfig& config) {
  if (field.group != "scheduler" || field.path == "scheduler.name" || field.path == "scheduler.within_batch")
    return true;
  const auto own = scheduleParameters(config.scheduler.name);
  return std::find(own.begin(), own.end(), field.path.substr(field.group.size() + 1)) != own.end();
}

/// "Peak learning rate (per step)"; a unit that the label names is left out.
QString labelWithUnit(const Field& field) {
  const QString label = labelInGroup(field), unit = fieldUnit(field);
  if (unit.isEmpty() || label.contains(unit, Qt::CaseInsensitive)) return label;
  return ConfigForm::tr("%1 (%2)", "a setting and its unit").arg(label, unit);
}

}  // namespace

ConfigForm::ConfigForm(ConfigDraft& draft, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), draft_(draft), theme_(theme) {
  setAccessibleName(tr("Settings"));
  auto* content = new QWidget(this);
  column_ = new QVBoxLayout(content);
  column_->setContentsMargins(8, 0, 8, 8);
  column_->setSpacing(8);
  fillScrollArea(*this, content);
  makeNothingFound();
  column_->addStretch(1);
  connect(&draft_, &ConfigDraft::changed, this, &ConfigForm::readDraft);
  connect(&theme_, &Theme::changed, this, &ConfigForm::retheme);
  reset_ = addListAction(*this, "reset_setting", tr("Reset the setting"), QKeySequence(Qt::CTRL | Qt::Key_R));
  reset_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(reset_, &QAction::triggered, this, &ConfigForm::resetFocused);
  for (const std::string& name : groups()) {
    groups_.push_back(makeGroup(name));
    makeFold(groups_.size() - 1);
  }
  retheme();
  for (Row& row : rows_) readRow(row);
}

/// Resets the setting that has the keyboard focus.
void ConfigForm::resetFocused() {
  for (const Row& row : rows_)
    if (row.editor->isAncestorOf(QApplication::focusWidget()) && draft_.canReset(row.field->path))
      draft_.reset(row.field->path);
}

void ConfigForm::makeNothingFound() {
  nothing_ = named(new QWidget(widget()), "nothingFound");
  nothingText_ = textLabel(nothing_, TextLook::Muted);
  auto* clear = new QPushButton(tr("Clear the search"), nothing_);
  column(nothing_, {nothingText_, {clear, 0, Qt::AlignLeft}}, {{8, 16, 8, 8}, 8});
  connect(clear, &QPushButton::clicked, this, &ConfigForm::clearRequested);
  column_->addWidget(nothing_);
  nothing_->hide();
}

void ConfigForm::makeFold(std::size_t index) {
  Group& group = groups_[index];
  group.more = new QToolButton(group.box);
  group.more->setAutoRaise(true);
  group.form->addRow(static_cast<QWidget*>(nullptr), group.more);
  connect(group.more, &QToolButton::clicked, this, [this, index] {
    groups_[index].open = !groups_[index].open;
    showRows();
  });
}

/// Fields directly in the group come first, then its sub-groups.
ConfigForm::Group ConfigForm::makeGroup(const std::string& name) {
  Group group;
  group.name = name;
  group.box = new QWidget(widget());
  Theme::setCard(group.box);
  group.box->setAttribute(Qt::WA_StyledBackground);
  group.form = new QFormLayout(group.box);
  group.form->setContentsMargins(8, 8, 8, 8);
  group.form->setHorizontalSpacing(8);
  group.form->setVerticalSpacing(4);
  group.form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  group.form->addRow(plainLabel(group.box, TextLook::Heading, toQt(groupTitle(name))));
  column_->insertWidget(column_->count() - 1, group.box);
  std::vector<std::string> subgroups = {{}};
  for (const Field& field : configSchema())
    if (field.group == name && std::ranges::find(subgroups, subgroupOf(field)) == subgroups.end())
      subgroups.push_back(subgroupOf(field));
  for (const std::string& subgroup : subgroups) {
    if (!subgroup.empty()) makeHeading(group, subgroup);
    for (const Field& field : configSchema())
      if (field.group == name && subgroupOf(field) == subgroup) makeRow(group, field);
  }
  return group;
}

void ConfigForm::makeHeading(Group& group, const std::string& subgroup) {
  auto* label = plainLabel(group.box, TextLook::Muted, toQt(groupTitle(subgroup)));
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  label->setContentsMargins(0, 8, 0, 0);
  group.form->addRow(label);
  group.headings.push_back({subgroup, label});
}

void ConfigForm::makeRow(Group& group, const Field& field) {
  Row row;
  row.field = &field;
  row.subgroup = subgroupOf(field);
  row.label = plainLabel(group.box, TextLook::Body, labelWithUnit(field));
  row.label->setWordWrap(true);
  row.box = new QWidget(group.box);
  row.editor = new FieldEditor(field, theme_, row.box);
  row.editor->control()->setToolTip(plainToolTip(fieldHelp(field)));
  row.label->setBuddy(row.editor->control());
  row.reset = new QToolButton(row.box);
  row.reset->setAutoRaise(true);
  row.reset->setFocusPolicy(Qt::NoFocus);  // Tab goes from setting to setting; a key resets the one in use
  row.note = plainLabel(row.box);
  row.note->setWordWrap(true);
  const Qt::Alignment height = row.editor->table() == nullptr ? Qt::AlignVCenter : Qt::AlignTop;
  auto* cells =
      column(row.box,
             {batchwise::row(nullptr, {{row.editor, 1, height}, {row.reset, 0, height}}, {{0, 0, 0, 0}, 8}), row.note},
             {{0, 0, 0, 0}, 4});
  if (field.path == "batch.rampup.duration") {
    cells->insertWidget(1, makeRampMenu(row.box), 0, Qt::AlignLeft);
    cells->setSizeConstraint(QLayout::SetMinimumSize);  // the form keeps its height of before when notes come and go
  }
  group.form->addRow(row.label, row.box);
  group.rows.push_back(rows_.size());
  rows_.push_back(row);
  connectRow(rows_.size() - 1);
}

/// Offers published ramps: the chosen one replaces the ramp of the draft, rescaled to its global batch.
QWidget* ConfigForm::makeRampMenu(QWidget* parent) {
  auto* button = named(new QToolButton(parent), "publishedRamps", {},
                       tr("Ramps of published models, rescaled to the global batch and to shares of the run"));
  button->setText(tr("Published ramps"));
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  menu->setToolTipsVisible(true);
  for (const PublishedRamp& ramp : publishedRamps()) {
    QAction* action = menu->addAction(toQt(std::string(ramp.label)));
    action->setToolTip(plainToolTip(toQt(formatText("{}. {}", ramp.text, ramp.source))));
    connect(action, &QAction::triggered, this, [this, &ramp] {
      TrainConfig config = draft_.config();
      applyPublishedRamp(ramp, config);
      draft_.setGroup("batch.rampup", config);
    });
  }
  button->setMenu(menu);
  return button;
}

void ConfigForm::connectRow(std::size_t index) {
  const std::string path = rows_[index].field->path;
  FieldEditor* editor = rows_[index].editor;
  connect(editor, &FieldEditor::edited, this, [this, path](const QString& text) {
    typing_ = path;
    draft_.setText(path, text);
    typing_.clear();
  });
  connect(rows_[index].reset, &QToolButton::clicked, this, [this, path] { draft_.reset(path); });
  auto* several = new QAction(tr("Several values…"), rows_[index].label);
  rows_[index].label->addAction(several);
  rows_[index].label->setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto editValues = [this, path] { Q_EMIT sweepRequested(path); };
  connect(several, &QAction::triggered, this, editValues);
  connect(editor, &FieldEditor::runsClicked, this, editValues);
  connect(editor, &FieldEditor::focused, this, [this, index, editor, path](bool has) {
    if (has)
      describe(rows_[index]);
    else
      editor->setText(draft_.text(path));
  });
}

/// Finds a width at which no word of a label is cut.
void ConfigForm::retheme() {
  constexpr int kChars = 22;
  labelWidth_ = kChars * fontMetrics().horizontalAdvance(QLatin1Char('x'));
  for (const Field& field : configSchema())
    for (const QString& word : labelWithUnit(field).split(QLatin1Char(' ')))
      labelWidth_ = std::max(labelWidth_, fontMetrics().horizontalAdvance(kChangedMark + word));
  placeLabels();
  showRows();
}

bool ConfigForm::isNarrow() const {
  constexpr int kEditorChars = 26, kGaps = 64;  // spaces between the columns and margins around them
  const int reset = fontMetrics().height() + kGaps;
  return viewport()->width() < labelWidth_ + kEditorChars * fontMetrics().horizontalAdvance(QLatin1Char('x')) + reset;
}

void ConfigForm::placeLabels() {
  narrow_ = isNarrow();
  for (const Group& group : groups_)
    group.form->setRowWrapPolicy(narrow_ ? QFormLayout::WrapAllRows : QFormLayout::DontWrapRows);
  for (const Row& row : rows_) {
    row.label->setAlignment(Qt::AlignVCenter | (narrow_ ? Qt::AlignLeft : Qt::AlignRight));
    row.label->setMinimumWidth(narrow_ ? 0 : labelWidth_);
    row.label->setMaximumWidth(narrow_ ? QWIDGETSIZE_MAX : labelWidth_);
  }
}

void ConfigForm::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  if (isNarrow() != narrow_) placeLabels();
}

void ConfigForm::describe(const Row& row) {
  describedField_ = row.field->path;
  Q_EMIT described(helpText(row));
}

/// The help of a field that is no longer shown would explain another one.
void ConfigForm::clearHiddenHelp() {
  const bool isShown =
      std::ranges::any_of(rows_, [this](const Row& row) { return row.shown && row.field->path == describedField_; });
  if (describedField_.empty() || isShown) return;
  describedField_.clear();
  Q_EMIT described({});
}

QString ConfigForm::helpText(const Row& row) const {
  QStringList parts = {tr("%1:", "the label of a setting, before its help").arg(fieldLabel(row.field->path))};
  if (!row.field->help.empty()) parts << fieldHelp(*row.field);
  parts << tr("Expected: %1.", "%1: a whole number of samples, …").arg(toQt(row.field->expectation()));
  parts << tr("Source: %1.").arg(sourceText(draft_.source(row.field->path)));
  return parts.join(QLatin1Char(' '));
}

QString ConfigForm::runsText(const Row& row) const {
  const auto values = static_cast<std::int64_t>(draft_.valueCount(row.field->path));
  if (values < 2) return {};
  if (values == draft_.runs()) return plural(values, tr("%n run"), tr("%n runs"));
  return plural(values, tr("%n value, %1 runs"), tr("%n values, %1 runs")).arg(integerText(draft_.runs()));
}

QString ConfigForm::problemText(const Row& row) const {
  QStringList lines;
  if (const SectionTable* table = row.editor->table())
    for (const SectionProblem& problem : draft_.sectionProblems(row.field->path))
      lines << tr("Row %1, %2: %3", "a cell of a table and its error")
                   .arg(integerText(static_cast<std::int64_t>(problem.index) + 1), table->columnTitle(problem.key),
                        formText(problem.message));
  return lines.isEmpty() ? draft_.error(row.field->path) : lines.join(QLatin1Char('\n'));
}

QString ConfigForm::warningText(const Row& row) const {
  const QString own = draft_.warning(row.field->path);
  const auto planned = planWarnings_.find(row.field->path);
  return own.isEmpty() && planned != planWarnings_.end() ? planned->second : own;
}

void ConfigForm::setPlanWarnings(const std::vector<FieldProblem>& warnings) {
  planWarnings_.clear();
  for (const FieldProblem& warning : warnings) {
    QString& text = planWarnings_[warning.field.substr(0, warning.field.find('['))];
    text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + formText(warning.message);
  }
  for (Row& row : rows_) showNote(row);
}

void ConfigForm::showNote(Row& row) {
  const std::string& path = row.field->path;
  const QString problem = problemText(row);
  Theme::setLook(row.note, problem.isEmpty() ? TextLook::Warning : TextLook::Bad);
  QString note = problem.isEmpty() ? warningText(row) : problem;
  if (note.isEmpty() && !isInFamily(row) && !isFixedByFamily(draft_.config().model, *family_, path))
    note = (isSet(row) ? tr("A model of the family %1 has no such setting: reset it")
                       : tr("A model of the family %1 has no such setting"))
               .arg(toQt(std::string(choiceName(*family_))));
  const bool isOfRamp = path.starts_with("batch.rampup.");
  if (note.isEmpty() && isOfRamp && isSet(row) && !hasEffect(draft_.config(), path))
    note = tr("No effect: without a length there is no ramp-up");
  else if (note.isEmpty() && !isOfRamp && !hasEffect(draft_.config(), path))
    note = draft_.config().model.initFrom.empty() ? tr("No effect: the existing vocabulary is used")
                                                  : tr("No effect: the folder to start from decides");
  row.note->setText(note);
  row.note->setVisible(!row.note->text().isEmpty());
  row.editor->control()->setAccessibleDescription(row.note->text().isEmpty() ? fieldHelp(*row.field)
                                                                             : row.note->text());
  if (SectionTable* table = row.editor->table()) table->setProblems(draft_.sectionProblems(path));
}

/// The button keeps its place where there is nothing to reset.
void ConfigForm::showReset(Row& row) {
  const bool possible = draft_.canReset(row.field->path);
  row.reset->setEnabled(possible);
  row.reset->setIcon(possible ? theme_.icon(QStringLiteral("reset"), theme_.colors().muted) : QIcon());
  const QString text = draft_.resetText(row.field->path);
  const bool isChoice = row.field->kind == FieldKind::Choice;
  const QString value = isChoice ? choiceLabel(*row.field, text.toStdString()) : text;
  const QString what = value.isEmpty() ? tr("Reset to empty") : tr("Reset to %1").arg(value);
  row.reset->setToolTip(possible ? plainToolTip(withShortcut(what, *reset_)) : QString());
  row.reset->setAccessibleName(tr("%1: %2").arg(fieldLabel(row.field->path), what));
}

void ConfigForm::showRow(Row& row) {
  const std::string& path = row.field->path;
  const bool changed = draft_.isChanged(path);
  row.label->setText((changed ? kChangedMark : QString()) + labelWithUnit(*row.field));
  row.label->setToolTip(changed && !draft_.parent().isEmpty()
                            ? plainToolTip(tr("%1: differs from %2").arg(toQt(path), draft_.parent()))
                            : toQt(path));
  row.editor->setRuns(runsText(row));
  const bool mayMatter = hasEffect(draft_.config(), path) || path.starts_with("batch.rampup.");
  row.editor->setEnabled((isInFamily(row) && mayMatter) || isSet(row));
  showNote(row);
  showReset(row);
}

void ConfigForm::readRow(Row& row) {
  if (row.field->path != typing_) row.editor->setText(draft_.text(row.field->path));
  row.editor->setBaseFolder(QString::fromStdString(draft_.baseFolder().string()));
}

void ConfigForm::readDraft() {
  for (Row& row : rows_) readRow(row);
  showRows();
}

bool ConfigForm::matches(const Row& row) const {
  if (filter_.isEmpty()) return true;
  const QString path = toQt(row.field->path);
  QStringList texts = {fieldLabel(row.field->path), path, fieldHelp(*row.field), searchWords(path)};
  for (const std::string& choice : row.field->choices) texts << toQt(choice) << choiceLabel(*row.field, choice);
  return containsWords(texts.join(QLatin1Char('\n')), filter_);
}

bool ConfigForm::isInFamily(const Row& row) const {
  return !family_ || familyHasOption(*family_, row.field->path);
}

bool ConfigForm::isSet(const Row& row) const {
  return draft_.source(row.field->path) != ValueSource::Default || !draft_.error(row.field->path).isEmpty();
}

void ConfigForm::setFamily(std::optional<ModelFamily> family) {
  if (family_ == family) return;
  family_ = family;
  showRows();
}

/// Returns how many of them are shown.
int ConfigForm::showGroupRows(Group& group) {
  int shown = 0, folded = 0;
  for (const std::size_t index : group.rows) {
    Row& row = rows_[index];
    const bool applies =
        belongsToSchedule(*row.field, draft_.config()) && (isInFamily(row) || isSet(row) || !filter_.isEmpty());
    const bool mayFold = row.field->advanced && !isSet(row);
    row.shown = applies && matches(row) && (!mayFold || group.open || !filter_.isEmpty());
    folded += applies && mayFold ? 1 : 0;
    shown += row.shown ? 1 : 0;
    group.form->setRowVisible(row.box, row.shown);
    showRow(row);
  }
  for (const Heading& heading : group.headings)
    group.form->setRowVisible(heading.label, std::ranges::any_of(group.rows, [&](std::size_t index) {
                                return rows_[index].shown && rows_[index].subgroup == heading.subgroup;
                              }));
  const bool mayUnfold = folded > 0 && filter_.isEmpty();
  group.form->setRowVisible(group.more, mayUnfold);
  group.more->setText(group.open ? tr("Show fewer") : tr("Show %1 more").arg(folded));
  group.box->setVisible(shown > 0 || mayUnfold);
  group.box->setEnabled(!draft_.hasUnreadText());  // an edit would replace it
  return shown;
}

void ConfigForm::showRows() {
  int found = 0;
  for (Group& group : groups_) found += showGroupRows(group);
  nothingText_->setText(tr("No field found for “%1”").arg(filter_));
  nothing_->setVisible(found == 0);
  clearHiddenHelp();
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
      widget()->layout()->activate();
      FieldEditor* editor = rows_[index].editor;
      editor->control()->setFocus(Qt::OtherFocusReason);
      describe(rows_[index]);  // also while another window, such as the palette that asked for it, is still active
      QTimer::singleShot(0, editor, [this, editor] { ensureWidgetVisible(editor, 0, 80); });
      Theme::setMarked(rows_[index].label, true);
      QTimer::singleShot(kMarkedMs, rows_[index].label,
                         [label = rows_[index].label] { Theme::setMarked(label, false); });
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

/// In the order of the schema.
std::vector<std::string> ConfigForm::groups() {
  std::vector<std::string> names;
  for (const Field& field : configSchema())
    if (std::ranges::find(names, field.group) == names.end()) names.push_back(field.group);
  return names;
}

FieldEditor* ConfigForm::editor(const std::string& path) const {
  for (const Row& row : rows_)
    if (row.field->path == path) return row.editor;
  return nullptr;
}

}  // namespace batchwise
