// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_palette.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QStyledItemDelegate>
#include <algorithm>

#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/search_words.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kItemGap = 12;
constexpr int kDetailRole = Qt::UserRole, kKeysRole = Qt::UserRole + 1;

/// Draws the title on the left, its detail in a muted color after it, and its shortcut on the right.
class PaletteDelegate final : public QStyledItemDelegate {
 public:
  PaletteDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return {QStyledItemDelegate::sizeHint(option, index).width(), rowHeight(option.fontMetrics)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const ThemeColors& colors = theme_.colors();
    if (selected) painter->fillRect(option.rect, colors.accent);
    const QFontMetrics& metrics = option.fontMetrics;
    QRect room = option.rect.adjusted(kItemGap, 0, -kItemGap, 0);
    const QString keys = index.data(kKeysRole).toString();
    painter->setPen(selected ? colors.onAccent : colors.muted);
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
    if (!keys.isEmpty()) room.setRight(room.right() - metrics.horizontalAdvance(keys) - kItemGap);
    painter->setPen(selected ? colors.onAccent : colors.text);
    const QString title = metrics.elidedText(index.data().toString(), Qt::ElideRight, room.width() * 2 / 3);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, title);
    room.setLeft(room.left() + metrics.horizontalAdvance(title) + kItemGap);
    painter->setPen(selected ? colors.onAccent : colors.muted);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(index.data(kDetailRole).toString(), Qt::ElideRight, room.width()));
  }

 private:
  const Theme& theme_;
};

}  // namespace

CommandPalette::CommandPalette(const Theme& theme, QWidget* parent)
    : QDialog(parent),
      search_(new QLineEdit(this)),
      nothing_(textLabel(this, TextLook::Muted)),
      list_(new QListWidget(this)) {
  setWindowTitle(tr("Command palette"));
  search_->setObjectName(QStringLiteral("paletteSearch"));
  search_->setPlaceholderText(tr("Find a command, a run, a setting or a help page"));
  search_->setAccessibleName(search_->placeholderText());
  search_->installEventFilter(this);
  list_->setAccessibleName(tr("Matches"));
  list_->setItemDelegate(new PaletteDelegate(theme, list_));
  list_->setUniformItemSizes(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setFocusPolicy(Qt::NoFocus);
  column(this, {search_, nothing_, {list_, 1}}, {{8, 8, 8, 8}});
  nothing_->setContentsMargins(kItemGap, 4, kItemGap, 4);
  nothing_->hide();
  connect(search_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::choose);
}

void CommandPalette::openWith(std::vector<PaletteEntry> entries) {
  entries_ = std::move(entries);
  search_->clear();
  fill();
  const QWidget* over = parentWidget();
  const int unit = fontMetrics().horizontalAdvance(QLatin1Char('x'));
  resize(std::min(over->width() - 32, 90 * unit), over->height() * 2 / 3);
  move(over->mapToGlobal(QPoint((over->width() - width()) / 2, over->height() / 8)));
  open();
  search_->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_PageDown:
    case Qt::Key_PageUp: QApplication::sendEvent(list_, event); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(); return true;
    default: return QDialog::eventFilter(watched, event);
  }
}

void CommandPalette::fill() {
  found_ = paletteMatches(entries_, search_->text());
  list_->clear();
  for (const PaletteEntry* entry : found_) {
    auto* item = new QListWidgetItem(entry->title);
    item->setData(kDetailRole, entry->detail);
    item->setData(kKeysRole, entry->keys);
    item->setData(Qt::AccessibleTextRole,
                  QStringList{entry->title, entry->detail, entry->keys}.join(QStringLiteral(", ")));
    list_->addItem(item);
  }
  list_->setCurrentRow(0);
  nothing_->setText(tr("Nothing matches “%1”").arg(search_->text().trimmed()));
  nothing_->setVisible(found_.empty());
}

void CommandPalette::choose() {
  if (list_->currentRow() < 0) return;
  const auto act = found_[static_cast<std::size_t>(list_->currentRow())]->act;
  accept();
  act();
}

std::vector<const PaletteEntry*> paletteMatches(const std::vector<PaletteEntry>& entries, const QString& search) {
  const QString words = search.trimmed();
  std::vector<const PaletteEntry*> found;
  for (const PaletteEntry& entry : entries)
    if (containsWords(QStringList{entry.title, entry.detail, entry.words}.join(QLatin1Char(' ')), words))
      found.push_back(&entry);
  std::ranges::stable_sort(found, {}, [&words](const PaletteEntry* entry) {
    const qsizetype at = entry->title.indexOf(words, 0, Qt::CaseInsensitive);
    return at < 0 ? 2 : std::min<qsizetype>(at, 1);
  });
  return found;
}

}  // namespace batchwise
