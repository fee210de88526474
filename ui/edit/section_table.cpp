// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/section_table.h"

#include <QtCore/QScopedValueRollback>
#include <QtCore/QSignalBlocker>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QTableWidget>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "core/config/value_text.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kMostRowsShown = 8;

/// Edits the cells of a column that has choices with a list.
class ChoiceDelegate final : public QStyledItemDelegate {
 public:
  ChoiceDelegate(QStringList choices, QObject* parent) : QStyledItemDelegate(parent), choices_(std::move(choices)) {}

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
    auto* list = new QComboBox(parent);
    list->addItems(choices_);
    return list;
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    static_cast<QComboBox*>(editor)->setCurrentText(index.data().toString());
  }
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    model->setData(index, static_cast<QComboBox*>(editor)->currentText());
  }

 private:
  QStringList choices_;
};

}  // namespace

SectionTable::SectionTable(const Field& field, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      field_(field),
      theme_(theme),
      keys_(requiredKeys(field)),
      table_(new QTableWidget(this)),
      buttons_(new QWidget(this)),
      line_(new QLineEdit(this)) {
  makeTable();
  makeButtons();
  column(this, {table_, line_, buttons_}, {{0, 0, 0, 0}, 4});
  connect(line_, &QLineEdit::textEdited, this, [this](const QString& text) {
    text_ = text;
    Q_EMIT edited(text);
  });
  for (QWidget* part : std::initializer_list<QWidget*>{table_, line_}) {
    part->setAccessibleName(fieldLabel(field.path));
    part->installEventFilter(this);
  }
  setText(QStringLiteral("[]"));
}

QString SectionTable::columnTitle(const std::string& key) const {
  const bool own = std::find(keys_.begin(), keys_.end(), key) != keys_.end();
  return own || key.empty() ? keyLabel(field_, key) : tr("Other parameters");
}

void SectionTable::makeTable() {
  QStringList titles;
  for (const std::string& key : keys_) titles << columnTitle(key);
  if (hasRestColumn()) titles << tr("Other parameters");
  table_->setColumnCount(static_cast<int>(titles.size()));
  table_->setHorizontalHeaderLabels(titles);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->horizontalHeader()->setSectionsClickable(false);
  table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);  // Tab leaves the table; arrow keys move in it
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (const auto choices = keyChoices(field_, keys_[i]); !choices.empty())
      table_->setItemDelegateForColumn(static_cast<int>(i), new ChoiceDelegate(toQt(choices), table_));
  connect(table_, &QTableWidget::cellChanged, this, &SectionTable::commitTable);
  connect(table_, &QTableWidget::currentCellChanged, this, &SectionTable::updateControls);
}

void SectionTable::makeButtons() {
  const QString field = fieldLabel(field_.path);
  const auto button = [this, &field](const char* name, const QString& text, const QString& what) {
    auto* made = named(new QToolButton(buttons_), name, tr("%1: %2").arg(field, text), what);
    made->setText(text);
    made->setFocusPolicy(Qt::StrongFocus);
    return made;
  };
  auto* add = button("addRow", tr("Add row"), tr("Add a row below the current one (Insert)"));
  remove_ = button("removeRow", tr("Remove row"), tr("Remove the current row (Delete)"));
  up_ = button("moveRowUp", tr("Up"), tr("Move the current row up (Alt+Up)"));
  down_ = button("moveRowDown", tr("Down"), tr("Move the current row down (Alt+Down)"));
  auto* layout = new FlowLayout(buttons_);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  for (QToolButton* each : {add, remove_, up_, down_}) layout->addWidget(each);
  connect(add, &QToolButton::clicked, this, &SectionTable::addRow);
  connect(remove_, &QToolButton::clicked, this, &SectionTable::removeRow);
  connect(up_, &QToolButton::clicked, this, [this] { moveRow(-1); });
  connect(down_, &QToolButton::clicked, this, [this] { moveRow(1); });
}

int SectionTable::columnOf(const std::string& key) const {
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  if (found != keys_.end()) return static_cast<int>(found - keys_.begin());
  return key.empty() || !hasRestColumn() ? 0 : table_->columnCount() - 1;
}

void SectionTable::setText(const QString& text) {
  const auto sections = parseSectionList(text.toStdString());
  line_->setVisible(!sections);
  table_->setVisible(sections && !sections->empty());
  buttons_->setVisible(sections.has_value());
  QWidget* const add = buttons_->findChild<QToolButton*>();
  setFocusProxy(!sections ? static_cast<QWidget*>(line_) : sections->empty() ? add : table_);
  if (text == text_) return;
  text_ = text;
  const QSignalBlocker quiet(line_);
  if (line_->text() != text) line_->setText(text);
  if (sections) fill(*sections);
}

void SectionTable::fill(const std::vector<ListSection>& sections) {
  const QScopedValueRollback busy(filling_, true);
  const int current = table_->currentRow(), column = table_->currentColumn();
  table_->setRowCount(static_cast<int>(sections.size()));
  for (int i = 0; i < table_->rowCount(); ++i) fillRow(i, sections[static_cast<std::size_t>(i)]);
  if (table_->rowCount() > 0)
    table_->setCurrentCell(std::clamp(current, 0, table_->rowCount() - 1), std::max(column, 0));
  updateControls();
}

void SectionTable::fillRow(int row, const ListSection& section) {
  std::vector<QString> cells(static_cast<std::size_t>(table_->columnCount()));
  QStringList rest;
  for (const auto& [key, value] : section) {
    const auto column = static_cast<std::size_t>(columnOf(key));
    if (column < keys_.size() && keys_[column] == key)
      cells[column] = toQt(value);
    else
      rest << toQt(key) + QStringLiteral(": ") + toQt(value);
  }
  if (hasRestColumn()) cells.back() = rest.join(QStringLiteral(", "));
  for (std::size_t i = 0; i < cells.size(); ++i)
    table_->setItem(row, static_cast<int>(i), new QTableWidgetItem(cells[i]));
}

ListSection SectionTable::section(int row) const {
  ListSection section;
  const auto cell = [this, row](int column) {
    const QTableWidgetItem* item = table_->item(row, column);
    return item == nullptr ? std::string() : item->text().trimmed().toStdString();
  };
  for (std::size_t i = 0; i < keys_.size(); ++i) section.emplace_back(keys_[i], cell(static_cast<int>(i)));
  if (!hasRestColumn()) return section;
  // What cannot be read stays in the text, so that it is reported.
  const std::string typed = cell(table_->columnCount() - 1);
  const auto rest = parseSectionList("[{" + typed + "}]");
  const ListSection unread = {{config::quotedText(typed), {}}};
  for (const auto& [key, value] : rest && rest->size() == 1 ? rest->front() : unread)
    section.emplace_back(key, value.empty() ? "~" : value);
  return section;
}

/// Makes the text from the cells.
void SectionTable::commitTable() {
  if (filling_) return;
  std::vector<ListSection> sections;
  for (int i = 0; i < table_->rowCount(); ++i) sections.push_back(section(i));
  text_ = toQt(sectionListText(sections));
  updateControls();
  Q_EMIT edited(text_);
}

void SectionTable::addRow() {
  const int at = table_->rowCount() == 0 ? 0 : table_->currentRow() + 1;
  ListSection fresh;
  for (const std::string& key : keys_)
    if (const auto choices = keyChoices(field_, key); !choices.empty()) fresh.emplace_back(key, choices.front());
  {
    const QScopedValueRollback busy(filling_, true);
    table_->insertRow(at);
    fillRow(at, fresh);
    table_->show();
    setFocusProxy(table_);
    table_->setCurrentCell(at, 0);
  }
  commitTable();
  table_->setFocus(Qt::OtherFocusReason);
  table_->editItem(table_->item(at, 0));
}

void SectionTable::removeRow() {
  const int row = table_->currentRow();
  if (row < 0) return;
  table_->removeRow(row);
  commitTable();
  table_->setVisible(table_->rowCount() > 0);
  if (table_->rowCount() > 0) return;
  auto* add = buttons_->findChild<QToolButton*>();
  setFocusProxy(add);
  add->setFocus(Qt::OtherFocusReason);
}

void SectionTable::moveRow(int by) {
  const int from = table_->currentRow(), to = from + by;
  if (from < 0 || to < 0 || to >= table_->rowCount()) return;
  {
    const QScopedValueRollback busy(filling_, true);
    for (int column = 0; column < table_->columnCount(); ++column) {
      QTableWidgetItem* moved = table_->takeItem(from, column);
      table_->setItem(from, column, table_->takeItem(to, column));
      table_->setItem(to, column, moved);
    }
    table_->setCurrentCell(to, std::max(table_->currentColumn(), 0));
  }
  commitTable();
}

void SectionTable::updateControls() {
  const int row = table_->currentRow(), rows = table_->rowCount();
  remove_->setEnabled(row >= 0 && row < rows);
  up_->setEnabled(row > 0);
  down_->setEnabled(row >= 0 && row + 1 < rows);
  int height = table_->horizontalHeader()->sizeHint().height() + 2 * table_->frameWidth();
  for (int i = 0; i < std::min(rows, kMostRowsShown); ++i) height += table_->rowHeight(i);
  table_->setFixedHeight(height);
}

void SectionTable::setProblems(const std::vector<SectionProblem>& problems) {
  const QScopedValueRollback busy(filling_, true);
  for (int i = 0; i < table_->rowCount(); ++i)
    for (int column = 0; column < table_->columnCount(); ++column)
      if (QTableWidgetItem* item = table_->item(i, column)) {
        item->setIcon({});
        item->setToolTip({});
        item->setData(Qt::AccessibleDescriptionRole, {});
      }
  for (const SectionProblem& problem : problems) {
    QTableWidgetItem* item = table_->item(static_cast<int>(problem.index), columnOf(problem.key));
    if (item == nullptr) continue;
    item->setIcon(theme_.icon(QStringLiteral("note-error"), theme_.colors().bad));
    item->setToolTip(plainToolTip(formText(problem.message)));
    item->setData(Qt::AccessibleDescriptionRole, formText(problem.message));
  }
}

bool SectionTable::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) Q_EMIT focused(true);
  if (event->type() == QEvent::FocusOut) Q_EMIT focused(false);
  if (watched != table_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto& key = static_cast<const QKeyEvent&>(*event);
  const bool alt = key.modifiers() == Qt::AltModifier;
  if (alt && key.key() == Qt::Key_Up)
    moveRow(-1);
  else if (alt && key.key() == Qt::Key_Down)
    moveRow(1);
  else if (key.key() == Qt::Key_Delete)
    removeRow();
  else if (key.key() == Qt::Key_Insert)
    addRow();
  else
    return QWidget::eventFilter(watched, event);
  return true;
}

}  // namespace batchwise
