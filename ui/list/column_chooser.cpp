// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/column_chooser.h"

#include <QtCore/QCoreApplication>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kKeyRole = Qt::UserRole;
constexpr int kSearchRole = Qt::UserRole + 1;
constexpr int kWidthChars = 64, kHeightLines = 22;

/// Translation context.
struct ColumnChooser {
  Q_DECLARE_TR_FUNCTIONS(ColumnChooser)
};

bool hasWords(const QString& text, const QStringList& words) {
  return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

void chooseColumns(QWidget* parent, const std::vector<OfferedColumn>& columns,
                   const std::function<void(const QString& key, bool shown)>& toggled,
                   const std::function<void()>& reset) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(ColumnChooser::tr("Columns"));
  dialog->setObjectName(QStringLiteral("columnChooser"));
  auto* search = named(new QLineEdit(dialog), "columnSearch", ColumnChooser::tr("Find a column"));
  search->setPlaceholderText(ColumnChooser::tr("Find a column"));
  search->setClearButtonEnabled(true);
  auto* list = named(new QListWidget(dialog), "columnList", ColumnChooser::tr("Columns of the runs table"));
  list->setTextElideMode(Qt::ElideMiddle);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const OfferedColumn& column : columns) {
    auto* item = new QListWidgetItem(column.title, list);
    item->setData(kKeyRole, column.key);
    item->setData(kSearchRole, column.title + QLatin1Char(' ') + column.about);
    item->setToolTip(plainToolTip(column.about));
    item->setCheckState(column.shown ? Qt::Checked : Qt::Unchecked);
  }
  list->setCurrentRow(0);
  QLabel* nothing = textLabel(dialog, TextLook::Small, ColumnChooser::tr("No matching columns."));
  nothing->hide();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* resetButton = buttons->addButton(ColumnChooser::tr("Reset columns"), QDialogButtonBox::ResetRole);
  resetButton->setAutoDefault(false);
  column(dialog, {search, nothing, {list, 1}, buttons});
  const QFontMetrics metrics = dialog->fontMetrics();
  dialog->resize(kWidthChars * metrics.averageCharWidth(), kHeightLines * metrics.height());

  QObject::connect(search, &QLineEdit::textChanged, list, [list, nothing](const QString& words) {
    const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    int shown = 0;
    for (int i = 0; i < list->count(); ++i) {
      const bool fits = hasWords(list->item(i)->data(kSearchRole).toString(), parts);
      list->item(i)->setHidden(!fits);
      shown += fits ? 1 : 0;
    }
    nothing->setVisible(shown == 0);
  });
  QObject::connect(list, &QListWidget::itemChanged, parent, [toggled](const QListWidgetItem* item) {
    toggled(item->data(kKeyRole).toString(), item->checkState() == Qt::Checked);
  });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(resetButton, &QPushButton::clicked, parent, [reset, dialog] {
    reset();
    dialog->accept();
  });
  dialog->open();
}

}  // namespace batchwise
