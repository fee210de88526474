// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/column_chooser.h"

#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <algorithm>

#include "ui/models/display_text.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kKeyRole = Qt::UserRole;
constexpr int kSearchRole = Qt::UserRole + 1;
constexpr int kWidthChars = 64, kHeightLines = 22;

bool hasWords(const QString& text, const QStringList& words) {
  return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

ColumnChooser::ColumnChooser(const std::vector<OfferedColumn>& columns, QWidget* parent)
    : QDialog(parent),
      search_(named(new QLineEdit(this), "columnSearch", tr("Find a column"))),
      list_(named(new QListWidget(this), "columnList", tr("Columns of the runs table"))),
      nothing_(textLabel(this, TextLook::Small, tr("No matching columns."))) {
  setWindowTitle(tr("Columns"));
  setObjectName(QStringLiteral("columnChooser"));
  search_->setPlaceholderText(tr("Find a column"));
  search_->setClearButtonEnabled(true);
  list_->setTextElideMode(Qt::ElideMiddle);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const OfferedColumn& column : columns) {
    auto* item = new QListWidgetItem(column.title, list_);
    item->setData(kKeyRole, column.key);
    item->setData(kSearchRole, column.title + QLatin1Char(' ') + column.about);
    item->setToolTip(plainToolTip(column.about));
    item->setCheckState(column.shown ? Qt::Checked : Qt::Unchecked);
  }
  list_->setCurrentRow(0);
  nothing_->hide();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* reset = buttons->addButton(tr("Reset columns"), QDialogButtonBox::ResetRole);
  reset->setAutoDefault(false);
  batchwise::column(this, {search_, nothing_, {list_, 1}, buttons});
  const QFontMetrics metrics = fontMetrics();
  resize(kWidthChars * metrics.averageCharWidth(), kHeightLines * metrics.height());

  connect(search_, &QLineEdit::textChanged, this, &ColumnChooser::search);
  connect(list_, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
    Q_EMIT columnToggled(item->data(kKeyRole).toString(), item->checkState() == Qt::Checked);
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(reset, &QPushButton::clicked, this, [this] {
    Q_EMIT resetRequested();
    accept();
  });
}

void ColumnChooser::search(const QString& words) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  int shown = 0;
  for (int i = 0; i < list_->count(); ++i) {
    const bool fits = hasWords(list_->item(i)->data(kSearchRole).toString(), parts);
    list_->item(i)->setHidden(!fits);
    shown += fits ? 1 : 0;
  }
  nothing_->setVisible(shown == 0);
}

}  // namespace batchwise
