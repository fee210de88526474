// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/field_values.h"

#include <QtCore/QTimer>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QCompleter>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

/// The name of a run, its length and the version of the file are set elsewhere, or never.
bool canBeReplaced(const Field& field) {
  return field.path != "version" && field.path != "name" && field.path != "max_duration" && field.path != "zip";
}

QStringList valuesOf(const Field& field) {
  if (field.kind == FieldKind::Boolean) return {QStringLiteral("true"), QStringLiteral("false")};
  return toQt(field.choices);
}

}  // namespace

FieldChoice::FieldChoice(const std::function<bool(const Field&)>& isOffered, const std::string& field, QWidget* parent)
    : QComboBox(parent) {
  setEditable(true);
  setInsertPolicy(QComboBox::NoInsert);
  for (const Field& each : configSchema())
    if (isOffered(each))
      addItem(QStringLiteral("%1 (%2)").arg(fieldLabel(each.path), toQt(each.path)), toQt(each.path));
  completer()->setFilterMode(Qt::MatchContains);
  completer()->setCompletionMode(QCompleter::PopupCompletion);
  completer()->popup()->installEventFilter(this);
  setCurrentIndex(findData(toQt(field)));
  // After the text of the choice, or of the completion, has been set.
  const auto showStart = [this] { QTimer::singleShot(0, this, [this] { lineEdit()->setCursorPosition(0); }); };
  connect(this, &QComboBox::currentIndexChanged, this, showStart);
  connect(lineEdit(), &QLineEdit::editingFinished, this, [this, showStart] {
    takeOnlyCompletion();
    showStart();
  });
  showStart();
  constexpr int kChars = 24;
  setMinimumContentsLength(kChars);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
}

std::string FieldChoice::path() const {
  return currentText() == itemText(currentIndex()) ? currentData().toString().toStdString() : std::string();
}

bool FieldChoice::takeOnlyCompletion() {
  if (!path().empty() || currentText().trimmed().isEmpty()) return false;
  completer()->setCompletionPrefix(currentText());
  if (completer()->completionCount() != 1) return false;
  setCurrentIndex(findText(completer()->currentCompletion()));
  setEditText(itemText(currentIndex()));
  return true;
}

/// The list below the text takes the keys while it is open.
bool FieldChoice::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && watched == completer()->popup()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool accepts = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab;
    if (accepts && !completer()->popup()->currentIndex().isValid() && takeOnlyCompletion()) {
      completer()->popup()->hide();
      return true;
    }
  }
  return QComboBox::eventFilter(watched, event);
}

FieldValues::FieldValues(TrainConfig before, QWidget* parent) : QWidget(parent), before_(std::move(before)) {
  auto* rows = new QWidget(this);
  grid_ = new QGridLayout(rows);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setColumnStretch(0, 3);
  grid_->setColumnStretch(1, 2);
  auto* add = named(new QPushButton(tr("Add a setting"), this), "addSetting");
  add->setAutoDefault(false);
  connect(add, &QPushButton::clicked, this, [this] {
    addRow();
    rows_.back().field->setFocus(Qt::OtherFocusReason);
  });
  column(this, {rows, {add, 0, Qt::AlignLeft}}, {{0, 0, 0, 0}, 4});
}

QString FieldValues::valueBefore(const Field& field) const {
  return toQt(field.get(before_));
}

void FieldValues::addRow(const QString& path) {
  auto* parent = grid_->parentWidget();
  auto* remove = flatButton(parent, tr("Remove this setting"));
  remove->setText(QStringLiteral("×"));
  const Row row{named(new FieldChoice(canBeReplaced, path.toStdString(), parent), "newValueField", tr("Setting")),
                named(new QLineEdit(parent), "newValue", tr("New value")), remove};
  int place = 0;
  for (QWidget* each : {static_cast<QWidget*>(row.field), static_cast<QWidget*>(row.value), row.remove})
    grid_->addWidget(each, nextLine_, place++);
  ++nextLine_;
  connect(row.field, &QComboBox::editTextChanged, this, [this, row] {
    describeValue(row);
    Q_EMIT changed();
  });
  connect(row.value, &QLineEdit::textChanged, this, &FieldValues::changed);
  connect(remove, &QToolButton::clicked, this, [this, remove] { removeRow(remove); });
  rows_.push_back(row);
  describeValue(row);
  Q_EMIT changed();
}

/// Starts from the value that is replaced, and offers those of a list of choices.
void FieldValues::describeValue(const Row& row) {
  const Field* field = findField(row.field->path());
  row.value->setEnabled(field != nullptr);
  row.value->setText(field == nullptr ? QString() : valueBefore(*field));
  if (field == nullptr) return row.value->setPlaceholderText({});
  const QString empty = field->optional ? tr("Not set (before: %1)") : tr("Needs a value (before: %1)");
  row.value->setPlaceholderText(empty.arg(valueBefore(*field)));
  QString help = tr("%1 Expected: %2.", "the help of a setting, a whole number of samples")
                     .arg(fieldHelp(*field), toQt(field->expectation()));
  if (field->optional) help += QLatin1Char(' ') + tr("Empty: not set.");
  row.value->setToolTip(plainToolTip(help));
  delete row.value->completer();
  if (const QStringList values = valuesOf(*field); !values.isEmpty()) {
    auto* completer = new QCompleter(values, row.value);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    row.value->setCompleter(completer);
  }
}

void FieldValues::removeRow(const QWidget* remove) {
  const auto found = std::ranges::find(rows_, remove, &Row::remove);
  if (found == rows_.end()) return;
  const Row row = *found;
  rows_.erase(found);
  for (QWidget* each : {static_cast<QWidget*>(row.field), static_cast<QWidget*>(row.value), row.remove}) {
    each->hide();
    each->deleteLater();
  }
  Q_EMIT changed();
}

QStringList FieldValues::assignments() const {
  QStringList all;
  for (const Row& row : rows_) {
    const Field* field = findField(row.field->path());
    const QString value = row.value->text().trimmed();
    if (field != nullptr && value != valueBefore(*field)) all << toQt(field->path) + QLatin1Char('=') + value;
  }
  return all;
}

}  // namespace batchwise
