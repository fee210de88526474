// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/field_choice.h"

#include <QtCore/QTimer>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QCompleter>
#include <QtWidgets/QLineEdit>

#include "ui/models/display_text.h"
#include "ui/models/labels.h"

namespace batchwise {

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

}  // namespace batchwise
