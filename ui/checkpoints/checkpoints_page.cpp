// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoints_page.h"

#include <QtCore/QScopedValueRollback>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QTableView>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QTreeWidget>
#include <algorithm>

#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/message_bar.h"
#include "ui/parts/table_views.h"
#include "ui/theme/theme.h"

namespace batchwise {
namespace {

constexpr int kNameLetters = 40;  // of a run that is compared with

/// Subjects of the message that offers to undo a deletion, and of the one on the export.
const QString kRemovalSubject = QStringLiteral("checkpoint-removal"), kExportSubject = QStringLiteral("model-export");

}  // namespace

TryPanel::TryPanel(CheckpointsPresenter& presenter, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      text_(new QLineEdit(this)),
      beside_(new QComboBox(this)),
      fill_(named(new QPushButton(tr("Fill"), this), "tryFill")),
      state_(plainLabel(this, TextLook::Muted)),
      answers_(new QTreeWidget(this)) {
  auto* heading = plainLabel(this, TextLook::Heading, tr("Try the model"));
  auto* compare = plainLabel(this, TextLook::Body, tr("Compare with"));
  compare->setBuddy(beside_);
  named(text_, "tryText", tr("Sentence with [MASK]"));
  text_->setPlaceholderText(
      tr("A sentence with [MASK] in place of words, for example: the old dog [MASK] in the garden"));
  state_->setWordWrap(true);
  setUpTable(*answers_, "tryAnswers", tr("Words for each [MASK]"));
  answers_->setFrameShape(QFrame::StyledPanel);
  answers_->setHeaderLabels({tr("[MASK]"), tr("Word"), tr("Probability")});
  answers_->setItemDelegate(new IconDelegate(theme, answers_));  // for the same row height as in other tables
  answers_->header()->setMaximumSectionSize(fontMetrics().averageCharWidth() * 40);
  named(beside_, "tryBeside", tr("Compare with"),
        tr("The newest checkpoint of another run fills in the same sentence"));
  beside_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  beside_->setMinimumContentsLength(10);
  column(this,
         {row(nullptr, {heading, {state_, 1}, compare, beside_}, {{0, 0, 0, 0}, 8}),
          row(nullptr, {{text_, 1}, fill_}),
          {answers_, 1}},
         {{0, 0, 0, 0}, 8});
  connect(text_, &QLineEdit::textChanged, this, &TryPanel::updateButton);
  connect(text_, &QLineEdit::returnPressed, fill_, &QPushButton::click);
  connect(fill_, &QPushButton::clicked, this, &TryPanel::fill);
  connect(&presenter, &CheckpointsPresenter::filled, this, &TryPanel::show);
  connect(&presenter, &CheckpointsPresenter::runChanged, this, &TryPanel::listOthers);
  connect(&presenter, &CheckpointsPresenter::runsChanged, this, &TryPanel::listOthers);
  connect(&presenter, &CheckpointsPresenter::fillFailed, this, [this](const QString& why) {
    busy_ = false;
    if (asked_ == checkpoint_) state_->setText(sentenceCase(why));
    updateButton();
  });
  beside_->addItem(tr("none", "no other run"));
  updateButton();
}

void TryPanel::listOthers() {
  std::vector<NamedRun> others = presenter_.otherRuns();
  if (others == others_) return;
  others_ = std::move(others);
  const QString chosen = beside_->currentData().toString();
  while (beside_->count() > 1) beside_->removeItem(1);
  for (const NamedRun& run : others_) {
    const int width = fontMetrics().averageCharWidth() * kNameLetters;
    beside_->addItem(fontMetrics().elidedText(run.name, Qt::ElideMiddle, width), run.id);
    beside_->setItemData(beside_->count() - 1, plainToolTip(run.name), Qt::ToolTipRole);
  }
  beside_->setCurrentIndex(std::max(0, beside_->findData(chosen)));
}

void TryPanel::focusSentence() {
  text_->setFocus(Qt::ShortcutFocusReason);
  text_->selectAll();
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
  asked_ = checkpoint_;
  besideName_ = beside_->currentText();
  Q_EMIT used();
  state_->setText(tr("Reading the checkpoint…"));
  updateButton();
  presenter_.fill(checkpoint_, text_->text(), beside_->currentData().toString());
}

void TryPanel::show(const MaskComparison& tried) {
  busy_ = false;
  updateButton();
  if (asked_ != checkpoint_) return;  // of one that was selected before
  state_->setText(sentenceCase(toQt(tried.comparisonError)));
  answers_->clear();
  QStringList heads{toQt(tried.own.maskToken), tr("Word"), tr("Probability")};
  if (tried.comparison) heads << besideName_ << tr("Probability");
  answers_->setColumnCount(static_cast<int>(heads.size()));
  answers_->setHeaderLabels(heads);
  for (int column = 2; column < answers_->columnCount(); column += 2)
    answers_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  const auto put = [](QTreeWidgetItem* item, int column, const MaskCandidate& candidate) {
    item->setText(column, toQt(candidate.token));
    item->setText(column + 1, tr("%1 %").arg(100 * candidate.probability, 0, 'f', 2));
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
}

void TryPanel::updateButton() {
  QString why;
  if (checkpoint_.isEmpty())
    why = tr("Select a checkpoint");
  else if (busy_)
    why = tr("The model is filling in the sentence");
  else if (text_->text().trimmed().isEmpty())  // the model knows its own mask token besides [MASK]
    why = tr("Type a sentence with [MASK]");
  fill_->setEnabled(why.isEmpty());
  fill_->setToolTip(why.isEmpty() ? tr("Predict the masked words with this checkpoint") : why);
}

CheckpointsPage::CheckpointsPage(CheckpointsPresenter& presenter, StudioSettings& settings, MessageBar& message,
                                 const Theme& theme, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      settings_(settings),
      message_(message),
      heading_(new ElidedLabel(this)),
      list_(new QStackedWidget(this)),
      table_(tableView(list_, proxy_, theme, "checkpoints", tr("Checkpoints of the selected run"))),
      scoresView_(textTableView(this, scores_, "checkpointScores", tr("Scores of the selected checkpoint"))),
      try_(new TryPanel(presenter, theme, this)) {
  heading_->setObjectName(QStringLiteral("checkpointsHeading"));
  Theme::setLook(heading_, TextLook::Heading);
  auto* empty = textLabel(list_, TextLook::Muted,
                          tr("The checkpoints of the selected run appear here. A run writes them at the intervals of "
                             "its configuration, and when it stops."));
  empty->setAlignment(Qt::AlignCenter);
  list_->addWidget(table_);
  list_->addWidget(empty);
  makeTable();
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(list_);
  parts->addWidget(scoresView_);
  parts->addWidget(try_);
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 1);
  parts->setStretchFactor(2, 2);
  column(this, {heading_, makeButtons(), {parts, 1}}, {{16, 8, 16, 8}, 8});
  connectPresenter();
  showRun();
}

void CheckpointsPage::makeTable() {
  connect(&proxy_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { selectedBefore_ = selected(); });
  connect(&proxy_, &QAbstractItemModel::modelReset, this, [this] {
    const int place = table_->verticalScrollBar()->value();
    select(selectedBefore_);  // scrolls there
    table_->verticalScrollBar()->setValue(place);
  });
  proxy_.setSourceModel(&presenter_.model());
  proxy_.setSortRole(CheckpointModel::SortRole);
  table_->setFrameShape(QFrame::StyledPanel);
  table_->setSortingEnabled(true);
  table_->sortByColumn(CheckpointModel::BatchColumn, Qt::DescendingOrder);
  table_->header()->setStretchLastSection(true);
  scoresView_->setFrameShape(QFrame::StyledPanel);
  scoresView_->setMinimumHeight(1);
  scoresView_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

void CheckpointsPage::showScores() {
  TextTable scores = presenter_.scoresOf(selected());
  scoresView_->setVisible(!scores.rows.empty());
  scoresView_->verticalHeader()->setDefaultSectionSize(rowHeight(fontMetrics()));
  scores_.setTable(std::move(scores));
}

QWidget* CheckpointsPage::makeButtons() {
  auto* row = new QWidget(this);
  auto* layout = new FlowLayout(row);
  const auto button = [&](const QString& words, const char* name, const QString& toolTip, auto pressed) {
    auto* made = named(new QPushButton(words, row), name, {}, toolTip);
    layout->addWidget(made);
    connect(made, &QPushButton::clicked, this, [this, pressed] {
      chosen_ = true;
      pressed();
    });
    return made;
  };
  verify_ = button(tr("Verify"), "verifyCheckpoint", tr("Read the whole file and verify every hash"),
                   [this] { presenter_.verify(selected()); });
  tryIt_ = button(tr("Try"), "tryCheckpoint", tr("Fill in a sentence with the model of this checkpoint"),
                  [this] { try_->focusSentence(); });
  resume_ = button(tr("Resume from here"), "resumeHere",
                   tr("Review what resuming from this checkpoint changes, then resume"), [this] {
                     chosen_ = false;  // the run gets newer ones
                     Q_EMIT resumeRequested(presenter_.run(), selected());
                   });
  export_ =
      button(tr("Export for Hugging Face…"), "exportCheckpoint",
             tr("Write a folder with config.json, model.safetensors and the vocabulary for Hugging Face transformers"),
             [this] { chooseFolder(); });
  evaluate_ =
      button(tr("Evaluate on a text…"), "evaluateCheckpoint",
             tr("Measure loss, accuracy and bits per byte of this checkpoint, or of another model, on any text"),
             [this] { Q_EMIT evaluateRequested(selected()); });
  judge_ = button(tr("Judge…"), "judgeCheckpoint",
                  tr("Score this checkpoint, or other models, on labelled text by a probe or by fine-tuning"),
                  [this] { Q_EMIT judgeRequested(selected()); });
  pin_ = button(tr("Pin"), "pinCheckpoint", {}, [this] {
    const CheckpointRecord* record = presenter_.model().find(selected());
    if (record != nullptr) presenter_.setPinned(selected(), !record->pinned);
  });
  remove_ = button(tr("Delete"), "deleteCheckpoint", {}, [this] {
    chosen_ = false;  // it is gone
    presenter_.remove(selected());
  });
  Theme::setPrimary(resume_);
  resume_->updateGeometry();  // a primary button is wider
  return row;
}

void CheckpointsPage::connectPresenter() {
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CheckpointsPage::updateButtons);
  watchChoice();
  connect(&proxy_, &QAbstractItemModel::modelReset, this, &CheckpointsPage::updateButtons);
  connect(&proxy_, &QAbstractItemModel::dataChanged, this, &CheckpointsPage::updateButtons);
  for (const auto signal : {&CheckpointsPresenter::runChanged, &CheckpointsPresenter::runsChanged})
    connect(&presenter_, signal, this, &CheckpointsPage::showRun);
  connect(&presenter_, &CheckpointsPresenter::runChanged, this, [this] { chosen_ = false; });
  connect(&presenter_, &CheckpointsPresenter::checkpointsRead, this, &CheckpointsPage::propose);
  connect(&presenter_, &CheckpointsPresenter::checkpointsRead, this, &CheckpointsPage::showScores);
  connect(&presenter_, &CheckpointsPresenter::statusMessage, &message_,
          [this](const QString& text) { message_.showMessage(NoteLevel::Info, text, {}, kExportSubject); });
  connect(&presenter_, &CheckpointsPresenter::failed, &message_, [this] { message_.withdraw(kExportSubject); });
  connect(&presenter_, &CheckpointsPresenter::removed, this, &CheckpointsPage::offerUndo);
  connect(&presenter_, &CheckpointsPresenter::removalEnded, &message_, [this] { message_.withdraw(kRemovalSubject); });
}

void CheckpointsPage::showRun() {
  const QString name = presenter_.runName();
  heading_->setText(name.isEmpty() ? tr("Checkpoints") : tr("Checkpoints of %1").arg(name));
  updateButtons();
}

void CheckpointsPage::offerUndo(std::int64_t batch) {
  message_.add({.level = NoteLevel::Info,
                .title = tr("The checkpoint of %2 at global batch %1 is deleted in 10 seconds")
                             .arg(integerText(batch), presenter_.runName()),
                .details = {},
                .subject = kRemovalSubject,
                .actions = {tr("Undo")},
                .chosen = [this](int) { presenter_.undoRemove(); }});
}

/// The current row also changes by propose().
void CheckpointsPage::watchChoice() {
  connect(table_, &QAbstractItemView::clicked, this, [this] { chosen_ = true; });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row, const QModelIndex& before) {
            if (row.isValid() && before.isValid() && !proposing_) chosen_ = true;
          });
  connect(try_, &TryPanel::used, this, [this] { chosen_ = true; });
}

/// Selects the best checkpoint, or the newest, until the user chooses one: a run that trains gets others.
void CheckpointsPage::propose() {
  if (chosen_ && table_->currentIndex().isValid()) return;
  const QString id = presenter_.model().bestOrNewest();
  const QScopedValueRollback proposing(proposing_, true);
  if (id != selected()) select(id);
}

void CheckpointsPage::select(const QString& checkpoint) {
  const int row = presenter_.model().rowOf(checkpoint);
  if (row >= 0) table_->setCurrentIndex(proxy_.mapFromSource(presenter_.model().index(row, 0)));
}

QString CheckpointsPage::selected() const {
  const QModelIndex current = table_->currentIndex();
  return current.isValid() ? current.data(CheckpointModel::IdRole).toString() : QString();
}

void CheckpointsPage::updateButtons() {
  const bool any = proxy_.rowCount() > 0;
  list_->setCurrentIndex(any ? 0 : 1);
  const CheckpointRecord* record = presenter_.model().find(selected());
  for (QPushButton* button : {verify_, tryIt_, resume_, export_, evaluate_, judge_, pin_, remove_})
    button->setEnabled(record != nullptr);
  const bool pinned = record != nullptr && record->pinned;
  pin_->setText(pinned ? tr("Unpin") : tr("Pin"));
  pin_->setToolTip(pinned ? tr("Allow its deletion when there are newer checkpoints")
                          : tr("Never delete it to make room"));
  remove_->setEnabled(record != nullptr && !pinned);
  remove_->setToolTip(pinned ? tr("Unpin it first") : tr("Delete the file; can be undone for 10 seconds"));
  try_->setCheckpoint(selected());
  showScores();
}

void CheckpointsPage::chooseFolder() {
  const QString id = selected();
  const CheckpointRecord* record = presenter_.model().find(id);
  if (record == nullptr) return;
  const QString name = QStringLiteral("%1-%2").arg(presenter_.runName()).arg(record->at.batch);
  const QString folder = askForFileToWrite(*this, settings_, QStringLiteral("export"),
                                           {tr("New folder for the model"), fileNameFor(name), {}});
  if (!folder.isEmpty()) presenter_.exportTo(id, folder);
}

}  // namespace batchwise
