// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/run_list_pane.h"

#include <QtGui/QAction>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

#include "ui/widgets/icon_delegate.h"

namespace batchwise {

RunListPane::RunListPane(RunListModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(model),
      filter_(new QLineEdit(this)),
      view_(new QTreeView(this)),
      count_(new QLabel(this)) {
  filter_->setPlaceholderText(tr("Filter by name, state or tag"));
  filter_->setAccessibleName(tr("Filter runs"));
  filter_->setClearButtonEnabled(true);
  proxy_.setSourceModel(&model_);
  proxy_.setSortRole(RunListModel::SortRole);
  proxy_.setFilterRole(RunListModel::SearchRole);
  proxy_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  proxy_.sort(RunListModel::CreatedColumn, Qt::DescendingOrder);

  view_->setModel(&proxy_);
  view_->setObjectName(QStringLiteral("runs"));
  view_->setAccessibleName(tr("Runs"));
  view_->setItemDelegate(new IconDelegate(theme, RunListModel::IconRole, view_));
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setSortingEnabled(true);
  view_->sortByColumn(RunListModel::CreatedColumn, Qt::DescendingOrder);
  view_->setFrameShape(QFrame::NoFrame);
  view_->header()->setStretchLastSection(false);
  view_->header()->setSectionsMovable(false);
  view_->header()->setSectionHidden(RunListModel::CreatedColumn, true);
  chooseColumns();
  count_->setTextFormat(Qt::PlainText);
  Theme::setLook(count_, TextLook::Small);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 4);
  layout->setSpacing(4);
  layout->addWidget(filter_);
  layout->addWidget(view_, 1);
  layout->addWidget(count_);

  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    proxy_.setFilterFixedString(text);
    tellCount();
  });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (!quiet_) Q_EMIT runSelected(selected());
  });
  connect(view_, &QAbstractItemView::clicked, this, [this] { Q_EMIT runSelected(selected()); });
  connect(&proxy_, &QAbstractItemModel::rowsInserted, this, &RunListPane::tellCount);
  connect(&proxy_, &QAbstractItemModel::rowsRemoved, this, &RunListPane::tellCount);
  connect(&proxy_, &QAbstractItemModel::rowsInserted, this, &RunListPane::sizeColumns);
  connect(&theme, &Theme::changed, this, &RunListPane::sizeColumns);
  sizeColumns();
  tellCount();
}

void RunListPane::chooseColumns() {
  auto* header = view_->header();
  header->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = RunListModel::StateColumn; column < RunListModel::ColumnCount; ++column) {
    auto* action = new QAction(model_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), header);
    action->setCheckable(true);
    action->setChecked(!header->isSectionHidden(column));
    header->addAction(action);
    connect(action, &QAction::toggled, this, [header, column](bool on) { header->setSectionHidden(column, !on); });
  }
}

void RunListPane::sizeColumns() {
  auto* header = view_->header();
  header->setMinimumSectionSize(fontMetrics().horizontalAdvance(QStringLiteral("0000")));
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(RunListModel::NameColumn, QHeaderView::Stretch);
}

void RunListPane::tellCount() {
  const int shown = proxy_.rowCount();
  const int all = model_.rowCount();
  if (all == 0)
    count_->setText(tr("No runs yet. Press New run to make one."));
  else if (shown < all)
    count_->setText(tr("%n run(s), %1 shown", nullptr, all).arg(shown));
  else
    count_->setText(tr("%n run(s)", nullptr, all));
}

QString RunListPane::selected() const {
  const QModelIndex current = view_->currentIndex();
  return current.isValid() ? current.data(RunListModel::IdRole).toString() : QString();
}

void RunListPane::select(const QString& run) {
  if (run == selected()) return;
  const int row = model_.rowOf(run);
  quiet_ = true;
  view_->setCurrentIndex(row < 0 ? QModelIndex() : proxy_.mapFromSource(model_.index(row, 0)));
  quiet_ = false;
}

}  // namespace batchwise
