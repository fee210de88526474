// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_palette.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListView>
#include <QtWidgets/QStyledItemDelegate>
#include <algorithm>

#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/search_words.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kItemGap = 12;

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
    const QString keys = index.data(PaletteModel::KeysRole).toString();
    painter->setPen(selected ? colors.onAccent : colors.muted);
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
    if (!keys.isEmpty()) room.setRight(room.right() - metrics.horizontalAdvance(keys) - kItemGap);
    painter->setPen(selected ? colors.onAccent : colors.text);
    const QString title = metrics.elidedText(index.data().toString(), Qt::ElideRight, room.width() * 2 / 3);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, title);
    room.setLeft(room.left() + metrics.horizontalAdvance(title) + kItemGap);
    painter->setPen(selected ? colors.onAccent : colors.muted);
    painter->drawText(
        room, Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(index.data(PaletteModel::DetailRole).toString(), Qt::ElideRight, room.width()));
  }

 private:
  const Theme& theme_;
};

}  // namespace

CommandPalette::CommandPalette(const Theme& theme, QWidget* parent)
    : QDialog(parent),
      search_(new QLineEdit(this)),
      nothing_(textLabel(this, TextLook::Muted)),
      list_(new QListView(this)) {
  setWindowTitle(tr("Command palette"));
  search_->setObjectName(QStringLiteral("paletteSearch"));
  search_->setPlaceholderText(tr("Find a command, a run, a setting or a help page"));
  search_->setAccessibleName(search_->placeholderText());
  search_->installEventFilter(this);
  list_->setModel(&model_);
  list_->setAccessibleName(tr("Matches"));
  list_->setItemDelegate(new PaletteDelegate(theme, list_));
  list_->setUniformItemSizes(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setFocusPolicy(Qt::NoFocus);
  column(this, {search_, nothing_, {list_, 1}}, {{8, 8, 8, 8}});
  nothing_->setContentsMargins(kItemGap, 4, kItemGap, 4);
  nothing_->hide();
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_.setSearch(text);
    list_->setCurrentIndex(model_.index(0));
    nothing_->setText(tr("Nothing matches “%1”").arg(text.trimmed()));
    nothing_->setVisible(model_.rowCount() == 0);
  });
  connect(list_, &QListView::clicked, this, &CommandPalette::choose);
}

void CommandPalette::openWith(std::vector<PaletteEntry> entries) {
  search_->clear();
  model_.setEntries(std::move(entries));
  list_->setCurrentIndex(model_.index(0));
  const QWidget* over = parentWidget();
  const int unit = fontMetrics().horizontalAdvance(QLatin1Char('x'));
  resize(std::min(over->width() - 32, 90 * unit), over->height() * 2 / 3);
  move(over->mapToGlobal(QPoint((over->width() - width()) / 2, over->height() / 8)));
  open();
  search_->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const int rows = model_.rowCount();
  const int row = list_->currentIndex().row();
  const auto goTo = [&](int next) { list_->setCurrentIndex(model_.index(std::clamp(next, 0, std::max(0, rows - 1)))); };
  constexpr int kPage = 10;
  switch (key->key()) {
    case Qt::Key_Down: goTo(row + 1); return true;
    case Qt::Key_Up: goTo(row - 1); return true;
    case Qt::Key_PageDown: goTo(row + kPage); return true;
    case Qt::Key_PageUp: goTo(row - kPage); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(); return true;
    default: return QDialog::eventFilter(watched, event);
  }
}

void CommandPalette::choose() {
  const PaletteEntry* entry = model_.at(list_->currentIndex().row());
  if (entry == nullptr) return;
  const auto act = entry->act;
  accept();
  act();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(found_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  const PaletteEntry* entry = index.isValid() ? at(index.row()) : nullptr;
  if (entry == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole: return entry->title;
    case Qt::AccessibleTextRole:
      return QStringList{entry->title, entry->detail, entry->keys}.join(QStringLiteral(", "));
    case DetailRole: return entry->detail;
    case KeysRole: return entry->keys;
    default: return {};
  }
}

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
  beginResetModel();
  entries_ = std::move(entries);
  filter();
  endResetModel();
}

void PaletteModel::setSearch(const QString& text) {
  beginResetModel();
  search_ = text.trimmed();
  filter();
  endResetModel();
}

void PaletteModel::filter() {
  found_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const PaletteEntry& entry = entries_[i];
    if (containsWords(QStringList{entry.title, entry.detail, entry.words}.join(QLatin1Char(' ')), search_))
      found_.push_back(i);
  }
  const auto place = [this](std::size_t i) {
    const qsizetype at = entries_[i].title.indexOf(search_, 0, Qt::CaseInsensitive);
    return at < 0 ? 2 : std::min<qsizetype>(at, 1);
  };
  std::ranges::stable_sort(found_, {}, place);
}

const PaletteEntry* PaletteModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &entries_[found_[static_cast<std::size_t>(row)]] : nullptr;
}

}  // namespace batchwise
