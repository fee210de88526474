// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/checkpoints/try_panel.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>
#include <algorithm>

#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/icon_delegate.h"

namespace batchwise {

TryPanel::TryPanel(CheckpointsPresenter& presenter, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      text_(new QLineEdit(this)),
      beside_(new QComboBox(this)),
      fill_(new QPushButton(tr("Fill"), this)),
      state_(new QLabel(this)),
      answers_(new QTreeWidget(this)) {
  auto* heading = new QLabel(tr("Try it"), this);
  Theme::setLook(heading, TextLook::Heading);
  text_->setObjectName(QStringLiteral("tryText"));
  text_->setAccessibleName(tr("Sentence with [MASK]"));
  text_->setPlaceholderText(
      tr("A sentence with [MASK] in place of words, for example: the old dog [MASK] in the garden"));
  fill_->setObjectName(QStringLiteral("tryFill"));
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  Theme::setLook(state_, TextLook::Muted);
  answers_->setObjectName(QStringLiteral("tryAnswers"));
  answers_->setAccessibleName(tr("Words for each [MASK]"));
  answers_->setRootIsDecorated(false);
  answers_->setHeaderLabels({tr("[MASK]"), tr("Word"), tr("Probability")});
  answers_->setUniformRowHeights(true);
  answers_->setItemDelegate(new IconDelegate(theme, -1, answers_));  // for the same row height as in other tables
  answers_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  answers_->header()->setStretchLastSection(false);
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  beside_->setObjectName(QStringLiteral("tryBeside"));
  beside_->setAccessibleName(tr("Run to try beside this one"));
  beside_->setToolTip(tr("Asks the newest checkpoint of another run the same, for comparison"));
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

}  // namespace batchwise
