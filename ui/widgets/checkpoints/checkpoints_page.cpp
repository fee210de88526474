// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/checkpoints/checkpoints_page.h"

#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

#include "ui/models/display_text.h"
#include "ui/widgets/checkpoints/try_panel.h"
#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/icon_delegate.h"
#include "ui/widgets/parts/message_bar.h"

namespace batchwise {

CheckpointsPage::CheckpointsPage(CheckpointsPresenter& presenter, StudioSettings& settings, const Theme& theme,
                                 QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      settings_(settings),
      message_(new MessageBar(theme, this)),
      empty_(
          new QLabel(tr("The checkpoints of the selected run will be here. A run writes them at the intervals of its "
                        "configuration, and when it is stopped."),
                     this)),
      table_(new QTreeView(this)),
      try_(new TryPanel(presenter, theme, this)) {
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  Theme::setLook(empty_, TextLook::Muted);
  makeTable(theme);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 8, 16, 8);
  layout->setSpacing(8);
  layout->addWidget(message_);
  layout->addWidget(empty_, 2);
  layout->addWidget(table_, 2);
  layout->addWidget(makeButtons());
  layout->addWidget(try_, 1);
  connectPresenter();
  updateButtons();
}

void CheckpointsPage::makeTable(const Theme& theme) {
  proxy_.setSourceModel(&presenter_.model());
  proxy_.setSortRole(CheckpointModel::SortRole);
  table_->setModel(&proxy_);
  table_->setObjectName(QStringLiteral("checkpoints"));
  table_->setAccessibleName(tr("Checkpoints of the selected run"));
  table_->setItemDelegate(new IconDelegate(theme, CheckpointModel::IconRole, table_));
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  table_->setSortingEnabled(true);
  table_->sortByColumn(CheckpointModel::BatchColumn, Qt::DescendingOrder);
  table_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->header()->setStretchLastSection(true);
}

QWidget* CheckpointsPage::makeButtons() {
  auto* row = new QWidget(this);
  auto* layout = new FlowLayout(row);
  const auto button = [&](const QString& words, const char* name, auto pressed) {
    auto* made = new QPushButton(words, row);
    made->setObjectName(QString::fromLatin1(name));
    layout->addWidget(made);
    connect(made, &QPushButton::clicked, this, pressed);
    return made;
  };
  resume_ =
      button(tr("Resume from here"), "resumeHere", [this] { Q_EMIT resumeRequested(presenter_.run(), selected()); });
  verify_ = button(tr("Verify"), "verifyCheckpoint", [this] { presenter_.verify(selected()); });
  pin_ = button(tr("Pin"), "pinCheckpoint", [this] {
    const CheckpointRecord* record = presenter_.model().find(selected());
    if (record != nullptr) presenter_.setPinned(selected(), !record->pinned);
  });
  remove_ = button(tr("Delete"), "deleteCheckpoint", [this] { presenter_.remove(selected()); });
  export_ = button(tr("Export for transformers…"), "exportCheckpoint", [this] { chooseFolder(); });
  Theme::setPrimary(resume_);
  resume_->updateGeometry();  // a primary button is wider
  resume_->setToolTip(tr("See what going on from this checkpoint means, then go on"));
  verify_->setToolTip(tr("Read the whole file back and check every hash"));
  export_->setToolTip(
      tr("Write a folder with config.json, model.safetensors and the vocabulary, as Hugging Face's "
         "transformers reads it"));
  return row;
}

void CheckpointsPage::connectPresenter() {
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CheckpointsPage::updateButtons);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&proxy_, signal, this, &CheckpointsPage::updateButtons);
  connect(&proxy_, &QAbstractItemModel::dataChanged, this, &CheckpointsPage::updateButtons);
  connect(&presenter_, &CheckpointsPresenter::runChanged, this, [this] {
    message_->clear();
    updateButtons();
  });
  connect(&presenter_, &CheckpointsPresenter::statusMessage, this,
          [this](const QString& what) { message_->showMessage(NoteLevel::Info, what); });
  connect(&presenter_, &CheckpointsPresenter::removed, this, [this](std::int64_t batch) {
    message_->showActions(NoteLevel::Info,
                          tr("The checkpoint at global batch %1 is deleted in 10 seconds").arg(integerText(batch)), {},
                          {tr("Undo")});
  });
  connect(message_, &MessageBar::actionTriggered, this, [this] {
    message_->clear();
    presenter_.undoRemove();
  });
}

QString CheckpointsPage::selected() const {
  const QModelIndex current = table_->currentIndex();
  return current.isValid() ? current.data(CheckpointModel::IdRole).toString() : QString();
}

void CheckpointsPage::updateButtons() {
  const bool any = proxy_.rowCount() > 0;
  empty_->setVisible(!any);
  table_->setVisible(any);
  if (any && !table_->currentIndex().isValid()) table_->setCurrentIndex(proxy_.index(0, 0));
  const CheckpointRecord* record = presenter_.model().find(selected());
  for (QPushButton* button : {resume_, verify_, pin_, remove_, export_}) button->setEnabled(record != nullptr);
  const bool pinned = record != nullptr && record->pinned;
  pin_->setText(pinned ? tr("Unpin") : tr("Pin"));
  pin_->setToolTip(pinned ? tr("Let it be deleted again when there are newer ones")
                          : tr("Keep it: it is never deleted to make room"));
  remove_->setEnabled(record != nullptr && !pinned);
  remove_->setToolTip(pinned ? tr("Unpin it first") : tr("Delete the file; can be undone for 10 seconds"));
  try_->setCheckpoint(selected());
}

void CheckpointsPage::chooseFolder() {
  const QString id = selected();
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Folder for the model"), settings_.folder(QStringLiteral("export")));
  if (folder.isEmpty()) return;
  settings_.setFolder(QStringLiteral("export"), folder);
  presenter_.exportTo(id, folder);
}

}  // namespace batchwise
