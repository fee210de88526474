// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/checkpoints/checkpoints_page.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QTreeWidget>
#include <algorithm>

#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/table_views.h"

namespace batchwise {

TryPanel::TryPanel(CheckpointsPresenter& presenter, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      text_(new QLineEdit(this)),
      beside_(new QComboBox(this)),
      fill_(named(new QPushButton(tr("Fill"), this), "tryFill")),
      state_(plainLabel(this, TextLook::Muted)),
      answers_(new QTreeWidget(this)) {
  auto* heading = new QLabel(tr("Try it"), this);
  Theme::setLook(heading, TextLook::Heading);
  named(text_, "tryText", tr("Sentence with [MASK]"));
  text_->setPlaceholderText(
      tr("A sentence with [MASK] in place of words, for example: the old dog [MASK] in the garden"));
  state_->setWordWrap(true);
  named(answers_, "tryAnswers", tr("Words for each [MASK]"));
  answers_->setRootIsDecorated(false);
  answers_->setHeaderLabels({tr("[MASK]"), tr("Word"), tr("Probability")});
  answers_->setUniformRowHeights(true);
  answers_->setItemDelegate(new IconDelegate(theme, -1, answers_));  // for the same row height as in other tables
  answers_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  answers_->header()->setStretchLastSection(false);
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  named(beside_, "tryBeside", tr("Run to try beside this one"),
        tr("Asks the newest checkpoint of another run the same, for comparison"));
  beside_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  beside_->setMinimumContentsLength(14);
  layout->addWidget(heading, 0, 0, 1, 3);
  layout->addWidget(text_, 1, 0);
  layout->addWidget(beside_, 1, 1);
  layout->addWidget(fill_, 1, 2);
  layout->addWidget(state_, 2, 0, 1, 3);
  layout->addWidget(answers_, 3, 0, 1, 3);
  layout->setRowStretch(3, 1);
  connect(text_, &QLineEdit::textChanged, this, &TryPanel::updateButton);
  connect(text_, &QLineEdit::returnPressed, fill_, &QPushButton::click);
  connect(fill_, &QPushButton::clicked, this, &TryPanel::fill);
  connect(&presenter, &CheckpointsPresenter::filled, this, &TryPanel::show);
  connect(&presenter, &CheckpointsPresenter::runChanged, this, &TryPanel::listOthers);
  connect(&presenter, &CheckpointsPresenter::runsChanged, this, &TryPanel::listOthers);
  connect(&presenter, &CheckpointsPresenter::fillFailed, this, [this](const QString& why) {
    busy_ = false;
    state_->setText(sentenceCase(why));
    updateButton();
  });
  beside_->addItem(tr("beside no other run"));
  updateButton();
}

void TryPanel::listOthers() {
  std::vector<NamedRun> others = presenter_.otherRuns();
  if (others == others_) return;
  others_ = std::move(others);
  const QString chosen = beside_->currentData().toString();
  while (beside_->count() > 1) beside_->removeItem(1);
  for (const NamedRun& run : others_) beside_->addItem(tr("beside %1").arg(run.name), run.id);
  beside_->setCurrentIndex(std::max(0, beside_->findData(chosen)));
}

void TryPanel::setCheckpoint(const QString& checkpoint) {
  if (checkpoint_ != checkpoint) {
    answers_->clear();
    state_->clear();
  }
  checkpoint_ = checkpoint;
  updateButton();
}

void TryPanel::fill() {
  busy_ = true;
  state_->setText(tr("Reading the checkpoint…"));
  updateButton();
  presenter_.fill(checkpoint_, text_->text(), beside_->currentData().toString());
}

void TryPanel::show(const MaskComparison& tried) {
  busy_ = false;
  state_->setText(sentenceCase(coreText(tried.comparisonError)));
  answers_->clear();
  QStringList heads{tr("[MASK]"), tr("Word"), tr("Probability")};
  if (tried.comparison) heads << beside_->currentText() << tr("Probability");
  answers_->setColumnCount(static_cast<int>(heads.size()));
  answers_->setHeaderLabels(heads);
  const auto put = [](QTreeWidgetItem* item, int column, const MaskCandidate& candidate) {
    item->setText(column, toQt(candidate.token));
    item->setText(column + 1, tr("%1 %").arg(valueText(100 * candidate.probability, ValueFormat::Plain)));
    item->setTextAlignment(column + 1, Qt::AlignRight | Qt::AlignVCenter);
    item->setToolTip(column + 1, QString::number(candidate.probability, 'g', 17));
  };
  for (std::size_t mask = 0; mask < tried.own.masks.size(); ++mask)
    for (std::size_t rank = 0; rank < tried.own.masks[mask].size(); ++rank) {
      auto* item = new QTreeWidgetItem(answers_, {QString::number(mask + 1)});
      put(item, 1, tried.own.masks[mask][rank]);
      const bool both =
          tried.comparison && mask < tried.comparison->masks.size() && rank < tried.comparison->masks[mask].size();
      if (both) put(item, 3, tried.comparison->masks[mask][rank]);
    }
  updateButton();
}

void TryPanel::updateButton() {
  QString why;
  if (checkpoint_.isEmpty())
    why = tr("Select a checkpoint");
  else if (busy_)
    why = tr("The answer is being worked out");
  else if (!text_->text().contains(QStringLiteral("[MASK]")))
    why = tr("The sentence needs [MASK] somewhere");
  fill_->setEnabled(why.isEmpty());
  fill_->setToolTip(why.isEmpty() ? tr("Ask the model of this checkpoint") : why);
}

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
      table_(tableView(this, proxy_, theme, CheckpointModel::IconRole, "checkpoints",
                       tr("Checkpoints of the selected run"))),
      try_(new TryPanel(presenter, theme, this)) {
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  Theme::setLook(empty_, TextLook::Muted);
  makeTable();
  column(this, {message_, {empty_, 2}, {table_, 2}, makeButtons(), {try_, 1}}, {{16, 8, 16, 8}, 8});
  connectPresenter();
  updateButtons();
}

void CheckpointsPage::makeTable() {
  proxy_.setSourceModel(&presenter_.model());
  proxy_.setSortRole(CheckpointModel::SortRole);
  table_->setFrameShape(QFrame::StyledPanel);
  table_->setSortingEnabled(true);
  table_->sortByColumn(CheckpointModel::BatchColumn, Qt::DescendingOrder);
  table_->header()->setStretchLastSection(true);
}

QWidget* CheckpointsPage::makeButtons() {
  auto* row = new QWidget(this);
  auto* layout = new FlowLayout(row);
  const auto button = [&](const QString& words, const char* name, auto pressed) {
    auto* made = named(new QPushButton(words, row), name);
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
  connect(&proxy_, &QAbstractItemModel::modelReset, this, &CheckpointsPage::updateButtons);
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
