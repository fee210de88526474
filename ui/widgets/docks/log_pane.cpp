// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/log_pane.h"

#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

#include "ui/widgets/parts/icon_delegate.h"

namespace batchwise {

LogPane::LogPane(LogModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(model), view_(new QTreeView(this)) {
  view_->setModel(&model_);
  view_->setObjectName(QStringLiteral("log"));
  view_->setAccessibleName(tr("Log of the selected run"));
  view_->setItemDelegate(new IconDelegate(theme, LogModel::IconRole, view_));
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setMinimumHeight(1);  // the dock may be as low as the user wants
  view_->setFrameShape(QFrame::NoFrame);
  view_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->header()->setSectionResizeMode(LogModel::TextColumn, QHeaderView::Stretch);
  view_->header()->setStretchLastSection(true);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* copy = new QAction(tr("Copy the log"), this);
  connect(copy, &QAction::triggered, this, [this] { QGuiApplication::clipboard()->setText(model_.plainText()); });
  view_->addAction(copy);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);

  connect(&model_, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
    const auto* bar = view_->verticalScrollBar();
    atEnd_ = bar->value() >= bar->maximum() - 2;
  });
  connect(&model_, &QAbstractItemModel::rowsInserted, this, [this] {
    if (atEnd_) view_->scrollToBottom();
  });
}

}  // namespace batchwise
